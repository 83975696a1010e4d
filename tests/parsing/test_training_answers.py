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
from turbotree.parsing.decoding import build_graph, tree_score
from turbotree.parsing.options import TrainingOptions
from turbotree.parsing.parts import MODELS
from turbotree.parsing.relaxed import automata_alone, relaxed_parts
from turbotree.parsing.training import train_parser
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
    graph = build_graph(parts, 0, scores, TreeShape())
    solution = graph.solve("admm", **SOLVED)
    assume(solution.status is Status.RELAXED)
    found = relaxed_parts(parts, scores, graph, solution)
    assert list(map(len, found.values())) == [len(scores[name]) for name in found]
    assert total(scores, found) == pytest.approx(solution.upper_bound, rel=1e-4, abs=1e-4)


def best_of_automaton(head, side, rows, scores):
    """Try every set of modifiers and every grandparent."""
    arcs = rows["arc"]
    there = [m for h, m in arcs if h == head and (m > h) == bool(side)]
    there.sort(key=lambda m: abs(m - head))
    above = [h for h, m in arcs if m == head] or [NONE]
    worth = {name: dict(zip(rows[name], scores[name].tolist(), strict=True)) for name in rows}
    best = -np.inf
    subsets = chain.from_iterable(combinations(there, k) for k in range(len(there) + 1))
    for chosen in subsets:
        row = [NONE, *chosen, NONE]
        steps = list(pairwise(row))
        alone = sum(worth["arc"][head, m] for m in chosen)
        alone += sum(worth["sibling"][head, m, s, side] for m, s in steps)
        for g in above:
            value = alone
            if g != NONE:
                pairs = worth.get("grandparent", {})
                value += sum(pairs.get((g, head, m), 0.0) for m in chosen)
                triples = worth.get("grand_sibling", {})
                value += sum(triples.get((g, head, m, s, side), 0.0) for m, s in steps)
            best = max(best, value)
    return best


@pytest.mark.parametrize("families", [("arc", "sibling"), MIXES[0], MIXES[2]], ids="+".join)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_automata_alone_choose_the_best_for_each_head(families, data):
    parts, scores = data.draw(cases(families=families))
    found = automata_alone(parts, scores)
    rows = {name: list(map(tuple, parts.parts(name).rows.tolist())) for name in families}
    automata = {(h, int(m > h)) for h, m in rows["arc"]}
    expected = sum(best_of_automaton(h, side, rows, scores) for h, side in automata)
    assert total(scores, found) == pytest.approx(expected, abs=1e-6)


@given(cases(families=MODELS["standard"]))
@settings(max_examples=15, deadline=None)
def test_automata_alone_are_never_worse_than_a_tree(case):
    parts, scores = case
    best = max(tree_score(parts, 0, scores, t) for t in candidate_trees(parts, 0, TreeShape()))
    assert total(scores, automata_alone(parts, scores)) >= best - 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decoder": "magic"}, "magic"),
        ({"decoder": "automata"}, "siblings"),
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
