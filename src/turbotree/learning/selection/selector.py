"""Choosing templates or features for a budget, by learning or by counting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import KeyArray
from turbotree.errors import InputError
from turbotree.features import SparseWeights, Template
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import OnInstance
from turbotree.learning.problem import Task
from turbotree.learning.progress import Progress
from turbotree.learning.regularisers import coarse_to_fine_groups, templates_of_keys
from turbotree.learning.regularisers.groups import group_weights
from turbotree.learning.selection.counting import count_features, firing_rates
from turbotree.learning.selection.filters import (
    best_templates,
    information_gain,
    most_frequent_features,
)
from turbotree.learning.selection.refitting import REFIT_FEATURES
from turbotree.learning.selection.template_trial import Trial, try_templates
from turbotree.learning.sparse.learner import SparseOptions, SparseRecord, learn_sparse
from turbotree.learning.sparse.penalties import NORMS, LazyPenalty, TemplatePenalty
from turbotree.naming import unknown

#: How to select: two by learning, two by counting.
METHODS = ("group-lasso", "l1", "information-gain", "frequency")
#: What lives and dies together under the group lasso.
GROUPS = ("template", "label", "coarse-to-fine")
#: What a template costs under the group lasso: by its number of features, by a trial, or as in the
#: paper, by its number of features alone.
COSTS = ("size", "trial", "log2")

OnSparseEpoch = Callable[[SparseWeights, SparseRecord], None]


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """How to select.

    Attributes
    ----------
    method
        ``"group-lasso"`` and ``"l1"`` learn (the sparseptron), ``"information-gain"`` and
        ``"frequency"`` count.
    groups
        Of the group lasso: whole templates, a feature under all its labels, or templates none of
        which is selected before coarser ones.
    costs
        Of whole templates: by their ``"size"``, see :func:`template_costs`, or by what they
        add to one another in a ``"trial"``, see
        :func:`~turbotree.learning.selection.template_trial.try_templates`. ``"log2"`` is the
        paper's d, the logarithm of a group's number of features. None: by what suits the task,
        size for labels and a trial for arcs. From coarse to fine, a group costs what its
        templates cost together: see
        :func:`~turbotree.learning.sparse.penalties.costs_of_groups` for size and
        :meth:`~turbotree.learning.selection.template_trial.Trial.costs` for trials.
    norm
        Of whole templates: ``"l2"``, or ``"max"``, the largest magnitude.
    pseudo_budgets
        From coarse to fine: whether the budget is shared out among families of disjoint groups,
        as in the paper, so that it may leave fewer templates than it allows.
    strength
        Of methods that learn: a factor of the regulariser instead of a budget, whose proximal
        steps of all `rounds_between` instances come at once. The paper's C is 1 / (strength N),
        with N instances. How much survives is then not known beforehand.
    epochs
        Passes over the data while selecting.
    rounds_between
        Instances between two steps to the budget, the paper's K (there 1000): the fewer, the less
        memory. With too few, templates of words cannot show what they are worth.
    refit
        What the model may use in the end: the ``"selected"`` features, those with a weight when
        selection ended, or any feature of the surviving ``"templates"``.
    seed
        Decides the order of the instances.

    Examples
    --------
    >>> SelectionOptions().counts_templates, SelectionOptions(method="l1").counts_templates
    (True, False)
    """

    method: str = METHODS[0]
    groups: str = GROUPS[0]
    costs: str | None = None
    norm: str = NORMS[0]
    pseudo_budgets: bool = False
    strength: float = 0.0
    epochs: int = 5
    rounds_between: int = 300
    refit: str = REFIT_FEATURES[0]
    seed: int = 1

    def __post_init__(self) -> None:
        for name, known in (
            ("method", METHODS),
            ("groups", GROUPS),
            ("costs", (None, *COSTS)),
            ("norm", NORMS),
            ("refit", REFIT_FEATURES),
        ):
            if getattr(self, name) not in known:
                raise unknown(name, getattr(self, name), filter(None, known))
        if self.groups != GROUPS[0] and self.method != METHODS[0]:
            raise InputError(f"groups are for the method group-lasso, not for {self.method}")
        if self.norm != NORMS[0] and (self.method, self.groups) != (METHODS[0], GROUPS[0]):
            raise InputError(
                f"the norm {self.norm} is for the method group-lasso and whole templates"
            )
        if self.strength and self.method not in METHODS[:2]:
            raise InputError(f"a strength is for methods that learn, not for {self.method}")
        self.learner(1)

    @property
    def counts_templates(self) -> bool:
        """Whether a budget is a number of templates; else it is one of features."""
        if self.method == "group-lasso":
            return self.groups != "label"
        return self.method == "information-gain"

    def learner(self, budget: int) -> SparseOptions:
        """Return how to learn."""
        return SparseOptions(
            budget=None if self.strength else budget,
            strength=self.strength,
            epochs=self.epochs,
            rounds_between=self.rounds_between,
            seed=self.seed,
        )

    def to_record(self) -> dict[str, Any]:
        """Return what the outcome depends on, as JSON-ready data."""
        return asdict(self)


@dataclass(frozen=True)
class Selection:
    """What was selected.

    Attributes
    ----------
    budget
        The templates or features that were allowed.
    templates
        Numbers of the templates that survived, those that were exempt among them.
    keys
        The features that survived; None where any feature of these templates may be used.
    records
        How learning went; none for methods that count.
    trial_features
        Features in memory while templates were on trial, if they were.
    """

    budget: int
    templates: tuple[int, ...]
    keys: KeyArray | None
    records: tuple[SparseRecord, ...]
    trial_features: int = 0

    @property
    def peak_features(self) -> int:
        """Most features in memory at any time, 0 for methods that count."""
        return max((self.trial_features, *(record.peak_features for record in self.records)))


class Selector:
    """Selects from the templates of a task, for one budget after another.

    Parameters
    ----------
    task
        The training set.
    templates
        The templates in the order of their numbers.
    options
        How to select.
    exempt
        Numbers of templates that are always kept and not counted, where templates are counted.
    progress
        Told how a trial of the templates goes, if there is one.
    """

    def __init__(
        self,
        task: Task,
        templates: Sequence[Template],
        options: SelectionOptions,
        *,
        exempt: Iterable[int] = (),
        progress: Progress | None = None,
    ) -> None:
        self._task = task
        self._templates = templates
        self._options = options
        self._exempt = sorted(exempt)
        self._progress = progress

    def select(
        self,
        budget: int,
        *,
        checkpoint: Checkpoint | None = None,
        on_instance: OnInstance | None = None,
        on_epoch: OnSparseEpoch | None = None,
    ) -> Selection:
        """Select as much as a budget allows.

        Parameters
        ----------
        budget
            How many templates, or features, may live.
        checkpoint, on_instance, on_epoch
            As for :func:`~turbotree.learning.learn_sparse`; methods that count ignore them.
        """
        check_budget(budget)
        options = self._options
        if options.method == "information-gain":
            numbers = best_templates(self._gains, min(budget, len(self._templates)))
            return Selection(budget, tuple(sorted({*numbers, *self._exempt})), None, ())
        if options.method == "frequency":
            keys = most_frequent_features(self._task, budget)
            return self._of_keys(budget, keys, ())
        weights, records = learn_sparse(
            self._task,
            self._penalty(budget),
            options.learner(budget),
            checkpoint=checkpoint,
            on_instance=on_instance,
            on_epoch=on_epoch,
        )
        found = self._of_keys(budget, weights.entries()[0], tuple(records))
        return replace(found, trial_features=self._trial.features if self._on_trial else 0)

    def _of_keys(self, budget: int, keys: KeyArray, records: tuple[SparseRecord, ...]) -> Selection:
        alive = {int(number) for number in np.unique(templates_of_keys(keys))}
        if self._options.counts_templates:
            alive |= {*self._exempt}
        kept = keys if self._options.refit == "selected" else None
        return Selection(budget, tuple(sorted(alive)), kept, records)

    @cached_property
    def _gains(self) -> npt.NDArray[np.float64]:
        gains = information_gain(self._task)[: len(self._templates)]
        gains[self._exempt] = -np.inf
        return gains

    def _penalty(self, budget: int) -> Any:
        options = self._options
        if options.method == "l1" or options.groups == "label":
            return LazyPenalty(by_label=options.groups == "label")
        if options.groups != "coarse-to-fine":
            paper = options.costs == "log2"
            return TemplatePenalty(
                weights="log2" if paper else self._costs(budget),
                sizes=self._sizes if paper else None,
                norm=options.norm,
                exempt=self._exempt,
            )
        groups = coarse_to_fine_groups(self._templates)
        costs: dict[str, Any]
        if options.costs == "log2":
            costs = {"weights": "log2", "sizes": self._sizes, "groups": groups}
        elif self._on_trial:
            dear = replace(groups, weights=self._trial.costs(budget, groups))
            costs = {"groups": dear}
        else:
            costs = {"weights": self._costs_by_size, "groups": groups}
        return TemplatePenalty(**costs, pseudo_budgets=options.pseudo_budgets, exempt=self._exempt)

    @property
    def _on_trial(self) -> bool:
        options = self._options
        by_template = options.method == "group-lasso" and options.groups != "label"
        return by_template and options.costs == "trial"

    @cached_property
    def _trial(self) -> Trial:
        return try_templates(self._task, seed=self._options.seed, progress=self._progress)

    def _costs(self, budget: int) -> npt.NDArray[np.float64]:
        if self._on_trial:
            return self._trial.costs(budget)
        return self._costs_by_size

    @cached_property
    def _sizes(self) -> npt.NDArray[np.float64]:
        return count_features(self._task)

    @cached_property
    def _costs_by_size(self) -> npt.NDArray[np.float64]:
        costs = template_costs(self._sizes, len(self._templates))
        # Several features at once add to the length.
        return costs * np.sqrt(firing_rates(self._task))


def template_costs(sizes: npt.ArrayLike, templates: int) -> npt.NDArray[np.float64]:
    """Return what each template costs, given its number of features and how many templates compete.

    It is the bits that name a feature: those that tell it from the others of its template, the
    paper's d, and those that tell its template from the others. With the paper's d alone, templates
    of few features that say nothing win over those of words: chance makes the weights of all
    equally long.

    >>> template_costs([4, 1024], 16).tolist()
    [6.0, 14.0]
    """
    own = group_weights(sizes, "log2")
    costs: npt.NDArray[np.float64] = own + np.log2(max(1, templates))
    return costs


def check_budget(budget: int) -> None:
    """Refuse what is no budget."""
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise InputError(f"budget is {budget!r}; expected whole numbers from 1 on")


def sorted_budgets(budgets: Sequence[int]) -> list[int]:
    """Check budgets and put them in order, each once.

    >>> sorted_budgets([20, 10, 20])
    [10, 20]
    """
    if not budgets:
        raise InputError("no budget; expected at least one")
    for budget in budgets:
        check_budget(budget)
    return sorted(set(budgets))
