"""Probabilities of parts of higher order: derivatives of the Bethe log partition, and learning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.part_cases import assignment
from oracles.trees import all_trees, arcs_of

from turbotree.features import Parts
from turbotree.learning import Loss
from turbotree.parsing.arcs import TreeShape, arc_marginals
from turbotree.parsing.decoding import part_marginals
from turbotree.parsing.parts import FAMILIES, MODELS, PartSet, ScoredSentence
from turbotree.parsing.training.part_task import PartProblem
from turbotree.parsing.training.trainer import train_parser
from turbotree.scoring import Batch, SparseScorer
from turbotree.text import treebank

MIXES = [
    ("arc", "path", "nonprojective"),
    MODELS["standard"],
    MODELS["full"],
    MODELS["third"],
    ("arc", "sibling"),
    ("arc", "sibling", "tri_sibling"),
    ("arc", "grandparent"),
    ("arc", "grandparent", "all_siblings", "head_bigram"),
]
TIGHT = {"tolerance": 1e-12, "max_iterations": 1000, "every_part": True}
# Beside messages of certain arcs, which are huge, a smaller step would drown in rounding.
STEP = 1e-3


def made(words: int, families: tuple[str, ...], seed: int, scale: float):
    """Random candidates, a tree among them; some of the scores are 0."""
    rng = np.random.default_rng(seed)
    arcs = [(h, m) for h in range(words + 1) for m in range(1, words + 1) if h != m]
    tree = all_trees(words, single_root=True, projective=True)[0]
    kept = {arc for arc in arcs if rng.random() < 0.8} | set(arcs_of(tree))
    rows = np.array(sorted(kept, key=lambda arc: arc[::-1]), dtype=np.int32)
    parts = PartSet.build(np.array([words], dtype=np.int32), Parts.of_one(rows), families)
    scores = {}
    for name in families:
        count = len(parts[name].rows)
        scores[name] = scale * rng.normal(size=count) * (rng.random(count) < 0.8)
    return parts, scores


@pytest.mark.parametrize("families", MIXES, ids="+".join)
@settings(max_examples=6, deadline=None)
@given(
    words=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([0.1, 0.5]),
    shape=st.builds(TreeShape, st.booleans(), st.booleans()),
)
def test_probabilities_are_the_derivatives_of_the_bethe_log_partition(
    families, words, seed, scale, shape
):
    parts, scores = made(words, families, seed, scale)
    found = part_marginals(ScoredSentence(parts, 0, scores, shape), **TIGHT)
    assume(found.converged)
    assert list(found.parts) == list(families)
    assert (found.parts["arc"] == found.arcs).all()
    rng = np.random.default_rng(seed)
    for name in families:
        assert len(found.parts[name]) == len(scores[name])
        for place in rng.permutation(len(scores[name]))[:8]:
            logs = []
            for sign in (1, -1):
                moved = scores[name].copy()
                moved[place] += sign * STEP
                other = part_marginals(
                    ScoredSentence(parts, 0, {**scores, name: moved}, shape), **TIGHT
                )
                assume(other.converged)
                logs.append(other.log_partition)
            slope = (logs[0] - logs[1]) / (2 * STEP)
            assert found.parts[name][place] == pytest.approx(slope, abs=2e-6), (name, place)


@pytest.mark.parametrize("families", MIXES, ids="+".join)
@settings(max_examples=15, deadline=None)
@given(words=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_beliefs_of_parts_agree_with_those_of_arcs(families, words, seed):
    parts, scores = made(words, families, seed, 0.5)
    found = part_marginals(ScoredSentence(parts, 0, scores, TreeShape()), **TIGHT)
    assume(found.converged)
    if "sibling" in families:
        # Each arc is the outer one of two consecutive siblings exactly once.
        outer = parts.families["sibling"].arcs[:, 1]
        sums = np.bincount(
            outer[outer >= 0], found.parts["sibling"][outer >= 0], minlength=len(found.arcs)
        )
        assert sums == pytest.approx(found.arcs, abs=1e-6)
    if "tri_sibling" in families:
        # Each arc is the middle one of three consecutive siblings at most once, and exactly once
        # if parts with neither neighbour counted too.
        middle = parts.families["tri_sibling"].arcs[:, 1]
        sums = np.bincount(middle, found.parts["tri_sibling"], minlength=len(found.arcs))
        assert (sums <= found.arcs + 1e-6).all()
        assert (found.parts["tri_sibling"] >= 0.0).all()
    for name in {"grandparent", "all_siblings", "head_bigram"} & set(families):
        # Two arcs are chosen together at most as often as the rarer one.
        rarer = found.arcs[parts.families[name].arcs].min(axis=1)
        assert (found.parts[name] <= rarer + 1e-9).all()
        assert (found.parts[name] >= 0.0).all()


@given(words=st.integers(2, 4), seed=st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_pairs_that_score_nothing_have_the_probability_they_would_have_in_the_graph(words, seed):
    """Their factor would send messages of 0."""
    families = ("arc", "grandparent", "all_siblings")
    parts, scores = made(words, families, seed, 0.5)
    barely = {name: np.where(scores[name] == 0, 1e-13, scores[name]) for name in families}
    found = part_marginals(ScoredSentence(parts, 0, scores, TreeShape()), **TIGHT)
    kept = part_marginals(ScoredSentence(parts, 0, barely, TreeShape()), **TIGHT)
    assume(found.converged and kept.converged)
    graphs = [
        ScoredSentence(parts, 0, given, TreeShape()).graph(beliefs=True)
        for given in (scores, barely)
    ]
    assert graphs[0].factor_count <= graphs[1].factor_count
    for name in families:
        assert found.parts[name] == pytest.approx(kept.parts[name], abs=1e-9)


def test_beliefs_that_were_stopped_early_say_so():
    parts, scores = made(4, MODELS["standard"], 1, 1.0)
    assert not part_marginals(
        ScoredSentence(parts, 0, scores, TreeShape()), max_iterations=1
    ).converged
    assert part_marginals(ScoredSentence(parts, 0, scores, TreeShape())).converged


def test_forbidden_pairs_have_no_probability():
    parts, scores = made(4, ("arc", "grandparent", "all_siblings"), 1, 0.5)
    scores["grandparent"][::3] = -np.inf
    found = part_marginals(ScoredSentence(parts, 0, scores, TreeShape()), **TIGHT)
    assert (found.parts["grandparent"][::3] == 0.0).all()
    assert np.isfinite(found.parts["all_siblings"]).all()


def test_arc_factored_models_have_exact_probabilities_of_all_their_parts():
    parts, scores = made(4, ("arc",), 1, 1.0)
    found = part_marginals(ScoredSentence(parts, 0, scores, TreeShape()), every_part=True)
    assert list(found.parts) == ["arc"]
    assert found.parts["arc"] is found.arcs
    assert part_marginals(ScoredSentence(parts, 0, scores, TreeShape())).parts is None


@pytest.mark.parametrize("loss", [Loss(1.0, 0.0), Loss(1.0, 1.0), Loss(3.0, 0.5)])
def test_the_learner_gets_the_gradient_of_the_loss(loss, parser):
    """Finite differences in the scores of a sentence's parts."""
    sentence = next(treebank(1, seed=9))
    encoded = parser.encoder.encode([sentence])
    heads = np.array(sentence.heads, dtype=np.int32)
    arcs = parser.pruner.candidates(Batch([sentence]), heads)
    templates = {"arc": ["h.upos m.upos"]} | {
        name: ["h.upos"] for name in MODELS["full"] if name != "arc"
    }
    problem = PartProblem(
        SparseScorer(templates, FAMILIES, parser.encoder), encoded, heads, arcs, TreeShape()
    )
    rng = np.random.default_rng(4)
    scores = 0.2 * rng.normal(size=len(problem.gold))
    value, gradient = loss.evaluate(problem, scores)
    assert value > 0.0
    for place in rng.permutation(len(scores))[:30]:
        step = 1e-2 * (np.arange(len(scores)) == place)
        high, low = (loss.evaluate(problem, scores + s)[0] for s in (step, -step))
        # Messages are only as close to rest as parsing needs.
        assert gradient[place] == pytest.approx((high - low) / 2e-2, abs=2e-3)


