"""What a selection gave along a list of budgets: a table, JSON, a picture."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from turbotree.features import AnyWeights, PartKind, family_counts, parse_templates
from turbotree.learning.selection.selector import Selection, SelectionOptions


@dataclass(frozen=True)
class BudgetResult:
    """The model of one budget.

    Attributes
    ----------
    budget
        Templates or features that were allowed.
    templates
        The templates of the model, those that are not counted among them.
    features
        Features with a weight.
    megabytes
        Size of the weights.
    peak_features
        Most features in memory while selecting; 0 if the method holds none.
    scores
        On development data.
    seconds
        Wall-clock time of selection and refit.
    trace
        Of the selection, in order: instance, features before and after a step.
    """

    budget: int
    templates: tuple[str, ...]
    features: int
    megabytes: float
    peak_features: int
    scores: Mapping[str, float]
    seconds: float
    trace: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def of(
        cls,
        selection: Selection,
        templates: Sequence[str],
        weights: AnyWeights | None,
        scores: Mapping[str, float],
        seconds: float,
    ) -> BudgetResult:
        """Put together what is known of the model of one budget."""
        trace = tuple(
            (step[0], step[1], step[2]) for record in selection.records for step in record.trace
        )
        return cls(
            selection.budget,
            tuple(templates),
            len(weights or ()),
            getattr(weights, "memory_bytes", 0) / 1e6,
            selection.peak_features,
            dict(scores),
            seconds,
            trace,
        )

    @property
    def score(self) -> float | None:
        """The first score, if there is one."""
        return next(iter(self.scores.values()), None)


@dataclass(frozen=True)
class SelectionReport:
    """All budgets of one run, smallest first.

    Attributes
    ----------
    task
        What the models do: ``"parse"``, ``"chunk"``, ...
    options
        How was selected.
    kind
        The parts that the templates see.
    templates
        All templates that there were to select from.
    instances
        Training sentences: the length of an epoch.
    outcomes
        One per budget.
    """

    task: str
    options: SelectionOptions
    kind: PartKind
    templates: tuple[str, ...]
    instances: int
    outcomes: tuple[BudgetResult, ...]

    @property
    def best(self) -> int:
        """The place of the best outcome: the highest score, the smallest of equals.

        Without scores, the last.
        """
        scores = [outcome.score for outcome in self.outcomes]
        if None in scores:
            return len(scores) - 1
        return max(range(len(scores)), key=lambda i: (scores[i], -i))

    def families(self, templates: Sequence[str] | None = None) -> dict[str, int]:
        """Count templates by family; all that there were if nothing is given."""
        chosen = self.templates if templates is None else templates
        return family_counts(parse_templates(list(chosen), self.kind))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data."""
        return {
            "task": self.task,
            "options": self.options.to_record(),
            "templates": len(self.templates),
            "instances": self.instances,
            "families": self.families(),
            "outcomes": [
                {
                    **asdict(outcome),
                    "scores": dict(outcome.scores),
                    "families": self.families(outcome.templates),
                }
                for outcome in self.outcomes
            ],
        }

    def __str__(self) -> str:
        names = [name.removeprefix("dev ") for name in self._score_names()]
        head = ["budget", "templates", "features", "MB", "peak features", *names, "seconds"]
        rows = [head]
        for outcome in self.outcomes:
            peak = f"{outcome.peak_features:,}" if outcome.peak_features else "-"
            rows.append(
                [
                    f"{outcome.budget:,}",
                    str(len(outcome.templates)),
                    f"{outcome.features:,}",
                    f"{outcome.megabytes:.1f}",
                    peak,
                    *(f"{outcome.scores[name]:.2f}" for name in self._score_names()),
                    f"{outcome.seconds:.0f}",
                ]
            )
        everything = self.families()
        counts = [self.families(outcome.templates) for outcome in self.outcomes]
        kinds = [["templates by family", *(f"{o.budget:,}" for o in self.outcomes), "of"]]
        kinds += [
            [family, *(str(count.get(family, 0)) for count in counts), str(total)]
            for family, total in everything.items()
        ]
        return "\n".join([*_aligned(rows), "", *_aligned(kinds, left=1)])

    def _score_names(self) -> list[str]:
        return list(self.outcomes[0].scores) if self.outcomes else []

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw scores and sizes along the budget, and the features in memory while selecting.

        The name's ending says how: ``.svg``, ``.png`` or ``.pdf``. Needs the extra ``plots``.
        """
        from turbotree.display.selection_plot import draw

        draw(self, path)


def selection_record(
    selection: Selection, options: SelectionOptions, before: int, after: int
) -> dict[str, Any]:
    """Return what a model's training record says of its selection."""
    return {
        "budget": selection.budget,
        **options.to_record(),
        "templates_before": before,
        "templates_after": after,
        "peak_features": selection.peak_features,
        "records": [record.to_dict() for record in selection.records],
    }


def _aligned(rows: Sequence[Sequence[str]], *, left: int = 0) -> list[str]:
    """Lay out a table; the first `left` columns begin at their left, the others end at their right.

    >>> _aligned([["a", "of"], ["bcd", "1"]], left=1)
    ['a    of', 'bcd   1']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
