"""Parts of higher order: what several candidate arcs form together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.features import PartKind, Parts
from turbotree.parsing import _core
from turbotree.parsing.arcs import ARC, IntArray

LongArray = npt.NDArray[np.int64]

#: Families of parts by name, each with its slots; `arc` comes first and is in every model.
FAMILIES = {
    "arc": ARC,
    "sibling": PartKind(("h", "m", "s"), {"side": 2}),
    "grandparent": PartKind(("g", "h", "m")),
    "all_siblings": PartKind(("h", "m", "s")),
    "head_bigram": PartKind(("g", "h", "m")),
    "grand_sibling": PartKind(("g", "h", "m", "s"), {"side": 2}),
}

#: Model kinds: the families that each scores.
MODELS = {
    "arc": ("arc",),
    "standard": ("arc", "sibling", "grandparent"),
    "full": ("arc", "sibling", "grandparent", "all_siblings", "head_bigram"),
    "third": ("arc", "sibling", "grandparent", "head_bigram", "grand_sibling"),
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
            raise InputError(f"unknown model kind {model!r}; expected one of {', '.join(MODELS)}")
        return MODELS[model]
    for name in parts:
        if name not in FAMILIES:
            raise InputError(f"unknown parts {name!r}; expected some of {', '.join(FAMILIES)}")
    if "grand_sibling" in parts and not {"sibling", "grandparent"} <= set(parts):
        raise InputError("grand_sibling needs sibling and grandparent too")
    return tuple(name for name in FAMILIES if name == "arc" or name in parts)


@dataclass(frozen=True, slots=True)
class Family:
    """The parts of one family in a batch of sentences.

    Attributes
    ----------
    parts
        Words of each part, as the family's kind has them.
    arcs
        The arcs that a part is made of, numbered within their sentence; -1 for none.
    """

    parts: Parts
    arcs: IntArray

    def indicator(self, sentence: int, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Tell which parts a tree has, given the arcs that it has."""
        offsets = self.parts.offsets
        arcs = self.arcs[offsets[sentence] : offsets[sentence + 1]]
        has: npt.NDArray[np.bool_] = chosen[arcs[:, 0]] & chosen[arcs[:, 1]]
        return has