# Automata of grandparents say again that a word has one head, which the Bethe entropy counts.
@pytest.mark.parametrize(
    "families", [mix for mix in MIXES if "grand_sibling" not in mix], ids="+".join
)
@given(words=st.integers(1, 5), seed=st.integers(0, 2**32), single_root=st.booleans())
@settings(max_examples=10, deadline=None)
def test_beliefs_are_exact_where_only_arcs_score(families, words, seed, single_root):
    """No factor but the tree has a say then, not even in the Bethe entropy."""
    parts, scores = made(words, families, seed, 1.0)
    scores = {name: values * (name == "arc") for name, values in scores.items()}
    shape = TreeShape(single_root, False)
    found = part_marginals(ScoredSentence(parts, 0, scores, shape), **TIGHT)
    exact, logs = arc_marginals(parts.lengths, parts.arcs, scores["arc"], shape)
    assert found.converged
    assert found.arcs == pytest.approx(exact, abs=1e-8)
    assert found.log_partition == pytest.approx(float(logs[0]), abs=1e-8)


# A score that outweighs a few tiny ones is no mask: sums need it as it is.
@pytest.mark.parametrize("seed", [239, 599, 2634, 2806, 2958])
def test_large_scores_beside_tiny_ones_count_in_sums(seed):
    parts, scores = made(2, MODELS["standard"], seed, 1.0)
    scores = {name: values * (name == "arc") for name, values in scores.items()}
    shape = TreeShape(False, False)
    found = part_marginals(ScoredSentence(parts, 0, scores, shape), **TIGHT)
    exact, logs = arc_marginals(parts.lengths, parts.arcs, scores["arc"], shape)
    assert found.arcs == pytest.approx(exact, abs=1e-8)
    assert found.log_partition == pytest.approx(float(logs[0]), abs=1e-8)


