"""Taggers of spans: counting what they find, and selecting their templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from typing import Any

from turbotree.display.selection_report import BudgetResult
from turbotree.evaluation import find_spans
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.records import Measured
from turbotree.labeling import Tagger, select_tagger, train_tagger
from turbotree.learning import SelectionOptions
from turbotree.text import Sentence


def count_spans(tagger: Tagger, gold: Sequence[Sentence], column: str) -> Measured:
    """Count, sentence by sentence, the spans that there are, that were found, and both.

    ``seconds`` is the CPU time of each sentence by itself.
    """
    counts: Measured = {"gold": [], "found": [], "right": [], "seconds": []}
    for sentence in gold:
        started = process_time()
        tagging = tagger.tag(sentence)
        counts["seconds"].append(process_time() - started)
        there = set(find_spans(sentence.column(column)))
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
    train, gold, dev
        Sentences with a column of spans; without `dev`, nothing is said of development data.
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
        dev: Sequence[Sentence] = (),
    ) -> None:
        self._context, self._train, self._gold, self._column = context, train, gold, column
        self._dev = dev
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
        (records,) = tagger.record["stages"].values()
        return {
            **self._counted(tagger),
            "features": len(weights or ()),
            "epoch_features": [record["features"] for record in records],
        }

    def _counted(self, tagger: Tagger) -> Measured:
        counts = count_spans(tagger, self._gold, self._column)
        if self._dev:
            counts["dev"] = count_spans(tagger, self._dev, self._column)
        return counts

    def selected(
        self, budgets: Sequence[int], method: str = "group-lasso", inverse_strength: float = 0.0
    ) -> tuple[list[Measured], list[BudgetResult]]:
        """Select, train again and count, for each budget, or for the paper's C."""
        self._context.note(f"selecting from {len(self._templates)} templates by {method}")
        settings = self._context.settings
        how = SelectionOptions(
            method=method,
            epochs=self._passes,
            rounds_between=min(500, max(1, len(self._train) // 2)),
            seed=settings.seed,
        )
        if inverse_strength:
            how = replace(how, strength=1.0 / (inverse_strength * max(1, len(self._train))))
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
            {
                **self._counted(tagger),
                "features": outcome.features,
                "peak": outcome.peak_features,
                "trace": [list(point) for point in outcome.trace],
            }
            for tagger, outcome in both
        ]
        return counted, list(report.outcomes)
