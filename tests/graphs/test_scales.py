"""Proofs hold whatever scores are measured in, masked with or fixed beside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.distortions import DISTORTIONS, rescored, resolution, scaled
from oracles.graphs import graphs, random_graph

from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Kind, Solution, Status, k_best

SOLVERS: dict[str, tuple[str, dict[str, object]]] = {
    "admm": ("admm", {}),
    "branch_and_bound": ("branch_and_bound", {}),
    "subgradient": ("subgradient", {}),
    "max_product": ("max_product", {}),
    "linear_program": ("linear_program", {}),
    "integer program": ("linear_program", {"exact": True}),
}
EXACT = ("branch_and_bound", "integer program")
#: Those that have scores of their own.
SCORED = (
    Kind.PAIR,
    Kind.DENSE,
    Kind.HEAD_AUTOMATON,
    Kind.GRANDPARENT_AUTOMATON,
    Kind.TRIPLE_AUTOMATON,
    Kind.CHAIN,
)

every_solver = pytest.mark.parametrize("solver", SOLVERS)
seeds = st.integers(0, 2**32 - 1)


def solved(graph: FactorGraph, solver: str) -> Solution | None:
    name, options = SOLVERS[solver]
    try:
        return graph.solve(name, **options)
    except InfeasibleError:
        return None


def values_of_all(graph: FactorGraph) -> np.ndarray:
    every = (np.arange(2 ** len(graph))[:, np.newaxis] >> np.arange(len(graph))) & 1
    return np.asarray(graph.value(every.astype(bool)))


def assert_honest(graph: FactorGraph, found: Solution | None, solver: str, unit: float) -> None:
    """A value is that of its assignment, a bound is above all, a proof is one."""
    best = float(values_of_all(graph).max())
    if found is None:
        assert best == -np.inf
        return
    if best == -np.inf:
        assert found.values is None
        assert found.status is not Status.OPTIMAL
        assert solver not in EXACT
        return
    near = resolution(unit, best)
    assert found.upper_bound >= best - near
    if found.values is not None:
        own = graph.value(found.values)
        assert found.value == pytest.approx(own, rel=1e-9, abs=1e-9 * unit)
    if found.status is Status.OPTIMAL:
        assert found.values is not None
        assert found.value >= best - near
    else:
        assert solver != "branch_and_bound"


@every_solver
@pytest.mark.parametrize("distortion", DISTORTIONS)
@settings(max_examples=12)
@given(graph=graphs(), seed=seeds)
def test_no_proof_is_false(solver, distortion, graph, seed):
    change, unit = DISTORTIONS[distortion]
    distorted = rescored(graph, change(np.random.default_rng(seed)))
    assert_honest(distorted, solved(distorted, solver), solver, unit)


@every_solver
@pytest.mark.parametrize("seed", [583, 1515])
def test_differences_count_where_most_scores_are_masks(solver, seed):
    change, unit = DISTORTIONS["mostly masks"]
    distorted = rescored(
        random_graph(np.random.default_rng(seed)), change(np.random.default_rng(seed))
    )
    assert_honest(distorted, solved(distorted, solver), solver, unit)


@every_solver
@settings(max_examples=40)
@given(graph=graphs(), exponent=st.integers(-30, 40), seed=seeds)
def test_a_unit_changes_nothing(solver, graph, exponent, seed):
    # A power of two loses no digit, so that every step is the same.
    first = solved(graph, solver)
    again = solved(rescored(graph, scaled(2.0**exponent)(np.random.default_rng(seed))), solver)
    if first is None or again is None:
        assert first is again
        return
    assert again.status is first.status
    assert again.iterations == first.iterations
    assert again.value == first.value * 2.0**exponent
    assert again.upper_bound == first.upper_bound * 2.0**exponent
    if first.values is not None:
        assert (again.values == first.values).all()


@every_solver
@settings(max_examples=30)
@given(seed=seeds)
def test_constants_of_choices_change_nothing_else(solver, seed):
    rng = np.random.default_rng(seed)
    plain, shifted = FactorGraph(), FactorGraph()
    scores, constants = rng.normal(size=(4, 3)), rng.choice([-1e9, 0.0, 1e6], size=(4, 1))
    between = rng.normal(size=(3, 3, 3))
    for graph, own in ((plain, scores), (shifted, scores + constants)):
        states = graph.variables(own)
        for choice in states:
            graph.exactly_one(choice)
        for one in range(3):
            for a in range(3):
                for b in range(3):
                    graph.pair(states[one, a], states[one + 1, b], between[one, a, b])
    first, again = solved(plain, solver), solved(shifted, solver)
    assert first is not None
    assert again is not None
    assert_honest(shifted, again, solver, 1.0)
    if solver in EXACT:
        assert (again.values == first.values).all()


@every_solver
@settings(max_examples=60)
@given(
    seed=seeds,
    size=st.sampled_from([1e3, 2e5, 1e7, 1e9, 1e12]),
    sign=st.sampled_from([-1.0, 1.0]),
)
def test_evidence_holds_beside_any_score(solver, seed, size, sign):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, SCORED, factors=2, evidence=0.4)

    def change(scores: np.ndarray) -> np.ndarray:
        large = (rng.random(scores.shape) < 0.3) & np.isfinite(scores)
        return np.where(large, sign * size, scores)

    distorted = rescored(graph, change)
    assert_honest(distorted, solved(distorted, solver), solver, 1.0)


@every_solver
@pytest.mark.parametrize("score", [2e5, 1e7, 1e12])
def test_a_fixed_variable_is_no_reason_to_call_a_graph_impossible(solver, score):
    graph = FactorGraph()
    variables = graph.variables([0.3, 0.1])
    scores = np.zeros((3, 3))
    scores[0, 1] = score  # the second one is the first modifier
    graph.siblings(variables, scores)
    graph.fix(variables[1], False)
    found = solved(graph, solver)
    assert found is not None
    assert found.value == pytest.approx(0.3)
    assert found.status is Status.OPTIMAL


@pytest.mark.parametrize("size", [1e6, 1e9])
def test_a_function_may_add_large_scores(size):
    def few(scores: np.ndarray) -> tuple[np.ndarray, float]:
        """All or nothing; all costs much."""
        return (np.ones(3), -size) if scores.sum() > size else (np.zeros(3), 0.0)

    graph = FactorGraph()
    graph.custom(graph.variables([size, 0.5, 0.25]), few)
    found = graph.solve("branch_and_bound")
    assert found.status is Status.OPTIMAL
    assert found.value == 0.75


@every_solver
@settings(max_examples=25)
@given(graph=graphs(), seed=seeds)
def test_the_order_of_variables_does_not_matter(solver, graph, seed):
    order = np.random.default_rng(seed).permutation(len(graph))
    place = np.argsort(order)
    other = FactorGraph()
    other.variables(graph.scores[order])
    other._chunks = {
        kind: [
            chunk._replace(variables=place[chunk.variables].astype(np.int32)) for chunk in chunks
        ]
        for kind, chunks in graph._chunks.items()
    }
    fixed = np.flatnonzero(graph.evidence >= 0)
    if fixed.size:
        other.fix(place[fixed], graph.evidence[fixed].astype(bool))
    found = solved(other, solver)
    assert_honest(other, found, solver, 1.0)
    if found is not None and found.status is Status.OPTIMAL:
        assert found.value == pytest.approx(values_of_all(graph).max(), abs=2e-5)


@pytest.mark.parametrize("distortion", DISTORTIONS)
@settings(max_examples=12)
@given(graph=graphs(feasible=True), seed=seeds)
def test_the_k_best_are_the_best_of_all(distortion, graph, seed):
    change, unit = DISTORTIONS[distortion]
    distorted = rescored(graph, change(np.random.default_rng(seed)))
    best = np.sort(values_of_all(distorted))[::-1]
    best = best[best > -np.inf]
    if not best.size:
        with pytest.raises(InfeasibleError):
            k_best(distorted, 4)
        return
    found = k_best(distorted, 4)
    assert len(found) == min(4, len(best))
    for solution, value in zip(found, best[:4], strict=False):
        assert solution.status is Status.OPTIMAL
        assert solution.value == pytest.approx(value, abs=resolution(unit, value))
        assert distorted.value(solution.values) == pytest.approx(
            solution.value, rel=1e-9, abs=1e-9 * unit
        )


@pytest.mark.parametrize("distortion", DISTORTIONS)
@settings(max_examples=12)
@given(seed=seeds)
@example(seed=4671180)  # a pair that is forbidden
def test_probabilities_are_those_of_all_assignments(distortion, seed):
    # One factor, so that belief propagation is exact.
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, factors=1)
    change, unit = DISTORTIONS[distortion]
    distorted = rescored(graph, change(rng))
    try:
        exact = distorted.marginals("brute_force")
    except InfeasibleError:
        return
    found = distorted.marginals()
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
    # Sums of scores are that precise. Masks count only where nothing goes without them.
    largest = 10 * unit
    if exact.log_partition < -1e3 * unit:
        every = [distorted.scores, *(block.scores for block in distorted.blocks)]
        largest = max(np.abs(own[own > -np.inf]).max(initial=0.0) for own in every)
    lost = 1e-14 * largest * len(graph)
    if lost > 1e-3:
        return
    assert found.probabilities == pytest.approx(exact.probabilities, abs=1e-7 + lost)
    assert found.log_partition == pytest.approx(exact.log_partition, rel=1e-9, abs=1e-7 + lost)
