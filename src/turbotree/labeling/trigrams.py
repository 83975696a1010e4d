"""Labels that see the two before them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray
from turbotree.chains import Transitions
from turbotree.chains.pair_states import NO_LABEL, PairStates
from turbotree.errors import InputError
from turbotree.features import AnyWeights, Encoded, Encoder, LabelledParts
from turbotree.features._core import MAX_LABELS
from turbotree.labeling.model import (
    ChainModel,
    Rows,
    chain_scorer,
    labelled_rows,
    split_by_labels,
)
from turbotree.labeling.tasks import ChainProblem, ChainTask
from turbotree.learning import Expectation
from turbotree.scoring import PartScores


def seen_triples(rows: Iterable[Sequence[int]]) -> IntArray:
    """Collect the triples of labels that occur, with :data:`NO_LABEL` before the first.

    >>> seen_triples([[0, 1, 1], [0, 1]]).tolist()
    [[-1, 0, 1], [0, 1, 1]]
    """
    found = {triple for row in rows for triple in zip([NO_LABEL, *row], row, row[1:], strict=False)}
    return np.array(sorted(found), dtype=np.int32).reshape(-1, 3)


@dataclass(frozen=True, slots=True)
class TripleRows(Rows):
    """The parts of a batch, with each word but the first once more for its triple."""

    triples: LabelledParts

    @property
    def parts(self) -> dict[str, LabelledParts]:
        """The parts by family."""
        return {"word": self.nodes, "pair": self.pairs, "triple": self.triples}


class TrigramModel(ChainModel):
    """Labels the words of a sentence together; each label sees the two before it.

    Inside, it is a chain of pairs of labels, which is what its ``transitions`` and the scores are
    of.

    Parameters
    ----------
    templates
        As for :class:`ChainModel`; those with the atom ``prevprev`` are of a word's label and the
        two before.
    labels, transitions, encoder, weights
        As for :class:`ChainModel`.
    seen
        The triples of labels that have features of their own, as training has met them; one row
        each.
    """

    def __init__(
        self,
        templates: Sequence[str],
        labels: Sequence[str],
        transitions: Transitions,
        seen: npt.ArrayLike,
        encoder: Encoder,
        weights: AnyWeights | None = None,
    ) -> None:
        single, pairs, triples = split_by_labels(templates)
        if not triples:
            raise InputError("no template of three labels; expected one with the atom prevprev")
        super().__init__([*single, *pairs], labels, transitions, encoder)
        self.templates = list(templates)
        self.scorer = chain_scorer(templates, encoder, weights)
        self.seen = np.asarray(seen, dtype=np.int32).reshape(-1, 3)
        if len(self.seen) > MAX_LABELS:
            raise InputError(
                f"{len(self.seen)} different triples of labels; a model takes up to {MAX_LABELS}"
            )
        self.label_transitions = transitions
        self.pair_states = PairStates(transitions)
        self.transitions = self.pair_states.states
        self._places = self._places_of_seen()
        self._numbers = {tuple(triple): i for i, triple in enumerate(self.seen.tolist())}

    def _places_of_seen(self) -> IntArray:
        """Find the seen triples among those that are allowed."""
        numbers = {tuple(triple): i for i, triple in enumerate(self.pair_states.triples.tolist())}
        try:
            places = [numbers[tuple(triple)] for triple in self.seen.tolist()]
        except KeyError as error:
            raise InputError(f"the labels {error.args[0]} may not follow one another") from None
        return np.array(places, dtype=np.int32)

    def with_templates(self, templates: Sequence[str]) -> ChainModel:
        """Return a model of other templates, without weights."""
        given = (templates, self.labels, self.label_transitions)
        if not split_by_labels(templates)[2]:
            return ChainModel(*given, self.encoder)
        return TrigramModel(*given, self.seen, self.encoder)

    def with_encoder(self, encoder: Encoder) -> ChainModel:
        """Return the same model with an encoder that gives the same ids."""
        return TrigramModel(
            self.templates, self.labels, self.label_transitions, self.seen, encoder, self.weights
        )

    @property
    def label_limit(self) -> int:
        """The least number above all labels that features go with."""
        return max(super().label_limit, len(self.seen))

    def labels_of(self, states: IntArray) -> IntArray:
        """Return the labels of states."""
        return self.pair_states.labels[states]

    def label_probabilities(self, probabilities: FloatArray) -> FloatArray:
        """Return the probabilities of labels, one row per word."""
        rows = probabilities.reshape(-1, self.transitions.labels)
        return self.pair_states.of_labels(rows)

    def _lay_out(self, lengths: IntArray) -> TripleRows:
        rows = super()._lay_out(lengths)
        words = rows.pairs.rows[:, 0]
        zeros = np.zeros_like(words)
        triples = labelled_rows(
            np.stack([words, zeros, zeros], axis=1), rows.pairs.offsets, len(self.seen)
        )
        return TripleRows(rows.lengths, rows.nodes, rows.pairs, triples)

    def state_scores(self, rows: Rows, scores: PartScores) -> tuple[FloatArray, FloatArray]:
        """Return the scores of states and of neighbouring ones, given those of the parts."""
        words = len(rows.pairs.rows)
        every = np.zeros((words, len(self.pair_states.triples)))
        every[:, self._places] = scores["triple"].reshape(words, len(self.seen))
        return self.pair_states.spread(
            rows.lengths, scores["word"], scores["pair"], every.reshape(-1)
        )

    def seen_places(self, labels: IntArray) -> IntArray:
        """Return the numbers of a sentence's triples, -1 where one has no features."""
        row = labels.tolist()
        triples = zip([NO_LABEL, *row], row, row[1:], strict=False)
        return np.array([self._numbers.get(triple, -1) for triple in triples], dtype=np.int32)

    def gather(
        self, rows: Rows, nodes: FloatArray, edges: FloatArray
    ) -> tuple[tuple[FloatArray, FloatArray, FloatArray], float]:
        """Return the probabilities of labels, pairs and seen triples, and the log-partition."""
        found = self.transitions.marginals(rows.lengths, nodes, edges)
        of_labels, of_pairs, of_triples = self.pair_states.gather(rows.lengths, found)
        every = of_triples.reshape(len(rows.pairs.rows), len(self.pair_states.triples))
        seen = every[:, self._places].reshape(-1)
        return (of_labels, of_pairs, seen), float(found.log_partitions[0])


