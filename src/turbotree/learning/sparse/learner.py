"""The online proximal-gradient learner: gradient steps, and shrinking every so many rounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from turbotree.errors import InputError
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord, OnInstance, TrainingState
from turbotree.learning.learner import LARGEST_STEP, gradient_of
from turbotree.learning.losses import Loss
from turbotree.learning.problem import Task
from turbotree.learning.sparse.penalties import AnySparse, Penalty
from turbotree.quantities import check_least

# Rounds after which the memory of dead features is given back at the latest.
_ROUNDS_BETWEEN_SWEEPS = 1000


@dataclass(frozen=True, slots=True)
class SparseOptions:
    """How to train and shrink; as it stands, the paper's sparseptron with a budget to be chosen.

    Attributes
    ----------
    budget
        Groups that may live: every ``rounds_between`` rounds, and in the end, as many are kept.
    strength
        Factor of the regulariser, where there is no budget: every ``rounds_between`` rounds come
        the proximal steps of all of them at once.
    loss
        Member of the (beta, gamma) family.
    epochs
        Passes over the data.
    first_step
        Size of the gradient steps in the first epoch; in the e-th, that over sqrt(e). It does not
        matter to the perceptron with a budget, but for the scale of the weights.
    rounds_between
        The paper's K: rounds from one step to the next. The last round is a step.
    seed
        Decides the order of the instances.
    """

    budget: int | None = None
    strength: float = 0.0
    loss: Loss = field(default_factory=lambda: Loss.named("perceptron"))
    epochs: int = 5
    first_step: float = 1.0
    rounds_between: int = 1000
    seed: int = 1

    def __post_init__(self) -> None:
        if self.budget is not None and self.budget < 1:
            raise InputError(f"budget is {self.budget}; expected at least 1 group")
        if not 0 <= self.strength <= LARGEST_STEP:
            raise InputError(f"strength is {self.strength}; expected 0 to {LARGEST_STEP:g}")
        if self.budget is not None and self.strength > 0:
            raise InputError("expected a budget or a strength, not both")
        check_least("epochs", self.epochs, 1)
        if not 0 < self.first_step <= LARGEST_STEP:
            raise InputError(
                f"first step is {self.first_step}; "
                f"expected a positive number up to {LARGEST_STEP:g}"
            )
        check_least("rounds between", self.rounds_between, 1)
        if self.seed < 0:
            raise InputError(f"seed is {self.seed}; expected 0 or more")

    def step(self, round_number: int, instances: int) -> float:
        """Return the size of the gradient step of a round, the first being 1.

        >>> SparseOptions(first_step=2.0).step(11, instances=10) == 2.0 / 2**0.5
        True
        """
        return self.first_step / math.sqrt(math.ceil(round_number / instances))


@dataclass(slots=True)
class SparseRecord(EpochRecord):
    """What one pass over the data did, and how much was alive.

    Attributes
    ----------
    groups
        Groups alive in the end.
    peak_features
        Most features in memory at any time of the epoch.
    trace
        After each shrinking or sweep: the round, and the features in memory before and after.
    """

    groups: int = 0
    peak_features: int = 0
    trace: list[list[int]] = field(default_factory=list)

    def figures(self) -> list[str]:
        """Return how large the weights are, and were.

        >>> SparseRecord(1, features=70, groups=3, peak_features=1200).figures()
        ['70 features in 3 groups, at most 1,200']
        """
        return [
            f"{self.features:,} features in {self.groups:,} groups, at most {self.peak_features:,}"
        ]


def record_of(data: dict[str, Any]) -> EpochRecord:
    """Return the record that a model file holds, of whichever learner.

    >>> record_of(SparseRecord(1, groups=3).to_dict()) == SparseRecord(1, groups=3)
    True
    """
    return SparseRecord(**data) if "groups" in data else EpochRecord(**data)


def learn_sparse(
    task: Task,
    penalty: Penalty[AnySparse],
    options: SparseOptions,
    *,
    checkpoint: Checkpoint | None = None,
    on_instance: OnInstance | None = None,
    on_epoch: Callable[[AnySparse, SparseRecord], None] | None = None,
) -> tuple[AnySparse, list[SparseRecord]]:
    """Learn weights and choose features in one go (Algorithm 1 of the paper).

    Parameters
    ----------
    task
        The training set.
    penalty
        Which groups there are.
    options
        Budget or strength, loss, passes, step, seed.
    checkpoint
        Where to keep the state, so that a killed run can be taken up; a checkpoint that holds a
        state is continued, with the same outcome as an uninterrupted run.
    on_instance, on_epoch
        For progress displays and development scores.

    Returns
    -------
    The weights of the last round, not averaged (an average would hold every group that was ever
    alive), and one record per epoch.
    """
    state = TrainingState.begin(penalty.new_weights, penalty.restore, SparseRecord, checkpoint)
    weights, instances = state.weights, len(task)

    def end_epoch(record: SparseRecord) -> None:
        record.features = len(weights)
        record.groups = penalty.live_groups(weights)
        if on_epoch is not None:
            on_epoch(weights, record)

    for index, now, record in state.rounds(
        instances, options.epochs, options.seed, on_instance=on_instance, end_epoch=end_epoch
    ):
        problem = task.problem(index)
        loss, coefficients = options.loss.evaluate(problem, problem.scores(weights))
        gradient = gradient_of(problem, coefficients)
        record.loss += loss
        if gradient is not None:
            weights.add(gradient, -options.step(now, instances))
            record.updates += 1
        record.peak_features = max(record.peak_features, len(weights))
        rounds = (now, options.epochs * instances, instances)
        _shrink(weights, penalty, options, record, rounds)
    return weights, state.records


def _shrink(
    weights: AnySparse,
    penalty: Penalty[AnySparse],
    options: SparseOptions,
    record: SparseRecord,
    rounds: tuple[int, int, int],
) -> None:
    """Shrink and sweep if it is time to; the last round is always such a time.

    Steps are counted from the end. After a short last interval, groups that have only just come
    up again would push aside those that earlier steps have shrunk.
    """
    now, total, instances = rounds
    due = (total - now) % options.rounds_between == 0
    sweep = (total - now) % max(_ROUNDS_BETWEEN_SWEEPS, options.rounds_between) == 0
    before = len(weights)
    if due and options.budget is not None:
        penalty.shrink_to(weights, options.budget)
        sweep = True
    elif due and options.strength > 0:
        last = max(0, now - options.rounds_between)
        steps = sum(options.step(r, instances) for r in range(last + 1, now + 1))
        penalty.shrink(weights, steps * options.strength)
    if sweep:
        weights.compact()
        record.trace.append([now, before, len(weights)])
