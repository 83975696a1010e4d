"""Training a tagger: one stage after the other."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.evaluation import span_scores
from turbotree.features import Encoder, Weights, attributes_of, parse_templates
from turbotree.features._core import MAX_LABELS
from turbotree.labeling.answers import Model, answer
from turbotree.labeling.choices import ChoiceModel, ChoiceTask, LabelLists
from turbotree.labeling.data import (
    Labelled,
    TrainingSource,
    are_spans,
    choose_columns,
    read_labelled,
)
from turbotree.labeling.model import TRIPLE, ChainModel, split_by_labels, split_templates
from turbotree.labeling.noise import WordNoise
from turbotree.labeling.options import TASKS, TaggerOptions
from turbotree.labeling.schemes import convert, detect_scheme, span_transitions
from turbotree.labeling.tagger import Stage, Tagger
from turbotree.labeling.tasks import ChainTask
from turbotree.labeling.templates import load_templates
from turbotree.labeling.trigrams import TrigramModel, TrigramTask, seen_triples
from turbotree.learning import Checkpoint, EpochRecord, learn
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.temperature import fit_temperature, typical_temperature
from turbotree.naming import options_from
from turbotree.scoring import Batch
from turbotree.text import Sentence
from turbotree.text.sentence import fingerprint

_SENTENCES_FOR_TEMPERATURE = 500


def train_tagger(
    train: TrainingSource,
    *,
    dev: TrainingSource | None = None,
    columns: Sequence[str] | None = None,
    encoding: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
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
    settings = options_of(options)
    if settings.scheme == "auto" and dev is None:
        raise InputError("scheme auto chooses by the score on development data; there are none")
    trainer = Trainer(
        read_labelled(train, "training data", columns, encoding),
        read_labelled(dev, "development data", columns, encoding) if dev is not None else [],
        settings,
        Path(checkpoint) if checkpoint is not None else None,
        resume,
        progress or Silent(),
    )
    return trainer.run()


def options_of(given: dict[str, Any]) -> TaggerOptions:
    """Check the options of a training; an unknown one gives an InputError."""
    return options_from(TaggerOptions, "train", given, train_tagger)


class Trainer:
    """Trains all stages of a tagger on some data."""

    def __init__(
        self,
        train: list[Sentence],
        dev: list[Sentence],
        options: TaggerOptions,
        checkpoints: Path | None,
        resume: bool,
        progress: Progress,
    ) -> None:
        self.train, self.dev = train, dev
        self.options = options
        self.checkpoints = checkpoints
        self.resume = resume
        self.progress = progress
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

    def run(self) -> Tagger:
        """Train all stages."""
        stages: list[Stage] = []
        records: dict[str, Any] = {}
        for number, column in enumerate(self.columns):
            stage, records[column] = (
                self._train_first(column) if number == 0 else self._train_given(column)
            )
            stages.append(stage)
        layout = self.train[0].layout
        return Tagger(
            self.options.task,
            None if layout.numbered else layout.columns,
            self.encoder,
            tuple(stages),
            {
                "options": {**self.options.to_record(), "bits": self.options.bits},
                "sentences": len(self.train),
                "words": sum(map(len, self.train)),
                "stages": records,
            },
        )

    def _train_first(self, column: str) -> tuple[Stage, list[dict[str, Any]]]:
        gold = [sentence.column(column) for sentence in self.train]
        if self.options.task == "tag" or not are_spans(gold):
            return self._train_plain(column)
        outer = detect_scheme(gold)
        wanted = self.options.scheme
        found = [
            self._train_spans(column, scheme, outer)
            for scheme in (("bioes", "bio") if wanted == "auto" else (wanted,))
        ]
        return max(found, key=lambda pair: next(iter(pair[1][-1]["scores"].values()), 0.0))

    def _train_spans(
        self, column: str, scheme: str, outer: str
    ) -> tuple[Stage, list[dict[str, Any]]]:
        train = [convert(sentence.column(column), scheme) for sentence in self.train]
        dev = [convert(sentence.column(column), scheme) for sentence in self.dev]
        names = sorted({label for labels in train for label in labels})
        texts = self.templates[TASKS[self.options.task][0]]
        model = self._chain(texts, names, span_transitions(names, scheme), train)
        stage = Stage(column, model, scheme, outer, 1.0)
        name = column if self.options.scheme != "auto" else f"{column}-{scheme}"
        return self._train_stage(name, stage, train, dev)

    def _train_plain(self, column: str) -> tuple[Stage, list[dict[str, Any]]]:
        train = [sentence.column(column) for sentence in self.train]
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
        return self._train_stage(column, Stage(column, model, None, None, 1.0), train, dev)

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

    def _train_given(self, column: str) -> tuple[Stage, list[dict[str, Any]]]:
        first = self.columns[0]
        train = [sentence.column(column) for sentence in self.train]
        dev = [sentence.column(column) for sentence in self.dev]
        names = sorted({label for labels in train for label in labels})
        numbers = {name: i for i, name in enumerate(names)}
        seen = {
            (self.encoder.id_of(first, tag), numbers[label])
            for sentence, labels in zip(self.train, train, strict=True)
            for tag, label in zip(sentence.column(first), labels, strict=True)
        }
        lists = LabelLists.fit(self.encoder.id_limit(first), len(names), seen)
        texts = self.templates[TASKS[self.options.task][1]]
        model = ChoiceModel(texts, names, lists, first, self.encoder)
        return self._train_stage(column, Stage(column, model, None, None, 1.0), train, dev)

    def _train_stage(
        self,
        name: str,
        stage: Stage,
        train: Sequence[Sequence[str]],
        dev: Sequence[Sequence[str]],
    ) -> tuple[Stage, list[dict[str, Any]]]:
        data = Labelled.of(self.train, train, stage.model.labels, self.encoder)
        held_out = Labelled.of(self.dev, dev, stage.model.labels, self.encoder)
        return self.learn_stage(name, stage, data, held_out, dev)

    def learn_stage(
        self,
        name: str,
        stage: Stage,
        data: Labelled,
        held_out: Labelled,
        dev: Sequence[Sequence[str]],
        *,
        start: Weights | None = None,
    ) -> tuple[Stage, list[dict[str, Any]]]:
        """Train one stage; from given weights, if there are any."""
        model, given = stage.model, stage.column != self.columns[0]
        learner = self.options.learner(given=given)
        threshold = self.options.threshold(
            TASKS[self.options.task][given], None if given else len(model.templates)
        )
        task = task_of(model, data, self._noise() if isinstance(model, ChainModel) else None)

        def frozen(current: Weights) -> Model:
            return model.with_weights(
                current.freeze(
                    labels=model.label_limit,
                    threshold=threshold,
                    bits=self.options.bits,
                )
            )

        def on_epoch(current: Weights, record: EpochRecord) -> None:
            if dev:
                title, score = _dev_score(frozen(current), stage, held_out, dev)
                record.scores[f"dev {title}"] = score
            self.progress.epoch(name, record)

        self.progress.start(name, len(task), learner.epochs)
        weights, records = learn(
            task,
            learner,
            start=start,
            checkpoint=self.checkpoint(name),
            on_instance=lambda done, record: self.progress.instance(name, done, record),
            on_epoch=on_epoch,
        )
        finished = frozen(weights)
        temperature = self._temperature(finished, held_out)
        done = replace(stage, model=finished, temperature=temperature)
        return done, [record.to_dict() for record in records]

    def _noise(self) -> WordNoise | None:
        strength, dropout = self.options.noise_strength(), self.options.dropout_share()
        if not strength and not dropout:
            return None
        seed = self.options.seed
        return WordNoise(self.train, self.encoder, strength=strength, seed=seed, dropout=dropout)

    def checkpoint(self, name: str) -> Checkpoint | None:
        """Return where a learner keeps its state."""
        if self.checkpoints is None:
            return None
        checkpoint = Checkpoint(self.checkpoints / f"{name}.checkpoint", self.settings)
        if not self.resume:
            checkpoint.remove()
        return checkpoint

    def _temperature(self, model: Model, data: Labelled) -> float:
        task = task_of(model, data)
        chosen = [i for i, labels in enumerate(data.labels) if (labels >= 0).all()]
        problems = [task.problem(i) for i in chosen[:_SENTENCES_FOR_TEMPERATURE]]
        # A gold answer that cannot be given says nothing of the probabilities.
        problems = [problem for problem in problems if problem.gold_is_allowed]
        assert model.weights is not None
        default = typical_temperature(self.options.chosen_loss())
        return fit_temperature(problems, model.weights, default=default)


def task_of(model: Model, data: Labelled, noise: WordNoise | None = None) -> ChainTask | ChoiceTask:
    """Return the training set of a model; noise is for labels that see one another."""
    if isinstance(model, TrigramModel):
        return TrigramTask(model, data.encoded, data.labels, noise)
    if isinstance(model, ChainModel):
        return ChainTask(model, data.encoded, data.labels, noise)
    return ChoiceTask(model, data.encoded, data.labels)


def _dev_score(
    model: Model, stage: Stage, data: Labelled, gold: Sequence[Sequence[str]]
) -> tuple[str, float]:
    found = [
        answer(model, Batch.encoded(model.encoder, encoded)).labels for encoded in data.encoded
    ]
    if stage.scheme is not None:
        names = model.labels
        predicted = [[names[x] for x in labels.tolist()] for labels in found]
        return "F1", span_scores(gold, predicted).f1
    right = sum(int(np.count_nonzero(a == b)) for a, b in zip(found, data.labels, strict=True))
    return "accuracy", 100.0 * right / sum(map(len, gold))
