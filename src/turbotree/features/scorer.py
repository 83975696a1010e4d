"""Scores of parts under a set of templates, and the gradient that training needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import _core
from turbotree.features.encoder import Encoded, Encoder
from turbotree.features.templates import (
    BETWEEN,
    Atom,
    ColumnAtom,
    CountAtom,
    PairAtom,
    PartKind,
    Template,
    WordAtom,
    parse_templates,
)
from turbotree.features.weights import AnyWeights, Weights

_DISTANCE, _DIRECTION, _BETWEEN_COUNT, _COLUMN = range(4)
_NO_ID = -1  # no word has it


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a batch of sentences, all of one kind.

    Attributes
    ----------
    rows
        One row per part: word positions, then plain values, as the part's kind has them.
    offsets
        Sentence ``i`` has the rows ``offsets[i]:offsets[i + 1]``.
    """

    rows: IntArray
    offsets: IntArray

    @classmethod
    def of_one(cls, rows: npt.ArrayLike) -> Parts:
        """Make the parts of a single sentence."""
        array = np.ascontiguousarray(rows, dtype=np.int32)
        return cls(array, np.array([0, len(array)], dtype=np.int32))

    def places(self, sentence: int) -> slice:
        """Return where the rows of a sentence are.

        >>> Parts.of_one([[0, 1], [0, 2]]).places(0)
        slice(0, 2, None)
        """
        return slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    @property
    def score_count(self) -> int:
        """How many scores there are: one per part."""
        return len(self.rows)

    @property
    def label_arrays(self) -> tuple[IntArray, IntArray] | tuple[None, None]:
        """Offsets and labels of labelled parts; none for others."""
        return None, None


@dataclass(frozen=True, slots=True)
class LabelledParts(Parts):
    """Parts with labels to choose from: there is one score per part and label.

    Attributes
    ----------
    label_offsets, labels
        Part ``p`` may take ``labels[label_offsets[p]:label_offsets[p + 1]]``.
    """

    label_offsets: IntArray
    labels: IntArray

    @property
    def score_count(self) -> int:
        """How many scores there are: one per part and label."""
        return len(self.labels)

    @property
    def label_arrays(self) -> tuple[IntArray, IntArray]:
        """Offsets and labels."""
        return self.label_offsets, self.labels

    @property
    def choices(self) -> npt.NDArray[np.intp]:
        """Of each score, the number of the part whose label it is for.

        >>> one = np.array([[1], [2]], dtype=np.int32)
        >>> LabelledParts(one, one[:, 0], np.array([0, 1, 3]), np.array([0, 0, 1])).choices.tolist()
        [0, 1, 1]
        """
        return np.repeat(np.arange(len(self.rows)), np.diff(self.label_offsets))


