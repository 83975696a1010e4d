from __future__ import annotations

import math
from collections import defaultdict
from itertools import chain, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.features import FeatureOracle
from oracles.sentences import UPOS
from oracles.trees import all_trees, log_sum

from turbotree.features import Encoder, Weights
from turbotree.features.encoder import ROOT_ID
from turbotree.learning import LearnerOptions, Loss, learn
from turbotree.parsing import _core
from turbotree.parsing.labels import (
    NODE,
    LabelDictionary,
    LabelModel,
    label_scorer,
    pair_kind,
)
from turbotree.parsing.root_label import evident_root_label, with_root_label
from turbotree.parsing.training.label_task import LabelProblem, LabelTask
from turbotree.scoring import Batch
from turbotree.text import Sentence

NAMES = ["a", "b", "c"]
TEMPLATES = ["m.upos dir", "h.upos m.upos rank last", "g.upos p.upos n.upos", "l.upos r.upos left"]
PAIR_TEMPLATES = ["prev", "prev h.upos m.upos p.upos dir(h,p)", "dist(p,m)"]


def ints(values):
    return np.array(values, dtype=np.int32)


def random_tree(rng, words):
    """Hang each word, in a random order, from the root or from one that hangs already."""
    heads, order = [0] * words, rng.permutation(words) + 1
    for i, word in enumerate(order.tolist()):
        heads[word - 1] = int(rng.choice([0, *order[:i]]))
    return heads


def node_rows(heads):
    """Walk through a tree: the modifiers of each head, from left to right."""
    words = len(heads)
    children = {h: [m for m in range(1, words + 1) if heads[m - 1] == h] for h in range(words + 1)}
    for head in range(words + 1):
        for modifier in children[head]:
            siblings = children[head]
            before = [s for s in siblings if s < modifier]
            after = [s for s in siblings if s > modifier]
            own = children[modifier]
            # Siblings on the same side, nearer to the head or farther away from it.
            nearer = [s for s in siblings if min(head, modifier) < s < max(head, modifier)]
            farther = before if modifier < head else after
            yield [
                head,
                modifier,
                heads[head - 1] if head else -1,
                before[-1] if before else -1,
                after[0] if after else -1,
                min(own, default=-1),
                max(own, default=-1),
                min(3, sum(child < modifier for child in own)),
                min(3, sum(child > modifier for child in own)),
                min(3, len(nearer)),
                int(not farther),
            ]


@st.composite
def dictionaries(draw, tags):
    """Labels allowed by the tags of modifier and head."""
    seen = draw(
        st.sets(
            st.tuples(
                st.integers(0, tags - 1), st.integers(0, tags - 1), st.integers(0, len(NAMES) - 1)
            ),
            max_size=20,
        )
    )
    return seen, LabelDictionary.fit(NAMES, tags, seen)


def allowed(seen, modifier, head, root=None):
    exact = {label for m, h, label in seen if (m, h) == (modifier, head)}
    by_tag = {label for m, _, label in seen if m == modifier}
    every = set(range(len(NAMES)))
    if root is not None and head == ROOT_ID:
        return [root]
    return sorted((exact or by_tag or every) - {root} or every - {root})


@given(dictionaries(4))
def test_unseen_tags_fall_back_to_more_labels(case):
    seen, dictionary = case
    for modifier, head in product(range(4), repeat=2):
        number = dictionary.lists[modifier, head]
        labels = dictionary.labels[dictionary.offsets[number] : dictionary.offsets[number + 1]]
        assert labels.tolist() == allowed(seen, modifier, head)
        assert dictionary.of(modifier, head).tolist() == labels.tolist()


@given(dictionaries(ROOT_ID + 4), st.integers(0, 2))
def test_a_label_of_the_root_is_allowed_there_and_nowhere_else(case, root):
    seen, dictionary = case
    strict = with_root_label(dictionary, root)
    assert strict.root == root
    for modifier, head in product(range(ROOT_ID + 4), repeat=2):
        assert strict.of(modifier, head).tolist() == allowed(seen, modifier, head, root)
    again = with_root_label(strict, root)
    for name in ("lists", "offsets", "labels"):
        np.testing.assert_array_equal(getattr(again, name), getattr(strict, name))


