"""The parts of a batch of sentences, and their scores: what every decoder takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import Parts
from turbotree.graphs import FactorGraph, Kind
from turbotree.graphs.factors.blocks import PROJECTIVE, SINGLE_ROOT
from turbotree.naming import unknown
from turbotree.parsing.arcs import TreeShape, best_trees
from turbotree.parsing.parts.family import CLASSES, FAMILIES, Candidates, Family

if TYPE_CHECKING:
    from turbotree.parsing.constraints import Constraints

#: Model kinds: the families that each scores.
MODELS = {
    "arc": ("arc",),
    "standard": ("arc", "sibling", "grandparent"),
    "full": ("arc", "sibling", "grandparent", "all_siblings", "head_bigram"),
    "third": ("arc", "sibling", "grandparent", "head_bigram", "grand_sibling", "tri_sibling"),
    "turbo": ("arc", "sibling", "grandparent"),  # beside a network
    "network": ("arc",),  # scored by a network alone
}


def families_of(model: str, parts: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return the families of a model kind, or those asked for, in their usual order.

    >>> families_of("standard")
    ('arc', 'sibling', 'grandparent')
    >>> families_of("arc", ["grandparent", "arc"])
    ('arc', 'grandparent')
    """
    if parts is None:
        if model not in MODELS:
            raise unknown("model kind", model, MODELS)
        return MODELS[model]
    for name in parts:
        if name not in FAMILIES:
            raise unknown("parts", name, FAMILIES)
    for name in parts:
        needed = CLASSES[name].needs if name in CLASSES else ()
        if not set(needed) <= set(parts):
            raise InputError(f"{name} needs {' and '.join(needed)} too")
    return tuple(name for name in FAMILIES if name == "arc" or name in parts)


def affordable(families: Sequence[str]) -> tuple[str, ...]:
    """Return the families of parts that very long sentences are scored by."""
    return tuple(name for name in families if name == "arc" or not CLASSES[name].of_all_pairs)


