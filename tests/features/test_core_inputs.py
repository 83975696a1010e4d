"""The core checks what it is given: arrays that do not fit raise, they do not crash."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.features import (
    Encoder,
    FrozenWeights,
    LabelledParts,
    PartKind,
    Parts,
    Scorer,
    Weights,
    _core,
)
from turbotree.text import Sentence

TWO = Sentence.from_words(["a", "b"], upos=["X", "Y"], feats=["A=1|B=2", "_"])
THREE = Sentence.from_words(["a", "b", "c"], upos=["X", "Y", "Y"])
ENCODER = Encoder.fit([TWO, THREE], ["form", "upos"], ["feat"])
SCORER = Scorer(
    ["h.upos m.form dist", "b.form h.feat", "prev count(upos=Y)"],
    PartKind(("h", "m"), {"prev": 4}),
    ENCODER,
)
PREPARED = SCORER.prepare(ENCODER.encode([TWO, THREE]))
ROWS, OFFSETS = [[0, 1, 0], [2, 1, 3], [0, 3, 0]], [0, 2, 3]


def ints(values):
    return np.array(values, dtype=np.int32)


def score(rows=ROWS, offsets=OFFSETS, label_offsets=None, labels=None, prepared=PREPARED):
    parts = Parts(ints(rows), ints(offsets))
    if label_offsets is not None:
        parts = LabelledParts(parts.rows, parts.offsets, ints(label_offsets), ints(labels))
    return SCORER.score(prepared, parts, Weights())


def test_good_arrays_are_taken():
    assert score().tolist() == [0.0] * 3
    assert score(label_offsets=[0, 2, 2, 3], labels=[0, 4095, 7]).tolist() == [0.0] * 3
    assert score([[-1, -1, 0]] * 3).tolist() == [0.0] * 3


@pytest.mark.parametrize(
    "rows",
    [
        [[0, 1]] * 3,
        [[0, 1, 0, 0]] * 3,
        [[0, 3, 0], [2, 1, 3], [0, 3, 0]],  # the first sentence has two words
        [[0, 1, 0], [2, 1, 3], [0, 4, 0]],
        [[-2, 1, 0], [2, 1, 3], [0, 3, 0]],
        [[0, 2**31 - 1, 0]] * 3,
        [[0, 1, 4]] * 3,
        [[0, 1, -1]] * 3,
    ],
)
def test_rows_that_do_not_fit_are_refused(rows):
    with pytest.raises(ValueError, match="parts"):
        score(rows)
    with pytest.raises(ValueError, match="parts"):
        SCORER.gradient(PREPARED, Parts(ints(rows), ints(OFFSETS)), np.ones(3))
    with pytest.raises(ValueError, match="parts"):
        SCORER.keys(PREPARED, Parts(ints(rows), ints(OFFSETS)))


@pytest.mark.parametrize(
    "offsets",
    [[], [0], [0, 3], [0, 2, 2, 3], [0, 2, 4], [0, 2, 2], [1, 2, 3], [0, 4, 3], [0, -1, 3]],
)
def test_offsets_that_do_not_fit_are_refused(offsets):
    with pytest.raises(ValueError, match="parts"):
        score(offsets=offsets)


@pytest.mark.parametrize(
    ("label_offsets", "labels"),
    [
        ([0, 1, 2], [0, 0]),
        ([0, 1, 2, 4], [0, 0, 0]),
        ([0, 2, 1, 3], [0, 0, 0]),
        ([1, 1, 2, 3], [0, 0, 0]),
        ([0, 1, 2, 3], [0, -1, 0]),
        ([0, 1, 2, 3], [0, 4096, 0]),
        ([], []),
        ([], [1, 2, 3]),
    ],
)
def test_labels_that_do_not_fit_are_refused(label_offsets, labels):
    with pytest.raises(ValueError, match="label"):
        score(label_offsets=label_offsets, labels=labels)


@pytest.mark.parametrize(
    "coefficients", [[1.0, 2.0], [1.0] * 4, [1.0, np.nan, 1.0], [np.inf, 0.0, 0.0]]
)
def test_coefficients_that_make_no_gradient_are_refused(coefficients):
    with pytest.raises(ValueError, match="coefficients"):
        SCORER.gradient(PREPARED, Parts(ints(ROWS), ints(OFFSETS)), np.array(coefficients))


def test_sentences_prepared_for_other_templates_are_refused():
    other = Scorer(["h.upos"], SCORER.kind, ENCODER)
    with pytest.raises(ValueError, match="prepared"):
        score(prepared=other.prepare(ENCODER.encode([TWO, THREE])))


@pytest.mark.parametrize(
    ("ids", "starts", "sets"),
    [
        (np.zeros((1, 7)), [0, 3, 7], ([0] * 8, [])),
        (np.zeros((2, 7)), [0, 3, 6], ([0] * 8, [])),
        (np.zeros((2, 7)), [0, 3, 8], ([0] * 8, [])),
        (np.zeros((2, 7)), [1, 3, 7], ([0] * 8, [])),
        (np.zeros((2, 7)), [0, 3, 3, 7], ([0] * 8, [])),  # no room for a root
        (np.zeros((2, 7)), [0, 9, 7], ([0] * 8, [])),
        (np.zeros((2, 7)), [], ([0] * 8, [])),
        (np.zeros((2, 7)), [0, 3, 7], ([0] * 7, [])),
        (np.zeros((2, 7)), [0, 3, 7], ([0] * 7 + [2], [1])),
        (np.zeros((2, 7)), [0, 3, 7], ([0, 2, 1, 1, 1, 1, 1, 1], [1])),
        (np.zeros((2, 7)), [0, 3, 7], None),
    ],
)
def test_encoded_sentences_that_do_not_fit_are_refused(ids, starts, sets):
    sets = [] if sets is None else [(ints(sets[0]), ints(sets[1]))]
    with pytest.raises(ValueError, match=r"ids|starts|sets"):
        _core.Prepared(SCORER._program, ids.astype(np.int32), ints(starts), sets)


GOOD = {
    "first_template": 0,
    "templates": 2,
    "slots": 2,
    "columns": 1,
    "attributes": 1,
    "set_attributes": 1,
    "atoms": [[0, 0, 0, 0], [1, 2, -1, 0]],
    "numerics": [[0, 0, 1], [2, 0, 5], [3, 0, 4]],
    "uses": [[0, 0], [1, 2]],
}


def program(**changes):
    spec = {**GOOD, **changes}
    for name, width in (("atoms", 4), ("numerics", 3), ("uses", 2)):
        spec[name] = ints(spec[name] or np.zeros((0, width)))
    return _core.Program(**spec)


@pytest.mark.parametrize(
    "changes",
    [
        {"first_template": -1},
        {"first_template": 1022},
        {"first_template": 2**31 - 1},
        {"templates": -1},
        {"templates": 1},
        {"slots": 0},
        {"columns": -1},
        {"atoms": [[2, 0, 0, 0]]},
        {"atoms": [[0, 3, 0, 0]]},
        {"atoms": [[0, -1, 0, 0]]},
        {"atoms": [[0, 0, 0, 2]]},
        {"atoms": [[0, 2, 0, 1]]},  # set-valued, of a word between
        {"atoms": [[0, 0, 2**31 - 1, 0]]},
        {"atoms": [[0, 0, -(2**31), 0]]},
        {"atoms": [[0, 0, 0]]},
        {"slots": 1, "atoms": [[0, 1, 0, 0]], "numerics": [], "uses": []},
        {"numerics": [[4, 0, 0]], "uses": []},
        {"numerics": [[0, 0, 2]], "uses": []},
        {"numerics": [[1, -1, 0]], "uses": []},
        {"numerics": [[2, 1, 0]], "uses": []},
        {"numerics": [[3, 1, 4]], "uses": []},
        {"numerics": [[3, 0, -1]], "uses": []},
        {"uses": [[0, 3]]},
        {"uses": [[2, 0]]},
    ],
)
def test_programs_that_make_no_sense_are_refused(changes):
    program()
    with pytest.raises(ValueError, match=r".+"):
        program(**changes)


@pytest.mark.parametrize("width", [2, 16])
@pytest.mark.parametrize("kind", ["int64", "float32", "transposed", "flat", "list"])
def test_a_frozen_table_never_views_a_copy_of_its_slots(width, kind):
    slots = {
        "int64": np.zeros((5000, width), dtype=np.int64),
        "float32": np.zeros((5000, width), dtype=np.float32),
        "transposed": np.zeros((width, 5000), dtype=np.uint32).T,
        "flat": np.zeros(5000 * width, dtype=np.uint32),
        "list": [[0] * width] * 5000,
    }[kind]
    with pytest.raises(TypeError):
        FrozenWeights(slots, 0 if width == 2 else None)


def test_frozen_slots_of_the_wrong_width_are_refused():
    for width, label_bits in ((2, None), (16, 0), (3, 0), (15, None)):
        with pytest.raises(ValueError, match="row width"):
            FrozenWeights(np.zeros((5000, width), dtype=np.uint32), label_bits)


def test_states_that_make_no_table_are_refused():
    table = Weights().table
    one = np.ones(1, dtype=np.float32)
    with pytest.raises(ValueError, match="restore"):
        table.restore(np.array([1, 2], dtype=np.uint64), one, one)
    with pytest.raises(ValueError, match="restore"):
        table.restore(np.array([0], dtype=np.uint64), one, one)


ENDS = st.one_of(st.just(0), st.integers(0, 2**32 - 1))
FAR_KEYS = np.array([1, 2**64 - 1, 2**63], dtype=np.uint64)


@given(st.integers(0, 10_000), st.integers(-2, 14), ENDS)
def test_rows_are_taken_if_look_ups_end_and_only_then(size, label_bits, last):
    slots = np.ones((size, 2), dtype=np.uint32)
    slots[-1:, 0] = last
    # Behind the last home there is room for all labels of a feature, and some more.
    if size > _core.MAX_LABELS + 64 and 0 <= label_bits <= _core.LABEL_BITS and last == 0:
        _core.RowTable(slots, label_bits).find(FAR_KEYS)
    else:
        with pytest.raises(ValueError, match="not well formed"):
            _core.RowTable(slots, label_bits)


@given(st.integers(0, 200), ENDS)
def test_buckets_are_taken_if_look_ups_end_and_only_then(size, last):
    slots = np.ones((size, 16), dtype=np.uint32)
    slots[-1:, 7] = last
    if size > 64 and last == 0:
        _core.BucketTable(slots).find(FAR_KEYS)
    else:
        with pytest.raises(ValueError, match="not well formed"):
            _core.BucketTable(slots)


@pytest.mark.parametrize("label_bits", [-1, 13])
def test_frozen_tables_hold_labels_in_twelve_bits_at_most(label_bits):
    with pytest.raises(ValueError, match="label bits"):
        Weights().table.freeze_labels(label_bits, 0.0)
