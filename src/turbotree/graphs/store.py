"""The variables of a graph, their evidence, and its factors as chunks and blocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.blocks import (
    NO_EXTRAS,
    NO_SHAPES,
    Block,
    Chunk,
    Kind,
    Lengths,
    chunk_of,
    join,
)
from turbotree.graphs.literals import Links, read_literals, read_scores, resolve

_Self = TypeVar("_Self", bound="Store")

#: The most variables that the blocks' 32-bit numbers can name.
_MOST_VARIABLES = 2**31 - 1


class Store:
    """Variables and factors, without the words to add factors."""

    def __init__(self) -> None:
        self._size = 0
        self._score_chunks: list[NDArray[np.float64]] = []
        self._evidence: NDArray[np.int8] | None = None  # made by the first `fix`
        self._names: dict[int, str] = {}
        self._chunks: dict[Kind, list[Chunk]] = {}
        self._blocks: tuple[Block, ...] | None = None

    # Variables

    def variables(self, scores: Any, names: Iterable[str] | None = None) -> NDArray[np.int64]:
        """Add variables and give their handles, in the shape of the scores.

        Parameters
        ----------
        scores : array
            What each variable adds when it is 1; ``-inf`` forbids 1.
        names : iterable of str, optional
            One name a variable, for pictures and messages.

        Returns
        -------
        int64 array
            The handles: ``x`` says that the variable is 1, ``~x`` that it is 0.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a, b = graph.variables([0.3, -1.0], names=["a", "b"])
        >>> graph.exactly_one([a, ~b])
        """
        new = read_scores(scores, "variables")
        if new.ndim == 0:
            raise InputError(
                "variables: expected an array of scores, got one number; "
                "use variable(score) to add one variable"
            )
        first = self._size
        if first + new.size > _MOST_VARIABLES:
            raise InputError(f"variables: a graph holds at most {_MOST_VARIABLES} variables")
        if names is not None:
            self._add_names(first, list(names), new.size)
        self._score_chunks.append(new.reshape(-1))
        if self._evidence is not None:
            self._evidence = np.append(self._evidence, np.full(new.size, -1, dtype=np.int8))
        self._size += new.size
        return np.arange(first, self._size, dtype=np.int64).reshape(new.shape)

    def variable(self, score: float = 0.0, name: str | None = None) -> int:
        """Add one variable and give its handle.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> FactorGraph().variable(0.5, name="rain")
        0
        """
        return int(self.variables([score], None if name is None else [name])[0])

    def _add_names(self, first: int, names: list[str], count: int) -> None:
        if len(names) != count:
            raise InputError(f"variables: expected {count} names, got {len(names)}")
        if not all(isinstance(name, str) for name in names):
            raise InputError("variables: expected names that are strings")
        self._names.update(enumerate(names, first))

    def __len__(self) -> int:
        return self._size

    @property
    def scores(self) -> NDArray[np.float64]:
        """The score of each variable (read-only; see :meth:`set_scores`)."""
        view = self._joined_scores().view()
        view.setflags(write=False)
        return view

    def _joined_scores(self) -> NDArray[np.float64]:
        if len(self._score_chunks) != 1:
            chunks = self._score_chunks or [np.zeros(0)]
            self._score_chunks = [np.concatenate(chunks)]
        return self._score_chunks[0]

    @property
    def evidence(self) -> NDArray[np.int8]:
        """What each variable is fixed to: 0, 1, or -1 where it is free (read-only)."""
        if self._evidence is None:
            view = np.full(self._size, -1, dtype=np.int8)
        else:
            view = self._evidence.view()
        view.setflags(write=False)
        return view

    @property
    def names(self) -> list[str]:
        """The name of each variable: the user's, or ``x`` and its number."""
        return [self.name(variable) for variable in range(self._size)]

    def name(self, literal: int) -> str:
        """Name one literal.

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a = graph.variable(name="a")
        >>> graph.name(~a)
        'not a'
        """
        if literal < 0:
            return "not " + self.name(~literal)
        return self._names.get(literal, f"x{literal}")

    def set_scores(self, scores: Any, variables: Any = None) -> None:
        """Give variables new scores: all of them, or those named.

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a, b = graph.variables([0.0, 0.0])
        >>> graph.set_scores([1.0, 2.0])
        >>> graph.set_scores(5.0, variables=b)
        >>> graph.scores
        array([1., 5.])
        """
        new = read_scores(scores, "set_scores")
        if variables is None:
            if new.shape != (self._size,):
                raise InputError(f"set_scores: expected shape ({self._size},), got {new.shape}")
            self._score_chunks = [new]
            return
        chosen = self._existing(variables, "set_scores")
        if chosen.size and chosen.min() < 0:
            raise InputError("set_scores: expected variables, got a negated one")
        if new.ndim and new.shape != chosen.shape:
            raise InputError(
                f"set_scores: expected one score, or shape {chosen.shape}, got {new.shape}"
            )
        changed = self.scores.copy()
        changed[chosen] = new
        self._score_chunks = [changed]

    def fix(self, x: Any, value: Any = True) -> None:
        """Fix literals to a value (evidence); fixing again replaces the earlier value.

        Parameters
        ----------
        x : literal or array of literals
            ``fix(~a)`` and ``fix(a, False)`` say the same.
        value : bool or array of bool
            One value, or one for each literal.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a, b, c = graph.variables([1.0, 1.0, 1.0])
        >>> graph.fix([a, ~c])
        >>> graph.evidence
        array([ 1, -1,  0], dtype=int8)
        """
        literals = self._existing(x, "fix").reshape(-1)
        try:
            values = np.asarray(value)
            wanted = np.broadcast_to(values, np.shape(x)).reshape(-1)
        except ValueError:
            raise InputError(
                f"fix: expected one value, or shape {np.shape(x)}, got {np.shape(value)}"
            ) from None
        if values.dtype.kind not in "biu" or not np.isin(values, (0, 1)).all():
            raise InputError(f"fix: expected True or False (1 or 0), got {value!r}")
        indices = literals ^ (literals >> 63)
        pinned = (wanted.astype(bool) ^ (literals < 0)).astype(np.int8)
        evidence = self.evidence.copy()
        evidence[indices] = pinned
        if (evidence[indices] != pinned).any():
            clash = int(indices[evidence[indices] != pinned][0])
            raise InputError(f"fix: {self.name(clash)} is fixed both to 0 and to 1")
        self._evidence = evidence

    def unfix(self, x: Any = None) -> None:
        """Free variables again: all of them, or those named (a negation counts as the variable).

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> a = graph.variable()
        >>> graph.fix(a); graph.unfix(a); graph.evidence
        array([-1], dtype=int8)
        """
        if x is None:
            self._evidence = None
            return
        literals = self._existing(x, "unfix").reshape(-1)
        evidence = self.evidence.copy()
        evidence[literals ^ (literals >> 63)] = -1
        self._evidence = evidence

    def _existing(self, x: Any, where: str) -> NDArray[np.int64]:
        literals = read_literals(x, where)
        resolve(Links(literals.size, 1, literals.reshape(-1)), self._size, where)
        return literals

    # Factors

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The factors as arrays, one block a kind, in the order of the kinds' numbers."""
        if self._blocks is None:
            self._blocks = tuple(join(kind, self._chunks[kind]) for kind in sorted(self._chunks))
            for block in self._blocks:
                if len(self._chunks[block.kind]) > 1:
                    self._chunks[block.kind] = [chunk_of(block)]
        return self._blocks

    @property
    def factor_count(self) -> int:
        """The number of factors of all kinds."""
        return sum(chunk.factors for chunks in self._chunks.values() for chunk in chunks)

    @property
    def asks_python(self) -> bool:
        """Whether some factors are Python functions."""
        return Kind.CUSTOM in self._chunks

    def _append(
        self,
        kind: Kind,
        links: Links,
        extra_lengths: Lengths = 0,
        extras: NDArray[np.float64] = NO_EXTRAS,
        shape_lengths: Lengths = 0,
        shapes: NDArray[np.int32] = NO_SHAPES,
        oracles: tuple[Any, ...] = (),
    ) -> None:
        """Check the links and keep the factors; the caller has checked the rest."""
        variables, negated = resolve(links, self._size, kind.method)
        if links.factors == 0:
            return
        chunk = Chunk(
            links.factors,
            links.lengths,
            variables,
            negated,
            extra_lengths,
            extras,
            shape_lengths,
            shapes,
            oracles,
        )
        self.add_chunk(kind, chunk)

    def add_chunk(self, kind: Kind, chunk: Chunk) -> None:
        """Add factors of one kind in the arrays of the core, which its makers must have right.

        This is for code that makes thousands of graphs. Nothing is looked at here; a solver
        refuses arrays that do not fit each other, but not, say, a score that is no number.
        """
        self._chunks.setdefault(kind, []).append(chunk)
        self._blocks = None

    def copy(self: _Self) -> _Self:
        """Copy the graph; chunks never change, so only the lists are copied.

        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> _ = graph.variables([1.0, 2.0])
        >>> other = graph.copy()
        >>> other.fix(0, False)
        >>> graph.evidence
        array([-1, -1], dtype=int8)
        """
        other = type(self)()
        other._size = self._size
        other._score_chunks = list(self._score_chunks)
        other._evidence = self._evidence
        other._names = dict(self._names)
        other._chunks = {kind: list(chunks) for kind, chunks in self._chunks.items()}
        other._blocks = self._blocks
        return other
