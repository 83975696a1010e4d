"""The models: a row of words whose labels see one another, and words that choose by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.features import AnyWeights, Encoder, LabelledParts, PartKind, Template
from turbotree.features._core import MAX_LABELS
from turbotree.features.templates import ColumnAtom
from turbotree.scoring import Batch, PartScorer, PartScores, ScoredModel, SparseScorer, score_every

#: A word; what its features go with is its label.
WORD = PartKind(("w",))
#: A word again; what its features go with is its label together with the one before. That is what
#: ``prev`` stands for in a template, so as an atom it has nothing more to say: one value.
PAIR = PartKind(("w",), {"prev": 1})
#: The same with the two labels before; every template of a tagger can be read as one of these.
TRIPLE = PartKind(("w",), {"prev": 1, "prevprev": 1})

#: The families of a tagger's parts.
FAMILIES = {"word": WORD, "pair": PAIR, "triple": TRIPLE}

_LONGEST_KEPT = 120  # words


def split_by_labels(templates: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Part templates by the labels they look at: one; two (``prev``); three (``prevprev``).

    >>> split_by_labels(["w.form", "prev", "prevprev", "prevprev w.xpos"])
    (['w.form'], ['prev'], ['prevprev', 'prevprev w.xpos'])
    """
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for text in templates:
        template = Template.parse(text, TRIPLE)
        names = {atom.name for atom in template.atoms if isinstance(atom, ColumnAtom)}
        parts[2 if "prevprev" in names else len(names)].append(template.text)
    return parts


def split_templates(templates: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the templates of one label from those of two: the latter have the atom ``prev``.

    >>> split_templates(["w.form", "prev", "prev w.xpos"])
    (['w.form'], ['prev', 'prev w.xpos'])
    """
    single, pairs, _ = split_by_labels(templates)
    return single, pairs


@dataclass(frozen=True, slots=True)
class Rows:
    """The parts of a batch: a word each, then each word with the one before it."""

    lengths: IntArray
    nodes: LabelledParts
    pairs: LabelledParts

    @property
    def parts(self) -> dict[str, LabelledParts]:
        """The parts by family."""
        return {"word": self.nodes, "pair": self.pairs}


class ChainModel(ScoredModel):
    """Labels the words of a sentence together.

    Parameters
    ----------
    templates
        Templates of a word's label; those with the atom ``prev`` of its label and the one before.
    labels
        The labels' names.
    transitions
        Which of them may follow one another.
    encoder
        The tagger's encoder.
    weights
        One table for all templates; None until trained.
    """

    def __init__(
        self,
        templates: Sequence[str],
        labels: Sequence[str],
        transitions: Transitions,
        encoder: Encoder,
        weights: AnyWeights | None = None,
    ) -> None:
        if transitions.labels != len(labels):
            raise InputError(f"{len(labels)} labels, but transitions of {transitions.labels}")
        if max(len(labels), len(transitions.pairs)) > MAX_LABELS:
            raise InputError(
                f"{len(labels)} labels, {len(transitions.pairs)} of whose pairs may follow one "
                f"another; a model takes up to {MAX_LABELS} pairs"
            )
        self.templates = list(templates)
        self.labels = list(labels)
        self.transitions = transitions
        self.encoder = encoder
        self.scorer: PartScorer = chain_scorer(templates, encoder, weights)
        self._sizes = (len(labels), len(transitions.pairs))
        self._rows: dict[int, Rows] = {}

    def with_templates(self, templates: Sequence[str]) -> ChainModel:
        """Return a model of other templates, without weights."""
        return ChainModel(templates, self.labels, self.transitions, self.encoder)

    def with_encoder(self, encoder: Encoder) -> ChainModel:
        """Return the same model with an encoder that gives the same ids."""
        return ChainModel(self.templates, self.labels, self.transitions, encoder, self.weights)

    @property
    def numbered_templates(self) -> list[str]:
        """The templates in the order of their numbers: those of one label come first."""
        single, pairs, triples = split_by_labels(self.templates)
        return single + pairs + triples

    @property
    def label_limit(self) -> int:
        """The least number above all labels that features go with, pairs counted too."""
        return max(self._sizes)

    def rows(self, lengths: IntArray) -> Rows:
        """Lay out the parts of a batch; those of single sentences are kept, if not too long."""
        if len(lengths) != 1 or lengths[0] > _LONGEST_KEPT:
            return self._lay_out(lengths)
        length = int(lengths[0])
        if length not in self._rows:
            self._rows[length] = self._lay_out(lengths)
        return self._rows[length]

    def _lay_out(self, lengths: IntArray) -> Rows:
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        words = np.arange(1, bounds[-1] + 1) - np.repeat(bounds[:-1], lengths)
        later = words[words > 1]
        pair_bounds = np.concatenate([[0], np.cumsum(np.maximum(lengths - 1, 0))])
        labels, pairs = self._sizes
        return Rows(
            lengths,
            labelled_rows(words[:, None], bounds, labels),
            labelled_rows(np.stack([later, np.zeros_like(later)], axis=1), pair_bounds, pairs),
        )

    def labels_of(self, states: IntArray) -> IntArray:
        """Return the labels of what ``transitions`` chose from: the labels themselves."""
        return states

    def label_probabilities(self, probabilities: FloatArray) -> FloatArray:
        """Return the labels' probabilities, one row per word, given those of the states."""
        return probabilities.reshape(-1, self.transitions.labels)

    def score(self, batch: Batch, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Score the states of each word, and which follow one another."""
        return self.state_scores(rows, score_every(self.scorer, batch, rows.parts))

    def state_scores(self, rows: Rows, scores: PartScores) -> tuple[FloatArray, FloatArray]:
        """Return the scores of states and of neighbouring ones, given those of the parts."""
        return scores["word"], scores["pair"]


def chain_scorer(
    templates: Sequence[str], encoder: Encoder, weights: AnyWeights | None = None
) -> SparseScorer:
    """Return what scores words, pairs and triples by templates, as far as there are some."""
    sets = dict(zip(FAMILIES, split_by_labels(templates), strict=True))
    used = {name: own for name, own in sets.items() if own or name == "word"}
    return SparseScorer(used, FAMILIES, encoder, weights)


def labelled_rows(
    rows: npt.NDArray[np.integer], bounds: npt.NDArray[np.integer], size: int
) -> LabelledParts:
    """Let each row choose from the labels 0 to `size`."""
    return LabelledParts(
        np.ascontiguousarray(rows, dtype=np.int32),
        bounds.astype(np.int32),
        np.arange(0, (len(rows) + 1) * size, size, dtype=np.int32)
        if size
        else np.zeros(len(rows) + 1, dtype=np.int32),
        np.tile(np.arange(size, dtype=np.int32), len(rows)),
    )
