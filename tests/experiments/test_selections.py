"""Templates are selected once a method, and the lasso gets as many features as the group lasso."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from turbotree.experiments import SMALL, Cache, ExperimentContext, built_in
from turbotree.experiments.selections import measure_selections


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def context(tmp_path: Path, notes: list[str]) -> ExperimentContext:
    settings = replace(SMALL, epochs=1, pruner_epochs=1, selection_budgets=(4, 8))
    return ExperimentContext(built_in(30, 6), "test", settings, Cache(tmp_path), note=notes.append)


def test_every_method_has_an_outcome_for_every_budget(context: ExperimentContext) -> None:
    methods = ("group lasso", "lasso")
    found = measure_selections(context, methods)
    names = {f"{method} {budget}" for method in methods for budget in (4, 8)}
    assert set(found["systems"]) == set(found["selected"]) == names
    for system in found["systems"].values():
        pairs = zip(system["right"], found["words"], strict=True)
        assert all(0 <= right <= words for right, words in pairs)
    for budget in (4, 8):
        grouped, single = (found["selected"][f"{method} {budget}"] for method in methods)
        assert single["features"] <= grouped["features"]


def test_a_method_that_is_kept_is_not_run_again(
    context: ExperimentContext, notes: list[str]
) -> None:
    first = measure_selections(context, ("group lasso",))
    again = measure_selections(context, ("group lasso", "information gain"))
    assert [note for note in notes if "group lasso" in note] == notes[:1]
    assert "information gain" in notes[-1]
    for name, system in first["systems"].items():
        assert again["systems"][name] == system
