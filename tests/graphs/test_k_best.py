"""The k best assignments of random graphs of all kinds, against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import graphs

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Status, k_best
from turbotree.graphs.solvers.k_best import losses, values_of


def every_value(graph):
    size = len(graph)
    table = (np.arange(2**size)[:, np.newaxis] >> np.arange(size)) & 1
    values = graph.value(table)
    return sorted(values[values > -np.inf].tolist(), reverse=True)


@settings(max_examples=80, deadline=None)
@given(graph=graphs(), k=st.integers(1, 8))
def test_the_list_is_that_of_enumeration(graph, k):
    values = every_value(graph)
    if not values:
        with pytest.raises(InfeasibleError):
            k_best(graph, k)
        return
    found = k_best(graph, k)
    scale = max(1.0, abs(values[0]))
    assert [one.value for one in found] == pytest.approx(values[:k], abs=1e-4 * scale)
    assert len({one.values.tobytes() for one in found}) == len(found)
    for one in found:
        assert one.status is Status.OPTIMAL
        assert graph.value(one.values) == pytest.approx(one.value)
        assert one.upper_bound == one.value


def test_assignments_that_agree_in_their_keys_count_once():
    graph = FactorGraph()
    graph.exactly_one(graph.variables([2.0, 1.0]))
    graph.variables([0.5, -0.5])
    assert [one.value for one in k_best(graph, 9, keys=2, same_size=True)] == [2.5, 1.5]
    assert len(k_best(graph, 9)) == 8


def test_what_is_below_the_floor_need_not_be_found():
    graph = FactorGraph()
    graph.at_most_one(graph.variables([3.0, 2.0, 1.0]))
    assert [one.value for one in k_best(graph, 9, floor=1.5)] == [3.0, 2.0]
    assert k_best(graph, 9, floor=4.0) == []


def test_a_short_search_says_what_it_has_not_proven():
    rng = np.random.default_rng(5)
    graph = FactorGraph()
    xs = graph.variables(rng.normal(size=12))
    for i in range(12):
        for j in range(i):
            graph.pair(xs[i], xs[j], rng.normal())
    best = every_value(graph)
    for one in k_best(graph, 5, max_nodes=2):
        better = sum(value > one.value + 1e-9 for value in best)
        if one.status is Status.OPTIMAL:
            assert better == 0 or one.value == pytest.approx(best[better])
        assert one.upper_bound >= one.value


@settings(max_examples=40, deadline=None)
@given(graph=graphs())
def test_losses_bound_the_assignments_with_a_value(graph):
    size = len(graph)
    table = ((np.arange(2**size)[:, np.newaxis] >> np.arange(size)) & 1).astype(bool)
    values = graph.value(table)
    try:
        solution = graph.solve("branch_and_bound")
    except InfeasibleError:
        return
    found = losses(graph, solution)
    assert values_of(graph, table) == pytest.approx(values)
    slack = 1e-6 * max(1.0, abs(found.bound))
    assert values.max() <= found.bound + slack
    for variable in np.flatnonzero(graph.evidence < 0):
        ones = values[table[:, variable]].max()
        zeros = values[~table[:, variable]].max()
        assert ones <= found.bound - found.if_one[variable] + slack
        assert zeros <= found.bound - found.if_zero[variable] + slack


@pytest.mark.parametrize(
    ("options", "said"), [({"k": 0}, "k: expected"), ({"k": 1, "keys": 9}, "keys: expected at")]
)
def test_wrong_options_are_refused(options, said):
    graph = FactorGraph()
    graph.variables([1.0])
    with pytest.raises(InputError, match=said):
        k_best(graph, **options)
