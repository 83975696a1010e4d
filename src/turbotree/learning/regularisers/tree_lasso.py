"""Groups that overlap, treated one family of disjoint groups after the other."""

from __future__ import annotations

import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.learning.regularisers.base import checked_amount, checked_weights
from turbotree.learning.regularisers.group_lasso import GroupRegulariser, shrink_groups
from turbotree.learning.regularisers.groups import Groups


class SequentialGroupLasso(GroupRegulariser):
    """The paper's way with overlapping groups: the families' proximal steps in sequence.

    ``prox`` is not the proximity operator of ``value`` unless the groups are nested, but online
    learning converges with it as well, and it costs no more than one look at each group. See
    :class:`~.OverlappingGroupLasso` for the exact one.

    Examples
    --------
    >>> lasso = SequentialGroupLasso(Groups.of([[0, 1], [1, 2]], weights="one"))
    >>> len(lasso.groups.families)
    2
    >>> lasso.prox([0.5, 0.0, 3.0], 1.0).tolist()
    [0.0, 0.0, 2.0]
    """

    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Apply one family's proximal step after the other, small groups first."""
        vector = checked_weights(weights, self.groups.size).copy()
        amount = checked_amount(step, "step") * self.strength
        for family in self.groups.families:
            vector = shrink_groups(family, vector, amount)
        return vector


class TreeGroupLasso(SequentialGroupLasso):
    """Nested groups: any two are disjoint, or one is inside the other.

    Its proximity operator is the composition of the groups' own, from the leaves to the roots
    (Jenatton et al. 2010). A group is selected only if all groups around it are.

    Examples
    --------
    >>> lasso = TreeGroupLasso(Groups.of([[0, 1, 2], [0], [1, 2]], weights="one"))
    >>> lasso.prox([0.5, 4.0, 3.0], 1.0)
    array([0. , 2.4, 1.8])
    """

    def __init__(self, groups: Groups, strength: float = 1.0) -> None:
        if not groups.nested:
            raise InputError(
                "groups cross; expected any two to be disjoint or nested "
                "(OverlappingGroupLasso takes others)"
            )
        super().__init__(groups, strength)