@dataclass(frozen=True, slots=True)
class SiblingFamily(Family):
    """Consecutive siblings; the arcs of one head and side form an automaton.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    spans
        The links that each part jumps over: first, and the one after the last.
    links, link_offsets
        The arcs of each automaton, outward from the head.
    automaton_offsets
        The automata of each sentence; that of the root comes first.
    variables, variable_offsets, above, score_offsets
        The automata as factors: the arcs of each, of which the first so many lead into the head;
        and their scores.
    """

    cells: IntArray
    spans: IntArray
    links: IntArray
    link_offsets: IntArray
    automaton_offsets: IntArray
    variables: IntArray
    above: IntArray
    variable_offsets: LongArray
    score_offsets: LongArray

    def indicator(self, sentence: int, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        return self.next_to_each_other(sentence, chosen, self.arcs[at], self.spans[at])

    def next_to_each_other(
        self, sentence: int, chosen: npt.NDArray[np.bool_], arcs: IntArray, spans: IntArray
    ) -> npt.NDArray[np.bool_]:
        """Tell for pairs of arcs of an automaton whether a tree has both and none between."""
        links, _ = self.automata(sentence)
        passed = np.concatenate([[0], np.cumsum(chosen[links])])
        # "None" stands for both ends of the row, which are always there.
        with_none = np.append(chosen, True)
        none_between = passed[spans[:, 0]] == passed[spans[:, 1]]
        has: npt.NDArray[np.bool_] = with_none[arcs[:, 0]] & with_none[arcs[:, 1]] & none_between
        return has

    def automata(self, sentence: int) -> tuple[IntArray, IntArray]:
        """Return the links of a sentence's automata and their offsets."""
        first, last = self.automaton_offsets[sentence], self.automaton_offsets[sentence + 1]
        offsets = self.link_offsets[first : last + 1]
        return self.links[offsets[0] : offsets[-1]], offsets - offsets[0]

    def square_cells(self, sentence: int) -> LongArray:
        """Return the place of each part among squares alone, one an automaton.

        That is where scores lie if the automata score siblings and nothing else.
        """
        first, last = self.automaton_offsets[sentence : sentence + 2]
        sides = np.diff(self.link_offsets[first : last + 1]).astype(np.int64) + 1
        squares = np.concatenate([[0], np.cumsum(sides**2)])
        shifts = squares[:-1] - (self.score_offsets[first:last] - self.score_offsets[first])
        cells: LongArray = self.cells[self.parts.places(sentence)] + np.repeat(
            shifts, sides * (sides + 1) // 2
        )
        return cells


@dataclass(frozen=True, slots=True)
class GrandparentFamily(Family):
    """Chains of two arcs.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    """

    cells: IntArray


@dataclass(frozen=True, slots=True)
class GrandSiblingFamily(Family):
    """Consecutive siblings with their grandparent.

    Attributes
    ----------
    cells
        The place of each part among the scores of its sentence's automata.
    spans
        The links that each part jumps over: first, and the one after the last.
    siblings
        The automata.
    """

    cells: IntArray
    spans: IntArray
    siblings: SiblingFamily

    def indicator(self, sentence: int, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Tell which parts a tree has, given the arcs that it has."""
        at = self.parts.places(sentence)
        arcs = self.arcs[at]
        next_to = self.siblings.next_to_each_other(sentence, chosen, arcs[:, 1:], self.spans[at])
        has: npt.NDArray[np.bool_] = chosen[arcs[:, 0]] & next_to
        return has


@dataclass(frozen=True, slots=True)
class PartSet:
    """All parts of a batch of sentences.

    Attributes
    ----------
    lengths
        Words of each sentence.
    arcs
        The candidate arcs, sorted by modifier.
    families
        Everything else, by name.
    """

    lengths: IntArray
    arcs: Parts
    families: dict[str, Family] = field(default_factory=dict)

    @classmethod
    def build(cls, lengths: IntArray, arcs: Parts, names: Sequence[str]) -> PartSet:
        """Find the parts that arcs form.

        >>> from turbotree.parsing.arcs import all_arcs
        >>> lengths = np.array([3], dtype=np.int32)
        >>> found = PartSet.build(lengths, all_arcs(lengths), ("arc", "grandparent"))
        >>> found.families["grandparent"].parts.rows[0].tolist()
        [0, 1, 2]
        """
        given = (lengths, arcs.rows, arcs.offsets)
        families: dict[str, Family] = {}
        for name in names:
            if name == "sibling":
                rows, offsets, *rest = _core.consecutive_siblings(
                    *given, "grandparent" in names, "grand_sibling" in names
                )
                own: Any = rest  # arrays of two types
                families[name] = SiblingFamily(Parts(rows, offsets), *own)
            elif name == "grandparent":
                rows, offsets, of_arcs, cells = _core.grandparents(*given, "grand_sibling" in names)
                families[name] = GrandparentFamily(Parts(rows, offsets), of_arcs, cells)
            elif name == "grand_sibling":
                siblings = families["sibling"]
                assert isinstance(siblings, SiblingFamily)
                rows, offsets, of_arcs, cells, spans = _core.grand_siblings(*given)
                families[name] = GrandSiblingFamily(
                    Parts(rows, offsets), of_arcs, cells, spans, siblings
                )
            elif name != "arc":
                rows, offsets, of_arcs = _BUILDERS[name](*given)
                families[name] = Family(Parts(rows, offsets), of_arcs)
        return cls(lengths, arcs, families)

    def parts(self, name: str) -> Parts:
        """Return the rows of one family, arcs included."""
        return self.arcs if name == "arc" else self.families[name].parts

    def sentence_slices(self, sentence: int) -> dict[str, slice]:
        """Return where each family's parts of a sentence are."""
        names = ("arc", *self.families)
        return {name: self.parts(name).places(sentence) for name in names}

    def indicators(self, sentence: int, heads: IntArray) -> dict[str, npt.NDArray[np.bool_]]:
        """Tell which parts of a sentence a tree has, given by its heads."""
        offsets = self.arcs.offsets
        rows = self.arcs.rows[offsets[sentence] : offsets[sentence + 1]]
        chosen = heads[rows[:, 1] - 1] == rows[:, 0]
        found = {"arc": chosen}
        for name, family in self.families.items():
            found[name] = family.indicator(sentence, chosen)
        return found


_BUILDERS = {
    "all_siblings": _core.all_siblings,
    "head_bigram": _core.head_bigrams,
}
