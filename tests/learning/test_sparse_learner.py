from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples
from oracles.labelling import (
    LABELS,
    SIZE,
    TEMPLATE_OF,
    TEMPLATES,
    LabellingTask,
    dense_learner,
    dense_table,
    label_partition,
    random_instances,
    template_partition,
)

from turbotree.errors import InputError, ModelFileError
from turbotree.features import Weights
from turbotree.learning import (
    Checkpoint,
    LazyPenalty,
    LearnerOptions,
    Loss,
    SparseOptions,
    TemplatePenalty,
    count_features,
    learn,
    learn_sparse,
    surviving_templates,
)
from turbotree.learning.regularisers import (
    L1,
    ElasticNet,
    GroupLasso,
    Groups,
    MaxNormGroupLasso,
    OverlappingGroupLasso,
    SequentialGroupLasso,
    SparseGroupLasso,
)

CRF = Loss.named("crf")

#: Templates 0, 1, 2 are single numbers; template 3 is the pair of the first two.
COARSE_TO_FINE = Groups.of([[0, 3], [1, 3], [2], [3]], size=4, weights="one")


# What these groups cost: each as its templates do together, template 1 being exempt in the second.
COSTS = [3.0, 0.5, 2.0, 4.0]
COSTLY = replace(COARSE_TO_FINE, weights=np.sqrt([3**2 + 4**2, 0.5**2 + 4**2, 2**2, 4**2]))
COSTLY_BUT_1 = replace(COARSE_TO_FINE, weights=np.sqrt([3**2 + 4**2, 4**2, 2**2, 4**2]))
SIZED = replace(COARSE_TO_FINE, weights=np.log2([12 + 48, 12 + 48, 12, 48]))


def over_features(groups: Groups) -> Groups:
    """Turn groups of templates into groups of dense features."""
    return Groups.of(
        [np.flatnonzero(np.isin(TEMPLATE_OF, groups.of_group(g))) for g in range(len(groups))],
        size=SIZE,
        weights=groups.weights,
    )


def ridge_and_labels(weights, step):
    return GroupLasso(label_partition()).prox(weights, step) / (1 + 2 * step)


#: A penalty, and the same as a dense proximity operator.
PAIRS = {
    "templates": (TemplatePenalty(weights="one"), GroupLasso(template_partition()).prox),
    "weighted templates": (
        TemplatePenalty(weights=[1.0, 0.5, 2.0, 0.0]),
        GroupLasso(template_partition([1.0, 0.5, 2.0, 0.0])).prox,
    ),
    "sizes": (
        TemplatePenalty(weights="log2", sizes=[12, 12, 12, 48]),
        GroupLasso(template_partition(np.log2([12, 12, 12, 48]))).prox,
    ),
    "exempt templates": (
        TemplatePenalty(weights="one", exempt=[1]),
        GroupLasso(template_partition([1.0, 0.0, 1.0, 1.0])).prox,
    ),
    "sparse templates": (
        TemplatePenalty(weights="one", lasso=0.5),
        SparseGroupLasso(template_partition(), lasso=0.5).prox,
    ),
    "maximum norms": (
        TemplatePenalty(weights=[1.0, 0.5, 2.0, 0.0], norm="max"),
        MaxNormGroupLasso(template_partition([1.0, 0.5, 2.0, 0.0])).prox,
    ),
    "maximum norms, one exempt": (
        TemplatePenalty(weights="one", norm="max", exempt=[1]),
        MaxNormGroupLasso(template_partition([1.0, 0.0, 1.0, 1.0])).prox,
    ),
    "coarse to fine": (
        TemplatePenalty(groups=COARSE_TO_FINE, exact=True),
        OverlappingGroupLasso(over_features(COARSE_TO_FINE)).prox,
    ),
    "coarse to fine in sequence": (
        TemplatePenalty(groups=COARSE_TO_FINE),
        SequentialGroupLasso(over_features(COARSE_TO_FINE)).prox,
    ),
    "coarse to fine with costs": (
        TemplatePenalty(weights=COSTS, groups=COARSE_TO_FINE),
        SequentialGroupLasso(over_features(COSTLY)).prox,
    ),
    "coarse to fine with costs, exactly": (
        TemplatePenalty(weights=COSTS, groups=COARSE_TO_FINE, exact=True),
        OverlappingGroupLasso(over_features(COSTLY)).prox,
    ),
    "coarse to fine with sizes": (
        TemplatePenalty(weights="log2", sizes=[12, 12, 12, 48], groups=COARSE_TO_FINE),
        SequentialGroupLasso(over_features(SIZED)).prox,
    ),
    "lasso": (LazyPenalty(by_label=False), L1().prox),
    "elastic net": (LazyPenalty(by_label=False, ridge=2.0), ElasticNet(lasso=1, ridge=2).prox),
    "labels": (LazyPenalty(by_label=True), GroupLasso(label_partition()).prox),
    "labels and ridge": (LazyPenalty(by_label=True, ridge=2.0), ridge_and_labels),
}


