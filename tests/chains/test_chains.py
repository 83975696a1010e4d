from __future__ import annotations

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.trees import log_sum

from turbotree.chains import best_states, marginals
from turbotree.errors import InfeasibleError, InputError

# Small whole numbers: sums are exact, and ties are frequent.
WHOLE = st.one_of(st.integers(-3, 3).map(float), st.just(-math.inf))
REAL = st.one_of(st.floats(-30, 30), st.just(-math.inf))


class Case:
    """Some chains, as lists and as the arrays that the functions take."""

    def __init__(self, chains):
        self.chains = chains  # for each chain: node scores, and edge scores from node to node
        offsets, edge_offsets = [0], [0]
        node_scores, edge_scores = [], []
        for nodes, edges in chains:
            for i, node in enumerate(nodes):
                node_scores += node
                edge_scores += [score for row in edges[i - 1] for score in row] if i else []
                offsets.append(len(node_scores))
                edge_offsets.append(len(edge_scores))
        self.arguments = (
            np.array(node_scores, dtype=float),
            np.array(offsets),
            np.array(edge_scores, dtype=float),
            np.array(edge_offsets),
        )

    def labellings(self, chain):
        """Give every sequence of states of a chain with its score."""
        nodes, edges = self.chains[chain]
        for states in product(*(range(len(node)) for node in nodes)):
            score = sum(node[s] for node, s in zip(nodes, states, strict=True))
            score += sum(edges[i][states[i]][states[i + 1]] for i in range(len(edges)))
            yield states, score


@st.composite
def cases(draw, scores):
    def numbers(count):
        return draw(st.lists(scores, min_size=count, max_size=count))

    chains = []
    for _ in range(draw(st.integers(0, 3))):
        sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
        nodes = [numbers(size) for size in sizes]
        edges = [[numbers(after) for _ in range(before)] for before, after in pairwise(sizes)]
        chains.append((nodes, edges))
    return Case(chains)


def feasible(case):
    return all(
        any(score > -math.inf for _, score in case.labellings(i)) for i in range(len(case.chains))
    )


@given(cases(WHOLE))
def test_best_states_are_the_best_of_all_and_ties_go_to_the_first_state_from_the_end(case):
    if not feasible(case):
        with pytest.raises(InfeasibleError):
            best_states(*case.arguments)
        return
    expected, value = [], 0.0
    for chain in range(len(case.chains)):
        scored = list(case.labellings(chain))
        highest = max(score for _, score in scored)
        best = min((s for s, score in scored if score == highest), key=lambda s: s[::-1])
        expected += best
        value += highest
    found = best_states(*case.arguments)
    assert found.states.tolist() == expected
    assert found.value == value


@given(cases(REAL))
def test_probabilities_are_sums_over_all_states(case):
    if not feasible(case):
        with pytest.raises(InfeasibleError):
            marginals(*case.arguments)
        return
    node_probabilities, edge_probabilities, log_partition = [], [], 0.0
    for chain, (nodes, edges) in enumerate(case.chains):
        scored = list(case.labellings(chain))
        total = log_sum(score for _, score in scored)
        log_partition += total

        def probability(holds, scored=scored, total=total):
            return math.fsum(math.exp(score - total) for states, score in scored if holds(states))

        for i, node in enumerate(nodes):
            for s in range(len(node)):
                node_probabilities.append(probability(lambda states, i=i, s=s: states[i] == s))
        for i, block in enumerate(edges):
            for r, row in enumerate(block):
                for s in range(len(row)):
                    edge_probabilities.append(
                        probability(lambda t, i=i, r=r, s=s: (t[i], t[i + 1]) == (r, s))
                    )
    found = marginals(*case.arguments)
    assert found.log_partition == pytest.approx(log_partition, abs=1e-9)
    assert found.node_probabilities.tolist() == pytest.approx(node_probabilities, abs=1e-9)
    assert found.edge_probabilities.tolist() == pytest.approx(edge_probabilities, abs=1e-9)


