"""What the figures of benchmarks/selection.py have to reach, and their picture."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from reporting import Bar

Row = dict[str, Any]

# Budget, the paper's score with all templates and with the selection, and features at most.
_LABELLING = {
    "conll2000": (30, 93.10, 93.59, 400_000),
    "esp": (200, 74.09, 75.05, None),
    "ned": (200, 71.54, 73.33, None),
}
_TREEBANKS = ("tr_imst", "sv_lines", "eu_bdt")
_BUDGETS = (200, 300, 400)


def bars(rows: list[Row]) -> list[Bar]:
    """List the bars of which everything is measured; only whole data sets count."""
    tested = _tested(rows)
    found = []
    for data, (budget, floor, selected_floor, most) in _LABELLING.items():
        whole = _find(tested, data, "all")
        chosen = _find(tested, data, "group-lasso", budget)
        if whole:
            found.append(Bar(f"{data}: F1, all templates", whole["score"], floor, True))
        if chosen:
            name = f"{data}: F1, {budget} templates"
            found.append(Bar(name, chosen["score"], selected_floor, True))
        if chosen and most is not None:
            name = f"{data}: features, {budget} templates"
            found.append(Bar(name, chosen["features"], most, False))
        if whole and chosen:
            name = f"{data}: F1, {budget} templates beside all"
            found.append(Bar(name, chosen["score"], whole["score"], True))
            share = 100.0 * chosen["peak_features"] / whole["met_features"]
            found.append(Bar(f"{data}: features in memory while selecting", share, 15, False, "%"))
    return found + _parsing(tested)


def _parsing(rows: list[Row]) -> list[Bar]:
    found: list[Bar] = []
    gains = []
    for data in _TREEBANKS:
        whole = _find(rows, data, "all")
        ours = [_find(rows, data, "group-lasso", budget) for budget in _BUDGETS]
        theirs = [_find(rows, data, "information-gain", budget) for budget in _BUDGETS]
        gains += [a["score"] - b["score"] for a, b in zip(ours, theirs, strict=True) if a and b]
        if not whole:
            continue
        small = [row for row in ours if row and row["features"] <= whole["features"] / 2]
        if any(ours):
            # The best that has at most half the features.
            best = max((row["score"] for row in small), default=0.0)
            name = f"{data}: UAS below all templates, half the features"
            found.append(Bar(name, whole["score"] - best, 0.2, False))
    if gains:
        name = f"trees: UAS above information gain, mean of {len(gains)}"
        found.append(Bar(name, mean(gains), 0.0, True))
    return found


def _tested(rows: list[Row]) -> list[Row]:
    return [row for row in rows if not row["run"]["held_out"] and "sentences" not in row["run"]]


def _find(rows: list[Row], data: str, method: str, budget: int | None = None) -> Row | None:
    """Return the last run of a kind."""
    for row in reversed(rows):
        run = row["run"]
        if (run["data"], run["method"], run.get("budget")) == (data, method, budget):
            return row
    return None


def plot_memory(rows: list[Row], path: Path) -> None:
    """Draw the features in memory while selecting, beside those of training with all templates."""
    from matplotlib.figure import Figure

    tested = _tested(rows)
    names = [name for name in (*_LABELLING, *_TREEBANKS) if _find(tested, name, "all")]
    figure = Figure(figsize=(4.2 * max(1, len(names)), 3.6), layout="constrained")
    panels = figure.subplots(1, max(1, len(names)), squeeze=False)[0]
    for axes, data in zip(panels, names, strict=False):
        whole = _find(tested, data, "all")
        assert whole is not None
        limit = whole["met_features"]
        axes.axhline(limit, color="#888888", label="all templates, in the end")
        axes.axhline(0.15 * limit, color="#c0504d", linestyle=":", label="15 % of these")
        for row in tested:
            run = row["run"]
            if run["data"] != data or not row.get("trace"):
                continue
            places, live = [0.0], [0]
            for instance, before, after in row["trace"]:
                places += [instance / row["instances"]] * 2
                live += [before, after]
            # The refit holds what the selection left.
            places.append(run["selection_epochs"] + run["epochs"])
            live.append(live[-1])
            axes.plot(places, live, linewidth=1, label=f"budget {run['budget']}")
        axes.set_title(data)
        axes.set_xlabel("epochs")
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.005 * limit)
        axes.legend(fontsize="small")
    panels[0].set_ylabel("features in memory")
    figure.savefig(path)
