"""Chains of second order, beside all rows of labels one by one."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.chains import Transitions
from turbotree.chains.pair_states import NO_LABEL, PairStates
from turbotree.errors import InfeasibleError


class Case:
    """A random row of words with scores of labels, pairs and triples."""

    def __init__(self, labels: int, words: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        allowed = rng.random((labels, labels)) < 0.7
        starts, ends = rng.random((2, labels)) < 0.8
        self.transitions = Transitions(allowed, starts, ends)
        self.pairs = PairStates(self.transitions)
        self.words = words
        self.nodes = rng.normal(size=(words, labels))
        self.edges = rng.normal(size=(max(0, words - 1), len(self.transitions.pairs)))
        self.triples = rng.normal(size=(max(0, words - 1), len(self.pairs.triples)))

    @property
    def scores(self):
        flat = (self.nodes.reshape(-1), self.edges.reshape(-1), self.triples.reshape(-1))
        return self.pairs.spread(np.array([self.words]), *flat)

    def rows(self):
        """List all rows of labels that are allowed, with their scores."""
        names = [tuple(triple) for triple in self.pairs.triples.tolist()]
        t = self.transitions
        for row in product(range(t.labels), repeat=self.words):
            fits = all(t.allowed[a, b] for a, b in pairwise(row))
            if not (fits and t.starts[row[0]] and t.ends[row[-1]]):
                continue
            score = sum(self.nodes[i, label] for i, label in enumerate(row))
            for i in range(1, self.words):
                before = row[i - 2] if i > 1 else NO_LABEL
                score += self.edges[i - 1, t.places[row[i - 1], row[i]]]
                score += self.triples[i - 1, names.index((before, row[i - 1], row[i]))]
            yield row, score


cases = st.builds(Case, st.integers(1, 3), st.integers(1, 4), st.integers(0, 10**6))


@given(cases)
def test_the_best_rows_are_those_of_enumeration(case):
    expected = sorted((score for _, score in case.rows()), reverse=True)
    nodes, edges = case.scores
    if not expected:
        with pytest.raises(InfeasibleError):
            case.pairs.states.best([case.words], nodes, edges)
        return
    best = case.pairs.states.best([case.words], nodes, edges)
    found = tuple(case.pairs.labels[best.labels].tolist())
    assert best.values[0] == pytest.approx(expected[0])
    assert dict(case.rows())[found] == pytest.approx(expected[0])
    several = case.pairs.states.k_best(nodes, edges, 5)
    np.testing.assert_allclose(several.values, expected[:5])
    rows = [tuple(row) for row in case.pairs.labels[several.labels].tolist()]
    assert len(set(rows)) == len(rows)


@given(cases)
def test_probabilities_are_those_of_enumeration(case):
    rows = list(case.rows())
    if not rows:
        return
    scores = np.array([score for _, score in rows])
    total = np.logaddexp.reduce(scores)
    nodes, edges = np.zeros_like(case.nodes), np.zeros_like(case.edges)
    triples = np.zeros_like(case.triples)
    names = [tuple(triple) for triple in case.pairs.triples.tolist()]
    for row, score in rows:
        probability = np.exp(score - total)
        for i, label in enumerate(row):
            nodes[i, label] += probability
        for i in range(1, case.words):
            before = row[i - 2] if i > 1 else NO_LABEL
            edges[i - 1, case.transitions.places[row[i - 1], row[i]]] += probability
            triples[i - 1, names.index((before, row[i - 1], row[i]))] += probability
    lengths = np.array([case.words])
    found = case.pairs.states.marginals(lengths, *case.scores)
    assert found.log_partitions[0] == pytest.approx(total)
    gathered = case.pairs.gather(lengths, found)
    for ours, theirs in zip(gathered, (nodes, edges, triples), strict=True):
        np.testing.assert_allclose(ours, theirs.reshape(-1), atol=1e-9)


def test_rows_of_a_batch_do_not_see_one_another():
    one, two = Case(2, 3, 5), Case(2, 1, 6)
    one.transitions = two.transitions = Transitions(np.ones((2, 2)))
    one.pairs = two.pairs = PairStates(one.transitions)
    rng = np.random.default_rng(1)
    for case in (one, two):
        case.edges = rng.normal(size=(case.words - 1, 4))
        case.triples = rng.normal(size=(case.words - 1, len(case.pairs.triples)))
    together = one.pairs.spread(
        np.array([3, 1]),
        *(
            np.concatenate([getattr(one, name).reshape(-1), getattr(two, name).reshape(-1)])
            for name in ("nodes", "edges", "triples")
        ),
    )
    best = one.pairs.states.best([3, 1], *together)
    apart = [case.pairs.states.best([case.words], *case.scores) for case in (one, two)]
    assert best.labels.tolist() == [x for found in apart for x in found.labels.tolist()]
