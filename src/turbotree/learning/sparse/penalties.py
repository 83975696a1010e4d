"""Regularisers of a model's weights while it learns: which groups there are, and how they shrink.

Each goes with the kind of weights that makes its steps cheap: templates, few and large, with
:class:`~turbotree.features.ScaledWeights`; single features and features under all their labels,
many and small, with :class:`~turbotree.features.LazyWeights`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.features import LazyWeights, ScaledWeights, SparseWeights
from turbotree.features._core import LABEL_BITS, MAX_TEMPLATES
from turbotree.features.weights import Arrays
from turbotree.learning.regularisers import (
    Groups,
    OverlappingGroupLasso,
    SequentialGroupLasso,
    templates_of_keys,
)
from turbotree.learning.regularisers.base import checked_amount
from turbotree.learning.regularisers.group_lasso import GroupRegulariser
from turbotree.learning.regularisers.groups import WEIGHT_RULES, group_weights
from turbotree.learning.regularisers.max_norm import clip_level
from turbotree.learning.sparse.budgets import budget_step, overlapping_budget, shrink_by_family
from turbotree.naming import unknown

#: How the weights of a template are measured under the group lasso.
NORMS = ("l2", "max")

# Gradients of single instances are noisier by far.
_TOLERANCE = 1e-6
# Larger than any weight.
_NO_LIMIT = float(np.finfo(np.float32).max)

AnySparse = TypeVar("AnySparse", bound=SparseWeights)


class Penalty(ABC, Generic[AnySparse]):
    """What the sparse learner needs to know of a regulariser."""

    @abstractmethod
    def new_weights(self) -> AnySparse:
        """Return empty weights of the kind that suits the groups."""

    @abstractmethod
    def restore(self, state: Arrays) -> AnySparse:
        """Return weights as a checkpoint has them."""

    @abstractmethod
    def shrink(self, weights: AnySparse, amount: float) -> None:
        """Take the proximal step of this size."""

    @abstractmethod
    def shrink_to(self, weights: AnySparse, budget: int) -> None:
        """Take the proximal step after which so many groups are alive, if more are now."""

    @abstractmethod
    def live_groups(self, weights: AnySparse) -> int:
        """Count the groups with a weight other than zero."""


class TemplatePenalty(Penalty[ScaledWeights]):
    """The group lasso over templates.

    Parameters
    ----------
    weights
        The groups' d: a rule of :func:`~turbotree.learning.regularisers.group_weights`, or what
        each template costs. None: the rule ``"log2"``, or the d that `groups` have.
    sizes
        Features of each template, for the rule, say from
        :func:`~turbotree.learning.count_features`. Without them, those that are alive at a step.
    groups
        Groups over the templates that overlap, as
        :func:`~turbotree.learning.regularisers.coarse_to_fine_groups` gives them: one per
        template, holding it and those that need it. With a rule, a group's d follows from the
        features of all its templates, as in the paper; with costs of templates, it is the root
        of the sum of their squares, see :func:`costs_of_groups`.
    exact
        Whether overlapping groups take the exact step rather than the paper's sequence of steps;
        with hundreds of templates, it takes minutes.
    pseudo_budgets
        Whether a budget of overlapping groups is shared out among families of disjoint groups, as
        in the paper: see :func:`~turbotree.learning.sparse.budgets.shrink_by_family`. Then no more
        templates survive than it allows, and often fewer; without, exactly as many do.
    norm
        ``"l2"``, or ``"max"`` for the largest magnitude of each group, see
        :class:`~turbotree.learning.regularisers.MaxNormGroupLasso`; for templates alone, without
        `groups`.
    lasso
        Strength of an L1 term beside the groups: the sparse group lasso.
    exempt
        Templates that are neither shrunk nor counted.

    Examples
    --------
    >>> TemplatePenalty(exempt=[0]).live_groups(ScaledWeights())
    0
    """

    def __init__(
        self,
        *,
        weights: str | npt.ArrayLike | None = None,
        sizes: npt.ArrayLike | None = None,
        groups: Groups | None = None,
        exact: bool = False,
        pseudo_budgets: bool = False,
        norm: str = "l2",
        lasso: float = 0.0,
        exempt: Iterable[int] = (),
    ) -> None:
        self._own = weights is None and groups is not None
        if weights is None:
            weights = "log2"
        self._rule = weights if isinstance(weights, str) else None
        if self._rule is not None and self._rule not in WEIGHT_RULES:
            group_weights([], self._rule)  # says what is expected
        fixed = sizes if isinstance(weights, str) else weights
        self._fixed = None if fixed is None else _for_all_templates(fixed)
        self._groups = groups
        self._lasso = checked_amount(lasso, "lasso")
        self._counted = np.ones(MAX_TEMPLATES, dtype=bool)
        for template in exempt:
            if not 0 <= template < MAX_TEMPLATES:
                raise InputError(f"template {template}; expected 0 to {MAX_TEMPLATES - 1}")
            self._counted[template] = False
        if groups is not None and (groups.size > MAX_TEMPLATES or len(groups) != groups.size):
            raise InputError(
                f"{len(groups)} groups over {groups.size} templates; expected one per template"
            )
        self._exact = exact
        if pseudo_budgets and (exact or groups is None):
            raise InputError(
                "pseudo-budgets are for overlapping groups whose steps are in sequence"
            )
        self._by_family = pseudo_budgets
        if norm not in NORMS:
            raise unknown("norm", norm, NORMS)
        if norm == "max" and groups is not None:
            raise InputError("maximum norms are for templates alone; expected no groups over them")
        self._max_norm = norm == "max"
        self._lasso_of_fixed: GroupRegulariser | None = None

    def new_weights(self) -> ScaledWeights:
        """Return weights with a scale for each template."""
        return ScaledWeights()

    def restore(self, state: Arrays) -> ScaledWeights:
        """Return weights as a checkpoint has them."""
        return ScaledWeights.restore(state)

    def live_groups(self, weights: ScaledWeights) -> int:
        """Count the templates that are alive."""
        return int((self._norms(weights) > 0).sum())

    def shrink(self, weights: ScaledWeights, amount: float) -> None:
        """Scale each template."""
        if self._lasso:
            weights.threshold(np.where(self._counted, amount * self._lasso, 0.0))
        if self._max_norm:
            self._clip(weights, amount * self._costs(weights))
            return
        norms = self._norms(weights)
        if self._groups is None:
            left = np.maximum(0.0, norms - amount * self._costs(weights))
        else:
            left = self._prox(self._lasso_of(weights), norms, amount)
        self._rescale(weights, norms, left)

    def shrink_to(self, weights: ScaledWeights, budget: int) -> None:
        """Scale or clip each template so that the budget survives."""
        if self._lasso:
            raise InputError("a budget counts templates; beside a lasso, expected a strength")
        weights.compact()  # norms without the rounding of many changes
        if self._max_norm:
            costs = self._costs(weights)
            step, alive = budget_step(self._sums(weights), costs, budget)
            # Where ratios are equal, no step tells the groups apart.
            self._clip(weights, np.where(alive, step * costs, np.inf))
            return
        norms = self._norms(weights)
        if self._groups is None:
            costs = self._costs(weights)
            step, alive = budget_step(norms, costs, budget)
            left = np.where(alive, np.maximum(0.0, norms - step * costs), 0.0)
        else:
            lasso = self._lasso_of(weights)
            if self._by_family:
                left = norms.copy()
                grouped = slice(0, lasso.groups.size)
                left[grouped] = shrink_by_family(norms[grouped], lasso.groups, budget)
            else:
                left = overlapping_budget(
                    norms, lambda step: self._prox(lasso, norms, step), self._groups, budget
                )
        self._rescale(weights, norms, left)

    def _clip(self, weights: ScaledWeights, amounts: FloatArray) -> None:
        """Take so much from the sum of each template's magnitudes, from the largest first."""
        limits = np.full(MAX_TEMPLATES, _NO_LIMIT)
        for template, values in self._values(weights):
            limits[template] = clip_level(values, float(amounts[template]))
        weights.clip(limits)

    def _sums(self, weights: ScaledWeights) -> FloatArray:
        """Return the sum of each template's magnitudes: what has to be taken to let it die."""
        sums = np.zeros(MAX_TEMPLATES)
        for template, values in self._values(weights):
            sums[template] = np.abs(values).sum()
        return sums

    def _values(self, weights: ScaledWeights) -> Iterator[tuple[int, FloatArray]]:
        """Give the weights of each template that is not exempt."""
        keys, values = weights.entries()
        templates = templates_of_keys(keys)
        order = np.argsort(templates, kind="stable")
        firsts = np.flatnonzero(np.diff(templates[order], prepend=-1))
        for rows in np.split(order, firsts[1:]):
            if len(rows) and self._counted[templates[rows[0]]]:
                yield int(templates[rows[0]]), values[rows].astype(np.float64)

    def _norms(self, weights: ScaledWeights) -> FloatArray:
        """Return the templates' lengths; those that are exempt seem to have none."""
        norms: FloatArray = np.where(self._counted, weights.norms(), 0.0)
        return norms

    def _costs(self, weights: ScaledWeights) -> FloatArray:
        if self._rule is None:
            assert self._fixed is not None
            return self._fixed
        return group_weights(self._sizes(weights), self._rule)

    def _sizes(self, weights: ScaledWeights) -> FloatArray:
        return weights.sizes().astype(np.float64) if self._fixed is None else self._fixed

    def _lasso_of(self, weights: ScaledWeights) -> GroupRegulariser:
        """Return the regulariser of the overlapping groups, with what they cost now."""
        if self._lasso_of_fixed is not None:
            return self._lasso_of_fixed
        groups = self._groups
        assert groups is not None
        if not self._own:
            counted = self._counted[: groups.size]
            if self._rule is None:
                costs = np.where(counted, self._costs(weights)[: groups.size], 0.0)
                groups = replace(groups, weights=costs_of_groups(groups, costs))
            else:
                sizes = np.where(counted, self._sizes(weights)[: groups.size], 0.0)
                together = np.bincount(groups.owners, sizes[groups.members], minlength=len(groups))
                groups = replace(groups, weights=group_weights(together, self._rule))
        lasso = (
            OverlappingGroupLasso(groups, tolerance=_TOLERANCE)
            if self._exact
            else SequentialGroupLasso(groups)
        )
        if self._own or self._fixed is not None:
            self._lasso_of_fixed = lasso
        return lasso

    def _prox(self, lasso: GroupRegulariser, norms: FloatArray, step: float) -> FloatArray:
        left = norms.copy()
        grouped = slice(0, lasso.groups.size)
        left[grouped] = lasso.prox(norms[grouped], step)
        return left

    def _rescale(self, weights: ScaledWeights, norms: FloatArray, left: FloatArray) -> None:
        factors = np.divide(left, norms, out=np.ones(len(norms)), where=norms > 0)
        weights.scale(factors)


