"""Arc-factored parsers with as many templates as a budget allows."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from turbotree.display.selection_report import (
    Outcome,
    SelectionReport,
    outcome_of,
    selection_record,
)
from turbotree.errors import InputError
from turbotree.features import Parts, parse_templates
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.selection.refitting import closed_weights
from turbotree.learning.selection.renumbering import renumbered
from turbotree.learning.selection.selector import (
    Selection,
    SelectionOptions,
    Selector,
    sorted_budgets,
)
from turbotree.parsing.arcs import ARC, Pruner
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.parser import Parser
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates
from turbotree.parsing.training.trainer import Trainer, options_of
from turbotree.parsing.training.treebank import TrainingSource, read_trees
from turbotree.scoring import SparseScorer


def select_parser(
    train: TrainingSource,
    budgets: Sequence[int],
    *,
    selection: SelectionOptions | None = None,
    dev: TrainingSource | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[list[Parser], SelectionReport]:
    """Select templates of arcs while learning, then train parsers on what survived.

    The pruner and the labels are trained once, with their own templates.

    Parameters
    ----------
    train
        A treebank: a file, or sentences.
    budgets
        How many templates may live (features, for some methods); a parser is made for each.
    selection
        How to select.
    dev, checkpoint, resume, progress, options
        As for :func:`~turbotree.parsing.train_parser`; loss, epochs and step are those
        of the refit. ``templates={"arc": [...]}`` is what is selected from; by default, the 684
        templates ``arc684``.

    Returns
    -------
    The parsers in the order of their budgets, and a report.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parsers, report = select_parser(
    ...     treebank(30, seed=1), [5], templates={"arc": load_templates("arc")[:40]}, epochs=2
    ... )
    >>> len(parsers[0].templates()["arc"])
    5
    """
    given = dict(options)
    given["templates"] = {"arc": load_templates("arc684"), **(options.get("templates") or {})}
    settings = options_of(given)
    if settings.families() != ("arc",):
        raise InputError(
            f"templates of {', '.join(settings.families())}; selection is for models of arcs alone"
        )
    how = selection or SelectionOptions(seed=settings.seed)
    if how.costs is None:
        how = replace(how, costs="worth")
    wanted = sorted_budgets(budgets)
    trainer = _SelectingTrainer(
        read_trees(train, "training data"),
        read_trees(dev, "development data") if dev is not None else [],
        settings,
        Path(checkpoint) if checkpoint is not None else None,
        progress or Silent(),
    )
    trainer.prepare(how)
    if not resume:
        trainer.forget_all(wanted)
    parsers, outcomes = [], []
    for budget in wanted:
        parser, outcome = trainer.run_for(budget)
        parsers.append(parser)
        outcomes.append(outcome)
    report = SelectionReport(
        "parse",
        how,
        ARC,
        tuple(trainer.templates["arc"]),
        len(trainer.train.heads),
        tuple(outcomes),
    )
    return parsers, report


class _SelectingTrainer(Trainer):
    """Trains arcs on what a selection leaves, and everything else once for all budgets."""

    def prepare(self, selection: SelectionOptions) -> None:
        self._how = selection
        self.settings["selection"] = selection.to_record()

    def forget_all(self, budgets: Sequence[int]) -> None:
        self.forget()
        names = [_names(budget) for budget in budgets]
        for name in (name for pair in names for name in pair):
            if (checkpoint := self.checkpoint(name)) is not None:
                checkpoint.remove()

    @cached_property
    def _pruned(self) -> tuple[Pruner, list[Parts], list[Parts], dict[str, Any]]:
        return self.train_pruner()

    @cached_property
    def _labels(self) -> tuple[LabelModel, dict[str, Any]]:
        return self.train_labels()

    @cached_property
    def _whole(self) -> SparseScorer:
        return SparseScorer({"arc": self.templates["arc"]}, FAMILIES, self.encoder)

    @cached_property
    def _selector(self) -> Selector:
        templates = parse_templates(self.templates["arc"], ARC)
        task = self.part_task(self._whole, self._pruned[1])
        return Selector(task, templates, self._how, progress=self.progress)

    def run_for(self, budget: int) -> tuple[Parser, Outcome]:
        """Select, and train a parser."""
        labels, label_record = self._labels
        pruner, candidates, dev_candidates, record = self._pruned
        started = time.perf_counter()
        selection = self._select(budget)
        texts = [self.templates["arc"][number] for number in selection.templates]
        model = SparseScorer({"arc": texts}, FAMILIES, self.encoder)
        self.share_among(len(texts))
        start = None
        if selection.keys is not None:
            many = self.part_task(self._whole, candidates)
            fewer = self.part_task(model, candidates)
            keys = renumbered(selection.keys, selection.templates, many, fewer)
            start = closed_weights(keys)
        arcs, part_record = self.learn_parts(
            _names(budget)[1], model, candidates, dev_candidates, start=start
        )
        total = len(self.templates["arc"])
        chosen = selection_record(selection, self._how, total, len(texts))
        records = {**record, **part_record, **label_record, "selection": chosen}
        parser = self.finish(pruner, arcs, labels, records)
        outcome = outcome_of(
            selection,
            texts,
            features=len(arcs.weights or ()),
            size=getattr(arcs.weights, "memory_bytes", 0),
            scores=part_record["parts"][-1]["scores"],
            seconds=time.perf_counter() - started,
        )
        return parser, outcome

    def _select(self, budget: int) -> Selection:
        name = _names(budget)[0]
        self.progress.start(name, len(self.train.heads), self._how.epochs)
        return self._selector.select(
            budget,
            checkpoint=self.checkpoint(name),
            on_instance=lambda done, record: self.progress.instance(name, done, record),
            on_epoch=lambda _, record: self.progress.epoch(name, record),
        )


def _names(budget: int) -> tuple[str, str]:
    """Name the two learners of a budget."""
    return f"parts-{budget}-selection", f"parts-{budget}"
