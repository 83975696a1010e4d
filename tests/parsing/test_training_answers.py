"""The answers that training learns from: relaxed ones, exact ones, and those of automata alone."""

from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracles.part_cases import candidate_trees, cases

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.arrays.parts import dense_parts
from turbotree.parsing.decoding import automata_alone, relaxed_parts
from turbotree.parsing.parts import MODELS, ScoredSentence
from turbotree.parsing.training.options import TrainingOptions
from turbotree.parsing.training.trainer import train_parser
from turbotree.text import treebank

MIXES = [
    ("arc", "sibling", "grandparent"),
    MODELS["full"],
    ("arc", "sibling", "grandparent", "grand_sibling"),
    ("arc", "sibling", "all_siblings"),
    ("arc", "grandparent", "all_siblings", "head_bigram"),
    ("arc", "sibling", "path", "nonprojective"),
]
SOLVED = {"max_iterations": 20000, "residual_threshold": 1e-9, "factors": True}
NONE = -1


def total(scores, parts):
    return sum(float(scores[name] @ parts[name]) for name in scores)


@pytest.mark.parametrize("families", MIXES, ids="+".join)
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
def test_relaxed_parts_score_what_the_relaxation_is_worth(families, data):
    parts, scores = data.draw(cases(families=families))
    graph = ScoredSentence(parts, 0, scores, TreeShape()).graph()
    solution = graph.solve("admm", **SOLVED)
    assume(solution.status is Status.RELAXED)
    found = relaxed_parts(ScoredSentence(parts, 0, scores), graph, solution)
    assert list(map(len, found.values())) == [len(scores[name]) for name in found]
    assert total(scores, found) == pytest.approx(solution.upper_bound, rel=1e-4, abs=1e-4)


def best_of_head(head, rows, scores, grandparents_agree=True):
    """Try every grandparent, and with it every set of modifiers on either side."""
    arcs = rows["arc"]
    above = [h for h, m in arcs if m == head] or [NONE]
    worth = {name: dict(zip(rows[name], scores[name].tolist(), strict=True)) for name in rows}

    def best_side(side, g):
        there = [m for h, m in arcs if h == head and (m > h) == bool(side)]
        there.sort(key=lambda m: abs(m - head))
        if not there:
            return 0.0
        best = -np.inf
        for chosen in chain.from_iterable(combinations(there, k) for k in range(len(there) + 1)):
            steps = list(pairwise([NONE, *chosen, NONE]))
            value = sum(worth["arc"][head, m] for m in chosen)
            value += sum(worth["sibling"][head, m, s, side] for m, s in steps)
            if g != NONE:
                pairs = worth.get("grandparent", {})
                value += sum(pairs.get((g, head, m), 0.0) for m in chosen)
                triples = worth.get("grand_sibling", {})
                value += sum(triples.get((g, head, m, s, side), 0.0) for m, s in steps)
            best = max(best, value)
        return best

    sides = [[best_side(side, g) for g in above] for side in (0, 1)]
    if grandparents_agree:
        return max(left + right for left, right in zip(*sides, strict=True))
    return max(sides[0]) + max(sides[1])


@pytest.mark.parametrize("families", [("arc", "sibling"), MIXES[0], MIXES[2]], ids="+".join)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_automata_alone_choose_the_best_for_each_head(families, data):
    parts, scores = data.draw(cases(families=families))
    found = automata_alone(ScoredSentence(parts, 0, scores))
    rows = {name: list(map(tuple, parts[name].rows.tolist())) for name in families}
    expected = sum(best_of_head(head, rows, scores) for head in {h for h, _ in rows["arc"]})
    assert total(scores, found) == pytest.approx(expected, abs=1e-6)
    # What is chosen is a choice: parts that are there or not, and fit the arcs that are.
    for name in families:
        values = found[name]
        assert ((values > -1e-9) & (values < 1 + 1e-9)).all()
    if all((np.abs(values - values.round()) < 1e-9).all() for values in found.values()):
        has = {
            name: {r for r, v in zip(rows[name], found[name], strict=True) if v > 0.5}
            for name in families
        }
        for head, inner, outer, _ in has["sibling"]:
            assert inner == NONE or (head, inner) in has["arc"]
            assert outer == NONE or (head, outer) in has["arc"]
        grandparents = {(h, g) for g, h, *_ in has.get("grandparent", ())}
        assert len(grandparents) == len({h for h, _ in grandparents})


def test_the_two_sides_of_a_head_have_one_grandparent():
    # Word 2 has a modifier on each side; the left one would have 4 above it, the right one 5.
    sentence = dense_parts(np.zeros((6, 6)), 5, grandparents=True)[0]
    names = ("arc", *sentence.families)
    scores = {name: np.zeros(len(sentence[name].rows)) for name in names}
    scores["arc"] -= 5.0
    for name, row, score in (
        ("arc", (2, 1), 0.0),
        ("arc", (2, 3), 0.0),
        ("grandparent", (4, 2, 1), 3.0),
        ("grandparent", (5, 2, 3), 2.0),
    ):
        places = (sentence[name].rows[:, : len(row)] == row).all(axis=1)
        assert places.sum() == 1
        scores[name][places] = score
    found = automata_alone(ScoredSentence(sentence, 0, scores))
    chosen = [tuple(row) for row in sentence["grandparent"].rows[found["grandparent"] > 0.1]]
    assert (4, 2, 1) in chosen
    assert (5, 2, 3) not in chosen
    assert total(scores, found) == pytest.approx(3.0)


@given(cases(families=MODELS["standard"]))
@settings(max_examples=15, deadline=None)
def test_automata_alone_are_never_worse_than_a_tree(case):
    parts, scores = case
    best = max(
        ScoredSentence(parts, 0, scores).score(t) for t in candidate_trees(parts, 0, TreeShape())
    )
    assert total(scores, automata_alone(ScoredSentence(parts, 0, scores))) >= best - 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder": "magic"}, "magic"),
        ({"decoder": "automata", "model": "arc"}, "siblings"),
        ({"decoder": "automata", "model": "full"}, "all_siblings"),
        ({"decoder": "automata", "model": "standard", "loss": "crf"}, "beta"),
    ],
)
def test_decoders_that_cannot_serve_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        TrainingOptions(**options)


@pytest.mark.parametrize("decoder", ["admm", "exact", "automata"])
def test_models_learn_with_every_decoder(decoder):
    parser = train_parser(
        treebank(40, seed=1),
        dev=list(treebank(15, seed=2)),
        model="standard",
        decoder=decoder,
        pruner_epochs=2,
        epochs=3,
    )
    records = parser.record["parts"]
    assert records[-1]["loss"] < records[0]["loss"]
    assert records[-1]["scores"]["dev UAS"] > 80.0
