"""Training a tagger: one column after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from turbotree.arrays import IntArray
from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.evaluation import span_scores
from turbotree.features import Encoder, Weights, attributes_of, parse_templates
from turbotree.features._core import MAX_LABELS
from turbotree.labeling.answers import Model, answer
from turbotree.labeling.choices import ChoiceModel, ChoiceProblem, ChoiceTask, LabelLists
from turbotree.labeling.data import (
    Labelled,
    TrainingSource,
    are_spans,
    choose_columns,
    read_labelled,
)
from turbotree.labeling.mixture import fit_stage
from turbotree.labeling.model import TRIPLE, ChainModel, split_by_labels, split_templates
from turbotree.labeling.noise import WordNoise
from turbotree.labeling.options import TASKS, TaggerKeywords, TaggerOptions
from turbotree.labeling.schemes import convert, detect_scheme, span_transitions
from turbotree.labeling.tagger import Tagger, TaggerStage
from turbotree.labeling.tasks import ChainProblem, ChainTask
from turbotree.labeling.templates import load_templates
from turbotree.labeling.trigrams import TrigramModel, TrigramTask, seen_triples
from turbotree.learning import Run, Stage
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.run import RunKeywords, StageResult
from turbotree.learning.temperature import fit_temperature, typical_temperature
from turbotree.naming import options_from
from turbotree.networks import Network, NetworkOptions
from turbotree.networks.model_options import vector_record
from turbotree.networks.training import STAGE as NETWORK_STAGE
from turbotree.networks.training import ColumnLabels, NetworkTask, network_stage
from turbotree.networks.weighting import held_out
from turbotree.scoring import Batch
from turbotree.text import Sentence
from turbotree.text.sentence import fingerprint

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

#: What fills a column, and one record per epoch of its training.
TrainedStage = tuple[TaggerStage, list[dict[str, Any]]]

_SENTENCES_FOR_TEMPERATURE = 500
_SENTENCES_AT_ONCE = 64


def train_tagger(
    train: TrainingSource,
    *,
    dev: TrainingSource | None = None,
    columns: Sequence[str] | None = None,
    encoding: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Unpack[TaggerKeywords],
) -> Tagger:
    """Train a tagger.

    Parameters
    ----------
    train
        Labelled sentences: a CoNLL-U or column file, or sentences.
    dev
        More of them, to show scores along the way, to choose the scheme if that is ``"auto"``, and
        to fit the temperature of the probabilities.
    columns, encoding
        Of files: the names of the columns, and the encoding if it is not UTF-8.
    checkpoint
        Folder to keep the state of training in, so that it can be resumed.
    resume
        Go on from what the folder holds, if anything.
    progress
        Told how training goes.
    options
        Those of :class:`TaggerOptions`.
    """
    settings = options_from(TaggerOptions, "train", options, train_tagger)
    if settings.scheme == "auto" and dev is None:
        raise InputError("scheme auto chooses by the score on development data; there are none")
    trainer = TaggerTrainer(
        read_labelled(train, "training data", columns, encoding),
        read_labelled(dev, "development data", columns, encoding) if dev is not None else [],
        settings,
    )
    return trainer.train(trainer.run(checkpoint, resume, progress))


class TrainTaggerKeywords(TaggerKeywords, RunKeywords, total=False):
    """Everything that :func:`train_tagger` takes beside the training data."""

    dev: TrainingSource | None
    columns: Sequence[str] | None
    encoding: str | None


@dataclass(frozen=True)
class ColumnData:
    """A column made ready to be learnt.

    Attributes
    ----------
    name
        Of the stage in progress displays.
    stage
        What is to fill the column; its model has no weights yet.
    train, dev
        The sentences as integers.
    dev_labels
        The gold labels of the development data.
    """

    name: str
    stage: TaggerStage
    train: Labelled
    dev: Labelled
    dev_labels: Sequence[Sequence[str]]


class TaggerTrainer:
    """Trains all columns of a tagger on some data."""

    def __init__(self, train: list[Sentence], dev: list[Sentence], options: TaggerOptions) -> None:
        self.vectors = options.word_vectors(train)
        if options.network_options() is not None and not dev:
            train, dev = held_out(train)
        self.sentences, self.dev = train, dev
        self.options = options
        self.columns = choose_columns(train, options.task, options.label_columns())
        given = options.templates or {}
        self.templates = {
            name: list(given[name]) if name in given else load_templates(name)
            for name in TASKS[options.task][: len(self.columns)]
        }
        first = self.templates[TASKS[options.task][0]]
        if options.trigrams and "prevprev" not in first:
            first.append("prevprev")
        parsed = [t for texts in self.templates.values() for t in parse_templates(texts, TRIPLE)]
        attributes, sets = attributes_of(parsed)
        self._check_reading({*attributes, *(("feats",) if sets else ())})
        # What the first stage chooses is what the others' lists of labels go by.
        given_first = {self.columns[0]} if len(self.columns) > 1 else set()
        self.encoder = Encoder.fit(
            train, sorted({*attributes, *given_first}), sets, least_count=options.rarest()
        )
        self.settings = {
            **options.to_record(),
            "templates": self.templates,
            "data": fingerprint(train),
            "development data": fingerprint(dev),
            **vector_record(self.vectors),
        }

    def _check_reading(self, attributes: set[str]) -> None:
        """Refuse templates of a column that is to be predicted: it is not there to be read."""
        first, *rest = self.columns
        single = self.templates[TASKS[self.options.task][0]]
        used, _ = attributes_of(parse_templates(single, TRIPLE))
        readable = {first, *rest} & {*used, *({"feats"} if "feat" in used else set())}
        if readable or set(rest) & attributes:
            names = ", ".join(sorted(readable or set(rest) & attributes))
            raise InputError(f"the templates look at {names}, which is what the tagger is to find")

    def run(
        self,
        checkpoint: str | os.PathLike[str] | None,
        resume: bool,
        progress: Progress | None,
        *,
        stages: Iterable[str] = (),
        **settings: Any,
    ) -> Run:
        """Begin a run, or resume it.

        Parameters
        ----------
        checkpoint, resume, progress
            As for :func:`train_tagger`.
        stages
            Names of stages beside those of the columns.
        settings
            What the outcome depends on beside data and options.
        """
        schemes = (f"{self.columns[0]}-{scheme}" for scheme in ("bioes", "bio"))
        return Run(
            checkpoint,
            {**self.settings, **settings},
            resume,
            (*self.columns, *schemes, NETWORK_STAGE, *stages),
            progress or Silent(),
            self.options.threads,
        )

    def train(self, run: Run) -> Tagger:
        """Train all columns."""
        found = [(data, self.learn(run, data)) for data in self.first_column()]
        best = max(found, key=lambda pair: next(iter(pair[1][1][-1]["scores"].values()), 0.0))
        others = [self.given_column(column) for column in self.columns[1:]]
        columns = [best[0], *others]
        trained = [best[1], *(self.learn(run, data) for data in others)]
        options, given = self.options.network_options(), self.options.network
        if options is None:
            return self.tagger(trained)
        if isinstance(given, Network):
            return self._mixed(columns, trained, given)
        result = self._train_network(run, columns, options)
        tagger = self._mixed(columns, trained, result.model.frozen())
        tagger.record["network"] = result.to_record()
        return tagger

    def _train_network(
        self, run: Run, columns: Sequence[ColumnData], options: NetworkOptions
    ) -> StageResult[NetworkTask, Network]:
        """Train a network of all columns."""
        if {"upos", "xpos", "feats"} & set(self.columns):
            options = replace(options, tag_size=0)  # what it is to find is not there to be read
        labels = {
            data.stage.column: ColumnLabels(
                data.stage.model.labels, np.concatenate(data.train.labels)
            )
            for data in columns
        }
        task = NetworkTask(
            self.sentences,
            options,
            columns=labels,
            trees=False,
            vectors=self.vectors,
            threads=self.options.threads,
        )
        if self.vectors is not None:
            run.progress.note(self.vectors.coverage(self.sentences))
        first = columns[0]

        def score(network: Network) -> dict[str, float]:
            name = first.stage.column
            rows = [network.column(batch.of(network), name) for batch in batches_of(self.dev)]
            found = np.concatenate([own.argmax(axis=1) for own in rows])
            right = np.count_nonzero(found == np.concatenate(first.dev.labels))
            return {"dev accuracy": 100.0 * right / max(1, len(found))}

        return run.train(network_stage(task, score if self.dev else None))

    def _mixed(
        self, columns: Sequence[ColumnData], trained: Sequence[TrainedStage], network: Network
    ) -> Tagger:
        """Let a network score beside the features of each column."""
        batches = batches_of(self.dev)
        stages: list[TrainedStage] = []
        for data, (stage, records) in zip(columns, trained, strict=True):

            def right(model: Model, data: ColumnData = data) -> float:
                return _dev_score(model, data.stage, batches, data.dev.labels, data.dev_labels)[1]

            fitted = fit_stage(
                stage,
                network,
                self._problems(stage.model, data.dev),
                right if self.dev else None,
            )
            stages.append((fitted, records))
        tagger = self.tagger(stages)
        if self.dev:
            tagger.record["mixture"] = {
                data.stage.column: dict(
                    [_dev_score(stage.model, stage, batches, data.dev.labels, data.dev_labels)]
                )
                for data, (stage, _) in zip(columns, stages, strict=True)
            }
        return tagger

    def tagger(self, trained: Sequence[TrainedStage]) -> Tagger:
        """Put a tagger together."""
        layout = self.sentences[0].layout
        return Tagger(
            self.options.task,
            None if layout.numbered else layout.columns,
            self.encoder,
            tuple(stage for stage, _ in trained),
            {
                "options": {**self.options.to_record(), "bits": self.options.bits},
                "sentences": len(self.sentences),
                "words": sum(map(len, self.sentences)),
                "stages": {stage.column: records for stage, records in trained},
                **vector_record(self.vectors),
            },
        )

    def first_column(self) -> Iterator[ColumnData]:
        """Make the first column ready; for scheme ``"auto"``, once for each scheme."""
        column = self.columns[0]
        gold = [sentence.column(column) for sentence in self.sentences]
        if self.options.task == "tag" or not are_spans(gold):
            yield self._plain_column(column)
            return
        outer, wanted = detect_scheme(gold), self.options.scheme
        for scheme in ("bioes", "bio") if wanted == "auto" else (wanted,):
            yield self._span_column(column, scheme, outer)

    def _span_column(self, column: str, scheme: str, outer: str) -> ColumnData:
        train = [convert(sentence.column(column), scheme) for sentence in self.sentences]
        dev = [convert(sentence.column(column), scheme) for sentence in self.dev]
        names = sorted({label for labels in train for label in labels})
        texts = self.templates[TASKS[self.options.task][0]]
        model = self._chain(texts, names, span_transitions(names, scheme), train)
        stage = TaggerStage(column, model, scheme, outer, 1.0)
        name = column if self.options.scheme != "auto" else f"{column}-{scheme}"
        return self._column_data(name, stage, train, dev)

    def _plain_column(self, column: str) -> ColumnData:
        train = [sentence.column(column) for sentence in self.sentences]
        dev = [sentence.column(column) for sentence in self.dev]
        names = sorted({label for labels in train for label in labels})
        texts = self.templates[TASKS[self.options.task][0]]
        model: Model
        if len(names) ** 2 <= MAX_LABELS:
            everything = np.ones((len(names), len(names)), dtype=bool)
            model = self._chain(texts, names, Transitions(everything), train)
        else:
            # Too many pairs: each word by itself.
            lists = LabelLists.fit(1, len(names), [])
            single, _ = split_templates(texts)
            model = ChoiceModel(single, names, lists, None, self.encoder)
        stage = TaggerStage(column, model, None, None, 1.0)
        return self._column_data(column, stage, train, dev)

    def _chain(
        self,
        templates: Sequence[str],
        names: Sequence[str],
        transitions: Transitions,
        rows: Sequence[Sequence[str]],
    ) -> ChainModel:
        if not split_by_labels(templates)[2]:
            return ChainModel(templates, names, transitions, self.encoder)
        numbers = {name: i for i, name in enumerate(names)}
        seen = seen_triples([numbers[name] for name in row] for row in rows)
        return TrigramModel(templates, names, transitions, seen, self.encoder)

    def given_column(self, column: str) -> ColumnData:
        """Make a column ready that knows the labels of the first one."""
        first = self.columns[0]
        train = [sentence.column(column) for sentence in self.sentences]
        dev = [sentence.column(column) for sentence in self.dev]
        names = sorted({label for labels in train for label in labels})
        numbers = {name: i for i, name in enumerate(names)}
        seen = {
            (self.encoder.id_of(first, tag), numbers[label])
            for sentence, labels in zip(self.sentences, train, strict=True)
            for tag, label in zip(sentence.column(first), labels, strict=True)
        }
        lists = LabelLists.fit(self.encoder.id_limit(first), len(names), seen)
        texts = self.templates[TASKS[self.options.task][1]]
        model = ChoiceModel(texts, names, lists, first, self.encoder)
        stage = TaggerStage(column, model, None, None, 1.0)
        return self._column_data(column, stage, train, dev)

    def _column_data(
        self,
        name: str,
        stage: TaggerStage,
        train: Sequence[Sequence[str]],
        dev: Sequence[Sequence[str]],
    ) -> ColumnData:
        labels = stage.model.labels
        return ColumnData(
            name,
            stage,
            Labelled.of(self.sentences, train, labels, self.encoder),
            Labelled.of(self.dev, dev, labels, self.encoder),
            dev,
        )

    def learn(self, run: Run, data: ColumnData, start: Weights | None = None) -> TrainedStage:
        """Train one column; from given weights, if there are any."""
        stage, model = data.stage, data.stage.model
        given = stage.column != self.columns[0]
        threshold = self.options.threshold(
            TASKS[self.options.task][given], None if given else len(model.templates)
        )

        def freeze(weights: Weights) -> Model:
            bits = self.options.table_bits
            return model.with_weights(
                weights.freeze(labels=model.label_limit, threshold=threshold, bits=bits)
            )

        def score(frozen: Model) -> dict[str, float]:
            alone = [Batch.encoded(self.encoder, encoded) for encoded in data.dev.encoded]
            title, value = _dev_score(frozen, stage, alone, data.dev.labels, data.dev_labels)
            return {f"dev {title}": value}

        noise = self._noise() if isinstance(model, ChainModel) else None
        result = run.train(
            Stage(
                data.name,
                task_of(model, data.train, noise),
                self.options.learner(given=given),
                freeze,
                score if data.dev_labels else None,
                start,
            )
        )
        temperature = self._temperature(result.model, data.dev)
        return replace(stage, model=result.model, temperature=temperature), result.to_record()

    def _noise(self) -> WordNoise | None:
        strength, dropout = self.options.noise_strength(), self.options.dropout_share()
        if not strength and not dropout:
            return None
        seed = self.options.seed
        return WordNoise(
            self.sentences, self.encoder, strength=strength, seed=seed, dropout=dropout
        )

    def _temperature(self, model: Model, data: Labelled) -> float:
        problems = [problem for problem, _ in self._problems(model, data)]
        assert model.weights is not None
        default = typical_temperature(self.options.chosen_loss())
        return fit_temperature(problems, model.weights, default=default)

    def _problems(
        self, model: Model, data: Labelled
    ) -> list[tuple[ChainProblem | ChoiceProblem, Batch]]:
        """Return some sentences of the development data whose labels are all known."""
        task = task_of(model, data)
        known = [i for i, labels in enumerate(data.labels) if (labels >= 0).all()]
        return [
            (
                task.problem(i),
                Batch.encoded(self.encoder, data.encoded[i], [self.dev[i]]),
            )
            for i in known[:_SENTENCES_FOR_TEMPERATURE]
        ]


def task_of(model: Model, data: Labelled, noise: WordNoise | None = None) -> ChainTask | ChoiceTask:
    """Return the training set of a model; noise is for labels that see one another."""
    if isinstance(model, TrigramModel):
        return TrigramTask(model, data.encoded, data.labels, noise)
    if isinstance(model, ChainModel):
        return ChainTask(model, data.encoded, data.labels, noise)
    return ChoiceTask(model, data.encoded, data.labels)


def batches_of(sentences: Sequence[Sentence]) -> list[Batch]:
    """Return sentences in batches, which keep what encoders make of them."""
    return [
        Batch(sentences[first : first + _SENTENCES_AT_ONCE])
        for first in range(0, len(sentences), _SENTENCES_AT_ONCE)
    ]


def _dev_score(
    model: Model,
    stage: TaggerStage,
    batches: Sequence[Batch],
    numbers: Sequence[IntArray],
    gold: Sequence[Sequence[str]],
) -> tuple[str, float]:
    every = np.concatenate([answer(model, batch).labels for batch in batches])
    found = np.split(every, np.cumsum([len(labels) for labels in gold])[:-1])
    if stage.scheme is not None:
        names = model.labels
        predicted = [[names[x] for x in labels.tolist()] for labels in found]
        return "F1", span_scores(gold, predicted).f1
    right = sum(int(np.count_nonzero(a == b)) for a, b in zip(found, numbers, strict=True))
    return "accuracy", 100.0 * right / sum(map(len, gold))
