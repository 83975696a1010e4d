"""Taggers with as many templates as a budget allows."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from turbotree.display.selection_report import BudgetResult, SelectionReport, selection_record
from turbotree.errors import InputError
from turbotree.features import Encoder, attributes_of, parse_templates
from turbotree.features.lexicon import TAGS
from turbotree.labeling.data import TrainingSource, read_labelled
from turbotree.labeling.model import TRIPLE
from turbotree.labeling.options import TASKS, TaggerKeywords, TaggerOptions
from turbotree.labeling.tagger import Tagger
from turbotree.labeling.training import TaggerTrainer, TrainedStage, task_of
from turbotree.learning.progress import Progress
from turbotree.learning.selection.budgeted import TemplateSelection
from turbotree.learning.selection.selector import SelectionOptions, sorted_budgets
from turbotree.naming import options_from

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

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
    **options: Unpack[TaggerKeywords],
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
    settings = options_from(TaggerOptions, "train", options, select_tagger)
    how = selection or SelectionOptions(seed=settings.seed)
    if settings.scheme == "auto":
        raise InputError("scheme auto is for training; to select, expected bioes or bio")
    wanted = sorted_budgets(budgets)
    trainer = TaggerTrainer(
        read_labelled(train, "training data", columns, encoding),
        read_labelled(dev, "development data", columns, encoding) if dev is not None else [],
        settings,
    )
    names = [name for budget in wanted for name in _names(trainer.columns[0], budget)]
    run = trainer.run(checkpoint, resume, progress, stages=names, selection=how.to_record())
    (first,) = trainer.first_column()
    whole = task_of(first.stage.model, first.train)
    texts = first.stage.model.numbered_templates
    exempt = [number for number, text in enumerate(texts) if text in _LABELS_ALONE]
    choosing = TemplateSelection(run, how, whole, texts, TRIPLE, exempt=exempt)
    before = trainer.templates[TASKS[settings.task][0]]
    others: list[TrainedStage] | None = None
    taggers, results = [], []
    for budget in wanted:
        started = time.perf_counter()
        select_name, refit_name = _names(first.name, budget)
        found = choosing.select(select_name, budget)
        model = first.stage.model.with_templates([texts[number] for number in found.templates])
        start = choosing.start(found, task_of(model, first.train))
        small = replace(first, name=refit_name, stage=replace(first.stage, model=model))
        stage, records = trainer.learn(run, small, start)
        seconds = time.perf_counter() - started
        if others is None:  # they are the same for all budgets
            others = [trainer.learn(run, trainer.given_column(c)) for c in trainer.columns[1:]]
        tagger = _without_needless_attributes(trainer.tagger([(stage, records), *others]))
        after, weights = stage.model.templates, stage.model.weights
        tagger.record["selection"] = selection_record(found, how, len(before), len(after))
        taggers.append(tagger)
        results.append(BudgetResult.of(found, after, weights, records[-1]["scores"], seconds))
    sentences = len(trainer.sentences)
    report = SelectionReport(settings.task, how, TRIPLE, tuple(before), sentences, tuple(results))
    return taggers, report


def _names(column: str, budget: int) -> tuple[str, str]:
    """Name the two stages of a budget: the selection, and the refit."""
    return f"{column}-{budget}-selection", f"{column}-{budget}"


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
