"""The exact group lasso of groups that overlap in any way."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.learning.regularisers.base import checked_amount, checked_weights
from turbotree.learning.regularisers.group_lasso import GroupRegulariser, shrink_groups
from turbotree.learning.regularisers.groups import Groups
from turbotree.learning.regularisers.smoothing import smoothed_prox

# Few problems need more turns; those that do need very many (groups that reach zero with nothing
# to spare), and are then done by Newton steps.
_TURNS = 32


class OverlappingGroupLasso(GroupRegulariser):
    """Groups that overlap in any way, coarse-to-fine ones for instance.

    Weights that are in the very same groups shrink by one factor, so the problem is one over the
    lengths of these cells alone. Nested groups have a closed form. Others are solved in the dual,

        min over z of  1/2 |w - sum_g z_g|^2,   z_g lives in group g,   |z_g| <= t d_g,

    by turns for each family of disjoint groups, until the duality gap proves that the answer is
    right within the tolerance; if that takes long, by :mod:`~.smoothing`.

    Parameters
    ----------
    groups
        The groups.
    strength
        Factor of all groups' weights.
    tolerance
        Largest distance from the true answer, relative to the length of the weights.

    Examples
    --------
    >>> lasso = OverlappingGroupLasso(Groups.of([[0, 1], [1, 2]], weights="one"))
    >>> lasso.prox([0.5, 0.0, 3.0], 1.0).round(6).tolist()
    [0.0, 0.0, 2.0]
    """

    def __init__(self, groups: Groups, strength: float = 1.0, *, tolerance: float = 1e-8) -> None:
        super().__init__(groups, strength)
        if not 1e-12 <= tolerance < 1:
            raise InputError(f"tolerance is {tolerance}; expected a number from 1e-12 to 1")
        self.tolerance = tolerance
        self._cells = Groups.of_assignment(groups.cells, weights="one")
        self._over_cells = _over_cells(groups)

    def prox(self, weights: npt.ArrayLike, step: float) -> FloatArray:
        """Solve for the cells' lengths and scale each cell."""
        vector = checked_weights(weights, self.groups.size)
        amount = checked_amount(step, "step") * self.strength
        lengths = self._cells.norms(vector)
        scale = float(lengths.max(initial=0.0))
        if scale == 0.0 or amount == 0.0:
            return vector.copy()
        left = scale * self._shrunk(lengths / scale, amount / scale)
        factors = np.divide(left, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
        shrunk: FloatArray = vector * factors[self.groups.cells]
        return shrunk

    def _shrunk(self, lengths: FloatArray, amount: float) -> FloatArray:
        groups = self._over_cells
        if groups.nested:
            for family in groups.families:
                lengths = shrink_groups(family, lengths, amount)
            return lengths
        tolerance = self.tolerance * float(np.linalg.norm(lengths))
        found, distance = _by_turns(groups.families, lengths, amount, tolerance)
        if distance > tolerance:
            costly = groups.take(np.flatnonzero(groups.weights > 0))
            inside = np.zeros((len(costly), groups.size))
            inside[costly.owners, costly.members] = 1.0
            again, nearer = smoothed_prox(lengths, inside, amount * costly.weights, tolerance)
            if nearer < distance:
                found, distance = again, nearer
        # A group that cannot be told from zero is zero as a whole.
        dead = groups.norms(found) <= max(distance, 0.5 * tolerance)
        found[groups.members[dead[groups.owners] & (groups.weights > 0)[groups.owners]]] = 0.0
        return found


def _over_cells(groups: Groups) -> Groups:
    """Return the same groups as sets of cells."""
    return Groups.of(
        [np.unique(groups.cells[groups.of_group(g)]) for g in range(len(groups))],
        size=int(groups.cells.max(initial=-1)) + 1,
        weights=groups.weights,
        names=groups.names,
    )


def _by_turns(
    families: tuple[Groups, ...], target: FloatArray, amount: float, tolerance: float
) -> tuple[FloatArray, float]:
    """Minimise the dual over one family's z at a time; return x and a bound on its distance."""
    x = target.copy()
    pulls = [np.zeros(len(target)) for _ in families]
    distance = math.inf
    for turn in range(1, _TURNS + 1):
        for number, family in enumerate(families):
            free = x + pulls[number]
            x = shrink_groups(family, free, amount)
            pulls[number] = free - x
        if turn & (turn - 1):  # the proof costs as much as a turn: only after 1, 2, 4, 8, ...
            continue
        distance = math.sqrt(
            2 * sum(_gap(f, x, z, amount) for f, z in zip(families, pulls, strict=True))
        )
        if distance <= tolerance:
            break
    return x, distance


def _gap(family: Groups, x: FloatArray, pulls: FloatArray, amount: float) -> float:
    """Sum t d |x_g| - x_g . z_g over a family: what the duality gap is made of.

    Written as t d |x| (angle between x and z) + |x| (t d - |z|), which does not cancel.
    """
    lengths, strengths = family.norms(x), family.norms(pulls)
    limits = amount * family.weights
    slacks = limits - strengths
    # A pull at its limit is one up to rounding.
    slacks[slacks <= 1e-14 * limits] = 0.0
    units = _units(family, x, lengths) - _units(family, pulls, strengths)
    angles = 0.5 * np.bincount(family.owners, units**2, minlength=len(family))
    return float(lengths @ np.maximum(slacks, 0.0) + (lengths * strengths) @ angles)


def _units(family: Groups, vector: FloatArray, lengths: FloatArray) -> FloatArray:
    units: FloatArray = vector[family.members] / np.where(lengths > 0, lengths, 1.0)[family.owners]
    return units