@pytest.mark.parametrize("name", PAIRS)
@examples(12)
@given(
    st.integers(0, 1000),
    st.sampled_from([0.003, 0.03, 0.1]),
    st.sampled_from([1, 3, 7]),
    st.sampled_from([0.3, 1.0]),
)
def test_learning_is_dense_proximal_gradient(name, seed, strength, rounds_between, first_step):
    penalty, prox = PAIRS[name]
    instances = random_instances(12, seed)
    options = SparseOptions(
        strength=strength,
        loss=CRF,
        epochs=2,
        first_step=first_step,
        rounds_between=rounds_between,
    )
    task = LabellingTask(instances)
    weights, records = learn_sparse(task, penalty, options)
    dense = dense_learner(instances, options, prox)
    np.testing.assert_allclose(task.table(weights), dense_table(dense), rtol=0, atol=2e-4)
    assert len(records) == 2
    assert records[-1].features == len(weights)
    assert records[-1].groups == penalty.live_groups(weights)


def test_what_is_exempt_makes_no_group_dearer():
    task, options = LabellingTask(random_instances(30, 3)), SparseOptions(strength=0.01, epochs=1)
    tables = [
        task.table(learn_sparse(task, TemplatePenalty(**how, exempt=[1]), options)[0])
        for how in ({"weights": COSTS, "groups": COARSE_TO_FINE}, {"groups": COSTLY_BUT_1})
    ]
    np.testing.assert_allclose(*tables)


def test_without_sizes_groups_cost_by_what_is_alive():
    task, options = LabellingTask(random_instances(40, 3)), SparseOptions(epochs=1)
    penalty = TemplatePenalty(weights="log2", groups=COARSE_TO_FINE)
    weights, _ = learn_sparse(task, penalty, options)
    alive = weights.sizes()[:4]
    costs = np.log2([alive[0] + alive[3], alive[1] + alive[3], alive[2], alive[3]])
    before = weights.norms()[:4]
    penalty.shrink(weights, 0.05)
    expected = SequentialGroupLasso(replace(COARSE_TO_FINE, weights=costs)).prox(before, 0.05)
    np.testing.assert_allclose(weights.norms()[:4], expected, rtol=1e-6)


def test_without_budget_and_strength_the_perceptron_is_the_ordinary_one():
    task = LabellingTask(random_instances(30, 3))
    weights, records = learn_sparse(task, TemplatePenalty(), SparseOptions(epochs=1))
    options = LearnerOptions(Loss.named("perceptron"), epochs=1, largest_step=1.0)
    ordinary, expected = learn(task, options)
    np.testing.assert_allclose(task.table(weights), task.table(ordinary))
    assert records[0].updates == expected[0].updates
    assert records[0].loss == pytest.approx(expected[0].loss)


BUDGETS = [
    *((TemplatePenalty(weights=rule), budget) for rule in ("one", "log2") for budget in (1, 2, 3)),
    (TemplatePenalty(exempt=[0]), 2),
    (TemplatePenalty(norm="max"), 2),
    (TemplatePenalty(norm="max", weights="one", exempt=[0]), 1),
    (TemplatePenalty(groups=COARSE_TO_FINE, exact=True), 1),
    (TemplatePenalty(groups=COARSE_TO_FINE, exact=True), 3),
    (TemplatePenalty(groups=COARSE_TO_FINE), 2),
    (LazyPenalty(by_label=False), 7),
    (LazyPenalty(by_label=True), 5),
]


@pytest.mark.parametrize(("penalty", "budget"), BUDGETS)
@pytest.mark.parametrize("loss", ["perceptron", "svm", "crf"])
def test_after_every_budget_step_exactly_the_budget_lives(penalty, budget, loss):
    options = SparseOptions(
        budget=budget, loss=Loss.named(loss), epochs=3, rounds_between=10, seed=2
    )
    counts = []

    def count(done, record):
        if (10 * record.epoch * 4 + done) % 10 == 0:
            counts.append(penalty.live_groups(weights_now[0]))

    weights_now = []
    make = penalty.new_weights

    def watched():
        weights_now.append(make())
        return weights_now[0]

    penalty.new_weights = watched
    try:
        weights, records = learn_sparse(
            LabellingTask(random_instances(40, 1)), penalty, options, on_instance=count
        )
    finally:
        del penalty.new_weights
    assert counts == [budget] * 12
    assert penalty.live_groups(weights) == records[-1].groups == budget
    if isinstance(penalty, LazyPenalty):
        return
    assert len(surviving_templates(weights)) in (budget, budget + 1)  # one may be exempt