class Scorer:
    """A set of templates compiled for one kind of part and one encoder.

    :class:`turbotree.scoring.SparseScorer` is made of these, one per family of parts. They hold no
    weights: the same one serves training and the finished model. Several may share a table of
    weights if their template numbers differ (``first_template``).

    Examples
    --------
    >>> from turbotree.text import Sentence
    >>> from turbotree.features import Encoder, PartKind, Parts, Scorer, Weights
    >>> sentence = Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])
    >>> encoder = Encoder.fit([sentence], ["upos"], [])
    >>> scorer = Scorer(["h.upos m.upos dir"], PartKind(("h", "m")), encoder)
    >>> prepared = scorer.prepare(encoder.encode([sentence]))
    >>> arcs = Parts.of_one([[2, 1], [1, 2]])
    >>> weights = Weights()
    >>> weights.add(scorer.gradient(prepared, arcs, np.array([1.0, -1.0])), 0.5)
    >>> scorer.score(prepared, arcs, weights).tolist()
    [0.5, -0.5]
    """

    def __init__(
        self,
        templates: Sequence[str],
        kind: PartKind,
        encoder: Encoder,
        *,
        first_template: int = 0,
    ) -> None:
        if first_template + len(templates) > _core.MAX_TEMPLATES:
            raise InputError(
                f"{first_template + len(templates)} templates; "
                f"at most {_core.MAX_TEMPLATES} fit one table of weights"
            )
        self.first_template = first_template
        self.kind = kind
        self.encoder = encoder
        self.templates: list[Template] = parse_templates(templates, kind)
        self._program = self._compile()

    def prepare(self, encoded: Encoded) -> _core.Prepared:
        """Hash the words of some sentences once, for any number of parts."""
        return _core.Prepared(self._program, encoded.ids, encoded.starts, encoded.sets)

    def score(self, prepared: _core.Prepared, parts: Parts, weights: AnyWeights) -> FloatArray:
        """Return one score per part, or for labelled parts one per part and label."""
        table: Any = weights.table  # which of them fits the parts, the core decides
        if isinstance(parts, LabelledParts):
            return _core.score_labels(
                self._program,
                prepared,
                parts.rows,
                parts.offsets,
                parts.label_offsets,
                parts.labels,
                table,
            )
        return _core.score(self._program, prepared, parts.rows, parts.offsets, table)

    def contributions(self, prepared: _core.Prepared, parts: Parts, weights: Weights) -> FloatArray:
        """Return what each template adds to each score, one column per template.

        A row sums to the score, but for rounding.
        """
        return _core.contributions(
            self._program,
            prepared,
            parts.rows,
            parts.offsets,
            weights.table,
            *parts.label_arrays,
        )

    def gradient(
        self, prepared: _core.Prepared, parts: Parts, coefficients: FloatArray
    ) -> _core.Gradient:
        """Return the features of the parts, each times its coefficient, summed."""
        return _core.gradient(
            self._program,
            prepared,
            parts.rows,
            parts.offsets,
            coefficients,
            *parts.label_arrays,
        )

    def keys(self, prepared: _core.Prepared, parts: Parts) -> npt.NDArray[np.uint64]:
        """Return the keys of all features of the parts, one after the other."""
        return _core.keys(self._program, prepared, parts.rows, parts.offsets)

    def _compile(self) -> _core.Program:
        attributes = [*self.encoder.attributes, *self.encoder.set_attributes]
        attribute_numbers = {name: i for i, name in enumerate(attributes)}
        slot_numbers = {name: i for i, name in enumerate((*self.kind.slots, BETWEEN))}
        atoms: list[tuple[int, int, int, int]] = []
        numerics: dict[tuple[int, int, int], int] = {}
        uses: list[tuple[int, int]] = []
        for number, template in enumerate(self.templates):
            for atom in template.atoms:
                if isinstance(atom, WordAtom):
                    attribute = attribute_numbers[atom.attribute]
                    atoms.append((number, slot_numbers[atom.slot], atom.offset, attribute))
                else:
                    row = self._numeric(atom, attribute_numbers, slot_numbers)
                    uses.append((number, numerics.setdefault(row, len(numerics))))
        return _core.Program(
            self.first_template,
            len(self.templates),
            len(self.kind.slots),
            len(self.kind.columns),
            len(self.encoder.attributes),
            len(self.encoder.set_attributes),
            np.array(atoms, dtype=np.int32).reshape(-1, 4),
            np.array(list(numerics), dtype=np.int32).reshape(-1, 3),
            np.array(uses, dtype=np.int32).reshape(-1, 2),
        )

    def _numeric(
        self, atom: Atom, attributes: dict[str, int], slots: dict[str, int]
    ) -> tuple[int, int, int]:
        match atom:
            case PairAtom(kind, first, second):
                return _DISTANCE if kind == "dist" else _DIRECTION, slots[first], slots[second]
            case CountAtom(attribute, value):
                # A value that training never saw is not to be counted as any other rare one.
                known = value in self.encoder.vocabularies[attribute]
                identifier = self.encoder.id_of(attribute, value) if known else _NO_ID
                return _BETWEEN_COUNT, attributes[attribute], identifier
            case ColumnAtom(name):
                return _COLUMN, list(self.kind.columns).index(name), self.kind.columns[name]
        raise TypeError(f"not a numeric atom: {atom}")
