"""Taggers with as many templates as a budget allows."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from turbotree.display.selection_report import (
    Outcome,
    SelectionReport,
    outcome_of,
    selection_record,
)
from turbotree.errors import InputError
from turbotree.features import Encoder, Weights, attributes_of, parse_templates
from turbotree.features.lexicon import TAGS
from turbotree.labeling.data import Labelled, TrainingSource, read_labelled
from turbotree.labeling.model import TRIPLE
from turbotree.labeling.options import TASKS
from turbotree.labeling.tagger import Stage, Tagger
from turbotree.labeling.training import Trainer, options_of, task_of
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.selection.refitting import closed_weights
from turbotree.learning.selection.renumbering import renumbered
from turbotree.learning.selection.selector import (
    Selection,
    SelectionOptions,
    Selector,
    sorted_budgets,
)

#: The templates of labels alone, which see no word: always kept, and not counted.
_LABELS_ALONE = ("prev", "prevprev")


def select_tagger(
    train: TrainingSource,
    budgets: Sequence[int],
    *,
    selection: SelectionOptions | None = None,
    dev: TrainingSource | None = None,
    columns: Sequence[str] | None = None,
    encoding: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[list[Tagger], SelectionReport]:
    """Select templates while learning, then train taggers on what survived.

    With several columns (task ``"tag"``), the templates of the first are selected.

    Parameters
    ----------
    train
        Labelled sentences: a CoNLL-U or column file, or sentences.
    budgets
        How many templates may live (features, for some methods); a tagger is made for each.
    selection
        How to select.
    dev, columns, encoding, checkpoint, resume, progress, options
        As for :func:`~turbotree.labeling.train_tagger`; loss, epochs and step are those of the
        refit, and the templates are what is selected from.

    Returns
    -------
    The taggers in the order of their budgets, and a report.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> sentences = list(treebank(60, seed=1))
    >>> taggers, report = select_tagger(
    ...     sentences, [3, 6], dev=sentences[:20], task="tag", label="upos", epochs=2
    ... )
    >>> [len(tagger.stages[0].model.templates) for tagger in taggers]  # and label bigrams
    [4, 7]
    """
    settings = options_of(options)
    how = selection or SelectionOptions(seed=settings.seed)
    if settings.scheme == "auto":
        raise InputError("scheme auto is for training; to select, expected bioes or bio")
    wanted = sorted_budgets(budgets)
    trainer = _SelectingTrainer(
        read_labelled(train, "training data", columns, encoding),
        read_labelled(dev, "development data", columns, encoding) if dev is not None else [],
        settings,
        Path(checkpoint) if checkpoint is not None else None,
        resume,
        progress or Silent(),
    )
    trainer.prepare(how)
    taggers, outcomes = [], []
    for budget in wanted:
        tagger, outcome = trainer.run_for(budget)
        taggers.append(tagger)
        outcomes.append(outcome)
    report = SelectionReport(
        settings.task,
        how,
        TRIPLE,
        tuple(trainer.templates[TASKS[settings.task][0]]),
        len(trainer.train),
        tuple(outcomes),
    )
    return taggers, report


class _SelectingTrainer(Trainer):
    """Trains the first stage on what a selection leaves, and the others once for all budgets."""

    def prepare(self, selection: SelectionOptions) -> None:
        self._how = selection
        self._budget = 0
        self._selector: Selector | None = None
        self._found: Selection | None = None
        self._others: dict[str, tuple[Stage, list[dict[str, Any]]]] = {}
        self.settings["selection"] = selection.to_record()

    def run_for(self, budget: int) -> tuple[Tagger, Outcome]:
        """Select, and train all stages."""
        started = time.perf_counter()
        self._budget = budget
        whole = self.run()
        tagger = _without_needless_attributes(whole)
        first, selection = tagger.stages[0], self._found
        assert selection is not None
        before, after = self.templates[TASKS[self.options.task][0]], first.model.templates
        tagger.record["selection"] = selection_record(selection, self._how, len(before), len(after))
        records = tagger.record["stages"][first.column]
        outcome = outcome_of(
            selection,
            after,
            features=len(first.model.weights or ()),
            size=getattr(first.model.weights, "memory_bytes", 0),
            scores=records[-1]["scores"],
            seconds=time.perf_counter() - started,
        )
        return tagger, outcome

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
        """Train one stage."""
        if stage.column != self.columns[0]:
            if name not in self._others:
                self._others[name] = super().learn_stage(name, stage, data, held_out, dev)
            return self._others[name]
        model, task = stage.model, task_of(stage.model, data)
        texts = model.numbered_templates
        if self._selector is None:
            exempt = [number for number, text in enumerate(texts) if text in _LABELS_ALONE]
            self._selector = Selector(
                task,
                parse_templates(texts, TRIPLE),
                self._how,
                exempt=exempt,
                progress=self.progress,
            )
        title = f"{name}-{self._budget}"
        choosing = f"{title}-selection"
        self.progress.start(choosing, len(task), self._how.epochs)
        self._found = selection = self._selector.select(
            self._budget,
            checkpoint=self.checkpoint(choosing),
            on_instance=lambda done, record: self.progress.instance(choosing, done, record),
            on_epoch=lambda _, record: self.progress.epoch(choosing, record),
        )
        smaller = model.with_templates([texts[number] for number in selection.templates])
        if selection.keys is not None:
            fewer = task_of(smaller, data)
            start = closed_weights(renumbered(selection.keys, selection.templates, task, fewer))
        small = replace(stage, model=smaller)
        return super().learn_stage(title, small, data, held_out, dev, start=start)


def _without_needless_attributes(tagger: Tagger) -> Tagger:
    """Forget vocabularies that no template asks for any more; of a single stage, for simplicity."""
    if len(tagger.stages) > 1:
        return tagger
    stage, old = tagger.stages[0], tagger.encoder
    names, sets = attributes_of(parse_templates(stage.model.templates, TRIPLE))
    vocabularies = {name: old.vocabularies[name] for name in (*names, *sets)}
    encoder = Encoder(names, sets, vocabularies, old.lexicon if TAGS in names else None)
    stage = replace(stage, model=stage.model.with_encoder(encoder))
    return replace(tagger, encoder=encoder, stages=(stage,))