@pytest.mark.parametrize("loss", ["perceptron", "svm", "crf"])
def test_pseudo_budgets_leave_no_more_templates_than_the_budget(loss):
    for seed, budget in product(range(6), (1, 2, 3)):
        penalty = TemplatePenalty(groups=COARSE_TO_FINE, pseudo_budgets=True)
        options = SparseOptions(budget=budget, loss=Loss.named(loss), epochs=2, rounds_between=10)
        weights, _ = learn_sparse(LabellingTask(random_instances(30, seed)), penalty, options)
        assert 0 < penalty.live_groups(weights) <= budget


def test_a_run_that_ends_between_steps_still_keeps_to_the_budget():
    task = LabellingTask(random_instances(25, 1))
    weights, _ = learn_sparse(task, TemplatePenalty(), SparseOptions(budget=2, rounds_between=7))
    assert len(surviving_templates(weights)) == 2


def test_selection_finds_the_templates_that_matter():
    # The label hangs on b and c; the pair of a and b says no more than b.
    task = LabellingTask(random_instances(300, 5, rule=lambda x: (x[1] % 2) + (x[2] == 0)))
    sizes = count_features(task)
    for penalty in (
        TemplatePenalty(sizes=sizes),
        TemplatePenalty(groups=COARSE_TO_FINE, exact=True),
    ):
        weights, _ = learn_sparse(task, penalty, SparseOptions(budget=2, rounds_between=50))
        assert [TEMPLATES[t] for t in surviving_templates(weights)] == ["b", "c"]
    # It hangs on the pair alone.
    task = LabellingTask(
        random_instances(300, 6, rule=lambda x: (x[0] * 7 + x[1] * 3) % 5 % LABELS)
    )
    weights, _ = learn_sparse(
        task, TemplatePenalty(sizes=sizes), SparseOptions(budget=1, rounds_between=50)
    )
    assert [TEMPLATES[t] for t in surviving_templates(weights)] == ["a b"]


def test_the_first_step_of_the_perceptron_only_scales_the_weights():
    task = LabellingTask(random_instances(60, 9))
    penalty = TemplatePenalty()

    def trained(first_step):
        options = SparseOptions(budget=2, rounds_between=20, first_step=first_step, epochs=3)
        return task.table(learn_sparse(task, penalty, options)[0])

    np.testing.assert_allclose(trained(4.0), 4 * trained(1.0), rtol=1e-4, atol=1e-5)


class KilledError(Exception):
    pass


@pytest.mark.parametrize(
    ("penalty", "options"),
    [
        (TemplatePenalty(), SparseOptions(budget=2, epochs=3, rounds_between=4)),
        (
            TemplatePenalty(groups=COARSE_TO_FINE, exact=True),
            SparseOptions(budget=2, epochs=3, rounds_between=7),
        ),
        (TemplatePenalty(), SparseOptions(strength=0.02, loss=CRF, epochs=3, rounds_between=1)),
        (TemplatePenalty(lasso=0.1), SparseOptions(strength=0.02, epochs=3, rounds_between=3)),
        (LazyPenalty(by_label=False), SparseOptions(strength=0.01, loss=CRF, rounds_between=1)),
        (
            LazyPenalty(by_label=True, ridge=1.0),
            SparseOptions(strength=0.01, loss=CRF, rounds_between=2),
        ),
        (LazyPenalty(by_label=True), SparseOptions(budget=6, loss=CRF, rounds_between=3)),
    ],
)
@pytest.mark.parametrize("kills", [[1], [8], [9], [2, 3, 13, 17], list(range(1, 25))])
def test_a_killed_run_goes_on_to_the_same_outcome(tmp_path, penalty, options, kills):
    task = LabellingTask(random_instances(9, 4))
    whole, records = learn_sparse(task, penalty, options)
    path = tmp_path / "state"
    instances = 0

    def on_instance(done, record):
        nonlocal instances
        instances += 1
        if instances in kills:
            raise KilledError

    for _ in kills:
        with pytest.raises(KilledError):
            learn_sparse(
                task,
                penalty,
                options,
                checkpoint=Checkpoint(path, {}, seconds_between=0.0),
                on_instance=on_instance,
            )
    resumed, resumed_records = learn_sparse(task, penalty, options, checkpoint=Checkpoint(path, {}))
    for name, array in whole.state().items():
        np.testing.assert_array_equal(resumed.state()[name], array)
    assert resumed_records == records