def test_where_there_is_no_other_label_words_have_the_only_one():
    alone = LabelDictionary.fit(["root"], ROOT_ID + 2, [(ROOT_ID + 1, ROOT_ID, 0)])
    assert with_root_label(alone, 0) is alone
    assert with_root_label(alone, None) is alone


@given(dictionaries(ROOT_ID + 4))
def test_what_a_dictionary_shows_of_the_root_is_seen(case):
    seen, _ = case
    modifiers = range(ROOT_ID + 1, ROOT_ID + 4)
    seen = {(m, h, label) for m, h, label in seen if m in modifiers and h >= ROOT_ID}
    names = ["a", "root", "c"]
    found = evident_root_label(LabelDictionary.fit(names, ROOT_ID + 4, seen))
    # Trees whose words have "root" if and only if their head is the root.
    strict = {(m, h, 1 if h == ROOT_ID else 2 if label == 1 else label) for m, h, label in seen} | {
        (ROOT_ID + 1, ROOT_ID, 1)
    }
    assert evident_root_label(LabelDictionary.fit(names, ROOT_ID + 4, strict)) == 1
    # Not so if a tag has had another label there too, besides it.
    for m in modifiers:
        under = {label for modifier, h, label in seen if (modifier, h) == (m, ROOT_ID)}
        if 1 in under and under not in ({1}, {0, 1, 2}):
            assert found is None
    assert evident_root_label(LabelDictionary.fit(["a", "b", "c"], ROOT_ID + 4, strict)) is None


@examples(60)
@given(dictionaries(3), st.lists(st.integers(1, 8), min_size=1, max_size=3), st.integers(0, 9999))
def test_chains_are_those_of_a_walk_through_the_tree(case, lengths, seed):
    seen, dictionary = case
    rng = np.random.default_rng(seed)
    trees = [random_tree(rng, words) for words in lengths]
    classes = [rng.integers(3, size=words + 1).tolist() for words in lengths]
    built = _core.label_chains(
        ints(lengths),
        ints([*chain(*trees)]),
        ints([*chain(*classes)]),
        dictionary.lists,
        dictionary.offsets,
        dictionary.labels,
    )
    nodes, words, labels = [], [], []
    node_ends, pair_ends, pairs, edges = [0], [0], [], []
    for heads, tags in zip(trees, classes, strict=True):
        first = node_ends[-1]
        for row in node_rows(heads):
            head, modifier, _, before = row[:4]
            nodes.append(row)
            words.append(first + modifier - 1)
            own = allowed(seen, tags[modifier], tags[head])
            block = []
            if before >= 0:
                pairs += [([head, modifier, before, label], own) for label in labels[-1]]
                block = [(label, mine) for label in labels[-1] for mine in own]
            labels.append(own)
            edges.append(block)
        node_ends.append(len(nodes))
        pair_ends.append(len(pairs))
    assert built.nodes.tolist() == nodes
    assert built.node_offsets.tolist() == node_ends
    assert built.words.tolist() == words
    assert built.labels.tolist() == [*chain(*labels)]
    assert built.label_offsets.tolist() == np.cumsum([0, *map(len, labels)]).tolist()
    assert built.pairs.tolist() == [row for row, _ in pairs]
    assert built.pair_offsets.tolist() == pair_ends
    assert built.pair_labels.tolist() == [label for _, own in pairs for label in own]
    ends = np.cumsum([0, *(len(own) for _, own in pairs)])
    assert built.pair_label_offsets.tolist() == ends.tolist()
    assert built.edge_offsets.tolist() == np.cumsum([0, *map(len, edges)]).tolist()


