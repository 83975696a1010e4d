"""Learning: the loss family, the aggressive online learner, checkpoints; sparse learning."""

from turbotree.learning.budgets import budget_step
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.counting import count_features
from turbotree.learning.epochs import EpochRecord
from turbotree.learning.filters import best_templates, frequent_features, information_gain
from turbotree.learning.learner import LearnerOptions, count_supported, learn
from turbotree.learning.losses import Loss
from turbotree.learning.penalties import LazyPenalty, Penalty, TemplatePenalty
from turbotree.learning.problem import Expectation, Problem, Task
from turbotree.learning.refitting import (
    RestrictedTask,
    refit,
    selected_features,
    surviving_templates,
)
from turbotree.learning.renumbering import renumbered
from turbotree.learning.selection import Selection, SelectionOptions, Selector
from turbotree.learning.selection_report import SelectionReport
from turbotree.learning.sparse_learner import SparseOptions, SparseRecord, learn_sparse

__all__ = [
    "Checkpoint",
    "EpochRecord",
    "Expectation",
    "LazyPenalty",
    "LearnerOptions",
    "Loss",
    "Penalty",
    "Problem",
    "RestrictedTask",
    "Selection",
    "SelectionOptions",
    "SelectionReport",
    "Selector",
    "SparseOptions",
    "SparseRecord",
    "Task",
    "TemplatePenalty",
    "best_templates",
    "budget_step",
    "count_features",
    "count_supported",
    "frequent_features",
    "information_gain",
    "learn",
    "learn_sparse",
    "refit",
    "renumbered",
    "selected_features",
    "surviving_templates",
]