class PartSet(dict[str, Parts]):
    """All parts of a batch of sentences, by family; arcs come first.

    Attributes
    ----------
    lengths
        Words of each sentence.
    arcs
        The candidate arcs, sorted by modifier.
    families
        Everything else, by name.
    """

    def __init__(
        self, lengths: IntArray, arcs: Parts, families: Mapping[str, Family] | None = None
    ) -> None:
        self.lengths = lengths
        self.arcs = arcs
        self.families = dict(families or {})
        super().__init__(arc=arcs)
        for name, family in self.families.items():
            self[name] = family.parts

    @classmethod
    def build(cls, lengths: IntArray, arcs: Parts, names: Sequence[str]) -> PartSet:
        """Find the parts that arcs form.

        >>> import numpy as np
        >>> from turbotree.parsing.arcs import all_arcs
        >>> lengths = np.array([3], dtype=np.int32)
        >>> found = PartSet.build(lengths, all_arcs(lengths), ("arc", "grandparent"))
        >>> found.families["grandparent"].parts.rows[0].tolist()
        [0, 1, 2]
        """
        given = lengths, arcs.rows, arcs.offsets
        candidates = Candidates(lengths, arcs, given, tuple(names))
        for name in names:
            if name != "arc":
                candidates.found[name] = CLASSES[name].find(candidates)
        return cls(lengths, arcs, candidates.found)

    def indicators(self, sentence: int, heads: IntArray) -> dict[str, BoolArray]:
        """Tell which parts of a sentence a tree has, given by its heads."""
        offsets = self.arcs.offsets
        rows = self.arcs.rows[offsets[sentence] : offsets[sentence + 1]]
        chosen = heads[rows[:, 1] - 1] == rows[:, 0]
        found = {"arc": chosen}
        for name, family in self.families.items():
            found[name] = family.indicator(sentence, chosen)
        return found


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """One sentence: candidate arcs, what they form, all their scores, and which trees may be.

    Attributes
    ----------
    parts, sentence
        The parts of a batch, and which of its sentences this is.
    scores
        The scores of this sentence's parts, by family.
    shape
        Which trees are allowed.
    constraints
        Spans that are subtrees. What constraints say of arcs is in the candidates.
    words, arcs
        The number of words, and the candidate arcs: head and modifier.
    """

    parts: PartSet
    sentence: int
    scores: Mapping[str, FloatArray]
    shape: TreeShape = field(default_factory=TreeShape)
    constraints: Constraints | None = None
    words: int = field(init=False)
    arcs: IntArray = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        arcs = self.parts.arcs
        object.__setattr__(self, "words", int(self.parts.lengths[self.sentence]))
        object.__setattr__(self, "arcs", arcs.rows[arcs.places(self.sentence)])

    @property
    def part_count(self) -> int:
        """The number of all parts."""
        return sum(len(own) for own in self.scores.values())

    @property
    def has_spans(self) -> bool:
        """Whether some words have to be subtrees."""
        return self.constraints is not None and bool(self.constraints.spans)

    def scaled(self, temperature: float) -> ScoredSentence:
        """Return the sentence with all scores divided by a temperature."""
        if temperature == 1.0:
            return self
        return self.with_scores({name: own / temperature for name, own in self.scores.items()})

    def with_scores(self, scores: Mapping[str, FloatArray]) -> ScoredSentence:
        """Return the sentence with other scores."""
        return replace(self, scores=scores)

    def graph(self, *, beliefs: bool = False, omit: Sequence[str] = ()) -> FactorGraph:
        """Write the sentence as a graph: a variable per arc, their tree, and the other parts.

        Parameters
        ----------
        beliefs
            Whether the graph is for belief propagation, where no factor may repeat what the tree
            says; see :mod:`turbotree.parsing.decoding.beliefs`.
        omit
            Families whose factors the caller writes.
        """
        rows, shape = self.arcs, self.shape
        graph = FactorGraph()
        graph.variables(self.scores["arc"])
        described = np.empty((len(rows) + 1, 2), dtype=np.int32)
        flags = PROJECTIVE * shape.projective + SINGLE_ROOT * shape.single_root
        described[0] = self.words, flags
        described[1:] = rows
        variables = np.arange(len(rows), dtype=np.int32)
        shapes = described.ravel()
        graph.add_chunk(
            Kind.TREE, 1, len(rows), variables, shape_lengths=len(shapes), shapes=shapes
        )
        for name, family in self.parts.families.items():
            if name in omit:
                continue
            add = family.add_to_beliefs if beliefs else family.add_to_graph
            add(graph, self)
        if self.constraints is not None:
            self.constraints.add_spans(graph, rows)
        return graph

    def indicators(self, heads: IntArray) -> dict[str, BoolArray]:
        """Tell which parts a tree has, given by its heads."""
        return self.parts.indicators(self.sentence, heads)

    def score(self, heads: IntArray) -> float:
        """Return the score of a tree."""
        found = self.indicators(heads)
        return sum(float(self.scores[name][has].sum()) for name, has in found.items())

    def best_tree(self, arc_scores: FloatArray) -> IntArray:
        """Return the heads of the best tree by arcs alone, of the shape that is allowed."""
        lengths = self.parts.lengths[self.sentence : self.sentence + 1]
        return best_trees(lengths, Parts.of_one(self.arcs), arc_scores, self.shape)

    def arc_matrix(self, values: FloatArray) -> FloatArray:
        """Return numbers of the arcs as a matrix, with -inf where there is no arc."""
        matrix = np.full((self.words + 1, self.words + 1), -np.inf)
        matrix[tuple(self.arcs.T)] = values
        return matrix


@dataclass(frozen=True)
class ScoredParts:
    """The parts of a batch with their scores: what is known of its sentences without the model.

    Attributes
    ----------
    parts, scores
        The candidate arcs with what they form, and their scores by family.
    shape, constraints
        Which trees are allowed; constraints are one per sentence, if there are some.
    """

    parts: PartSet
    scores: Mapping[str, FloatArray]
    shape: TreeShape
    constraints: Sequence[Constraints] | None

    def sentence(self, index: int) -> ScoredSentence:
        """Return one sentence with its scores."""
        scores = {name: self.scores[name][own.places(index)] for name, own in self.parts.items()}
        constraints = self.constraints[index] if self.constraints is not None else None
        return ScoredSentence(self.parts, index, scores, self.shape, constraints)

    def __iter__(self) -> Iterator[ScoredSentence]:
        return map(self.sentence, range(len(self.parts.lengths)))

    @property
    def has_spans(self) -> bool:
        """Whether some sentence has spans that are subtrees."""
        return self.constraints is not None and any(own.spans for own in self.constraints)
