"""Learning: the loss family, the aggressive online learner, checkpoints; sparse learning."""

from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord
from turbotree.learning.learner import LearnerOptions, count_supported, learn
from turbotree.learning.losses import Loss
from turbotree.learning.problem import Expectation, Problem, Task
from turbotree.learning.run import Run, Stage, StageResult
from turbotree.learning.selection.counting import count_features
from turbotree.learning.selection.filters import best_templates, frequent_features, information_gain
from turbotree.learning.selection.refitting import (
    RestrictedTask,
    refit,
    selected_features,
    surviving_templates,
)
from turbotree.learning.selection.renumbering import renumbered
from turbotree.learning.selection.selector import Selection, SelectionOptions, Selector
from turbotree.learning.sparse.budgets import budget_step
from turbotree.learning.sparse.learner import SparseOptions, SparseRecord, learn_sparse
from turbotree.learning.sparse.penalties import LazyPenalty, Penalty, TemplatePenalty

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
    "Run",
    "Selection",
    "SelectionOptions",
    "Selector",
    "SparseOptions",
    "SparseRecord",
    "Stage",
    "StageResult",
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
