"""Several trees under rules: against the list of all trees, from which the others are struck."""

import itertools

import numpy as np
import pytest

from turbotree import Parser
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Status
from turbotree.parsing import compile_rules
from turbotree.parsing.rules.groundings import TreeWorld
from turbotree.parsing.rules.lazy_grounding import broken_rules, cost_of
from turbotree.parsing.rules.words import Words
from turbotree.text import treebank

SHORT = [s for s in treebank(60, seed=5) if 3 <= len(s) <= 5][:6]
TREE_RULES = {
    "hard": "forall h: at most 2 m: arc(h, m)",
    "two": "forall h, m: arc(h, m) and h != root -> h < m\nforall h: at most 2 m: arc(h, m)",
    "path": "not path(1, 2)",
    "with weights": "[0.8] forall h, m: arc(h, m) -> h < m\n[-0.3] forall m: not arc(root, m)",
}
ONE_NOMINAL = "forall h: at most 1 m: label(h, m, {'nmod*', 'nsubj*', 'obj', 'obl', 'det'})"


@pytest.fixture(scope="module", params=["arc", "standard"])
def generous(request):
    """A parser that keeps all arcs."""
    options = {"pruning_threshold": 0.0, "max_heads": 100, "pruner_epochs": 1}
    return Parser.train(treebank(60, seed=1), epochs=1, model=request.param, **options)


def ranked(parser, sentence, rules):
    """All trees that obey hard rules, with their scores less what the others cost, best first."""
    compiled = compile_rules(rules).rules
    hard = {rule.name for rule in compiled if rule.weight is None}
    found = []
    for parse in parser.k_best(sentence, 10_000, decoder="exact"):
        heads = np.array(parse.heads)
        broken = broken_rules(compiled, TreeWorld(Words(parse.sentence), heads))
        if not hard & broken.keys():
            found.append((parse.score - cost_of(compiled, broken), parse.heads))
    return sorted(found, reverse=True)


def apart(one, other):
    return sum(a != b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("rules", TREE_RULES.values(), ids=TREE_RULES)
def test_the_list_is_that_of_all_trees_without_those_that_break_rules(generous, rules):
    for sentence in SHORT:
        expected = ranked(generous, sentence, rules)
        found = generous.k_best(sentence, 7, rules=rules, decoder="exact")
        assert [p.score for p in found] == pytest.approx([s for s, _ in expected[:7]], abs=1e-5)
        assert len({p.heads for p in found}) == len(found)
        known = {heads: score for score, heads in expected}
        for parse in found:
            assert parse.score == pytest.approx(known[parse.heads], abs=1e-5)
            assert parse.certificate.status is Status.OPTIMAL


def test_trees_that_differ_enough_obey_too(generous):
    rules = TREE_RULES["hard"]
    for sentence in SHORT:
        chosen = []
        for score, heads in ranked(generous, sentence, rules):
            if all(apart(heads, other) >= 2 for _, other in chosen):
                chosen.append((score, heads))
        found = generous.k_best(sentence, 3, rules=rules, diversity=2)
        assert [p.score for p in found] == pytest.approx([s for s, _ in chosen[:3]], abs=1e-5)
        for one, other in itertools.combinations(found, 2):
            assert apart(one.heads, other.heads) >= 2


def test_labels_obey_in_every_tree_of_the_list(generous):
    rules = compile_rules(ONE_NOMINAL)
    for sentence in SHORT:
        found = generous.k_best(sentence, 6, rules=rules)
        scores = [parse.score for parse in found]
        assert scores == sorted(scores, reverse=True)
        for parse in found:
            world = TreeWorld(Words(parse.sentence), np.array(parse.heads), parse.labels)
            assert not broken_rules(rules.rules, world)


def test_one_tree_is_the_best_tree(generous):
    rules = TREE_RULES["two"]
    for sentence in SHORT:
        (first,) = generous.k_best(sentence, 1, rules=rules, decoder="exact")
        assert first.score == pytest.approx(
            generous.parse(sentence, rules=rules, decoder="exact").score, abs=1e-5
        )


def test_constraints_hold_beside_rules(generous):
    sentence = SHORT[0]
    found = generous.k_best(sentence, 4, rules=TREE_RULES["hard"], require=[(0, 2)])
    assert found
    assert all(parse.heads[1] == 0 for parse in found)


def test_rules_that_no_tree_obeys_are_named(generous):
    with pytest.raises(InfeasibleError, match="rootless"):
        generous.k_best(SHORT[0], 3, rules="rule rootless: forall m: not arc(root, m)")


def test_a_rule_with_a_mistake_is_refused_before_anything_is_read(generous):
    with pytest.raises(InputError, match="1:"):
        generous.k_best_pipe([], 2, rules="forall h: nonsense(h)")
