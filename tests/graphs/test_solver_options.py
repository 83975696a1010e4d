"""Names of solvers and of their options, and limits that are no common numbers."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from oracles.graphs import random_graph

from turbotree.errors import InputError
from turbotree.graphs import (
    SOLVERS,
    FactorGraph,
    Kind,
    Status,
    belief_propagation,
    brute_force_marginals,
    solve_many,
    sum_product,
)
from turbotree.graphs.solvers.options import (
    AdmmOptions,
    BranchAndBoundOptions,
    BruteForceMarginalsOptions,
    BruteForceOptions,
    LinearProgramOptions,
    MaxProductOptions,
    SubgradientOptions,
    SumProductOptions,
    Toulbar2Options,
)
from turbotree.graphs.solvers.registry import find_solver

# belief_propagation is another name of max_product; toulbar2 is tested where it is installed.
NAMES = sorted(set(SOLVERS) - {"belief_propagation", "toulbar2"})

every_solver = pytest.mark.parametrize("solver", NAMES)

#: What a solver calls its rounds, if it is not `max_iterations`.
ROUNDS = {"branch_and_bound": "max_nodes"}


@every_solver
def test_no_rounds_are_understood(solver):
    graph = random_graph(np.random.default_rng(3), [Kind.PAIR, Kind.OR])
    found = graph.solve(solver, **{ROUNDS.get(solver, "max_iterations"): 0})
    assert found.iterations == 0
    best = graph.solve("brute_force").value
    assert found.value <= best + 1e-9
    assert found.upper_bound >= best - 1e-9
    if solver not in ("linear_program", "max_product"):  # presolve and first messages say more
        assert (found.status, found.values, found.upper_bound) == (Status.LIMIT, None, np.inf)


@every_solver
def test_more_rounds_than_can_be_counted_are_understood(solver):
    graph = random_graph(np.random.default_rng(3), [Kind.PAIR, Kind.OR])
    found = graph.solve(solver, **{ROUNDS.get(solver, "max_iterations"): 10**30})
    assert found.value == graph.solve(solver).value


@every_solver
def test_an_unknown_option_is_named_beside_the_known_ones(solver):
    graph = FactorGraph()
    expected = f"{solver}: unknown option 'magic'; there are .*time_limit_seconds, .*trace"
    for solve in (graph.solve, partial(solve_many, [graph]), partial(solve_many, [])):
        with pytest.raises(InputError, match=expected) as raised:
            solve(solver, magic=1)
        assert "\n" not in str(raised.value)
    with pytest.raises(InputError, match="unknown option 'graph'"):
        graph.solve(solver, graph=graph)


def test_an_unknown_option_for_marginals_is_named():
    graph = FactorGraph()
    with pytest.raises(InputError, match="'magic'; there are factors, max_variables"):
        graph.marginals("brute_force", magic=1)
    with pytest.raises(InputError, match="'magic'; there are damping, factors, max_iterations"):
        graph.marginals(magic=1)
    for mode, first in (("sum", "damping, factors"), ("max", "damping, max_iterations")):
        with pytest.raises(InputError, match=f"'magic'; there are {first}"):
            belief_propagation(graph, mode=mode, magic=1)


@pytest.mark.parametrize("name", ["magic", "", None, 3, ["admm"]], ids=str)
def test_an_unknown_solver_is_named_beside_the_known_ones(name):
    graph = FactorGraph()
    with pytest.raises(InputError, match="there are admm, admm2011, belief_propagation"):
        graph.solve(name)
    with pytest.raises(InputError, match="there are belief_propagation, brute_force"):
        graph.marginals(name)


@pytest.mark.parametrize("solver", ["admm", "branch_and_bound", "max_product", "subgradient"])
def test_traces_are_asked_for_by_a_truth_value(solver):
    graph = FactorGraph()
    assert graph.solve(solver, trace=np.True_).trace is not None
    with pytest.raises(InputError, match="trace: expected True or False, got 'yes'"):
        graph.solve(solver, trace="yes")


OPTIONS = {
    "admm": AdmmOptions,
    "subgradient": SubgradientOptions,
    "branch_and_bound": BranchAndBoundOptions,
    "brute_force": BruteForceOptions,
    "linear_program": LinearProgramOptions,
    "max_product": MaxProductOptions,
    "belief_propagation": MaxProductOptions,
    "toulbar2": Toulbar2Options,
}


def test_the_types_of_options_list_all_keywords_of_their_solvers():
    assert OPTIONS.keys() == SOLVERS.keys()
    for name, options in OPTIONS.items():
        assert options.__optional_keys__ == set(find_solver(name).__kwdefaults__)
    assert SumProductOptions.__optional_keys__ == set(sum_product.__kwdefaults__)
    own = brute_force_marginals.__kwdefaults__
    assert BruteForceMarginalsOptions.__optional_keys__ == set(own)
