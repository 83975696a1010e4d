"""Taggers of spans: counting what they find, and selecting their templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turbotree.display.selection_report import BudgetResult
from turbotree.evaluation import find_spans
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.records import Measured
from turbotree.labeling import Tagger, select_tagger, train_tagger
from turbotree.learning import SelectionOptions
from turbotree.text import Sentence


def count_spans(tagger: Tagger, gold: Sequence[Sentence], column: str) -> Measured:
    """Count, sentence by sentence, the spans that there are, that were found, and both."""
    counts: Measured = {"gold": [], "found": [], "right": []}
    for tagging in tagger.pipe(gold):
        there = set(find_spans(tagging.sentence.column(column)))
        found = set(find_spans(tagging.labels))
        for name, spans in (("gold", there), ("found", found), ("right", there & found)):
            counts[name].append(len(spans))
    return counts


class SpanBench:
    """One task of spans, with all its templates: what the experiments with taggers share.

    Parameters
    ----------
    context
        Where it works.
    train, gold
        Sentences with a column of spans.
    task, column
        Which task it is for taggers, and the column.
    templates
        All of them.
    """

    def __init__(
        self,
        context: ExperimentContext,
        train: Sequence[Sentence],
        gold: Sequence[Sentence],
        task: str,
        column: str,
        templates: Sequence[str],
    ) -> None:
        self._context, self._train, self._gold, self._column = context, train, gold, column
        self._templates = templates
        # Learning selects for half as long as it learns from what it has selected.
        self._passes = max(1, context.settings.epochs // 2)
        self._options: dict[str, Any] = {
            "task": task,
            "label": column,
            "templates": {task: list(templates)},
            "seed": context.settings.seed,
            "threads": context.threads,
        }

    def whole(self) -> Measured:
        """Train with all templates, for as many passes as selection and refit have together."""
        self._context.note(f"training with all {len(self._templates)} templates")
        epochs = self._passes + self._context.settings.epochs
        with self._context.progress() as progress:
            tagger = train_tagger(self._train, epochs=epochs, progress=progress, **self._options)
        weights = tagger.stages[0].model.weights
        counts = count_spans(tagger, self._gold, self._column)
        return {**counts, "features": len(weights or ())}

    def selected(
        self, budgets: Sequence[int], method: str = "group-lasso"
    ) -> tuple[list[Measured], list[BudgetResult]]:
        """Select, train again and count, for each budget."""
        self._context.note(f"selecting from {len(self._templates)} templates by {method}")
        settings = self._context.settings
        how = SelectionOptions(
            method=method,
            epochs=self._passes,
            rounds_between=min(500, max(1, len(self._train) // 2)),
            seed=settings.seed,
        )
        with self._context.progress() as progress:
            taggers, report = select_tagger(
                self._train,
                budgets,
                selection=how,
                epochs=settings.epochs,
                progress=progress,
                **self._options,
            )
        both = zip(taggers, report.outcomes, strict=True)
        counted = [
            {**count_spans(tagger, self._gold, self._column), "features": outcome.features}
            for tagger, outcome in both
        ]
        return counted, list(report.outcomes)
