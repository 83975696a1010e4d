"""Many graphs at once."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest
from oracles.graphs import random_graph
from oracles.interrupting import interrupted_soon
from oracles.optima import feasible_seeds, mixed_graph

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Status, solve_many


def choices(count: int) -> list[FactorGraph]:
    """Graph i is worth i + 1."""
    made = []
    for i in range(count):
        graph = FactorGraph()
        graph.exactly_one(graph.variables([i + 1.0, 0.5]))
        made.append(graph)
    return made


def impossible(name: str) -> FactorGraph:
    graph = FactorGraph()
    x = graph.variables([1.0], names=[name])
    graph.exactly_one(x)
    graph.fix(x, False)
    return graph


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_solutions_come_in_the_order_of_the_graphs(threads):
    found = solve_many(choices(40), threads=threads)
    assert [solution.value for solution in found] == list(range(1, 41))


@pytest.mark.parametrize("solver", ["admm", "subgradient", "branch_and_bound", "max_product"])
def test_threads_change_nothing(solver):
    drawn = [mixed_graph(seed) for seed in feasible_seeds(60)]
    graphs = [graph for graph, best in drawn if best.exact > -np.inf]
    alone = [graph.solve(solver) for graph in graphs]
    for threads in (1, 2):
        for one, other in zip(alone, solve_many(graphs, solver, threads=threads), strict=True):
            assert (one.status, one.value, one.upper_bound, one.iterations) == (
                other.status,
                other.value,
                other.upper_bound,
                other.iterations,
            )
            np.testing.assert_array_equal(one.values, other.values)


@pytest.mark.parametrize("threads", [1, 2])
def test_options_reach_the_solver(threads):
    ring = FactorGraph()
    xs = ring.variables([1.0, 1.2, 0.9, 1.1, 1.3])
    ring.not_all(np.stack([xs, np.roll(xs, 1)], axis=1))
    for found in solve_many([ring] * 4, threads=threads, max_iterations=2, trace=True):
        assert found.status is Status.LIMIT
        assert len(found.trace) == found.iterations == 2
    for found in solve_many([ring] * 2, "branch_and_bound", threads=threads, max_nodes=0):
        assert (found.status, found.iterations) == (Status.LIMIT, 0)
    with pytest.raises(InputError, match="max_iterations"):
        solve_many([ring], threads=threads, max_iterations=-1)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_unknown_solver_is_named(threads):
    for graphs in ([], choices(2)):
        with pytest.raises(InputError, match="unknown solver 'magic'"):
            solve_many(graphs, "magic", threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_infeasible_graph_is_reported(threads):
    graphs = [*choices(5), impossible("first"), *choices(5), impossible("second")]
    with pytest.raises(InfeasibleError, match="first"):
        solve_many(graphs, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_no_graphs_give_no_solutions(threads):
    assert solve_many([], threads=threads) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_graphs_may_come_from_a_generator(threads):
    found = solve_many((graph for graph in choices(3)), threads=threads)
    assert [solution.value for solution in found] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_threads_are_a_count(threads):
    with pytest.raises(InputError, match="threads"):
        solve_many(choices(2), threads=threads)


def test_linear_programs_may_be_solved_in_threads():
    # In a process of its own: a lock that is left closed would stop other tests.
    program = """
from turbotree.graphs import FactorGraph, solve_many
graphs = []
for i in range(60):
    graph = FactorGraph()
    graph.exactly_one(graph.variables([i + 1.0, 0.5]))
    graphs.append(graph)
for _ in range(5):
    found = solve_many(graphs, "linear_program", threads=4)
    assert [round(solution.value, 6) for solution in found] == list(range(1, 61))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20)
    assert done.returncode == 0


def test_custom_factors_may_be_asked_from_threads():
    graphs = []
    for seed in range(10):
        graph = FactorGraph()
        graph.custom(
            graph.variables(np.random.default_rng(seed).normal(size=4)),
            lambda scores: np.full(len(scores), scores.sum() > 0),
        )
        graphs.append(graph)
    for graph, found in zip(graphs, solve_many(graphs, threads=2), strict=True):
        assert found.value == pytest.approx(max(0.0, graph.scores.sum()))


def custom_choice(score: float) -> FactorGraph:
    graph = FactorGraph()
    graph.custom(graph.variables([score]), lambda scores: scores > 0)
    return graph


def clash(name: str) -> FactorGraph:
    graph = FactorGraph()
    graph.fix(graph.variables([-np.inf], names=[name]))
    return graph


