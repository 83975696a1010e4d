"""Templates of arcs selected in one way or another, and what parsers make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from turbotree.experiments.context import PLAIN_LABELS, ExperimentContext
from turbotree.experiments.measuring import parse_right, words_of
from turbotree.experiments.records import Measured, Series
from turbotree.learning import SelectionOptions
from turbotree.parsing import select_parser
from turbotree.parsing.templates import load_templates

_METHODS: dict[str, dict[str, Any]] = {
    "group lasso": {"method": "group-lasso"},
    "group lasso, log2": {"method": "group-lasso", "costs": "log2"},
    "information gain": {"method": "information-gain"},
    "coarse to fine": {"method": "group-lasso", "groups": "coarse-to-fine"},
    "coarse to fine, log2": {
        "method": "group-lasso",
        "groups": "coarse-to-fine",
        "costs": "log2",
        "pseudo_budgets": True,
    },
    "lasso": {"method": "l1"},
}


def measure_selections(context: ExperimentContext, methods: Sequence[str]) -> Measured:
    """Select by some methods, each for all budgets, and parse with what came of it.

    The lasso wants to come after the group lasso.
    """
    budgets = list(context.settings.selection_budgets)
    systems, selected, families = {}, {}, {}
    wanted = budgets
    for method in methods:
        # The lasso gets as many features as the group lasso has, so that the two can be compared.
        found = _selected(context, method, wanted if method == "lasso" else budgets)
        for budget, outcome in zip(budgets, found["outcomes"], strict=True):
            systems[f"{method} {budget}"] = {"right": outcome.pop("right")}
            selected[f"{method} {budget}"] = outcome
        if method == "group lasso":
            wanted = [outcome["features"] for outcome in found["outcomes"]]
        families = found["families"]
    return {
        "words": words_of(context.gold),
        "systems": systems,
        "selected": selected,
        "methods": list(methods),
        "budgets": budgets,
        "families": families,
        "instances": len(context.dataset.train),
    }


def memory_curves(
    plain: Sequence[int], trace: Sequence[Sequence[int]], instances: int
) -> tuple[Series, Series]:
    """Draw features in memory by epoch: those of all templates, and those while selecting.

    Parameters
    ----------
    plain
        Features after each epoch of training with all templates.
    trace
        Of a selection: instance, features before and after a step.
    instances
        Of the training set.
    """
    x = [float(at) / instances for at, _, _ in trace for _ in (0, 1)]
    y = [float(count) for _, before, after in trace for count in (before, after)]
    epochs = tuple(float(number + 1) for number in range(len(plain)))
    return (
        Series("all templates", epochs, tuple(float(count) for count in plain)),
        Series("group lasso, middle budget", tuple(x), tuple(y)),
    )


def _selected(context: ExperimentContext, method: str, budgets: Sequence[int]) -> Measured:
    """Select by one method for some budgets, or take what is kept of that."""
    settings = context.settings
    options = {
        **_METHODS[method],
        "epochs": max(1, settings.epochs // 2),
        "rounds_between": min(300, max(1, len(context.dataset.train) // 2)),
        "refit": "selected" if method == "lasso" else "templates",
    }
    inputs = {
        "what": "selection",
        "selection": options,
        "budgets": list(budgets),
        "parser": context.parser_inputs({"parts": ["arc"], "templates": _templates(context)}),
        "measured_on": context.dataset.fingerprint(context.split),
    }
    return dict(context.cache.get(inputs, lambda: _select(context, method, budgets, options)))


def _templates(context: ExperimentContext) -> dict[str, list[str]]:
    return {**PLAIN_LABELS, "arc": load_templates(context.settings.selection_templates)}


def _select(
    context: ExperimentContext, method: str, budgets: Sequence[int], options: Mapping[str, Any]
) -> Measured:
    settings, templates = context.settings, _templates(context)
    context.note(f"selecting from {len(templates['arc'])} templates by {method}")
    with context.progress() as progress:
        parsers, report = select_parser(
            list(context.dataset.train),
            budgets,
            selection=SelectionOptions(**options, seed=settings.seed),
            templates=templates,
            epochs=settings.epochs,
            pruner_epochs=settings.pruner_epochs,
            seed=settings.seed,
            threads=context.threads,
            progress=progress,
        )
    places = [outcome.budget for outcome in report.outcomes]
    outcomes = []
    for budget in budgets:
        place = places.index(budget)  # equal budgets share a parser
        parser, outcome = parsers[place], report.outcomes[place]
        outcomes.append(
            {
                "right": parse_right(parser, context.gold)["right"],
                "features": outcome.features,
                "families": report.families(outcome.templates),
                "peak": outcome.peak_features,
                "trace": [list(point) for point in outcome.trace],
            }
        )
    return {"outcomes": outcomes, "families": report.families()}
