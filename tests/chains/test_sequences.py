"""Rows of words with forbidden transitions, against the enumeration of all labellings."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.trees import log_sum

from turbotree.chains import Transitions
from turbotree.errors import InfeasibleError, InputError


class Case:
    """Rows of words with scores, and all their labellings."""

    def __init__(self, allowed, starts, ends, rows):
        self.transitions = Transitions(allowed, starts, ends)
        self.lengths = [len(nodes) for nodes, _ in rows]
        self.rows = rows
        pairs = self.transitions.pairs.tolist()
        self.nodes = [x for nodes, _ in rows for node in nodes for x in node]
        self.edges = [step[a][b] for _, edges in rows for step in edges for a, b in pairs]

    def labellings(self, row):
        """Give every labelling that is allowed, with its score."""
        nodes, edges = self.rows[row]
        t = self.transitions
        for labels in itertools.product(range(t.labels), repeat=len(nodes)):
            if labels and not (t.starts[labels[0]] and t.ends[labels[-1]]):
                continue
            steps = list(itertools.pairwise(labels))
            if not all(t.allowed[a, b] for a, b in steps):
                continue
            score = sum(node[x] for node, x in zip(nodes, labels, strict=True))
            score += sum(edge[a][b] for edge, (a, b) in zip(edges, steps, strict=True))
            if score > -math.inf:
                yield labels, score


WHOLE = st.one_of(st.integers(-3, 3).map(float), st.just(-math.inf))
REAL = st.one_of(st.floats(-20, 20), st.just(-math.inf))


@st.composite
def cases(draw, scores, *, rows=2):
    labels = draw(st.integers(1, 3))
    flags = st.lists(st.booleans(), min_size=labels, max_size=labels)
    table = st.lists(flags, min_size=labels, max_size=labels)

    def square():
        row = st.lists(scores, min_size=labels, max_size=labels)
        return draw(st.lists(row, min_size=labels, max_size=labels))

    made = []
    for _ in range(draw(st.integers(1, rows))):
        length = draw(st.integers(1, 4))
        nodes = [draw(st.lists(scores, min_size=labels, max_size=labels)) for _ in range(length)]
        made.append((nodes, [square() for _ in range(length - 1)]))
    return Case(draw(table), draw(flags), draw(flags), made)


def feasible(case):
    return all(any(True for _ in case.labellings(i)) for i in range(len(case.rows)))


@given(cases(WHOLE))
def test_the_best_labels_are_the_best_of_all_and_ties_go_to_the_first_label_from_the_end(case):
    arguments = (case.lengths, case.nodes, case.edges)
    if not feasible(case):
        with pytest.raises(InfeasibleError):
            case.transitions.best(*arguments)
        return
    found = case.transitions.best(*arguments)
    expected, values = [], []
    for row in range(len(case.rows)):
        scored = list(case.labellings(row))
        values.append(max(score for _, score in scored))
        expected += min((x for x, score in scored if score == values[-1]), key=lambda x: x[::-1])
    assert found.labels.tolist() == expected
    assert found.values.tolist() == values


@given(cases(REAL))
def test_probabilities_are_sums_over_all_allowed_labellings(case):
    arguments = (case.lengths, case.nodes, case.edges)
    if not feasible(case):
        with pytest.raises(InfeasibleError):
            case.transitions.marginals(*arguments)
        return
    nodes, edges, totals = [], [], []
    for row, length in enumerate(case.lengths):
        scored = list(case.labellings(row))
        totals.append(log_sum(score for _, score in scored))

        def probability(holds, scored=scored, total=totals[-1]):
            return math.fsum(math.exp(score - total) for labels, score in scored if holds(labels))

        for i in range(length):
            for s in range(case.transitions.labels):
                nodes.append(probability(lambda x, i=i, s=s: x[i] == s))
        for i in range(length - 1):
            for a, b in case.transitions.pairs.tolist():
                edges.append(probability(lambda x, i=i, a=a, b=b: x[i : i + 2] == (a, b)))
    found = case.transitions.marginals(*arguments)
    assert found.log_partitions.tolist() == pytest.approx(totals, abs=1e-9)
    assert found.node_probabilities.tolist() == pytest.approx(nodes, abs=1e-9)
    assert found.edge_probabilities.tolist() == pytest.approx(edges, abs=1e-9)


@given(cases(st.floats(-2000, 2000), rows=1))
def test_scores_far_apart_lose_nothing(case):
    if not feasible(case):
        return
    found = case.transitions.marginals(case.lengths, case.nodes, case.edges)
    total = log_sum(score for _, score in case.labellings(0))
    assert found.log_partitions[0] == pytest.approx(total, rel=1e-12, abs=1e-9)
    by_word = found.node_probabilities.reshape(-1, case.transitions.labels)
    assert by_word.sum(axis=1).tolist() == pytest.approx([1.0] * case.lengths[0])


@given(cases(WHOLE, rows=1), st.integers(1, 12))
def test_the_k_best_are_the_first_of_all_sorted_by_score(case, k):
    if not feasible(case):
        with pytest.raises(InfeasibleError):
            case.transitions.k_best(case.nodes, case.edges, k)
        return
    found = case.transitions.k_best(case.nodes, case.edges, k)
    everything = dict(case.labellings(0))
    rows = [tuple(row) for row in found.labels.tolist()]
    assert len(set(rows)) == len(rows) == min(k, len(everything))
    assert found.values.tolist() == sorted(everything.values(), reverse=True)[:k]
    assert [everything[row] for row in rows] == found.values.tolist()


def test_an_empty_row_has_one_labelling_of_score_zero():
    transitions = Transitions(np.ones((2, 2)))
    assert transitions.best([0, 1], [0.0, 1.0], []).labels.tolist() == [1]
    assert transitions.marginals([0], [], []).log_partitions.tolist() == [0.0]
    assert transitions.k_best([], [], 3).values.tolist() == [0.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([2], [0.0, 0.0], []), "do not fit"),
        (([-1], [], []), "negative"),
        (([1], [np.nan, 0.0], []), "NaN"),
        ((["x"], [], []), "x"),
        (([2**40], [], []), "numbers"),
    ],
)
def test_what_does_not_fit_is_an_input_error(arguments, message):
    for algorithm in (Transitions(np.ones((2, 2))).best, Transitions(np.ones((2, 2))).marginals):
        with pytest.raises(InputError, match=message):
            algorithm(*arguments)


def test_transitions_are_a_square_table_with_flags_for_each_label():
    with pytest.raises(InputError, match="one row per label"):
        Transitions(np.ones((2, 3)))
    with pytest.raises(InputError, match="one row per label"):
        Transitions(np.ones((0, 0)))
    with pytest.raises(InputError, match="starts"):
        Transitions(np.ones((2, 2)), starts=[1])
    with pytest.raises(InputError, match="k is 0"):
        Transitions(np.ones((2, 2))).k_best([0.0, 0.0], [], 0)
