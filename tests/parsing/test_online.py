"""Learning from one tree at a time, on top of a finished parser."""

from __future__ import annotations

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.features import Weights
from turbotree.learning import LearnerOptions, Loss
from turbotree.parsing import Parser
from turbotree.parsing.training.blank import blank_parser
from turbotree.parsing.training.online import OnlineLearner, OnlineOptions
from turbotree.parsing.training.part_task import PartTask
from turbotree.text import Sentence, check_tree, treebank
from turbotree.text.universal import RELATIONS


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser.train(treebank(40, seed=1), model="arc", epochs=2, pruner_epochs=1)


@pytest.fixture(scope="module")
def second_order() -> Parser:
    return Parser.train(treebank(40, seed=1), model="standard", epochs=1, pruner_epochs=1)


def las(parser: Parser, gold: list[Sentence]) -> float:
    return attachment_scores(gold, [one.to_sentence() for one in parser.parse_batch(gold)]).las


@pytest.mark.parametrize("kind", ["parser", "second_order"])
def test_a_tree_that_is_learnt_often_is_given_back(
    kind: str, request: pytest.FixtureRequest
) -> None:
    base = request.getfixturevalue(kind)
    tree = next(
        one
        for one in treebank(60, seed=5)
        if base.parse(one).to_sentence().heads != one.heads and len(one) > 6
    )
    learner = OnlineLearner(base, OnlineOptions(visits=60))
    learner.learn(tree)
    found = learner.parser.parse(tree)
    assert (found.heads, found.labels) == (tree.heads, tree.labels)


def test_one_step_is_that_of_the_learner_with_the_fixed_scores(parser: Parser) -> None:
    tree = next(one for one in treebank(60, seed=5) if parser.parse(one).heads != one.heads)
    learner = OnlineLearner(parser, OnlineOptions(visits=1, replay=0, largest_step=0.5))
    learner.learn(tree)
    # The same step by hand: scores of the finished parser, the margin of the loss, its step.
    encoded = parser.encoder.encode([tree])
    heads = np.array(tree.heads, dtype=np.int32)
    from turbotree.scoring import Batch

    arcs = parser.pruner.candidates(Batch([tree]), heads)
    scorer = parser.sparse()["parts"]
    task = PartTask(scorer, [encoded], [heads], parser.shape, [arcs])
    problem = task.problem(0)
    assert scorer.weights is not None
    loss, coefficients = Loss.named("svm").evaluate(problem, problem.scores(scorer.weights))
    gradient = problem.gradient(coefficients)
    step = min(0.5, loss / gradient.squared_norm)
    by_hand = Weights()
    by_hand.add(gradient, -step)
    state = learner.state()
    ours = dict(zip(state["parts keys"].tolist(), state["parts weights"].tolist(), strict=True))
    keys, weights, _ = by_hand.table.entries()
    assert LearnerOptions(Loss.named("svm")).epochs > 0
    assert ours == pytest.approx(dict(zip(keys.tolist(), weights.tolist(), strict=True)))


def test_learning_helps_on_sentences_like_those_learnt(parser: Parser) -> None:
    gold = list(treebank(80, seed=9))
    learner = OnlineLearner(parser)
    for tree in treebank(60, seed=8):
        learner.learn(tree)
    assert learner.count == 60
    assert las(learner.parser, gold) > las(parser, gold)


def test_a_parser_once_given_does_not_change(parser: Parser) -> None:
    trees = list(treebank(6, seed=3))
    learner = OnlineLearner(parser)
    learner.learn(trees[0])
    given = learner.parser
    before = [given.parse(one).score for one in trees]
    for tree in trees:
        learner.learn(tree)
    assert [given.parse(one).score for one in trees] == before


def test_a_relation_new_to_two_tags_can_be_learnt(parser: Parser) -> None:
    tree = next(treebank(1, seed=4))
    word = next(i for i, head in enumerate(tree.heads) if head != 0)
    taken = tree.labels[word]
    label = next(n for n in parser.labels.dictionary.names if n not in ("root", taken))
    labels = [label if i == word else name for i, name in enumerate(tree.labels)]
    learner = OnlineLearner(parser, OnlineOptions(visits=80))
    learner.learn(tree.with_tree(tree.heads, labels))
    assert learner.parser.parse(tree).labels[word] == label


def test_an_unknown_relation_is_passed_over(parser: Parser) -> None:
    tree = next(treebank(1, seed=4))
    labels = ["root" if head == 0 else "neverseen" for head in tree.heads]
    learner = OnlineLearner(parser, OnlineOptions(visits=40))
    learner.learn(tree.with_tree(tree.heads, labels))
    assert learner.parser.parse(tree).heads == tree.heads


def test_state_carries_everything_to_another_learner(parser: Parser) -> None:
    trees, others = list(treebank(5, seed=6)), list(treebank(5, seed=7))
    one = OnlineLearner(parser)
    one.learn_all(trees, epochs=2)
    other = OnlineLearner(parser)
    other.remember(trees)
    other.restore(one.state())
    scores = [[p.parse(s).score for s in others] for p in (one.parser, other.parser)]
    assert scores[0] == scores[1]


def test_what_is_no_tree_is_refused(parser: Parser) -> None:
    with pytest.raises(InputError, match="head"):
        OnlineLearner(parser).learn(Sentence.from_words(["a", "b"], heads=[0, None]))
    with pytest.raises(InputError, match="visits is 0"):
        OnlineOptions(visits=0)


def test_a_blank_parser_gives_trees_of_chance() -> None:
    words = [f"w{i}" for i in range(30)]
    blank = blank_parser([Sentence.from_words(words)])
    parse = blank.parse(Sentence.from_words(words))
    check_tree(parse.to_sentence())
    # Every tree with one root is as likely, and so is every head but the root's share of 1 / n.
    chances = parse.arc_probabilities
    assert np.allclose(chances[0, 1:], 1 / 30)
    off = ~np.eye(30, dtype=bool)
    assert np.allclose(chances[1:, 1:][off], 1 / 30)
    assert set(blank.labels.dictionary.names) == set(RELATIONS)


def test_a_blank_parser_learns_its_first_tree() -> None:
    tree = next(one for one in treebank(20, seed=2) if not any(":" in r for r in one.labels))
    learner = OnlineLearner(blank_parser([tree]), OnlineOptions(visits=60))
    learner.learn(tree)
    found = learner.parser.parse(tree)
    assert (found.heads, found.labels) == (tree.heads, tree.labels)


def test_learning_from_many_trees_can_be_stopped() -> None:
    parser = Parser.train(treebank(20, seed=1), model="arc", epochs=1, pruner_epochs=1)
    learner, asked = OnlineLearner(parser), iter([False, True])
    learner.learn_all(treebank(5, seed=2), stop=lambda: next(asked))
    assert learner.count == 5
    assert next(asked, None) is None
