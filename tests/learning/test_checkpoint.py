from __future__ import annotations

import numpy as np
import pytest
from oracles.choices import ChoiceTask

from turbotree.errors import InputError, ModelFileError
from turbotree.learning import Checkpoint, EpochRecord, LearnerOptions, Loss, learn
from turbotree.modelfile import read_model, write_model

SETTINGS = {"epochs": 3, "loss": "svm", "data": "abc"}
TASK = ChoiceTask([([(0, 1), (2, 3)], 0), ([(1, 1), (2, 2)], 1)])


@pytest.fixture
def saved(tmp_path):
    weights, records = learn(TASK, LearnerOptions(Loss.named("crf"), epochs=2))
    records[1].scores["dev"] = 87.5
    path = tmp_path / "deep" / "folder" / "state"
    Checkpoint(path, SETTINGS).save(weights, records, 1, 2)
    return path, weights, records


def test_what_is_saved_comes_back(saved):
    path, weights, records = saved
    state = Checkpoint(path, SETTINGS).load()
    assert (state.epoch, state.done) == (1, 2)
    assert [EpochRecord(**record) for record in state.records] == records
    for name, array in weights.state().items():
        assert np.array_equal(state.weights.state()[name], array)


def test_without_a_file_there_is_no_state(tmp_path):
    assert Checkpoint(tmp_path / "none", SETTINGS).load() is None


def test_a_removed_state_is_gone(saved):
    path, _, _ = saved
    checkpoint = Checkpoint(path, SETTINGS)
    checkpoint.remove()
    checkpoint.remove()
    assert checkpoint.load() is None


@pytest.mark.parametrize(
    ("settings", "culprit"),
    [
        ({**SETTINGS, "loss": "crf"}, r"\(loss\)"),
        ({**SETTINGS, "loss": "crf", "epochs": 4}, r"\(epochs, loss\)"),
        ({**SETTINGS, "new": 1}, r"\(new\)"),
        ({"epochs": 3, "loss": "svm"}, r"\(data\)"),
    ],
)
def test_a_state_of_other_settings_is_refused_and_the_settings_are_named(saved, settings, culprit):
    path, _, _ = saved
    with pytest.raises(InputError, match=culprit) as caught:
        Checkpoint(path, settings).load()
    assert str(path) in str(caught.value)


def test_a_setting_that_is_none_differs_from_one_that_is_missing(saved):
    path, _, _ = saved
    with pytest.raises(InputError, match="extra"):
        Checkpoint(path, {**SETTINGS, "extra": None}).load()


def test_settings_compare_as_the_file_holds_them(tmp_path, saved):
    _, weights, records = saved
    settings = {"templates": ("dist", "dir"), "sizes": {"a": (1, 2)}}
    Checkpoint(tmp_path / "state", settings).save(weights, records, 0, 0)
    assert Checkpoint(tmp_path / "state", settings).load() is not None


@pytest.mark.parametrize("place", [0, 60, -1])
def test_a_damaged_file_is_called_one(saved, place):
    path, _, _ = saved
    data = bytearray(path.read_bytes())
    data[place] ^= 0x55
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match="state"):
        Checkpoint(path, SETTINGS).load()


def test_a_file_cut_short_is_called_damaged(saved):
    path, _, _ = saved
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ModelFileError, match=r"truncated|damaged"):
        Checkpoint(path, SETTINGS).load()


def test_a_model_is_no_checkpoint(tmp_path):
    write_model(tmp_path / "model", {}, {}, kind="parser")
    with pytest.raises(ModelFileError, match="'parser'"):
        Checkpoint(tmp_path / "model", SETTINGS).load()


@pytest.mark.parametrize("missing", ["settings", "records", "epoch", "done"])
def test_a_file_that_lacks_a_field_is_called_unusable(saved, missing):
    path, _, _ = saved
    file = read_model(path)
    header = {name: value for name, value in file.header.items() if name != missing}
    write_model(path, file.arrays, header, kind="checkpoint")
    with pytest.raises(ModelFileError, match=missing):
        Checkpoint(path, SETTINGS).load()


@pytest.mark.parametrize("name", ["keys", "weights", "weighted_updates", "round"])
def test_a_file_with_odd_arrays_is_called_unusable(saved, name):
    path, _, _ = saved
    file = read_model(path)
    for arrays in (
        {n: a for n, a in file.arrays.items() if n != name},
        {**file.arrays, name: file.arrays[name][:1] * 0},
        {**file.arrays, name: np.zeros((2, 2, 2))},
    ):
        write_model(path, arrays, file.header, kind="checkpoint")
        with pytest.raises(ModelFileError, match="state"):
            Checkpoint(path, SETTINGS).load()


def test_records_of_another_version_are_called_unusable(saved):
    path, _, _ = saved
    file = read_model(path)
    header = {**file.header, "records": [{"epoch": 1, "mood": "good"}]}
    write_model(path, file.arrays, header, kind="checkpoint")
    with pytest.raises(ModelFileError, match="mood"):
        learn(
            TASK,
            LearnerOptions(Loss.named("crf"), epochs=2),
            checkpoint=Checkpoint(path, SETTINGS),
        )


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path, saved):
    _, weights, records = saved
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelFileError, match="cannot be written"):
        Checkpoint(tmp_path / "file" / "state", SETTINGS).save(weights, records, 0, 0)


def test_saving_is_due_again_after_the_time_between(tmp_path, saved, monkeypatch):
    _, weights, records = saved
    now = 1000.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    checkpoint = Checkpoint(tmp_path / "state", SETTINGS, seconds_between=60.0)
    assert not checkpoint.due()
    now = 1060.0
    assert checkpoint.due()
    checkpoint.save(weights, records, 0, 1)
    assert not checkpoint.due()
    now = 1121.0
    assert checkpoint.due()
