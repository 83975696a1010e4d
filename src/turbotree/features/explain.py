"""What fired on a part, and with which weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from turbotree.features import _core
from turbotree.features.encoder import Encoded, IntArray
from turbotree.features.scorer import Parts, Scorer
from turbotree.features.templates import (
    BETWEEN,
    SET_ATTRIBUTES,
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
    and are left out.
    """
    prepared = scorer.prepare(encoded)
    keys = scorer.keys(prepared, Parts.of_one(part.reshape(1, -1)))
    found = weights.table.find(keys | np.uint64(label))
    values: dict[int, Iterator[tuple[str, ...]]] = {}
    fired = []
    for key, weight in zip(keys.tolist(), found.tolist(), strict=True):
        number = ((key >> _core.LABEL_BITS) & _core.MAX_TEMPLATES) - 1 - scorer.first_template
        template = scorer.templates[number]
        if number not in values:
            values[number] = _values(scorer, template, encoded, part.tolist())
        value = next(values[number])
        if weight != 0.0:
            fired.append(FiredFeature(template.text, value, weight))
    return sorted(fired, key=lambda feature: -abs(feature.weight))


def _values(
    scorer: Scorer, template: Template, encoded: Encoded, row: list[int]
) -> Iterator[tuple[str, ...]]:
    """Give the values of a template's features in the order in which the core emits them."""
    slots = dict(zip(scorer.kind.slots, row, strict=False))
    columns = dict(zip(scorer.kind.columns, row[len(slots) :], strict=False))
    # The core runs through the words between first, then through set values from the last atom
    # of the last slot to the first atom of the first.
    order = [BETWEEN, *reversed(scorer.kind.slots)]
    fixed: dict[int, str] = {}
    places = {slot: _word_atoms_at(template, slot) for slot in order}
    for i, atom in enumerate(template.atoms):
        match atom:
            case PairAtom(kind, first, second):
                fixed[i] = _pair_value(kind, slots[first], slots[second])
            case CountAtom(attribute, value):
                between = _between(scorer, encoded, row, attribute)
                fixed[i] = str(min(3, between.count(value)))
            case ColumnAtom(name):
                fixed[i] = str(columns[name])
            case WordAtom(slot, offset, attribute) if (
                slot != BETWEEN and attribute not in SET_ATTRIBUTES
            ):
                fixed[i] = _word_value(scorer, encoded, attribute, slots[slot], offset)
    groups: list[list[dict[int, str]]] = []
    for slot in order:
        if slot == BETWEEN and places[slot]:
            low, high = sorted(row[:2])
            seen: dict[tuple[str, ...], dict[int, str]] = {}
            for word in range(low + 1, high):
                found = {
                    i: _word_value(scorer, encoded, a.attribute, word, a.offset)
                    for i, a in places[slot]
                }
                seen.setdefault(tuple(found.values()), found)
            groups.append(list(seen.values()))
            continue
        for i, atom in reversed(places[slot]):
            if i not in fixed:
                word = slots[slot] + atom.offset if slots[slot] >= 0 else -1
                groups.append([{i: v} for v in _set_at(scorer, encoded, atom.attribute, word)])
    for combination in product(*groups):
        values = dict(fixed)
        for group in combination:
            values.update(group)
        yield tuple(values[i] for i in range(len(template.atoms)))


def _pair_value(kind: str, first: int, second: int) -> str:
    if first < 0:
        return "<none>"
    if kind == "dir":
        return "right" if second > first else "left"
    return str(second - first)


def _words(encoded: Encoded) -> int:
    return int(encoded.lengths[0])


def _word_atoms_at(template: Template, slot: str) -> list[tuple[int, WordAtom]]:
    return [
        (i, atom)
        for i, atom in enumerate(template.atoms)
        if isinstance(atom, WordAtom) and atom.slot == slot
    ]


def _word_value(scorer: Scorer, encoded: Encoded, attribute: str, word: int, offset: int) -> str:
    place = word + offset
    if word < 0:
        number = 0
    elif place < 0:
        number = 1
    elif place > _words(encoded):
        number = 2
    else:
        number = int(encoded.ids[scorer.encoder.attributes.index(attribute), place])
    return scorer.encoder.value_of(attribute, number)


def _set_at(scorer: Scorer, encoded: Encoded, attribute: str, word: int) -> list[str]:
    if not 0 <= word <= _words(encoded):
        return []
    offsets, values = encoded.sets[scorer.encoder.set_attributes.index(attribute)]
    numbers = values[offsets[word] : offsets[word + 1]].tolist()
    return [scorer.encoder.value_of(attribute, number) for number in numbers]


def _between(scorer: Scorer, encoded: Encoded, row: list[int], attribute: str) -> list[str]:
    low, high = sorted(row[:2])
    return [_word_value(scorer, encoded, attribute, w, 0) for w in range(low + 1, high)]
