"""How a network is trained: batches by words, Adam with a cosine, the same bytes for one seed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import EpochRecord, OnInstance
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.run import Run, Stage
from turbotree.networks import _core
from turbotree.networks.inputs import InputEncoder
from turbotree.networks.network import Network, sizes_of
from turbotree.networks.options import NetworkOptions
from turbotree.networks.vectors import WordVectors
from turbotree.networks.vocabulary import Vocabulary
from turbotree.text import Sentence

#: The name of the stage.
STAGE = "network"
_EPSILON = 1e-8
#: The learning rate rises over this share of all updates.
_WARM_UP = 0.02

_ARRAYS = ("weights", "mean", "square", "average")


def train_network(
    train: Sequence[Sentence],
    dev: Sequence[Sentence] = (),
    options: NetworkOptions | None = None,
    *,
    vectors: WordVectors | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    threads: int = 1,
    kernels: str = "",
) -> Network:
    """Train a network on sentences with trees; words without a head are omitted from the loss.

    Parameters
    ----------
    train
        What to learn from.
    dev
        What UAS and LAS are reported on after each epoch; nothing is chosen by them.
    options
        Sizes and recipe.
    vectors
        Pretrained word vectors.
    checkpoint
        Folder to keep the state of training in, so that a run that was killed can be resumed, to
        the same bytes. The state is deleted at the end.
    resume
        Go on from what the folder holds, if anything.
    progress
        Told of each batch and each epoch.
    threads
        How many shards of a batch are worked on at once; the result does not depend on it.
    kernels
        The instruction set to use; the fastest there is by default.
    """
    options = NetworkOptions() if options is None else options
    task = NetworkTask(list(train), options, vectors=vectors, kernels=kernels, threads=threads)
    run = Run(
        checkpoint, task.settings(), resume, (STAGE,), Silent() if progress is None else progress
    )

    def score(network: Network) -> dict[str, float]:
        scores = attachment_scores(dev, network.parse(dev, threads=threads))
        return {"dev UAS": scores.uas, "dev LAS": scores.las}

    network = run.train(network_stage(task, score if dev else None)).model
    if (kept := run.checkpoint(STAGE)) is not None:
        kept.remove()
    return network


def network_stage(
    task: NetworkTask, score: Callable[[Network], Mapping[str, float]] | None = None
) -> Stage[NetworkTask, Network]:
    """Return the stage of a training run that trains a network."""
    return Stage(STAGE, task, task, NetworkTask.network, score, learn=learn_network)


def learn_network(
    stage: Stage[NetworkTask, Network],
    *,
    checkpoint: Checkpoint | None,
    on_instance: OnInstance,
    on_epoch: Callable[[NetworkTask, EpochRecord], None],
) -> tuple[NetworkTask, list[EpochRecord]]:
    """Train a network; see :class:`turbotree.learning.run.Learn`. The task holds the weights."""
    task = cast(NetworkTask, stage.task)
    records, epoch, done = task.resume(checkpoint)
    while epoch < task.epochs:
        if len(records) == epoch:
            records.append(NetworkEpoch(epoch + 1))
        record = records[epoch]
        batches = task.batches(epoch)
        while done < len(batches):
            record.loss += task.update(
                epoch * len(batches) + done, len(batches), batches[done], task.threads
            )
            record.updates += 1
            done += 1
            on_instance(task.words * done // len(batches), record)
            if checkpoint is not None and checkpoint.due():
                checkpoint.save(task, records, epoch, done)
        on_epoch(task, record)
        epoch, done = epoch + 1, 0
        if checkpoint is not None:
            checkpoint.save(task, records, epoch, done)
    return task, records


class NetworkEpoch(EpochRecord):
    """What one pass over the data did to a network."""

    def figures(self) -> list[str]:
        """Say how many updates there were; the size of a network does not change.

        >>> NetworkEpoch(1, updates=200).figures()
        ['200 updates']
        """
        return [f"{self.updates:,} updates"]


class ColumnLabels(NamedTuple):
    """The labels of words that a tagger's network learns: their names, and a number per word.

    Numbers are those of all words of all sentences, one after the other; -1 where none is known.
    """

    names: Sequence[str]
    numbers: IntArray

    @classmethod
    def of(cls, sentences: Sequence[Sentence], column: str) -> ColumnLabels:
        """Return the labels that some sentences have in a column, by name.

        >>> sentences = [Sentence.from_words(["dogs", "bark"], upos=["NOUN", "VERB"])] * 2
        >>> labels = ColumnLabels.of(sentences, "upos")
        >>> labels.names, labels.numbers.tolist()
        (['NOUN', 'VERB'], [0, 1, 0, 1])
        """
        labels = [label for sentence in sentences for label in sentence.column(column)]
        names = sorted(set(labels))
        numbers = {name: number for number, name in enumerate(names)}
        return cls(names, np.array([numbers[label] for label in labels], dtype=np.int32))


class NetworkTask:
    """What a network is trained on, as ids, and the state of its training in the core.

    A network learns the trees of the sentences, the labels of their words in columns, or both.
    """

    def __init__(
        self,
        train: list[Sentence],
        options: NetworkOptions,
        *,
        columns: Mapping[str, ColumnLabels] | None = None,
        trees: bool = True,
        vectors: WordVectors | None = None,
        kernels: str = "",
        threads: int = 1,
    ) -> None:
        self.options, self.vectors, self.kernels = options, vectors, kernels
        self.threads = threads
        columns = columns or {}
        self.vocabulary = Vocabulary.fit(
            train,
            {name: own.names for name, own in columns.items()},
            trees=trees,
            lemmas=options.lemmas if options.lemma_size else None,
            tags=options.tag_size > 0,
        )
        if trees and not self.vocabulary.labels:
            raise InputError("no sentence to train on has a head with a relation")
        self.encoder = InputEncoder.of(self.vocabulary, options, vectors)
        self.sizes = sizes_of(self.vocabulary, options, vectors)
        self.lengths = np.array([len(sentence) for sentence in train], dtype=np.int32)
        self.words = int(self.lengths.sum())
        self.epochs = options.epochs(self.words)
        if trees:
            self.heads, self.labels = _targets(train, self.vocabulary.labels)
        else:
            self.heads = self.labels = np.full(self.words, -1, dtype=np.int32)
        of_words = [own.numbers for own in columns.values()]
        self.training = _core.Training(
            kernels=kernels,
            sizes=self.sizes,
            inputs=self.encoder.encode(train),
            heads=self.heads,
            labels=self.labels,
            columns=np.stack(of_words, axis=1).ravel() if of_words else self.labels[:0],
            vectors=np.zeros(0, np.float32) if vectors is None else vectors.table.ravel(),
            word_shares=_shares(self.vocabulary.word_counts, options),
            lemma_shares=_shares(self.vocabulary.lemma_counts, options),
            group_share=options.group_dropout,
            lstm_share=options.dropout,
            perceptron_share=options.dropout,
            shared_dropout=options.shared_dropout,
            trees=options.loss == "trees",
            mean_decay=options.mean_decay,
            square_decay=options.square_decay,
            epsilon=_EPSILON,
            largest_norm=options.largest_norm,
            average_decay=options.average,
            shards=options.shards,
            seed=options.seed,
        )

    def __len__(self) -> int:
        return self.words

    def settings(self) -> dict[str, Any]:
        """Return what a state that is gone on with has to agree in."""
        return {
            "options": self.options.to_dict(),
            "sentences": len(self.lengths),
            "words": self.words,
            "vocabulary": [len(self.vocabulary.words), len(self.vocabulary.tags)],
            **({"columns": list(self.vocabulary.columns)} if self.vocabulary.columns else {}),
            "kernels": self.kernels or _core.kernel_names()[0],
            **({} if self.vectors is None else {"vectors": self.vectors.to_record()}),
        }

    def batches(self, epoch: int) -> list[IntArray]:
        """Return the numbers of the sentences of each update of an epoch."""
        size = self.options.batch_words
        order, offsets = _core.draw_batches(self.lengths, size, self.options.seed, epoch)
        return np.split(order, offsets[1:-1])

    def update(self, number: int, per_epoch: int, sentences: IntArray, threads: int) -> float:
        """Learn from one batch; return its loss."""
        arcs, labels, _ = self.training.accumulate(sentences, True, threads)
        share = number / (per_epoch * self.epochs)
        rate = self.options.learning_rate * 0.5 * (1.0 + math.cos(math.pi * min(share, 1.0)))
        self.training.update(rate * min(1.0, (share + 1e-3) / _WARM_UP), threads)
        return arcs + labels

    def network(self) -> Network:
        """Return the network as it is now."""
        weights, _, _, average, _ = self.training.state()
        return Network(
            self.vocabulary,
            self.options,
            average if len(average) else weights,
            vectors=self.vectors,
            kernels=self.kernels,
        )

    # Kept and restored

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return everything that is needed to go on."""
        *arrays, updates = self.training.state()
        return {
            **dict(zip(_ARRAYS, arrays, strict=True)),
            "updates": np.array([updates], dtype=np.int64),
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> NetworkTask:
        """Undo :meth:`state`."""
        weights, mean, square, average = (
            np.ascontiguousarray(arrays[name], dtype=np.float32) for name in _ARRAYS
        )
        self.training.restore(weights, mean, square, average, int(arrays["updates"][0]))
        return self

    def resume(self, keep: Checkpoint | None) -> tuple[list[EpochRecord], int, int]:
        """Return the records, epochs and batches of a run that was broken off, if there is one."""
        state = None if keep is None else keep.load_as(self.restore)
        if state is None:
            return [], 0, 0
        return [NetworkEpoch(**record) for record in state.records], state.epoch, state.done


def _shares(counts: list[int], options: NetworkOptions) -> npt.NDArray[np.float32]:
    return Vocabulary.hidden_shares(counts, options.word_dropout)


def _targets(train: Sequence[Sentence], labels: list[str]) -> tuple[IntArray, IntArray]:
    numbers = {label: number for number, label in enumerate(labels)}
    heads = [-1 if head is None else head for sentence in train for head in sentence.heads]
    found = [numbers.get(label, -1) for sentence in train for label in sentence.labels]
    return np.array(heads, dtype=np.int32), np.array(found, dtype=np.int32)