class LabelCase:
    """A tree with a labeller of random weights, and the same labeller as a dictionary."""

    def __init__(self, seed, words, root=None):
        self.root = root
        rng = np.random.default_rng(seed)
        tags = [UPOS[i] for i in rng.integers(len(UPOS), size=words)]
        self.sentence = Sentence.from_words(["x"] * words, upos=tags)
        trees = all_trees(words)
        self.heads = trees[rng.integers(len(trees))]
        encoder = Encoder.fit([self.sentence], ["upos"], [])
        limit = encoder.id_limit("upos")
        self.seen = {tuple(rng.integers([limit, limit, 3]).tolist()) for _ in range(30)}
        dictionary = with_root_label(LabelDictionary.fit(NAMES, limit, self.seen), root)
        scorer = label_scorer(TEMPLATES, PAIR_TEMPLATES, dictionary, encoder)
        model = LabelModel(scorer, dictionary, encoder)
        self.encoded = encoder.encode([self.sentence])
        self.tags = self.encoded.ids[0].tolist()
        structure = model.chains(self.encoded, ints(self.heads))
        self._oracles = (
            FeatureOracle(TEMPLATES, NODE, [self.sentence]),
            FeatureOracle(PAIR_TEMPLATES, pair_kind(len(NAMES)), [self.sentence]),
        )
        self.model_weights = defaultdict(float)
        weights = Weights()
        for which, (name, parts) in enumerate(structure.parts.items()):
            coefficients = rng.integers(-8, 9, size=len(parts.labels)) / 8
            templates = scorer.scorers[name]
            gradient = templates.gradient(templates.prepare(self.encoded), parts, coefficients)
            weights.add(gradient, 1.0)
            for p, row in enumerate(parts.rows.tolist()):
                for i in range(parts.label_offsets[p], parts.label_offsets[p + 1]):
                    for feature in self._oracles[which].of_part(self.sentence, row):
                        key = which, feature, int(parts.labels[i])
                        self.model_weights[key] += coefficients[i]
        self.weights = weights
        self.model = model.with_weights(weights.freeze(labels=len(NAMES)))

    def labellings(self):
        """List all labellings, words in order, with their scores."""
        rows = list(node_rows(self.heads))
        lists = {
            row[1]: allowed(self.seen, self.tags[row[1]], self.tags[row[0]], self.root)
            for row in rows
        }
        words = range(1, len(self.heads) + 1)
        return {
            labels: self._score(rows, dict(zip(words, labels, strict=True)))
            for labels in product(*(lists[word] for word in words))
        }

    def _score(self, rows, labels):
        total = 0.0
        for row in rows:
            head, modifier, _, before = row[:4]
            total += self._part(0, row, labels[modifier])
            if before >= 0:
                total += self._part(1, [head, modifier, before, labels[before]], labels[modifier])
        return total

    def _part(self, which, row, label):
        features = self._oracles[which].of_part(self.sentence, row)
        return sum(self.model_weights[which, feature, label] for feature in features)


label_cases = st.builds(
    LabelCase, st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([None, 0, 2])
)


@examples(50)
@given(label_cases)
def test_the_best_labels_are_the_best_of_all(case):
    scored = case.labellings()
    labels, value = case.model.label(Batch([case.sentence]), ints(case.heads)).best()
    assert value == pytest.approx(max(scored.values()))
    assert scored[tuple(labels.tolist())] == pytest.approx(value)


@examples(50)
@given(label_cases, st.sampled_from([0.5, 1.0, 3.0]))
def test_label_distributions_are_sums_over_all_labellings(case, temperature):
    scored = {labels: score / temperature for labels, score in case.labellings().items()}
    total = log_sum(scored.values())
    found = case.model.label(Batch([case.sentence]), ints(case.heads)).distributions(temperature)
    for word, distribution in enumerate(found):
        assert sum(distribution.values()) == pytest.approx(1.0)
        assert set(distribution) == {labels[word] for labels in scored}
        for label, probability in distribution.items():
            expected = math.fsum(
                math.exp(score - total) for labels, score in scored.items() if labels[word] == label
            )
            assert probability == pytest.approx(expected, abs=1e-9)


@examples(50)
@given(label_cases, st.sampled_from(["crf", "softmax-margin", "svm"]), st.data())
def test_the_loss_of_a_labelling_is_that_over_all_labellings(case, name, data):
    scored = case.labellings()
    gold = data.draw(st.sampled_from(sorted(scored)))
    problem = LabelProblem(case.model, case.encoded, ints(case.heads), ints(gold))
    assert problem.gold_is_allowed
    scores = problem.scores(case.weights)
    assert float(scores @ problem.gold) == pytest.approx(scored[gold])
    loss, coefficients = Loss.named(name).evaluate(problem, scores)
    gamma = Loss.named(name).gamma
    margins = [
        score - scored[gold] + gamma * sum(a != b for a, b in zip(labels, gold, strict=True))
        for labels, score in scored.items()
    ]
    expected = max(margins) if name == "svm" else log_sum(margins)
    assert loss == pytest.approx(expected, abs=1e-6)
    # Nodes and pairs share no feature, so the gradient's change of the gold score is the product.
    other = Weights.restore(case.weights.state())
    other.add(problem.gradient(coefficients), 0.5)
    change = problem.scores(other) - scores
    norm = problem.gradient(coefficients).squared_norm
    assert float(change @ coefficients) == pytest.approx(0.5 * norm, abs=1e-4)