def hard_graph(seed: int) -> FactorGraph:
    """A search that no test waits for the end of."""
    random = np.random.default_rng(seed)
    first, second = np.triu_indices(60, 1)
    scores = random.choice([-2.0, 2.0], size=len(first))
    graph = FactorGraph()
    # Half of each variable's pairs taken off: turning all values round changes nothing.
    taken = np.bincount(first, scores, 60) + np.bincount(second, scores, 60)
    xs = graph.variables(-taken / 2)
    graph.pair(xs[first], xs[second], scores)
    return graph


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("solver", ["admm", "max_product", "subgradient"])
def test_custom_factors_may_stand_among_others(threads, solver):
    graphs = [*choices(20), custom_choice(2.0), *choices(20), custom_choice(-1.0)]
    found = [solution.value for solution in solve_many(graphs, solver, threads=threads)]
    assert found == pytest.approx([*range(1, 21), 2.0, *range(1, 21), 0.0])


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("solver", ["admm", "branch_and_bound", "max_product", "subgradient"])
def test_the_first_failure_counts_wherever_it_is_noticed(threads, solver):
    early, late = impossible("early"), clash("late")
    with pytest.raises(InfeasibleError, match="early"):
        solve_many([*choices(40), early, *choices(3), late], solver, threads=threads)
    with pytest.raises(InfeasibleError, match="late"):
        solve_many([*choices(40), late, *choices(3), early], solver, threads=threads)
    with pytest.raises(InfeasibleError, match="early"):
        solve_many([*choices(3), early, custom_choice(1.0), late], solver, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_of_the_generator_is_passed_on(threads):
    def generate(*first):
        yield from first
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        solve_many(generate(*choices(20)), threads=threads)
    with pytest.raises(InfeasibleError, match="first"):
        solve_many(generate(impossible("first"), *choices(20)), threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_infinite_generator_ends_at_a_failure(threads):
    def generate():
        yield from choices(5)
        yield impossible("first")
        while True:
            yield from choices(1)

    with pytest.raises(InfeasibleError, match="first"):
        solve_many(generate(), threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_counts_for_each_graph(threads):
    started = time.perf_counter()
    graphs = [hard_graph(seed) for seed in range(4)]
    found = solve_many(graphs, "branch_and_bound", threads=threads, time_limit_seconds=0.1)
    assert [solution.status for solution in found] == [Status.LIMIT] * 4
    assert all(0.1 <= solution.seconds < 1.0 for solution in found)
    assert time.perf_counter() - started < 4.0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_ctrl_c_stops_large_graphs(threads):
    graphs = [hard_graph(seed) for seed in range(6)]
    started = time.perf_counter()
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        solve_many(graphs, "branch_and_bound", threads=threads)
    assert time.perf_counter() - started < 3.0


@pytest.fixture
def no_collections() -> Iterator[None]:
    """Hypothesis times collections in Python, and what is raised there is lost."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collections")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_small_graphs(threads):
    graphs = choices(10) * 20_000
    started = time.perf_counter()
    with interrupted_soon(), pytest.raises(KeyboardInterrupt):
        solve_many(graphs, threads=threads)
    assert time.perf_counter() - started < 3.0


@pytest.mark.parametrize("threads", [1, 2])
def test_graphs_may_begin_where_one_solution_ended(threads):
    first = choices(1)[0]
    start = first.solve()
    again = solve_many([first] * 20, threads=threads, warm_start=start)
    assert [solution.value for solution in again] == [1.0] * 20
    other = FactorGraph()
    other.at_most_one(other.variables([1.0, 2.0, 3.0]))
    with pytest.raises(InputError, match="warm_start: expected a solution of a graph with the sa"):
        solve_many([first, other], threads=threads, warm_start=start)


def test_factors_added_one_by_one_are_joined_as_blocks_are():
    for seed in range(30):
        graph = random_graph(np.random.default_rng(seed))
        joined = graph.copy()
        assert len(joined.blocks) > 0
        answers = [outcome(each) for each in (graph, joined)]
        assert answers[0] == answers[1]


def outcome(graph: FactorGraph) -> object:
    """What a short run of the solver gives, to the last bit."""
    try:
        found = graph.solve(max_iterations=50, trace=True)
    except InfeasibleError as error:
        return str(error)
    return found.trace.upper_bound.tobytes(), found.relaxed.tobytes()
