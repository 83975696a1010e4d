"""What a family of parts is: which arcs its parts are made of, and how it enters each graph.

A family is one class in one file, with one call of :func:`register`. CONTRIBUTING.md has the
recipe. Families of two arcs each need nothing but :meth:`Family.find`: see :class:`PairFamily`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.features import PartKind, Parts
from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.factors.blocks import NO_SCORES
from turbotree.parsing.arcs import ARC

if TYPE_CHECKING:
    from turbotree.parsing.decoding.linear_program import ProgramWriter
    from turbotree.parsing.decoding.logic import LogicWriter
    from turbotree.parsing.parts.part_set import ScoredSentence

_Made = TypeVar("_Made")


@dataclass
class Candidates:
    """What families find their parts in.

    Attributes
    ----------
    lengths, arcs
        Words of each sentence of a batch, and its candidate arcs, sorted by modifier.
    given
        The same as the core takes them: lengths, arcs and their offsets.
    names
        All families that are asked for.
    found
        Those found so far.
    """

    lengths: IntArray
    arcs: Parts
    given: tuple[IntArray, IntArray, IntArray]
    names: tuple[str, ...]
    found: dict[str, Family] = field(default_factory=dict)
    _shared: dict[str, Any] = field(default_factory=dict)

    def shared(self, name: str, make: Callable[[], _Made]) -> _Made:
        """Return what several families need, made by the first of them."""
        if name not in self._shared:
            self._shared[name] = make()
        made: _Made = self._shared[name]
        return made


class Told:
    """What a solver tells of a graph: of its variables, and of what factors score themselves."""

    def __init__(self, graph: FactorGraph, variables: FloatArray, factor_marginals: Any) -> None:
        self.variables = variables
        self._of: dict[Kind, FloatArray] = dict(zip(graph.kinds, factor_marginals, strict=True))
        self._taken: dict[Kind, int] = {}

    def of(self, *kinds: Kind) -> FloatArray:
        """Return what is told of all factors of some kinds; nothing if there are none."""
        return np.concatenate([self._of.get(kind, NO_SCORES) for kind in kinds])

    def take(self, kind: Kind, count: int) -> FloatArray:
        """Return what is told of the next factors of a kind, in the order of adding them."""
        first = self._taken.get(kind, 0)
        self._taken[kind] = first + count
        found: FloatArray = self.of(kind)[first : first + count]
        return found


@dataclass(frozen=True, slots=True)
class Family(ABC):
    """The parts of one family in a batch of sentences.

    Attributes
    ----------
    parts
        Words of each part, as the family's kind has them.
    """

    name: ClassVar[str]
    #: The slots of its parts, for templates.
    kind: ClassVar[PartKind]
    #: The families that its parts are made of; these come first.
    needs: ClassVar[tuple[str, ...]] = ()
    #: Its templates, if they do not lie in a file ``templates/<name>.txt``.
    templates: ClassVar[tuple[str, ...]] = ()
    #: Whether the parts over fewer arcs are some of those over all.
    reducible: ClassVar[bool] = True
    #: Whether its parts are pairs of words, however far apart: too many in a very long sentence.
    of_all_pairs: ClassVar[bool] = False

    parts: Parts

    @classmethod
    @abstractmethod
    def find(cls, candidates: Candidates) -> Family:
        """Find the parts that candidate arcs form."""

    @abstractmethod
    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""

    def constant(self, rows: IntArray) -> BoolArray:
        """Tell which of some rows every tree has, if there are no other rows of their words."""
        return np.zeros(len(rows), dtype=np.bool_)

    @abstractmethod
    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add a sentence's parts to the graph of decoders, whose first variables are the arcs."""

    @abstractmethod
    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add them to the graph of belief propagation."""

    @abstractmethod
    def add_to_logic(self, logic: LogicWriter) -> None:
        """Add them to the graph of simple factors."""

    def prepare_program(self, program: ProgramWriter) -> None:  # noqa: B027  # most need nothing
        """Bring scores to the arcs of a linear program, before anything is written."""

    @abstractmethod
    def add_to_program(self, program: ProgramWriter) -> None:
        """Add them to a linear program."""

    @abstractmethod
    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has; None if it does not tell."""

    @abstractmethod
    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part by belief propagation."""


@dataclass(frozen=True, slots=True)
class PairFamily(Family):
    """Parts that are there if both of their arcs are.

    Attributes
    ----------
    arcs
        The arcs that a part is made of, numbered within their sentence; -1 for none.
    """

    arcs: IntArray

    def indicator(self, sentence: int, chosen: BoolArray) -> BoolArray:
        """Tell which parts a tree has, given the arcs that it has."""
        arcs = self.arcs[self.parts.places(sentence)]
        has: BoolArray = chosen[arcs[:, 0]] & chosen[arcs[:, 1]]
        return has

    def add_to_graph(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add the parts that score something, as pairs of arcs."""
        scores = scored.scores[self.name]
        matters = np.flatnonzero(scores)
        if not len(matters):
            return
        pairs = self.arcs[self.parts.places(scored.sentence)][matters]
        own = scores[matters]
        if np.isfinite(own).all():
            graph.add_chunk(Kind.PAIR, len(pairs), 2, pairs.reshape(-1), 1, own)
        else:  # what is forbidden is no pair with a score
            graph.pair(pairs[:, 0], pairs[:, 1], own)

    def add_to_beliefs(self, graph: FactorGraph, scored: ScoredSentence) -> None:
        """Add the parts that score something: other factors would send messages of 0."""
        PairFamily.add_to_graph(self, graph, scored)

    def pairs(self, sentence: int, steps: Any) -> LongArray:
        """Return the two variables of each part in graphs by logic and linear programs."""
        return self.arcs[self.parts.places(sentence)].astype(np.int64)

    def add_to_logic(self, logic: LogicWriter) -> None:
        """Add the parts that score something, as pairs of variables."""
        scores = logic.scored.scores[self.name]
        pairs = self.pairs(logic.scored.sentence, logic.steps)
        matters = np.flatnonzero(scores)
        logic.graph.pair(pairs[matters, 0], pairs[matters, 1], scores[matters])

    def add_to_program(self, program: ProgramWriter) -> None:
        """Add a column per part that scores something."""
        pairs = self.pairs(program.scored.sentence, program.steps)
        program.add_pairs(pairs, program.scored.scores[self.name])

    def read_graph(self, scored: ScoredSentence, told: Told) -> FloatArray | None:
        """Return how much of each part a relaxed solution has."""
        # Where the two arcs of a part leave a choice, and nothing hangs on it, it is not there.
        first, second = self.arcs[self.parts.places(scored.sentence)].T
        matters = scored.scores[self.name] != 0.0
        found: FloatArray = np.maximum(0.0, told.variables[first] + told.variables[second] - 1.0)
        found[matters] = told.take(Kind.PAIR, int(np.count_nonzero(matters)))
        return found

    def read_beliefs(self, scored: ScoredSentence, told: Told) -> FloatArray:
        """Return the probability of each part.

        Where a pair has no factor because it scores nothing, its arcs are independent, as they
        would be in that factor. A forbidden pair is another kind of factor.
        """
        first, second = self.arcs[self.parts.places(scored.sentence)].T
        scores, arcs = scored.scores[self.name], told.variables
        matters = np.isfinite(scores) & (scores != 0.0)
        found: FloatArray = np.where(scores == 0.0, arcs[first] * arcs[second], 0.0)
        found[matters] = told.take(Kind.PAIR, int(np.count_nonzero(matters)))
        return found


#: Families of parts by name, each with its slots; `arc` comes first and is in every model.
FAMILIES: dict[str, PartKind] = {"arc": ARC}
#: Their classes; arcs have none, every graph begins with them.
CLASSES: dict[str, type[Family]] = {}

_Registered = TypeVar("_Registered", bound=type[Family])


def register(family: _Registered) -> _Registered:
    """Make a family known, after those that it needs."""
    FAMILIES[family.name] = family.kind
    CLASSES[family.name] = family
    return family