def test_looking_at_the_weights_does_not_change_the_run():
    task = LabellingTask(random_instances(20, 4))
    for penalty in (TemplatePenalty(), LazyPenalty(by_label=True)):
        options = SparseOptions(strength=0.01, loss=CRF, rounds_between=3)
        seen = []
        watched, _ = learn_sparse(
            task, penalty, options, on_epoch=lambda w, r, s=seen: s.append(len(w.plain()))
        )
        alone, _ = learn_sparse(task, penalty, options)
        assert len(seen) == options.epochs
        for name, array in alone.state().items():
            np.testing.assert_array_equal(watched.state()[name], array)


def test_a_checkpoint_of_another_learner_is_refused(tmp_path):
    task = LabellingTask(random_instances(5, 4))
    checkpoint = Checkpoint(tmp_path / "state", {})
    learn(task, LearnerOptions(CRF, epochs=1), checkpoint=checkpoint)
    with pytest.raises(ModelFileError, match="not a usable checkpoint"):
        learn_sparse(task, TemplatePenalty(), SparseOptions(budget=1), checkpoint=checkpoint)


def test_records_show_how_many_features_were_alive():
    task = LabellingTask(random_instances(40, 7))
    options = SparseOptions(budget=1, epochs=2, rounds_between=10)
    weights, records = learn_sparse(task, TemplatePenalty(), options)
    for number, record in enumerate(records):
        assert [at for at, _, _ in record.trace] == [40 * number + 10 * i for i in range(1, 5)]
        assert all(before > after for _, before, after in record.trace)
        assert record.peak_features == max(before for _, before, _ in record.trace)
    assert records[-1].trace[-1][2] == len(weights) == records[-1].features
    assert isinstance(records[0].to_dict()["trace"], list)


def test_frozen_weights_are_those_of_the_last_round():
    task = LabellingTask(random_instances(40, 7))
    weights, _ = learn_sparse(task, TemplatePenalty(), SparseOptions(budget=2, rounds_between=10))
    plain = weights.plain()
    assert isinstance(plain, Weights)
    np.testing.assert_allclose(task.table(plain.freeze(labels=LABELS)), task.table(weights))


def test_nothing_to_learn_from_leaves_the_weights_empty():
    weights, records = learn_sparse(LabellingTask([]), TemplatePenalty(), SparseOptions(budget=1))
    assert len(weights) == 0
    assert [record.groups for record in records] == [0] * 5


@pytest.mark.parametrize(
    ("call", "culprit"),
    [
        (lambda: SparseOptions(budget=0), "budget is 0"),
        (lambda: SparseOptions(strength=-1.0), "strength"),
        (lambda: SparseOptions(strength=math.nan), "strength"),
        (lambda: SparseOptions(budget=1, strength=1.0), "not both"),
        (lambda: SparseOptions(epochs=0), "epochs"),
        (lambda: SparseOptions(first_step=0.0), "first step"),
        (lambda: SparseOptions(rounds_between=0), "rounds between"),
        (lambda: SparseOptions(seed=-1), "seed"),
        (lambda: TemplatePenalty(weights="cube"), "cube"),
        (lambda: TemplatePenalty(weights=[-1.0]), "0 or more"),
        (lambda: TemplatePenalty(weights=[1.0] * 2000), "at most"),
        (lambda: TemplatePenalty(exempt=[5000]), "template 5000"),
        (lambda: TemplatePenalty(groups=Groups.of([[0, 1]])), "one per template"),
        (lambda: TemplatePenalty(lasso=-1.0), "lasso"),
        (lambda: TemplatePenalty(pseudo_budgets=True), "overlapping groups"),
        (lambda: TemplatePenalty(norm="l1"), "unknown norm 'l1'"),
        (lambda: TemplatePenalty(norm="max", groups=COARSE_TO_FINE), "templates alone"),
        (lambda: LazyPenalty(by_label=True, ridge=-1.0), "ridge"),
        (
            lambda: learn_sparse(
                LabellingTask(random_instances(3, 1)),
                TemplatePenalty(lasso=1.0),
                SparseOptions(budget=1),
            ),
            "expected a strength",
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(call, culprit):
    with pytest.raises(InputError, match=culprit):
        call()