@given(cases(st.floats(-300, 300)))
def test_the_probabilities_of_edges_add_up_to_those_of_their_states(case):
    _, offsets, _, edge_offsets = case.arguments
    found = marginals(*case.arguments)
    for i in range(len(offsets) - 1):
        here = found.node_probabilities[offsets[i] : offsets[i + 1]]
        assert here.sum() == pytest.approx(1.0)
        if edge_offsets[i] == edge_offsets[i + 1]:
            continue
        before = found.node_probabilities[offsets[i - 1] : offsets[i]]
        block = found.edge_probabilities[edge_offsets[i] : edge_offsets[i + 1]]
        block = block.reshape(len(before), len(here))
        assert block.sum(axis=0).tolist() == pytest.approx(here.tolist(), abs=1e-9)
        assert block.sum(axis=1).tolist() == pytest.approx(before.tolist(), abs=1e-9)


def test_scores_far_apart_do_not_overflow():
    found = marginals([1e5, -1e5, 0.0], [0, 2, 3], [1e5, 3e5], [0, 0, 2])
    assert found.log_partition == pytest.approx(2e5 + math.log(2), abs=1e-9)
    assert found.node_probabilities.tolist() == pytest.approx([0.5, 0.5, 1.0])


def test_no_chains_have_one_empty_answer():
    best = best_states([], [0], [], [0])
    assert (best.states.tolist(), best.value) == ([], 0.0)
    assert marginals([], [0], [], [0]).log_partition == 0.0


def test_one_chain_without_an_answer_spoils_all():
    arguments = ([0.0, -math.inf], [0, 1, 2], [], [0, 0, 0])
    with pytest.raises(InfeasibleError, match="no states"):
        best_states(*arguments)
    with pytest.raises(InfeasibleError, match="no states"):
        marginals(*arguments)


GOOD = {
    "node_scores": [1.0, 2.0, 3.0],
    "offsets": [0, 2, 3],
    "edge_scores": [0.0, 1.0],
    "edge_offsets": [0, 0, 2],
}


@pytest.mark.parametrize("function", [best_states, marginals])
@pytest.mark.parametrize(
    "changes",
    [
        {"offsets": []},
        {"offsets": [0, 2, 4]},
        {"offsets": [0, 3, 2]},
        {"offsets": [1, 2, 3]},
        {"offsets": [0, 3, 3]},  # a node without states
        {"offsets": [0, 2, 2**40]},
        {"offsets": [0, 2, 3], "edge_offsets": [0, 2, 2]},  # an edge before the first node
        {"edge_offsets": [0, 0, 0, 2]},
        {"edge_offsets": [0, 0, 1], "edge_scores": [0.0]},
        {"edge_offsets": [0, 0, 3], "edge_scores": [0.0] * 3},
        {"edge_offsets": [0, 0, 2], "edge_scores": [0.0] * 3},
        {"edge_offsets": [], "edge_scores": []},
        {"node_scores": [1.0, math.nan, 3.0]},
        {"node_scores": [1.0, math.inf, 3.0]},
        {"edge_scores": [math.nan, 0.0]},
        {"node_scores": [[1.0, 2.0, 3.0]]},
        {"node_scores": ["a", "b", "c"]},
        {"node_scores": None},
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(function, changes):
    function(**GOOD)
    with pytest.raises(InputError):
        function(**{**GOOD, **changes})


@given(st.integers(1, 60), st.floats(-1e3, 1e3), st.floats(-50, 50))
def test_probabilities_never_exceed_one(nodes, high, low):
    """A sure thing stays a probability, however its logarithm is rounded."""
    offsets = np.arange(0, 2 * nodes + 1, 2)
    edge_offsets = np.concatenate([[0], np.arange(nodes) * 4])
    edge_scores = np.tile([0.1, 0.2, 0.3, high / 7], nodes - 1)
    result = marginals(np.tile([high, low], nodes), offsets, edge_scores, edge_offsets)
    assert result.node_probabilities.max() <= 1.0
    assert nodes == 1 or result.edge_probabilities.max() <= 1.0
