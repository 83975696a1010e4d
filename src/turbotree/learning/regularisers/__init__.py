"""Regularisers with their proximity operators, and the groups of weights they act on.

>>> from turbotree.learning.regularisers import GroupLasso, Groups
>>> GroupLasso(Groups.of([[0, 1], [2]], weights="one")).prox([3.0, 4.0, 0.5], step=1.0)
array([2.4, 3.2, 0. ])
"""

from turbotree.learning.regularisers.base import Regulariser
from turbotree.learning.regularisers.group_lasso import GroupLasso, SparseGroupLasso
from turbotree.learning.regularisers.groups import WEIGHT_RULES, Groups, group_weights
from turbotree.learning.regularisers.hasse import HasseDiagram
from turbotree.learning.regularisers.max_norm import MaxNormGroupLasso, project_onto_l1_ball
from turbotree.learning.regularisers.overlapping import OverlappingGroupLasso
from turbotree.learning.regularisers.plain import L1, L2, ElasticNet
from turbotree.learning.regularisers.template_groups import (
    COARSENESS,
    coarse_to_fine_groups,
    label_groups,
    precedes,
    template_groups,
    templates_of_keys,
)
from turbotree.learning.regularisers.tree_lasso import SequentialGroupLasso, TreeGroupLasso

__all__ = [
    "COARSENESS",
    "L1",
    "L2",
    "WEIGHT_RULES",
    "ElasticNet",
    "GroupLasso",
    "Groups",
    "HasseDiagram",
    "MaxNormGroupLasso",
    "OverlappingGroupLasso",
    "Regulariser",
    "SequentialGroupLasso",
    "SparseGroupLasso",
    "TreeGroupLasso",
    "coarse_to_fine_groups",
    "group_weights",
    "label_groups",
    "precedes",
    "project_onto_l1_ball",
    "template_groups",
    "templates_of_keys",
]