@pytest.mark.parametrize("families", MIXES, ids="+".join)
@given(words=st.integers(1, 5), seed=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_the_graph_of_beliefs_scores_every_tree_as_its_parts_do(families, words, seed):
    parts, scores = made(words, families, seed, 1.0)
    graph = ScoredSentence(parts, 0, scores, TreeShape(False, False)).graph(beliefs=True)
    arcs = set(map(tuple, parts.arcs.rows.tolist()))
    for tree in all_trees(words, single_root=False, projective=False):
        if set(arcs_of(tree)) <= arcs:
            heads = np.array(tree, dtype=np.int32)
            values = assignment(parts, 0, heads)
            assert graph.value(values) == pytest.approx(
                ScoredSentence(parts, 0, scores).score(heads)
            )


def learnt(model: str, **options):
    dev = list(treebank(15, seed=2))
    return train_parser(treebank(40, seed=1), dev=dev, model=model, pruner_epochs=2, **options)


@pytest.mark.parametrize("loss", ["crf", "softmax-margin"])
def test_models_of_higher_order_learn_from_probabilities(loss, tmp_path):
    first = learnt("arc", loss=loss, epochs=1).record["parts"]
    parser = learnt("standard", loss=loss, epochs=3)
    again = learnt("standard", loss=loss, epochs=3)
    records = parser.record["parts"]
    assert records[-1]["loss"] < records[0]["loss"]
    assert records[-1]["scores"]["dev UAS"] > first[0]["scores"]["dev UAS"]
    for number, trained in enumerate((parser, again)):
        trained.save(tmp_path / f"{number}.model")
    assert (tmp_path / "0.model").read_bytes() == (tmp_path / "1.model").read_bytes()
