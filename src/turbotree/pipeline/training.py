"""Training a pipeline: tokens, a network, tags, lemmas, and a parser on jack-knifed tags."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turbotree.evaluation import attachment_scores
from turbotree.labeling import Tagger, TaggerOptions
from turbotree.labeling.data import TrainingSource, choose_columns
from turbotree.learning import Run
from turbotree.learning.progress import PrefixedProgress, Progress, Silent
from turbotree.learning.run import RunKeywords
from turbotree.naming import options_from
from turbotree.networks import Network
from turbotree.networks.model_options import VECTOR_OPTIONS, vector_record
from turbotree.networks.training import STAGE as NETWORK_STAGE
from turbotree.networks.training import ColumnLabels, NetworkTask, network_stage
from turbotree.networks.weighting import held_out
from turbotree.parsing import Parser
from turbotree.parsing.training.treebank import read_trees
from turbotree.pipeline.jackknife import Annotator, jackknife
from turbotree.pipeline.lemmatizer import Lemmatizer
from turbotree.pipeline.options import PipelineKeywords, PipelineOptions
from turbotree.pipeline.pipeline import Pipeline
from turbotree.pipeline.tokenizer import Tokenizer
from turbotree.pipeline.tokenizer_training import train_tokenizer
from turbotree.pipeline.work import TAGGER, expected_work, fold_name, tells_spaces
from turbotree.text import Sentence
from turbotree.text.sentence import fingerprint

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

#: Folders of the state of training, beside the files.
STATE_FOLDERS = ("tagger", "parser", "fold-*", NETWORK_STAGE)
#: What to say of training data that do not tell where tokens touch one another.
WITHOUT_SPACES = (
    "the training data never say SpaceAfter=No, so that no tokenizer can be learnt: the model will "
    "take sentences whose words are known, and no raw text"
)


def train_pipeline(
    train: TrainingSource,
    *,
    dev: TrainingSource | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Unpack[PipelineKeywords],
) -> Pipeline:
    """Train a pipeline.

    Parameters
    ----------
    train
        A treebank: a file, or sentences. Where spaces are (``SpaceAfter=No``) it tells the
        tokenizer.
    dev
        Another, to show scores along the way and to fit the temperatures of the probabilities.
    checkpoint, resume, progress
        As for :func:`turbotree.parsing.training.trainer.train_parser`.
    options
        Those of :class:`PipelineOptions`.
    """
    settings = options_from(PipelineOptions, "train", options, train_pipeline)
    learnt_from = read_trees(train, "training data")
    vectors = settings.word_vectors(learnt_from)  # once for all networks
    others = read_trees(dev, "development data") if dev is not None else []
    if settings.parser_network() is not None and not others:
        learnt_from, others = held_out(learnt_from)
    trainer = _Trainer(
        learnt_from,
        others,
        replace(settings, vectors=vectors, vectors_licence=None),
        Path(checkpoint) if checkpoint is not None else None,
        resume,
        progress or Silent(),
    )
    return trainer.run()


class TrainPipelineKeywords(PipelineKeywords, RunKeywords, total=False):
    """Everything that :func:`train_pipeline` takes beside the training data."""

    dev: TrainingSource | None


@dataclass(frozen=True)
class _Trainer:
    train: list[Sentence]
    dev: list[Sentence]
    options: PipelineOptions
    checkpoints: Path | None
    resume: bool
    progress: Progress

    def run(self) -> Pipeline:
        """Train everything."""
        options = self.options
        self.progress.expect(expected_work(self.train, options))
        tokenizer = self._tokenizer()
        shared, network_record = self._network()
        tagger = Tagger.train(
            self.train,
            dev=self.dev or None,
            progress=PrefixedProgress(self.progress, TAGGER),
            **self._resumable("tagger"),
            **(options.tagger_options() | shared),
        )
        jackknifed = self.jackknife()
        # Lemmas go by tags, and the tags will be predicted ones.
        lemmatizer = self._lemmatizer(_with_lemmas(jackknifed, self.train), self.progress)
        bare = Pipeline(tokenizer, tagger, lemmatizer, _no_parser(), {})
        parser = Parser.train(
            jackknifed,
            dev=list(bare.tag_stream(self.dev)) or None,
            progress=self.progress,
            **self._resumable("parser"),
            **_sharing(options.parser_options(), shared),
        )
        record = {
            **network_record,
            "options": options.to_record(),
            "sentences": len(self.train),
            "words": sum(map(len, self.train)),
            "jackknife": _agreement(self.train, jackknifed),
            **vector_record(options.word_vectors(self.train)),
        }
        return Pipeline(tokenizer, tagger, lemmatizer, parser, record)

    def _tokenizer(self) -> Tokenizer | None:
        if not tells_spaces(self.train):
            self.progress.note(WITHOUT_SPACES)
            return None
        settings = {**self.options.to_record(), "data": fingerprint(self.train)}
        run = Run(self.checkpoints, settings, self.resume, ["tokens"], self.progress)
        return train_tokenizer(
            self.train,
            unit=self.options.unit,
            epochs=self.options.token_epochs,
            seed=self.options.seed,
            bits=self.options.table_bits,
            dev=self.dev,
            run=run,
        )

    def _network(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Train a network for tags and trees: the option that names it, and how that went.

        It reads forms alone, so that a sentence runs through it once, before its tags are known.
        """
        options = self.options.joint_network()
        if options is None:
            return {}, {}
        tagger = TaggerOptions(**self.options.tagger_options())
        names = choose_columns(self.train, "tag", tagger.label_columns())
        task = NetworkTask(
            self.train,
            options,
            columns={name: ColumnLabels.of(self.train, name) for name in names},
            vectors=self.options.word_vectors(self.train),
            threads=self.options.threads,
        )

        def score(network: Network) -> dict[str, float]:
            right = attachment_scores(self.dev, network.parse(self.dev))
            return {"dev UAS": right.uas, "dev LAS": right.las}

        settings = {**task.settings(), "data": fingerprint(self.train)}
        folder = None if self.checkpoints is None else self.checkpoints / NETWORK_STAGE
        run = Run(folder, settings, self.resume, (NETWORK_STAGE,), self.progress)
        result = run.train(network_stage(task, score if self.dev else None))
        network = result.model.frozen()
        return {"network": network}, {"network": result.to_record()}

    def jackknife(self) -> list[Sentence]:
        """Give the training data the tags and lemmas of models that have not seen them."""
        options = self.options.fold_options()

        def train(others: list[Sentence], fold: int) -> Annotator:
            name = f"fold {fold + 1}"
            shown = PrefixedProgress(self.progress, fold_name(fold, self.options.folds))
            tagger = Tagger.train(others, progress=shown, **self._resumable(name), **options)
            lemmatizer = self._lemmatizer(others, shown)
            bare = Pipeline(None, tagger, lemmatizer, _no_parser(), {})
            return bare.tag_stream

        found = jackknife(self.train, train, folds=self.options.folds)
        scores = ", ".join(f"{k} {v:.2f}" for k, v in _agreement(self.train, found).items())
        self.progress.note(f"tags of held-out folds: {scores}")
        return found

    def _lemmatizer(self, sentences: Sequence[Sentence], shown: Progress) -> Lemmatizer | None:
        if all(lemma == "_" for sentence in sentences for lemma in sentence.lemmas):
            return None
        return Lemmatizer.train(
            sentences,
            epochs=self.options.lemma_epochs,
            seed=self.options.seed,
            bits=self.options.table_bits,
            progress=shown,
        )

    def _resumable(self, name: str) -> dict[str, Any]:
        if self.checkpoints is None:
            return {}
        return {"checkpoint": self.checkpoints / name.replace(" ", "-"), "resume": self.resume}