class TrigramProblem(ChainProblem):
    """One training sentence: its labels, the pairs of neighbours, the triples."""

    _model: TrigramModel

    def __init__(self, model: TrigramModel, encoded: Encoded, labels: IntArray) -> None:
        rows = model.rows(encoded.lengths)
        assert isinstance(rows, TripleRows)
        self._ends = np.cumsum([len(p.labels) for p in (rows.nodes, rows.pairs, rows.triples)])
        super().__init__(model, encoded, labels)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best labels."""
        states = self._model.state_scores(self._rows, self._by_family(scores))
        best = self._model.transitions.best(self._rows.lengths, *states)
        return self._indicator(self._model.labels_of(best.labels))

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the probabilities of labels, pairs and triples."""
        states = self._model.state_scores(self._rows, self._by_family(scores))
        parts, log_partition = self._model.gather(self._rows, *states)
        return Expectation(np.concatenate(parts), log_partition)

    def _indicator(self, labels: IntArray) -> FloatArray:
        transitions = self._model.label_transitions
        indicator = np.zeros(int(self._ends[-1]))
        words = np.arange(len(labels))
        indicator[words * transitions.labels + labels] = 1.0
        pairs = transitions.places[labels[:-1], labels[1:]]
        indicator[self._ends[0] + words[:-1] * len(transitions.pairs) + pairs] = 1.0
        places = self._model.seen_places(labels)
        known = np.flatnonzero(places >= 0)
        indicator[self._ends[1] + known * len(self._model.seen) + places[known]] = 1.0
        return indicator


class TrigramTask(ChainTask):
    """The training set of a model whose labels see the two before them; see :class:`ChainTask`."""

    _model: TrigramModel

    def _problem(self, encoded: Encoded, labels: IntArray) -> TrigramProblem:
        return TrigramProblem(self._model, encoded, labels)
