"""The tagger: sentences in, labels out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.features import Encoder
from turbotree.labeling.answers import Answer, ChainAnswer, Model, answer
from turbotree.labeling.schemes import convert, letter_in
from turbotree.labeling.tagging import Labelling, TaggedBatch, Tagging
from turbotree.quantities import check_least
from turbotree.scoring import Batch
from turbotree.stored import Stored, training_facts
from turbotree.streaming import map_batches
from turbotree.text import Sentence, as_sentence, check_many

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

    from turbotree.labeling.data import TrainingSource
    from turbotree.labeling.training import TrainTaggerKeywords
    from turbotree.networks import Network

_BATCH_SIZE = 64


@dataclass(frozen=True)
class TaggerStage:
    """What fills one column.

    Attributes
    ----------
    column
        The column's name.
    model
        What chooses the labels.
    scheme
        How the model's labels write spans, ``"bio"`` or ``"bioes"``; None if they are no spans.
    outer_scheme
        How the training data write them, and so how they come out.
    temperature
        What scores are divided by before they become probabilities.
    """

    column: str
    model: Model
    scheme: str | None
    outer_scheme: str | None
    temperature: float

    @cached_property
    def names(self) -> list[str]:
        """The labels' names as the training data write them, if that takes no look at others."""
        if self.outer_scheme is None or self._by_sentence:
            return self.model.labels
        return [letter_in(label, self.outer_scheme) for label in self.model.labels]

    @property
    def _by_sentence(self) -> bool:
        return self.outer_scheme == "iob1" or (self.scheme == "bio" != self.outer_scheme)

    def written(self, labels: list[str]) -> list[str]:
        """Write the labels of a sentence, given by those names, as the training data do."""
        if self.outer_scheme is None or not self._by_sentence:
            return labels
        return convert(labels, self.outer_scheme)


@dataclass(frozen=True, repr=False)
class Tagger(Stored):
    """A labeller of words: parts of speech, chunks, entities.

    Make one with :meth:`train` or :meth:`load`. A tagger never changes, so threads may share it.

    Attributes
    ----------
    task
        What it was trained for.
    columns
        Names of the columns of the column file that it was trained on; None for CoNLL-U.
    encoder, stages
        The model: the first stage may label a sentence's words together, further ones know what
        it chose.
    record
        How it was trained.
    """

    kind: ClassVar[str] = "tagger"

    task: str
    columns: tuple[str, ...] | None
    encoder: Encoder
    stages: tuple[TaggerStage, ...]
    record: dict[str, Any]

    @classmethod
    def train(cls, train: TrainingSource, **options: Unpack[TrainTaggerKeywords]) -> Tagger:
        """Train a tagger; see :func:`turbotree.labeling.training.train_tagger`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> tagger = Tagger.train(treebank(100, seed=1), task="tag", epochs=2)
        >>> tagging = tagger.tag(next(treebank(1, seed=2)))
        >>> list(tagging.columns), len(tagging.labels) == len(tagging.sentence)
        (['upos', 'xpos', 'feats'], True)
        """
        from turbotree.labeling.training import train_tagger

        return train_tagger(train, **options)

    def tag(self, sentence: Sentence) -> Tagging:
        """Label one sentence; labels that it already has are not looked at."""
        return self.tag_batch([sentence])[0]

    def tag_batch(self, sentences: Sequence[Sentence] | Batch) -> list[Tagging]:
        """Label some sentences at once; those of a batch, with the encodings that it has."""
        batch = sentences
        if not isinstance(batch, Batch):
            batch = Batch([as_sentence(sentence) for sentence in check_many(sentences)])
        if not len(batch):
            return []
        answers: list[Answer] = []
        for number, stage in enumerate(self.stages):
            answers.append(answer(stage.model, batch))
            if number == 0 and len(self.stages) > 1:
                batch = with_column(self.encoder, batch, stage, answers[0].labels)
        tagged = TaggedBatch(self.stages, tuple(answers))
        bounds = np.concatenate([[0], np.cumsum(batch.lengths)]).tolist()
        columns = []
        for stage, found in zip(self.stages, answers, strict=True):
            names = stage.names
            columns.append([names[label] for label in found.labels.tolist()])
        return [
            Tagging(
                sentence,
                {
                    stage.column: tuple(stage.written(labels[bounds[i] : bounds[i + 1]]))
                    for stage, labels in zip(self.stages, columns, strict=True)
                },
                answers[0].scores[i],
                tagged,
                i,
            )
            for i, sentence in enumerate(batch.sentences)
        ]

    def k_best(self, sentence: Sentence, k: int) -> list[Labelling]:
        """Return the k best labellings of the first column, best first, if there are so many."""
        check_least("k", k, 1)
        stage = self.stages[0]
        found = answer(stage.model, Batch([as_sentence(sentence)]))
        if not isinstance(found, ChainAnswer):
            raise InputError("this model's words choose by themselves: it has no k best labellings")
        best = found.k_best(0, k)
        return [
            Labelling(tuple(stage.written([stage.names[x] for x in labels])), score)
            for labels, score in zip(best.labels.tolist(), best.values.tolist(), strict=True)
        ]

    def pipe(
        self, sentences: Iterable[Sentence], *, threads: int = 1, batch_size: int = _BATCH_SIZE
    ) -> Iterator[Tagging]:
        """Label a stream of sentences, in order, holding only a few batches in memory.

        Parameters
        ----------
        sentences
            Any iterable; it is read as tagging goes on.
        threads
            Threads to use; the result is the same for any number.
        batch_size
            Sentences that are labelled at once.
        """
        return map_batches(self.tag_batch, check_many(sentences), size=batch_size, threads=threads)

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance.

        >>> from turbotree.text import treebank
        >>> Tagger.train(treebank(20, seed=1), task="tag", label="upos", epochs=1)
        <Tagger: task tag; upos ... labels; ... features; trained on 20 sentences>
        """
        return [
            f"task {self.task}",
            ", ".join(f"{one.column} {len(one.model.labels)} labels" for one in self.stages),
            f"{self.features:,} features",
            *([] if self.network is None else self.network.facts()[:1]),
            *training_facts(self.record),
        ]

    @property
    def network(self) -> Network | None:
        """The network whose scores join those of the features, if there is one."""
        from turbotree.labeling.mixture import network_of  # which mixes stages

        return network_of(self.stages)

    @property
    def features(self) -> int:
        """Number of features with a weight."""
        return sum(len(stage.model.weights or ()) for stage in self.stages)

    def contents(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        from turbotree.labeling.storing import contents

        return contents(self)

    @classmethod
    def from_contents(cls, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> Tagger:
        """Undo :meth:`contents`."""
        from turbotree.labeling.storing import fields_of

        return cls(**fields_of(arrays, header))


def with_column(encoder: Encoder, batch: Batch, stage: TaggerStage, labels: IntArray) -> Batch:
    """Return a batch in which the encoder sees in a column the labels that a stage chose."""
    encoded = batch.of(encoder)
    ids = np.array([encoder.id_of(stage.column, name) for name in stage.model.labels], np.int32)
    is_word = np.ones(encoded.ids.shape[1], dtype=bool)
    is_word[encoded.starts[:-1]] = False
    changed = encoded.ids.copy()
    changed[encoder.attributes.index(stage.column), is_word] = ids[labels]
    return batch.with_encoding(encoder, replace(encoded, ids=changed))
