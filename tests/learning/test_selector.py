"""Selecting for a budget, and what the features are called afterwards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.labelling import (
    KIND,
    LABELS,
    SIZE,
    TEMPLATE_OF,
    TEMPLATES,
    LabellingTask,
    fired,
    random_instances,
)

from turbotree.errors import InputError
from turbotree.features import Encoder, PartKind, Parts, Scorer, Weights, parse_templates
from turbotree.learning import (
    LearnerOptions,
    Loss,
    Selection,
    SelectionOptions,
    Selector,
    SparseRecord,
    best_templates,
    count_features,
    information_gain,
    learn,
    renumbered,
)
from turbotree.learning.regularisers import templates_of_keys
from turbotree.learning.selection import selector
from turbotree.learning.selection.counting import firing_rates
from turbotree.learning.selection.filters import most_frequent_features
from turbotree.learning.selection.selector import METHODS, sorted_budgets
from turbotree.learning.selection.template_trial import Trial
from turbotree.presets import PRESETS
from turbotree.text import Sentence

PARSED = parse_templates(TEMPLATES, KIND)
# Steps so small that the length of the gradient, which has fewer features in smaller models, does
# not matter.
SVM = LearnerOptions(Loss.named("svm"), epochs=2, largest_step=1e-3)


@pytest.fixture(scope="module")
def task():
    return LabellingTask(random_instances(60, 2))


def select(task, budget, exempt=(), **options):
    how = SelectionOptions(rounds_between=20, epochs=2, **options)
    return Selector(task, PARSED, how, exempt=exempt).select(budget)


def test_a_budget_of_templates_is_kept(task):
    for groups in ("template", "coarse-to-fine"):
        for budget in (1, 2, 3):
            selection = select(task, budget, groups=groups)
            assert len(selection.templates) == budget
            assert set(templates_of_keys(selection.keys).tolist()) == set(selection.templates)
    assert select(task, 9).templates == (0, 1, 2, 3)


def test_a_budget_of_features_is_kept(task):
    assert len(select(task, 7, method="l1").keys) == 7
    under_labels = select(task, 7, groups="label")
    assert len(np.unique(under_labels.keys >> np.uint64(12))) == 7


def test_coarser_templates_come_first(task):
    # "a b" needs "a" and "b".
    for budget in (1, 2, 3):
        chosen = select(task, budget, groups="coarse-to-fine").templates
        assert 3 not in chosen or {0, 1} <= set(chosen)


@pytest.mark.parametrize("groups", ["template", "coarse-to-fine"])
def test_what_costs_most_is_not_selected_and_what_costs_least_is(task, groups, monkeypatch):
    # Template 2 precedes none of the others, nor they it.
    for cost, budget in ((1e3, 3), (1e-3, 1)):
        by_size = np.array([1.0, 1.0, cost, 1.0])
        monkeypatch.setattr(
            selector, "template_costs", lambda sizes, _, own=by_size: np.resize(own, len(sizes))
        )
        assert (2 in select(task, budget, groups=groups, costs="size").templates) == (cost < 1)
        # What is worth nothing costs most.
        gains = 1 / by_size
        trial = Trial(np.eye(4) * gains.max(), gains, np.ones(4), 0)
        monkeypatch.setattr(selector, "try_templates", lambda *_, own=trial, **__: own)
        assert (2 in select(task, budget, groups=groups, costs="trial").templates) == (cost < 1)


def test_exempt_templates_stay_and_are_not_counted(task):
    for method in ("group-lasso", "information-gain"):
        chosen = select(task, 1, exempt=[0], method=method).templates
        assert 0 in chosen
        assert len(chosen) == 2


def test_information_gain_takes_the_best(task):
    expected = best_templates(information_gain(task), 2)
    selection = select(task, 2, method="information-gain")
    assert list(selection.templates) == expected
    assert (selection.keys, selection.records, selection.peak_features) == (None, (), 0)


@pytest.mark.parametrize("budget", [1, 5, 11, 20, 1000])
def test_the_cut_off_of_frequency_is_the_least_that_keeps_the_budget(task, budget):
    counts = Counter(
        (feature, right) for inputs, right in task.instances for feature in fired(inputs)
    )
    kept = {n: sum(count >= n for count in counts.values()) for n in range(1, 100)}
    expected = max(number for number in kept.values() if number <= budget)
    assert len(most_frequent_features(task, budget)) == expected


def test_whole_templates_can_be_refitted(task):
    selection = select(task, 2, refit="templates")
    assert selection.keys is None
    assert selection.templates == select(task, 2).templates


def test_the_peak_is_that_of_all_epochs():
    records = (SparseRecord(1, peak_features=7), SparseRecord(2, peak_features=3))
    assert Selection(2, (0, 1), None, records).peak_features == 7


def test_budgets_are_sorted_and_checked():
    assert sorted_budgets([3, 1, 3]) == [1, 3]
    for wrong in ([], [0], [2.5], [True], ["3"]):
        with pytest.raises(InputError, match="budget"):
            sorted_budgets(wrong)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "zebra"}, f"unknown method 'zebra'; there are {', '.join(sorted(METHODS))}"),
        ({"groups": "word"}, "unknown groups 'word'"),
        ({"refit": "all"}, "unknown refit 'all'"),
        ({"costs": "money"}, "unknown costs 'money'; there are log2, size, trial"),
        ({"method": "l1", "groups": "label"}, "groups are for the method group-lasso"),
        ({"strength": -1.0}, "strength is -1"),
        ({"strength": 1.0, "method": "frequency"}, "methods that learn"),
        ({"norm": "l1"}, "unknown norm 'l1'"),
        ({"norm": "max", "groups": "label"}, "the norm max is for"),
        ({"epochs": 0}, "epochs is 0"),
        ({"rounds_between": 0}, "rounds between is 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        SelectionOptions(**options)


@given(st.sets(st.integers(0, 3), min_size=1), st.integers(0, 1000))
def test_features_keep_their_weights_under_new_numbers(templates, seed):
    task = LabellingTask(random_instances(15, seed))
    numbers = sorted(templates)
    small = LabellingTask(task.instances, templates=[TEMPLATES[number] for number in numbers])
    rng = np.random.default_rng(seed)
    weights = Weights()
    for index in range(len(task)):
        weights.add(task.problem(index).gradient(rng.normal(size=LABELS)), 1.0)
    keys, values, _ = weights.table.entries()
    ours = np.isin(templates_of_keys(keys), numbers)
    old = Weights.of(keys[ours], values[ours])
    new_keys = renumbered(keys[ours], numbers, task, small)
    new = Weights.of(new_keys, values[ours])
    np.testing.assert_allclose(small.table(new), task.table(old), atol=1e-6)
    assert len(new) == len(old)


def test_a_refit_under_new_numbers_is_the_refit_under_the_old_ones(task):
    selection = select(task, 2)
    small = LabellingTask(task.instances, templates=[TEMPLATES[n] for n in selection.templates])
    old, _ = learn(task, SVM, start=Weights.closed_to(selection.keys))
    keys = renumbered(selection.keys, selection.templates, task, small)
    new, _ = learn(small, SVM, start=Weights.closed_to(keys))
    np.testing.assert_allclose(small.table(new), task.table(old), atol=1e-5)


def test_features_that_occur_nowhere_are_omitted(task):
    nothing = np.array([], dtype=np.uint64)
    assert len(renumbered(nothing, [0], task, task)) == 0
    strange = np.array([123 << 22 | 1 << 12], dtype=np.uint64)
    assert len(renumbered(strange, range(4), task, task)) == 0
    with pytest.raises(InputError, match="other templates"):
        renumbered(strange, [0], task, task)


def test_templates_with_sets_of_values_fire_more_often():
    # Entries of FEATS: none, two, two, one; "usual" templates have one feature per word.
    feats = ["_", "A=1|B=1", "A=1|B=2", "A=2"]
    sentence = Sentence.from_words(list("abcd"), feats=feats)
    encoder = Encoder.fit([sentence], ["form"], ["feat"])
    task = WordTask(sentence, ["w.feat", "w.form", "w-1.form", "w.feat w-1.feat"], encoder)
    rates = firing_rates(task)
    # 5 of 4; the product with the word before: 2 * 2 + 2 * 1 = 6, and what stands before the first.
    fired = np.bincount(templates_of_keys(task.keys(0)), minlength=4)
    assert fired[:3].tolist() == [5, 4, 4]
    expected = np.maximum(1.0, fired / np.median(fired))
    np.testing.assert_allclose(rates[:4], expected)
    assert (rates[4:] == 1.0).all()
    assert (firing_rates(LabellingTask([])) == 1.0).all()


class WordTask:
    """One sentence, all of whose words are right."""

    def __init__(self, sentence, templates, encoder):
        self.scorer = Scorer(templates, PartKind(("w",)), encoder)
        self.prepared = self.scorer.prepare(encoder.encode([sentence]))
        self.parts = Parts.of_one([[i + 1] for i in range(len(sentence))])
        self.gold = np.ones(len(sentence))

    def __len__(self):
        return 1

    def problem(self, index):
        return self

    def gradient(self, coefficients):
        return self.scorer.gradient(self.prepared, self.parts, coefficients)

    def keys(self, index):
        return self.scorer.keys(self.prepared, self.parts)


#: Weights are whole numbers at first, and scores tie; this decides.
EARLIER_LABELS = -1e-3 * np.arange(LABELS)


class DecidedTask(LabellingTask):
    """Of labels that score the same, the first is taken, whatever the rounding."""

    def problem(self, index):
        problem = super().problem(index)
        choose = problem.decode
        problem.decode = lambda scores: choose(scores + EARLIER_LABELS)
        return problem


Family = list[tuple[np.ndarray, float]]


def l2_step(own, gravity):
    """Scale a group (the paper's Eq. 14)."""
    norm = np.linalg.norm(own)
    own *= max(0.0, 1.0 - gravity / norm) if norm > 0 else 1.0


def max_step(own, gravity):
    """Take the gravity from the largest magnitudes, little by little: all of them stay level."""
    low, high = 0.0, float(np.abs(own).max())
    for _ in range(60):
        level = (low + high) / 2
        taken = sum(max(0.0, abs(w) - level) for w in own.tolist())
        low, high = (level, high) if taken > gravity else (low, level)
    own[:] = 0.0 if np.abs(own).sum() <= gravity else np.clip(own, -high, high)


def sparseptron(instances, how, budget, families: list[Family], measure, step):
    """The paper's algorithm on dense vectors: perceptron steps, and the budget every K rounds.

    Each family is a list of groups without overlap, with what they cost.
    """
    weights, left = np.zeros((SIZE // LABELS, LABELS)), how.epochs * len(instances)
    flat = weights.reshape(-1)

    def ratios(family):
        return [measure(flat[own]) / cost for own, cost in family]

    for epoch in range(how.epochs):
        for index in np.random.default_rng([how.seed, epoch]).permutation(len(instances)):
            inputs, right = instances[index]
            rows = fired(inputs)
            guess = int((weights[rows].sum(axis=0) + EARLIER_LABELS).argmax())
            np.add.at(weights, (rows, right), 1.0 / np.sqrt(epoch + 1))
            np.add.at(weights, (rows, guess), -1.0 / np.sqrt(epoch + 1))
            left -= 1
            if left % how.rounds_between:
                continue
            # As though no groups overlapped: which would the budget leave, and in which families?
            everything = sorted((r for family in families for r in ratios(family)), reverse=True)
            last = everything[min(budget, len(everything)) - 1]
            if budget < len(everything) and last - everything[budget] < 1e-3 * everything[0]:
                return None  # too close: costs are estimates
            budgets = [sum(r >= last > 0 for r in ratios(family)) for family in families]
            for family, own_budget in zip(families, budgets, strict=True):
                ranked = sorted(ratios(family), reverse=True)
                if np.count_nonzero(ranked) <= own_budget:
                    continue
                least = ranked[own_budget - 1] if own_budget else ranked[0]
                gravity = (least + ranked[own_budget]) / 2.0
                if own_budget and least - ranked[own_budget] < 1e-3 * ranked[0]:
                    return None
                for own, cost in family:
                    group = flat[own]
                    step(group, gravity * cost)
                    flat[own] = group
    return tuple(t for t in range(len(TEMPLATES)) if np.any(flat[t == TEMPLATE_OF]))


#: The families of disjoint groups, by template: each holds the templates that need it, too.
WHOLE = [[[0], [1], [2], [3]]]
COARSE_TO_FINE = [[[2], [3]], [[1, 3]], [[0, 3]]]


@pytest.mark.parametrize(
    ("more", "families", "measure", "step"),
    [
        ({}, WHOLE, np.linalg.norm, l2_step),
        ({"groups": "coarse-to-fine"}, COARSE_TO_FINE, np.linalg.norm, l2_step),
        ({"norm": "max"}, WHOLE, lambda own: np.abs(own).sum(), max_step),
    ],
)
def test_the_preset_of_the_paper_selects_what_its_algorithm_does(more, families, measure, step):
    options = {**PRESETS["sparsity2011"].selecting, "rounds_between": 20}
    how = SelectionOptions(**(options | more))
    found = []
    for seed in range(8):
        instances = random_instances(100, seed)
        task = DecidedTask(instances)
        # Features of correct answers are counted, with a small error, to save memory.
        met = {(row, right) for inputs, right in instances for row in fired(inputs)}
        sizes = [sum(TEMPLATE_OF[row * LABELS] == t for row, _ in met) for t in range(4)]
        np.testing.assert_allclose(count_features(task)[:4], sizes, rtol=0.02)
        groups = [
            [
                (np.flatnonzero(np.isin(TEMPLATE_OF, own)), np.log2(sum(sizes[t] for t in own)))
                for own in family
            ]
            for family in families
        ]
        for budget in (1, 2, 3):
            expected = sparseptron(instances, how, budget, groups, measure, step)
            if expected is not None:
                assert Selector(task, PARSED, how).select(budget).templates == expected
                found.append((budget, len(expected)))
    assert len(found) >= 8
    assert all(size <= budget for budget, size in found)


def test_a_strength_selects_less_the_larger_it_is(task):
    kept = [len(select(task, 1, method="l1", strength=s).keys) for s in (1e-6, 0.01, 0.1)]
    assert kept[0] > kept[1] > kept[2]
    assert select(task, 1, strength=1e-6).templates == (0, 1, 2, 3)


def test_costs_of_the_paper_follow_the_sizes_of_coarse_groups(task):
    how = SelectionOptions(costs="log2", groups="coarse-to-fine", rounds_between=20, epochs=2)
    for budget in (1, 2, 3):
        chosen = Selector(task, PARSED, how).select(budget).templates
        assert 3 not in chosen or {0, 1} <= set(chosen)
