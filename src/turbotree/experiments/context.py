"""Where an experiment works: one treebank, and the models that it needs, trained once for all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from turbotree import __version__
from turbotree.errors import ModelFileError
from turbotree.experiments.cache import Cache
from turbotree.experiments.data import Dataset
from turbotree.experiments.settings import Settings
from turbotree.learning.progress import Progress, Silent
from turbotree.parsing import Parser, TrainingOptions
from turbotree.text import Sentence

#: The papers score heads alone, so labels get next to no training.
PLAIN_LABELS = {"label": ["m.upos dir"], "label_pair": ["m.upos"]}

OpenProgress = Callable[[], AbstractContextManager[Progress]]


def silently() -> AbstractContextManager[Progress]:
    """Show nothing of a training run."""
    return nullcontext(Silent())


@dataclass(frozen=True)
class ExperimentContext:
    """What an experiment may use on one treebank.

    Attributes
    ----------
    dataset, split
        The treebank, and the part of it to measure on.
    settings
        How much work to do.
    cache
        Where models are kept between experiments and runs.
    threads
        For training; results do not depend on it.
    note
        Called with what goes on.
    progress
        Opens what shows the progress of a training run, again for each.
    """

    dataset: Dataset
    split: str
    settings: Settings
    cache: Cache
    threads: int = 1
    note: Callable[[str], None] = field(default=lambda text: None)
    progress: OpenProgress = silently

    @property
    def gold(self) -> Sequence[Sentence]:
        """The trees to measure on."""
        sentences: tuple[Sentence, ...] = getattr(self.dataset, self.split)
        return sentences

    @property
    def hard_gold(self) -> Sequence[Sentence]:
        """The trees to measure slow decoders on: some of them, if the settings say so."""
        return self.gold[: self.settings.hard_sentences]

    def _chosen(self, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Give the templates and the other options of a parser, the run's and its own."""
        templates = {**PLAIN_LABELS, **options.get("templates", {})}
        own = {name: value for name, value in options.items() if name != "templates"}
        return templates, {
            "model": "arc",
            "epochs": self.settings.epochs,
            "pruner_epochs": self.settings.pruner_epochs,
            "seed": self.settings.seed,
            **own,
        }

    def parser_inputs(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all that a parser depends on, which is what the cache knows it by."""
        templates, chosen = self._chosen(options)
        return {
            "what": "parser",
            "version": __version__,
            "options": TrainingOptions(**chosen, templates=templates).to_record(),
            "templates": templates,
            "train": self.dataset.fingerprint("train"),
        }

    def parser(self, options: Mapping[str, Any]) -> Parser:
        """Train a parser, or take the one that an earlier experiment or run has trained.

        Options are those of :class:`turbotree.parsing.TrainingOptions`; epochs and seed are the
        run's.
        """
        templates, chosen = self._chosen(options)
        inputs = self.parser_inputs(options)
        record = inputs["options"]
        path = self.cache.path(inputs, ".safetensors")
        if path.exists():
            try:
                return Parser.load(path)
            except ModelFileError:
                self.note(f"{path.name} is damaged: training again")
        self.note(f"training {', '.join(record['parts'])}; loss {record['loss']}")
        checkpoint = path.with_suffix(".checkpoint")
        self.cache.folder.mkdir(parents=True, exist_ok=True)
        with self.progress() as progress:
            parser = Parser.train(
                list(self.dataset.train),
                checkpoint=checkpoint,
                resume=checkpoint.exists(),
                progress=progress,
                threads=self.threads,
                templates=templates,
                **chosen,
            )
        parser.save(path)
        shutil.rmtree(checkpoint, ignore_errors=True)
        return parser
