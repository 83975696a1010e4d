"""How strongly to shrink so that a given number of groups survives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.learning.regularisers import Groups
from turbotree.learning.regularisers.group_lasso import shrink_groups

Mask = npt.NDArray[np.bool_]

# Halvings of the step: beyond a millionth, groups are as good as dying at once.
_BISECTIONS = 20
_DOUBLINGS = 10


def budget_step(norms: FloatArray, costs: FloatArray, budget: int) -> tuple[float, Mask]:
    """Choose the proximal step after which only so many of some disjoint groups are alive.

    The step is the mean of the two ratios |w_m| / d_m between which the line is drawn. Where they
    are equal, no step can tell the groups apart: those that come first survive, and the step goes
    half the way to the next smaller ratio.

    Parameters
    ----------
    norms, costs
        Length and weight of each group.
    budget
        How many may live.

    Returns
    -------
    The step, 0 if it takes none, and which groups are to survive it.

    Examples
    --------
    >>> step, alive = budget_step(np.array([3.0, 1.0, 2.0]), np.ones(3), 2)
    >>> step, alive.tolist()
    (1.5, [True, False, True])
    """
    if budget < 0:
        raise InputError(f"budget is {budget}; expected 0 or more")
    alive = norms > 0
    if alive.sum() <= budget:
        return 0.0, alive
    # A group that costs nothing goes last of all.
    ratios = np.divide(norms, costs, out=np.full(len(norms), np.inf), where=costs > 0)
    order = np.lexsort((-norms, -ratios))
    order = order[alive[order]]
    kept = np.zeros(len(norms), dtype=bool)
    kept[order[:budget]] = True
    ranked = ratios[order]
    if budget == 0:
        return (float(ranked[0]) if np.isfinite(ranked[0]) else 0.0), kept
    last, below = float(ranked[budget - 1]), float(ranked[budget])
    if last == below:
        smaller = ranked[ranked < last]
        below = float(smaller[0]) if len(smaller) else 0.0
    if not np.isfinite(below):
        return 0.0, kept
    if not np.isfinite(last):
        return below, kept
    middle = below + 0.5 * (last - below)
    return (middle if middle < last else below), kept


def overlapping_budget(
    norms: FloatArray, prox: Callable[[float], FloatArray], groups: Groups, budget: int
) -> FloatArray:
    """Find lengths after a step of some overlapping groups that leaves so many alive.

    The step is found by bisection. Where several die at once, some of them are taken from what a
    slightly smaller step leaves: the shortest first, and none before all in its own group.

    Parameters
    ----------
    norms
        Length of the weights of each member (a template).
    prox
        The lengths after a step.
    groups
        For each member, itself and those that need it (its number is the group's number).
    budget
        How many members may live.
    """
    if (norms > 0).sum() <= budget:
        return norms
    low, high = 0.0, float(norms.max())
    for _ in range(_DOUBLINGS):  # members without a costly group would never die
        if (prox(high) > 0).sum() <= budget:
            break
        low, high = high, 2 * high
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        alive = int((prox(middle) > 0).sum())
        if alive == budget:
            return prox(middle)
        low, high = (middle, high) if alive > budget else (low, middle)
    left = prox(low).copy()
    while (left > 0).sum() > budget:
        alive_now = left > 0
        free = [m for m in _numbers(alive_now) if not _needed(m, alive_now, groups)]
        # Equal groups need each other: then any of them.
        left[min(free or _numbers(alive_now), key=lambda m: (left[m], -m))] = 0.0
    return left


def pseudo_budgets(lengths: FloatArray, groups: Groups, budget: int) -> list[int]:
    """Return the budgets of families of disjoint groups that one for all groups induces.

    Overlaps are ignored: the groups that a step to the budget would leave, were they disjoint, are
    counted by family. These budgets sum to that for all, or to the number of groups that are
    alive.

    >>> groups = Groups.of([[0], [1], [2], [0, 1, 2]], weights="one")
    >>> pseudo_budgets(np.array([3.0, 1.0, 2.0]), groups, 2)
    [1, 1]
    """
    _, kept = budget_step(groups.norms(lengths), groups.weights, budget)
    counts = np.bincount(groups.family_numbers, kept, minlength=len(groups.families))
    return [int(count) for count in counts]


def shrink_by_family(lengths: FloatArray, groups: Groups, budget: int) -> FloatArray:
    """Return lengths after one step per family of disjoint groups, each to its pseudo-budget.

    The families' steps come one after the other, as in the paper. No more groups than the budget
    are alive afterwards, and often fewer: some are shrunk in several families.

    Parameters
    ----------
    lengths
        Length of the weights of each member (a template).
    groups
        Sets of members, each with what it costs.
    budget
        How many groups may live, overlaps ignored.

    >>> groups = Groups.of([[0], [1], [2], [0, 1, 2]], weights="one")
    >>> shrink_by_family(np.array([3.0, 1.0, 2.0]), groups, 2).tolist()
    [0.5, 0.0, 0.0]
    """
    left = lengths
    for family, own in zip(groups.families, pseudo_budgets(lengths, groups, budget), strict=True):
        step, alive = budget_step(family.norms(left), family.weights, own)
        left = shrink_groups(family, left, step)
        left[family.members[~alive[family.owners]]] = 0.0
    return left


def _numbers(mask: Mask) -> list[int]:
    return [int(number) for number in np.flatnonzero(mask)]


def _needed(member: int, alive: Mask, groups: Groups) -> bool:
    """Return whether something else that is alive is in a member's group."""
    if member >= len(groups):
        return False
    return any(other != member and alive[other] for other in groups.of_group(member))
