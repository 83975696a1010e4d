"""Rules of random formulas allow what the formulas say, by enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.formulas import AGES, FRIENDS, THINGS, random_formula

from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph
from turbotree.graphs.rules import Rules


def small_world(rng):
    """A graph of p and q; some of q are known, and q of 'c' and 'a' is not listed at all."""
    graph = FactorGraph()
    p = {thing: graph.variable(float(rng.normal())) for thing in THINGS}
    q = {}
    for pair in product(THINGS, repeat=2):
        if pair != ("c", "a"):
            known = rng.random() < 0.3
            q[pair] = bool(rng.random() < 0.5) if known else graph.variable(float(rng.normal()))
    return graph, {"p": p, "q": q}


def truth_of(predicates, values):
    """What is true under an assignment of the graph's variables."""
    true = {("p", thing): bool(values[x]) for thing, x in predicates["p"].items()}
    for pair in product(THINGS, repeat=2):
        x = predicates["q"].get(pair, False)
        true[("q", *pair)] = x if isinstance(x, bool) else bool(values[x])
    return true


def apply(text, graph, predicates):
    return Rules.from_text(text).apply(
        graph,
        predicates=predicates,
        observed={"friends": FRIENDS},
        functions={"age": AGES},
        domains={"thing": THINGS},
    )


def every(count):
    return (np.arange(2**count)[:, np.newaxis] >> np.arange(count)) & 1


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_hard_rule_allows_exactly_the_assignments_that_obey_it(seed):
    rng = np.random.default_rng(seed)
    text, holds = random_formula(rng)
    graph, predicates = small_world(rng)
    base, count = graph.copy(), len(graph)
    assignments = every(count)
    scores = np.array(
        [
            base.value(one) if holds(truth_of(predicates, one), {}) else -np.inf
            for one in assignments
        ]
    )
    try:
        apply(text, graph, predicates)
    except InfeasibleError:
        assert scores.max() == -np.inf, text
        return
    if len(graph) <= 16:
        # The variables of its own have exactly one value for every assignment that obeys.
        values = graph.value(every(len(graph))).reshape(-1, 2**count)
        assert values.max(axis=0) == pytest.approx(scores), text
        assert ((values > -np.inf).sum(axis=0) <= 1).all(), text
        return
    try:
        assert graph.solve("linear_program", exact=True).value == pytest.approx(scores.max()), text
    except InfeasibleError:
        assert scores.max() == -np.inf, text


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_weight_is_what_each_broken_instance_costs(seed):
    rng = np.random.default_rng(seed)
    weight = round(float(rng.normal()), 3)
    inner, holds = random_formula(rng, ("x", "y"), depth=2)
    graph, predicates = small_world(rng)
    base, count = graph.copy(), len(graph)
    applied = apply(f"[{weight}] forall x, y: {inner}", graph, predicates)
    best = -np.inf
    for one in every(count):
        true = truth_of(predicates, one)
        broken = sum(not holds(true, {"x": x, "y": y}) for x in THINGS for y in THINGS)
        best = max(best, base.value(one) - weight * broken)
    found = graph.solve("linear_program", exact=True).value + applied.constant
    assert found == pytest.approx(best), inner