def jackknife_tags(
    sentences: list[Sentence],
    *,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **options: Unpack[PipelineKeywords],
) -> list[Sentence]:
    """Give training data the tags and lemmas of models that have not seen them.

    Parameters
    ----------
    sentences
        The training data of a parser.
    progress, checkpoint, resume
        As for :func:`train_pipeline`.
    options
        Those of :class:`PipelineOptions` that concern tags and lemmas.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> sentences = list(treebank(40, seed=1))
    >>> tagged = jackknife_tags(sentences, folds=2, fold_epochs=1)
    >>> tagged[0].heads == sentences[0].heads
    True
    """
    folder = Path(checkpoint) if checkpoint is not None else None
    settings = options_from(PipelineOptions, "jackknife_tags", options, jackknife_tags)
    trainer = _Trainer(sentences, [], settings, folder, resume, progress or Silent())
    return trainer.jackknife()


def _sharing(options: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """Return options of training with a network that is trained already, if there is one."""
    if not shared:
        return options
    return {name: own for name, own in options.items() if name not in VECTOR_OPTIONS} | shared


def _no_parser() -> Any:
    """Stand in for a parser that is yet to be trained."""
    return None


def _with_lemmas(tagged: Sequence[Sentence], gold: Sequence[Sentence]) -> list[Sentence]:
    return [s.replace(lemma=g.lemmas) for s, g in zip(tagged, gold, strict=True)]


def _agreement(gold: Sequence[Sentence], found: Sequence[Sentence]) -> dict[str, float]:
    """Percentage of the words with the right tags and lemmas, where the treebank has some."""
    words = max(1, sum(map(len, gold)))
    return {
        name: 100.0
        * sum(
            a == b
            for one, other in zip(gold, found, strict=True)
            for a, b in zip(one.column(name), other.column(name), strict=True)
        )
        / words
        for name in ("upos", "xpos", "feats", "lemma")
        if any(value != "_" for sentence in gold for value in sentence.column(name))
    }
