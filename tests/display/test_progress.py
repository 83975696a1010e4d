from __future__ import annotations

import pytest

from turbotree.display.training_progress import Bars, Lines, describe
from turbotree.learning import EpochRecord
from turbotree.learning.progress import Silent

RECORD = EpochRecord(2, loss=30.0, updates=7, features=1234567, scores={"dev UAS": 87.256})


def run(progress):
    progress.start("arcs", 20, 4)
    progress.start("labels", 20, 4)
    for done in range(1, 21):
        progress.instance("arcs", done, RECORD)
    progress.epoch("arcs", RECORD)
    progress.note("[a] note with [brackets]")


def test_an_epoch_is_described_by_its_mean_loss_its_features_and_its_scores():
    assert describe(RECORD, 20) == "loss 1.500  1,234,567 features  dev UAS 87.26"


def test_an_epoch_without_instances_is_described_too():
    assert describe(EpochRecord(1), 0) == "loss 0.000  0 features"


def test_silence_is_silent(capsys):
    run(Silent())
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_lines_go_to_standard_error_one_an_epoch(capsys, monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress = Lines()
    progress.start("arcs", 20, 4)
    now = 140.0
    progress.epoch("arcs", EpochRecord(1))
    now = 160.0
    progress.epoch("arcs", RECORD)
    progress.note("a note")
    captured = capsys.readouterr()
    assert captured.out == ""
    _, epoch, note = captured.err.splitlines()
    # Two epochs took a minute, so the other two will.
    assert epoch == f"arcs     epoch  2/4  {describe(RECORD, 20)}  60 s, 60 s left"
    assert note == "a note"


def test_the_time_left_is_that_of_this_run_when_training_is_resumed(capsys, monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress = Lines()
    progress.start("arcs", 20, 4)
    for done in range(1, 21):  # the third epoch is the first of this run
        progress.instance("arcs", done, EpochRecord(3))
    now = 130.0
    progress.epoch("arcs", EpochRecord(3))
    assert capsys.readouterr().err.endswith("30 s, 30 s left\n")


def test_time_counts_from_the_first_instance(capsys, monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    progress = Lines()
    progress.start("arcs", 20, 2)
    now = 500.0  # it waited for something else
    for done in range(1, 21):
        progress.instance("arcs", done, EpochRecord(1))
    now = 510.0
    progress.epoch("arcs", EpochRecord(1))
    assert capsys.readouterr().err.endswith("10 s, 10 s left\n")


def test_bars_show_epochs_and_notes_on_standard_error(capsys):
    with Bars() as bars:
        run(bars)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "epoch  2/4" in captured.err
    assert "dev UAS 87.26" in captured.err
    assert "[a] note with [brackets]" in captured.err


def test_bars_stop_when_training_fails(capsys):
    def fail():
        with Bars() as bars:
            bars.start("arcs", 2, 1)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with Bars() as bars:  # another display could not start while the first one lives
        run(bars)
    assert "epoch  2/4" in capsys.readouterr().err
