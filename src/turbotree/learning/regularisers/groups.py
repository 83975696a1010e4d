"""Groups of weights, as arrays: who belongs to which, what each costs, and how they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError

#: How a group's weight follows from its size.
WEIGHT_RULES = ("one", "sqrt", "log2")


def group_weights(sizes: npt.ArrayLike, rule: str) -> FloatArray:
    """Return the groups' weights by a rule.

    ``"one"``: all alike. ``"sqrt"``: the root of the size, so that weights of one variance cost
    the same in groups of all sizes. ``"log2"``: the bits that tell a feature of the group from the
    others (the paper's choice); at least one, or a group of one feature would be free.

    >>> group_weights([1, 4, 16], "log2").tolist()
    [1.0, 2.0, 4.0]
    """
    counts = np.asarray(sizes, dtype=np.float64)
    if rule == "one":
        return np.ones(len(counts))
    if rule == "sqrt":
        return np.sqrt(counts)
    if rule == "log2":
        return np.log2(np.maximum(counts, 2.0))
    raise InputError(
        f"group weights {rule!r}; expected one of {', '.join(WEIGHT_RULES)}, or numbers"
    )


@dataclass(frozen=True)
class Groups:
    """Sets of coordinates of one vector; they may overlap, and need not cover it.

    Attributes
    ----------
    size
        Length of the vector.
    offsets, members
        Group ``g`` holds the coordinates ``members[offsets[g]:offsets[g + 1]]``.
    weights
        What each group costs (the paper's d), not negative.
    names
        For pictures and reports.
    """

    size: int
    offsets: LongArray
    members: LongArray
    weights: FloatArray
    names: tuple[str, ...]

    @classmethod
    def of(
        cls,
        groups: Sequence[npt.ArrayLike],
        *,
        size: int | None = None,
        weights: str | npt.ArrayLike = "sqrt",
        names: Sequence[str] | None = None,
    ) -> Groups:
        """Make groups from lists of coordinates.

        >>> Groups.of([[0, 1], [1, 2]]).overlapping
        True
        """
        lists = [np.asarray(group) for group in groups]
        for number, group in enumerate(lists):
            if group.ndim != 1 or (len(group) and not np.issubdtype(group.dtype, np.integer)):
                raise InputError(f"group {number}: expected a list of coordinates, came {group!r}")
            if len(np.unique(group)) < len(group):
                raise InputError(f"group {number} holds a coordinate twice")
        offsets = np.zeros(len(lists) + 1, dtype=np.int64)
        offsets[1:] = np.cumsum([len(group) for group in lists])
        members = np.concatenate([np.zeros(0), *lists]).astype(np.int64)
        return cls._checked(size, offsets, members, weights, names)

    @classmethod
    def of_assignment(
        cls,
        assignment: npt.ArrayLike,
        *,
        count: int | None = None,
        weights: str | npt.ArrayLike = "sqrt",
        names: Sequence[str] | None = None,
    ) -> Groups:
        """Make groups from the number of each coordinate's group; -1: in none.

        >>> Groups.of_assignment([0, 1, 0, -1]).of_group(0).tolist()
        [0, 2]
        """
        numbers = np.asarray(assignment, dtype=np.int64)
        if numbers.ndim != 1 or (numbers < -1).any():
            raise InputError("assignment: expected a vector of group numbers, -1 for none")
        order = np.argsort(numbers, kind="stable")
        members = order[np.searchsorted(numbers[order], 0) :]
        total = int(numbers.max(initial=-1)) + 1 if count is None else count
        if numbers.max(initial=-1) >= total:
            raise InputError(f"assignment: group {numbers.max()} of {total}")
        offsets = np.searchsorted(numbers[members], np.arange(total + 1)).astype(np.int64)
        return cls._checked(len(numbers), offsets, members, weights, names)

    @classmethod
    def _checked(
        cls,
        size: int | None,
        offsets: LongArray,
        members: LongArray,
        weights: str | npt.ArrayLike,
        names: Sequence[str] | None,
    ) -> Groups:
        count = len(offsets) - 1
        needed = int(members.max(initial=-1)) + 1
        if size is None:
            size = needed
        if needed > size or members.min(initial=0) < 0:
            raise InputError(f"groups: expected coordinates from 0 to {size - 1}")
        if isinstance(weights, str):
            numbers = group_weights(np.diff(offsets), weights)
        else:
            numbers = np.asarray(weights, dtype=np.float64)
        if numbers.shape != (count,) or not (np.isfinite(numbers) & (numbers >= 0)).all():
            raise InputError(f"group weights: expected {count} finite numbers, 0 or more")
        titles = tuple(names) if names is not None else tuple(f"G{g + 1}" for g in range(count))
        if len(titles) != count:
            raise InputError(f"{len(titles)} names for {count} groups")
        return cls(size, offsets, members, numbers, titles)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def sizes(self) -> LongArray:
        """Number of coordinates of each group."""
        return np.diff(self.offsets)

    @cached_property
    def owners(self) -> LongArray:
        """For each entry of ``members``, its group."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def of_group(self, group: int) -> LongArray:
        """Return the coordinates of one group."""
        return self.members[self.offsets[group] : self.offsets[group + 1]]

    def norms(self, weights: FloatArray) -> FloatArray:
        """Return the Euclidean norm of each group's weights.

        >>> Groups.of([[0, 1], [1]]).norms(np.array([3.0, 4.0])).tolist()
        [5.0, 4.0]
        """
        values = weights[self.members]
        # Relative to the largest, whose square might overflow (and those of tiny ones vanish).
        largest = float(np.abs(values).max(initial=0.0)) or 1.0
        squares = np.bincount(self.owners, (values / largest) ** 2, minlength=len(self))
        norms: FloatArray = largest * np.sqrt(squares)
        return norms

    @cached_property
    def overlapping(self) -> bool:
        """Whether some coordinate is in two groups."""
        return bool((np.bincount(self.members, minlength=1) > 1).any())

    @cached_property
    def parents(self) -> LongArray | None:
        """The smallest group around each (-1: none), or None where groups cross.

        Of two equal groups one is inside the other.
        """
        innermost = np.full(self.size, -1, dtype=np.int64)
        parents = np.full(len(self), -1, dtype=np.int64)
        for group in np.argsort(-self.sizes, kind="stable"):
            members = self.of_group(int(group))
            around = innermost[members]
            if len(around) and (around != around[0]).any():
                return None
            parents[group] = around[0] if len(around) else -1
            innermost[members] = group
        return parents

    @property
    def nested(self) -> bool:
        """Whether any two groups are disjoint or one inside the other: they form a forest."""
        return self.parents is not None

    def take(self, chosen: npt.ArrayLike) -> Groups:
        """Return some of the groups, over the same vector."""
        numbers = np.asarray(chosen, dtype=np.int64)
        return Groups.of(
            [self.of_group(int(g)) for g in numbers],
            size=self.size,
            weights=self.weights[numbers],
            names=[self.names[g] for g in numbers],
        )

    @cached_property
    def family_numbers(self) -> LongArray:
        """The family of each group, see :attr:`families`."""
        latest = np.full(self.size, -1, dtype=np.int64)  # family of the last group around
        family = np.zeros(len(self), dtype=np.int64)
        # Of equal groups, the one that `parents` calls the inner one comes first.
        for group in np.argsort(-self.sizes, kind="stable")[::-1]:
            members = self.of_group(int(group))
            family[group] = latest[members].max(initial=-1) + 1
            latest[members] = family[group]
        return family

    @cached_property
    def families(self) -> tuple[Groups, ...]:
        """The groups in few families without overlap, small groups first.

        A group comes in a later family than every smaller one that it meets. Nested groups are
        hence ordered from the leaves to the roots.
        """
        numbers = self.family_numbers
        return tuple(
            self.take(np.flatnonzero(numbers == f)) for f in range(numbers.max(initial=-1) + 1)
        )

    @cached_property
    def cells(self) -> LongArray:
        """For each coordinate, the number of its cell: coordinates in the very same groups.

        >>> Groups.of([[0, 1, 2], [2, 3]], size=5).cells.tolist()
        [1, 1, 3, 2, 0]
        """
        cells = np.zeros(self.size, dtype=np.int64)
        unused = 1
        for group in range(len(self)):
            members = self.of_group(group)
            before, places = np.unique(cells[members], return_inverse=True)
            cells[members] = unused + places
            unused += len(before)
        _, dense = np.unique(cells, return_inverse=True)
        return dense.astype(np.int64)
