"""The picture of a selection."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turbotree.errors import InputError, MissingExtraError
from turbotree.files.atomic import atomic_path

if TYPE_CHECKING:
    from turbotree.display.selection_report import SelectionReport

#: What pictures can be written as.
PLOT_SUFFIXES = (".svg", ".png", ".pdf")

_INK, _FAINT = "#1f4e79", "#8fb3d9"


def check_plot(path: str | os.PathLike[str]) -> None:
    """Refuse a picture that cannot be drawn: better now than after hours of work."""
    if Path(path).suffix not in PLOT_SUFFIXES:
        raise InputError(f"{path}: expected a name that ends in {', '.join(PLOT_SUFFIXES)}")
    _figure_class()


def draw(report: SelectionReport, path: str | os.PathLike[str]) -> None:
    """Draw two panels: along the budget, and along the epochs."""
    check_plot(path)
    figure = _figure_class()(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    _along_budgets(report, left)
    _along_epochs(report, right)
    # No date and no random names inside, so that the same report gives the same bytes.
    from matplotlib import rc_context

    with atomic_path(path) as temporary, rc_context({"svg.hashsalt": "turbotree"}):
        kind = Path(path).suffix.removeprefix(".")
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(
            "a picture needs matplotlib: pip install 'turbotree[plots]'"
        ) from None
    return Figure


def _along_budgets(report: SelectionReport, axes: Any) -> None:
    budgets = [outcome.budget for outcome in report.outcomes]
    counted = "templates" if report.options.counts_templates else "features"
    axes.set_xlabel(f"budget ({counted})")
    axes.set_xticks(budgets)
    features = [outcome.features for outcome in report.outcomes]
    scores = [outcome.score for outcome in report.outcomes]
    if None in scores:
        axes.plot(budgets, features, "o-", color=_INK)
        axes.set_ylabel("features in the model")
        axes.set_ylim(bottom=0)
    else:
        name = next(iter(report.outcomes[0].scores))
        axes.plot(budgets, scores, "o-", color=_INK, zorder=3)
        axes.set_ylabel(name, color=_INK)
        sizes = axes.twinx()
        sizes.plot(budgets, features, "s--", color=_FAINT)
        sizes.set_ylabel("features in the model", color=_FAINT)
        sizes.set_ylim(bottom=0)
    axes.set_title(f"{report.task}: {report.options.method}, groups by {report.options.groups}")


def _along_epochs(report: SelectionReport, axes: Any) -> None:
    axes.set_title("features in memory while selecting")
    axes.set_xlabel("epochs")
    traced = [outcome for outcome in report.outcomes if outcome.trace]
    for outcome in traced:
        places, live = [0.0], [0]
        for instance, before, after in outcome.trace:
            places += [instance / report.instances] * 2
            live += [before, after]
        axes.plot(places, live, linewidth=0.9, label=f"budget {outcome.budget:,}")
    if traced:
        axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        axes.set_ylim(bottom=0)
    else:
        axes.text(0.5, 0.5, "this method only counts", ha="center", transform=axes.transAxes)
