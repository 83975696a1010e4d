"""What single experiments of the papers measure, on data that is small enough to look at."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from turbotree.experiments import EXPERIMENTS, SMALL, Cache, ExperimentContext, built_in
from turbotree.experiments.catalogue.sparsity2011.fig1 import diagrams
from turbotree.experiments.catalogue.turbo2010.text import flow_graph_of_two_words
from turbotree.experiments.records import Measured, Shown
from turbotree.graphs import brute_force_marginals

TINY = replace(
    SMALL,
    epochs=1,
    pruner_epochs=1,
    grid=(5, 50),
    rounds=50,
    chunk_budgets=(3, 6),
    entity_budgets=(5, 10),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models are trained once for all tests."""
    return tmp_path_factory.mktemp("models")


def run(name: str, folder: Path) -> tuple[Measured, Shown]:
    """Measure one experiment on little data."""
    (experiment,) = [own for own in EXPERIMENTS if own.id == name]
    context = ExperimentContext(built_in(30, 8), experiment.split, TINY, Cache(folder))
    measured = experiment.measure(context)
    return measured, experiment.show({"built-in": measured})


def test_the_entropy_of_appendix_b_is_that_of_the_paper(folder: Path) -> None:
    graph, marginals = flow_graph_of_two_words()
    np.testing.assert_allclose(brute_force_marginals(graph).probabilities, marginals, atol=1e-12)
    measured, shown = run("turbo2010-appendix-b", folder)
    binary = -(1 / 3) * math.log(1 / 3) - (2 / 3) * math.log(2 / 3)
    assert measured["bethe"] == pytest.approx(-4 * binary + 2 * math.log(3), abs=1e-9)
    assert ("true entropy", "1.0986", "1.0986") in shown.tables[0].rows


def test_the_figure_of_rounds_has_both_kinds_of_accuracy_and_solved_relaxations(
    folder: Path,
) -> None:
    measured, shown = run("admm2011-fig2", folder)
    along, components = measured["along"]["ADMM, full"], measured["components"]
    assert list(along) == ["5", "50"]
    for own in along.values():
        assert all(0 <= a <= b for a, b in zip(own["right"], own["every"], strict=True))
    solved = np.array(measured["solved"]["ADMM, full"])
    assert solved.shape == (8, 2)
    assert (solved[:, 0] <= solved[:, 1]).all()
    full, coarse = (np.sum(components[f"subgradient, {m}"]) for m in ("full", "second order"))
    assert full > coarse
    assert [table.title for table in shown.tables] == [
        "Along the rounds",
        "Subproblems per sentence",
    ]


def test_examples_are_words_that_only_the_full_model_has_right(folder: Path) -> None:
    measured, shown = run("admm2011-examples", folder)
    for around, head, wrong in measured["examples"]:
        assert around.count("[") == 1
        assert head != wrong or head != "root"
    assert len(shown.claims) == 1


def test_convergence_is_counted_by_sentence(folder: Path) -> None:
    measured, _ = run("turbo2010-convergence", folder)
    assert len(measured["converged"]) == 8
    assert set(measured["converged"]) <= {0, 1}


def test_the_diagrams_are_those_of_the_figure() -> None:
    found = diagrams()
    assert found["sparse group lasso"].arcs == ((0, 2), (0, 3), (1, 4), (1, 5))
    fine = found["coarse to fine"]
    names = fine.names
    inside = {(names[a], names[b]) for a, b in fine.arcs}
    # Tags come before words, and single positions before pairs.
    assert {("p0", "w0"), ("p0", "p0 p1"), ("p0 p1", "w0 p1"), ("w0 p1", "w0 w1")} <= inside
    assert ("p0", "w0 w1") not in inside


def test_the_memory_of_chunking_is_below_that_of_all_templates(folder: Path) -> None:
    measured, shown = run("sparsity2011-fig2-chunks", folder)
    systems = measured["systems"]
    assert systems["6"]["peak"] < max(systems["all templates"]["epoch_features"])
    assert shown.claims[0].verdict.startswith("holds")


def test_entities_have_development_scores_strengths_and_times(folder: Path) -> None:
    measured, shown = run("sparsity2011-table2", folder)
    systems = measured["systems"]
    kept = [systems[f"lasso C = {c}"]["features"] for c in ("0.1", "0.5", "1")]
    assert kept[0] <= kept[1] <= kept[2]
    assert all(len(own["seconds"]) == len(own["gold"]) for own in systems.values())
    assert "dev F1" in shown.tables[0].columns
