"""Learning: the loss family, the aggressive online learner, checkpoints."""

from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.learner import EpochRecord, LearnerOptions, learn
from turbotree.learning.losses import Loss
from turbotree.learning.problem import Expectation, Problem, Task

__all__ = [
    "Checkpoint",
    "EpochRecord",
    "Expectation",
    "LearnerOptions",
    "Loss",
    "Problem",
    "Task",
    "learn",
]
