"""What a tagger says of a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from turbotree.labeling.answers import Answer
from turbotree.labeling.schemes import letter_in
from turbotree.text import Layout, Sentence, converted

if TYPE_CHECKING:
    from turbotree.labeling.tagger import TaggerStage


@dataclass(frozen=True)
class TaggedBatch:
    """What the taggings of one batch share: scores, from which probabilities are made on demand."""

    stages: tuple[TaggerStage, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Labelling:
    """One of the k best: labels of all words, and their score."""

    labels: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Tagging:
    """A sentence's labels, with what the model thinks of them.

    Attributes
    ----------
    sentence
        The sentence as it was given.
    columns
        The labels of each column that the tagger fills.
    score
        Score of the first column's labels; comparable between labellings of one sentence.
    """

    sentence: Sentence
    columns: dict[str, tuple[str, ...]]
    score: float
    _batch: TaggedBatch = field(repr=False, compare=False)
    _index: int = field(repr=False, compare=False)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the (first) column."""
        return next(iter(self.columns.values()))

    @cached_property
    def distributions(self) -> dict[str, tuple[dict[str, float], ...]]:
        """Probabilities of each word's labels, by column.

        Spans are written in BIO, whatever the scheme of the model and of the data. The columns
        after the first have their probabilities given the first one.
        """
        return {
            stage.column: tuple(
                _named(stage, distribution)
                for distribution in answer.distributions(self._index, stage.temperature)[0]
            )
            for stage, answer in zip(self._batch.stages, self._batch.answers, strict=True)
        }

    @cached_property
    def probabilities(self) -> tuple[float, ...]:
        """Probability of each word's chosen label of the first column."""
        stage, answer = self._batch.stages[0], self._batch.answers[0]
        first = sum(int(length) for length in answer.lengths[: self._index])
        names = [
            _bio_name(stage, label)
            for label in answer.labels[first : first + len(self.labels)].tolist()
        ]
        rows = self.distributions[stage.column]
        return tuple(min(1.0, row[name]) for row, name in zip(rows, names, strict=True))

    @cached_property
    def probability(self) -> float:
        """Probability of all labels of the first column together."""
        stage, answer = self._batch.stages[0], self._batch.answers[0]
        _, log_partition = answer.distributions(self._index, stage.temperature)
        return math.exp(min(0.0, self.score / stage.temperature - log_partition))

    def __getstate__(self) -> dict[str, Any]:
        # The batch holds the whole model. A pickle has what could be asked of it instead.
        known = ("distributions", "probabilities", "probability")
        state = {**vars(self), **{name: getattr(self, name) for name in known}}
        del state["_batch"]
        return state

    def to_sentence(self) -> Sentence:
        """Return the sentence with the predicted columns replaced.

        Those that the sentence lacks are added in the end; in CoNLL-U, to MISC (``Chunk=B-NP``).
        """
        layout = self.sentence.layout
        lacking = [name for name in self.columns if name not in layout.columns]
        if not lacking:
            return self.sentence.replace(**self.columns)
        if not layout.numbered:
            wider = Layout(layout.name, (*layout.columns, *lacking), layout.separator)
            return converted(self.sentence, wider).replace(**self.columns)
        present = {name: self.columns[name] for name in self.columns if name not in lacking}
        sentence = self.sentence.replace(**present)
        for name in lacking:
            sentence = sentence.with_misc(name.capitalize(), self.columns[name])
        return sentence


def _named(stage: TaggerStage, distribution: dict[int, float]) -> dict[str, float]:
    named: dict[str, float] = {}
    for label, probability in distribution.items():
        name = _bio_name(stage, label)
        named[name] = named.get(name, 0.0) + probability
    return named


def _bio_name(stage: TaggerStage, label: int) -> str:
    """Return the name of a label, those of spans in BIO."""
    name = stage.model.labels[label]
    return name if stage.scheme is None else letter_in(name, "bio")
