"""What fired on a part, and with which weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.features import _core
from turbotree.features.attributes import SET_ATTRIBUTES
from turbotree.features.encoder import AFTER_ID, BEFORE_ID, NONE_ID, Encoded
from turbotree.features.scorer import Parts, Scorer
from turbotree.features.templates import (
    BETWEEN,
    ColumnAtom,
    CountAtom,
    PairAtom,
    Template,
    WordAtom,
)
from turbotree.features.weights import AnyWeights


@dataclass(frozen=True, slots=True)
class FiredFeature:
    """One feature of a part: its template, the values it found, and its weight."""

    template: str
    values: tuple[str, ...]
    weight: float


def explain(
    scorer: Scorer,
    encoded: Encoded,
    part: IntArray,
    weights: AnyWeights,
    *,
    label: int = 0,
) -> list[FiredFeature]:
    """List the features of one part of one sentence with their weights, heaviest first.

    The weights add up to the part's score. Features that the model does not know have weight 0
    and are omitted. A distance is shown as its bin, ``+6..7`` being six or seven words to the
    right.

    Examples
    --------
    >>> from turbotree.features import Encoder, PartKind, Weights
    >>> from turbotree.text import Sentence
    >>> sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    >>> encoder = Encoder.fit([sentence], ["upos"], [])
    >>> scorer = Scorer(["h.upos m.upos dist"], PartKind(("h", "m")), encoder)
    >>> encoded, arc = encoder.encode([sentence]), np.array([2, 1], dtype=np.int32)
    >>> weights = Weights()
    >>> weights.add(scorer.gradient(scorer.prepare(encoded), Parts.of_one([arc]), np.ones(1)), 0.5)
    >>> explain(scorer, encoded, arc, weights)
    [FiredFeature(template='h.upos m.upos dist', values=('VERB', 'NOUN', '-1'), weight=0.5)]
    """
    if len(encoded) != 1:
        raise InputError(f"{len(encoded)} sentences; features of one are explained at a time")
    if not 0 <= label < _core.MAX_LABELS:
        raise InputError(f"label {label}: expected 0 to {_core.MAX_LABELS - 1}")
    keys = scorer.keys(scorer.prepare(encoded), Parts.of_one(part.reshape(1, -1)))
    found = weights.table.find(keys | np.uint64(label))
    view = _PartView(scorer, encoded, part.tolist())
    values: dict[int, Iterator[tuple[str, ...]]] = {}
    fired = []
    for key, weight in zip(keys.tolist(), found.tolist(), strict=True):
        number = ((key >> _core.LABEL_BITS) & _core.MAX_TEMPLATES) - 1 - scorer.first_template
        template = scorer.templates[number]
        if number not in values:
            values[number] = view.features(template)
        value = next(values[number])
        if weight != 0.0:
            fired.append(FiredFeature(template.text, value, weight))
    return sorted(fired, key=lambda feature: -abs(feature.weight))


class _PartView:
    """What the core sees of one part, in strings."""

    def __init__(self, scorer: Scorer, encoded: Encoded, row: list[int]) -> None:
        self._encoder = scorer.encoder
        self._encoded = encoded
        self._words = int(encoded.lengths[0])
        self._slots = dict(zip(scorer.kind.slots, row, strict=False))
        self._columns = dict(zip(scorer.kind.columns, row[len(self._slots) :], strict=True))
        low, high = min(row[:2]), max(row[:2])
        self._between = range(low + 1, high) if low >= 0 else range(0)

    def features(self, template: Template) -> Iterator[tuple[str, ...]]:
        """Yield the values of a template's features in the order in which the core emits them."""
        fixed: dict[int, str] = {}
        between: list[tuple[int, WordAtom]] = []
        sets: dict[str, list[tuple[int, WordAtom]]] = {slot: [] for slot in self._slots}
        for i, atom in enumerate(template.atoms):
            if not isinstance(atom, WordAtom):
                fixed[i] = self._plain(atom)
            elif atom.slot == BETWEEN:
                between.append((i, atom))
            elif atom.attribute in SET_ATTRIBUTES:
                sets[atom.slot].append((i, atom))
            else:
                fixed[i] = self._value(atom, self._slots[atom.slot])
        # The core runs through the words between first, then through set values from the last
        # atom of the last slot to the first atom of the first.
        groups = [self._values_between(between)] if between else []
        for slot in reversed(self._slots):
            for i, atom in reversed(sets[slot]):
                groups.append([{i: value} for value in self._set_values(atom)])
        for combination in product(*groups):
            values = dict(fixed)
            for group in combination:
                values.update(group)
            yield tuple(values[i] for i in range(len(template.atoms)))

    def _plain(self, atom: PairAtom | CountAtom | ColumnAtom) -> str:
        match atom:
            case PairAtom(kind, first, second):
                start, end = self._slots[first], self._slots[second]
                if start < 0 or end < 0:
                    return self._encoder.value_of("", NONE_ID)
                if kind == "dir":
                    return "right" if end > start else "left"
                return ("+" if end > start else "-") + _distance_bin(abs(end - start))
            case CountAtom(attribute, value):
                if value not in self._encoder.vocabularies[attribute]:
                    return "0"
                wanted = self._encoder.id_of(attribute, value)
                found = [self._id(attribute, word, 0) for word in self._between]
                return str(min(3, found.count(wanted)))
            case ColumnAtom(name):
                return str(self._columns[name])

    def _value(self, atom: WordAtom, word: int) -> str:
        number = self._id(atom.attribute, word, atom.offset)
        return self._encoder.value_of(atom.attribute, number)

    def _values_between(self, atoms: list[tuple[int, WordAtom]]) -> list[dict[int, str]]:
        # Words are told apart by their ids, of which two may look the same as strings.
        distinct: dict[tuple[int, ...], dict[int, str]] = {}
        for word in self._between:
            ids = tuple(self._id(atom.attribute, word, atom.offset) for _, atom in atoms)
            distinct.setdefault(ids, {i: self._value(atom, word) for i, atom in atoms})
        return list(distinct.values())

    def _set_values(self, atom: WordAtom) -> list[str]:
        slot = self._slots[atom.slot]
        word = slot + atom.offset
        if slot < 0 or not 0 <= word <= self._words:
            return []
        offsets, values = self._encoded.sets[self._encoder.set_attributes.index(atom.attribute)]
        numbers = values[offsets[word] : offsets[word + 1]].tolist()
        return [self._encoder.value_of(atom.attribute, number) for number in numbers]

    def _id(self, attribute: str, word: int, offset: int) -> int:
        if word < 0:
            return NONE_ID
        if word + offset < 0:
            return BEFORE_ID
        if word + offset > self._words:
            return AFTER_ID
        return int(self._encoded.ids[self._encoder.attributes.index(attribute), word + offset])


def _distance_bin(distance: int) -> str:
    start = 1
    for end in _core.distance_bin_ends():
        if distance <= end:
            return str(end) if start == end else f"{start}..{end}"
        start = end + 1
    return f"{start}.."