def test_labels_that_the_dictionary_does_not_allow_are_noticed():
    case = LabelCase(3, 2)
    for gold in ([0, -1], [-1, -1]):
        problem = LabelProblem(case.model, case.encoded, ints(case.heads), ints(gold))
        assert not problem.gold_is_allowed


@pytest.mark.parametrize("loss", ["crf", "svm", "perceptron"])
def test_a_labeller_learns_its_training_labels(loss):
    # Of two nouns before a verb the first is "a", the second "b": only a pair can know.
    heads, labels = [3, 3, 0], [0, 1, 2]
    sentence = Sentence.from_words(["x"] * 3, upos=["NOUN", "NOUN", "VERB"])
    encoder = Encoder.fit([sentence], ["upos"], [])
    tags = encoder.encode([sentence]).ids[0].tolist()
    seen = {
        (tag, tags[head], label) for tag, head, label in zip(tags[1:], heads, labels, strict=True)
    }
    dictionary = LabelDictionary.fit(NAMES, encoder.id_limit("upos"), seen)
    model = LabelModel(label_scorer(["m.upos"], ["prev"], dictionary, encoder), dictionary, encoder)
    encoded = encoder.encode([sentence])
    task = LabelTask(model, [encoded], [ints(heads)], [ints(labels)])
    assert len(task) == 1
    weights, _ = learn(task, LearnerOptions(Loss.named(loss), epochs=20, largest_step=0.5))
    found, _ = (
        model.with_weights(weights.freeze(labels=3)).label(Batch([sentence]), ints(heads)).best()
    )
    assert found.tolist() == labels


def test_a_batch_of_trees_is_labelled_as_its_trees_alone(parser, held_out):
    model = parser.labels
    heads = [ints(sentence.heads) for sentence in held_out]
    together = model.label(Batch(held_out), np.concatenate(heads))
    alone = [
        model.label(Batch([sentence]), tree) for sentence, tree in zip(held_out, heads, strict=True)
    ]
    labels, value = together.best()
    assert labels.tolist() == [label for one in alone for label in one.best()[0].tolist()]
    assert value == pytest.approx(sum(one.best()[1] for one in alone))
    for found, expected in zip(
        together.distributions(), [d for one in alone for d in one.distributions()], strict=True
    ):
        assert found == pytest.approx(expected)


GOOD = {
    "lengths": [2, 1],
    "heads": [0, 1, 0],
    "classes": [0, 1, 1, 0, 1],
    "lists": [[0, 0], [0, 1]],
    "list_offsets": [0, 2, 3],
    "list_labels": [0, 1, 2],
}


@pytest.mark.parametrize(
    "changes",
    [
        {"lengths": [2]},
        {"lengths": [-1, 4]},
        {"lengths": [4, -1]},
        {"heads": [0, 1]},
        {"heads": [0, 3, 0]},
        {"heads": [0, -1, 0]},
        {"heads": [0, 1, 2]},
        {"classes": [0, 1, 1, 0]},
        {"classes": [0, 1, 2, 0, 1]},
        {"classes": [0, 1, -1, 0, 1]},
        {"lists": [[0, 0, 0], [0, 1, 1]]},
        {"lists": [[0, 0], [0, 2]]},
        {"lists": [[0, 0], [0, -1]]},
        {"list_offsets": [0, 3]},
        {"list_offsets": [0, 2, 4]},
        {"list_offsets": [1, 2, 3]},
        {"list_offsets": [0, 3, 3]},  # a list without labels
        {"list_offsets": []},
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(changes):
    _core.label_chains(**{name: ints(values) for name, values in GOOD.items()})
    with pytest.raises(ValueError, match=r".+"):
        _core.label_chains(**{name: ints(v) for name, v in {**GOOD, **changes}.items()})
