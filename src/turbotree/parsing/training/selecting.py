"""Arc-factored parsers with as many templates as a budget allows."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from turbotree.display.selection_report import BudgetResult, SelectionReport, selection_record
from turbotree.errors import InputError
from turbotree.learning.progress import Progress
from turbotree.learning.selection.budgeted import TemplateSelection
from turbotree.learning.selection.selector import SelectionOptions, sorted_budgets
from turbotree.naming import options_from
from turbotree.parsing.arcs import ARC
from turbotree.parsing.parser import Parser
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates
from turbotree.parsing.training.options import TrainingKeywords, TrainingOptions
from turbotree.parsing.training.tasks import LocalTasks
from turbotree.parsing.training.trainer import (
    STAGES,
    ParserTrainer,
    TrainingData,
)
from turbotree.parsing.training.treebank import TrainingSource
from turbotree.scoring import SparseScorer

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it


def select_parser(
    train: TrainingSource,
    budgets: Sequence[int],
    *,
    selection: SelectionOptions | None = None,
    dev: TrainingSource | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Unpack[TrainingKeywords],
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
    options.setdefault("model", "arc")
    options["templates"] = {"arc": load_templates("arc684"), **(options.get("templates") or {})}
    settings = options_from(TrainingOptions, "train", options, select_parser)
    if settings.families() != ("arc",):
        raise InputError(
            f"templates of {', '.join(settings.families())}; selection is for models of arcs alone"
        )
    how = selection or SelectionOptions(seed=settings.seed)
    if how.costs is None:
        how = replace(how, costs="trial")
    wanted = sorted_budgets(budgets)
    data = TrainingData.read(train, dev, settings, partial=False)
    names = [name for budget in wanted for name in _names(budget)]
    run = data.run(
        checkpoint, resume, progress, stages=(*STAGES, *names), selection=how.to_record()
    )
    tasks = LocalTasks(data.blueprint, data.train, settings.threads)
    trainer = ParserTrainer(data, run, tasks)
    labels, label_record = trainer.train_labels()
    pruned = trainer.train_pruner()
    encoder, every = data.blueprint.encoder, data.blueprint.templates["arc"]
    whole = tasks.parts(SparseScorer({"arc": every}, FAMILIES, encoder))
    choosing = TemplateSelection(run, how, whole, every, ARC)
    parsers, results = [], []
    for budget in wanted:
        started = time.perf_counter()
        select_name, refit_name = _names(budget)
        found = choosing.select(select_name, budget)
        texts = [every[number] for number in found.templates]
        model = SparseScorer({"arc": texts}, FAMILIES, encoder)
        start = choosing.start(found, tasks.parts(model))
        parts, part_record = trainer.train_parts(refit_name, model, pruned, start)
        chosen = selection_record(found, how, len(every), len(texts))
        records = {**pruned.record, **part_record, **label_record, "selection": chosen}
        parsers.append(trainer.parser(pruned.pruner, parts, labels, records))
        seconds, scores = time.perf_counter() - started, part_record["parts"][-1]["scores"]
        results.append(BudgetResult.of(found, texts, parts.weights, scores, seconds))
    sentences = len(data.train.heads)
    report = SelectionReport("parse", how, ARC, tuple(every), sentences, tuple(results))
    return parsers, report


def _names(budget: int) -> tuple[str, str]:
    """Name the two stages of a budget: the selection, and the refit."""
    return f"parts-{budget}-selection", f"parts-{budget}"