class LazyPenalty(Penalty[LazyWeights]):
    """Many small groups of one cost: the lasso, the elastic net, the group lasso over labels.

    Parameters
    ----------
    by_label
        Whether a feature under all its labels is one group, or each label for itself.
    ridge
        Strength of a term ``ridge / 2 * |w|^2`` beside the groups' norms.

    Examples
    --------
    >>> lasso, label_groups = LazyPenalty(by_label=False), LazyPenalty(by_label=True)
    """

    def __init__(self, *, by_label: bool, ridge: float = 0.0) -> None:
        self._by_label = by_label
        self._ridge = checked_amount(ridge, "ridge")

    def new_weights(self) -> LazyWeights:
        """Return weights that shrink when they are next changed."""
        return LazyWeights(by_label=self._by_label)

    def restore(self, state: Arrays) -> LazyWeights:
        """Return weights as a checkpoint has them."""
        return LazyWeights.restore(state)

    def live_groups(self, weights: LazyWeights) -> int:
        """Count the features that are alive, under any label if those are groups."""
        return len(self._norms(*weights.entries())[0])

    def shrink(self, weights: LazyWeights, amount: float) -> None:
        """Write the step down."""
        weights.shrink(amount, divisor=1.0 + amount * self._ridge)

    def shrink_to(self, weights: LazyWeights, budget: int) -> None:
        """Keep the longest groups."""
        keys, values = weights.entries()
        norms, groups = self._norms(keys, values)
        step, alive = budget_step(norms, np.ones(len(norms)), budget)
        factors = np.divide(norms - step, norms, out=np.zeros(len(norms)), where=alive)
        shrunk = (values * factors[groups]).astype(np.float32)
        # Not by magnitude: a weight may vanish by rounding in a group that lives.
        weights.replace(keys[alive[groups]], shrunk[alive[groups]])

    def _norms(
        self, keys: npt.NDArray[np.uint64], values: npt.NDArray[np.float32]
    ) -> tuple[FloatArray, npt.NDArray[np.int64]]:
        """Return the groups' lengths, and the group of each feature."""
        if not self._by_label:
            return np.abs(values).astype(np.float64), np.arange(len(keys))
        # Keys ascend, so the labels of a feature stand together.
        features = keys >> np.uint64(LABEL_BITS)
        firsts = np.ones(len(keys), dtype=bool)
        firsts[1:] = features[1:] != features[:-1]
        groups = np.cumsum(firsts) - 1
        squares = np.bincount(groups, values.astype(np.float64) ** 2)
        return np.sqrt(squares), groups


def costs_of_groups(groups: Groups, costs: npt.ArrayLike) -> FloatArray:
    """Return what groups cost, given what each of their members costs.

    It is the root of the sum of squares, which is how lengths add up: if the weights of every
    member are as long as r times its cost, those of a group are as long as r times the group's. So
    a group is neither dearer nor cheaper than what it holds, and one that holds a single template
    costs what that costs alone.

    >>> costs_of_groups(Groups.of([[0, 1], [1]]), [3.0, 4.0]).tolist()
    [5.0, 4.0]
    """
    return groups.norms(np.asarray(costs, dtype=np.float64))


def _for_all_templates(numbers: npt.ArrayLike) -> FloatArray:
    given = np.asarray(numbers, dtype=np.float64)
    if given.ndim != 1 or len(given) > MAX_TEMPLATES:
        raise InputError(f"expected at most {MAX_TEMPLATES} numbers, one per template")
    if not (np.isfinite(given) & (given >= 0)).all():
        raise InputError("templates' sizes and weights: expected finite numbers, 0 or more")
    padded = np.ones(MAX_TEMPLATES)
    padded[: len(given)] = given
    return padded
