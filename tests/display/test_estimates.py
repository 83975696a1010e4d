"""The time left of several learners, on clocks that are set by hand."""

from __future__ import annotations

import pytest

from turbotree.display.estimates import Estimate
from turbotree.display.training_progress import Bars, Lines
from turbotree.learning import EpochRecord

FOLDS = {"upos": 10.0, "fold 1 of 2: upos": 5.0, "fold 2 of 2: upos": 5.0, "parts": 20.0}


def test_before_anything_is_measured_nothing_is_known() -> None:
    estimate = Estimate(FOLDS)
    assert (estimate.part(), estimate.left()) == (0.0, None)
    estimate.begin("upos")
    assert estimate.left() is None


def test_a_kind_goes_at_its_own_speed_and_the_unknown_at_that_of_all() -> None:
    estimate = Estimate(FOLDS)
    estimate.begin("upos")
    estimate.see("upos", done=0.5, measured=0.5, seconds=10.0)  # 2 s for a unit of work
    # 10 s of its own, 10 s of each fold, 40 s of the parts
    assert (estimate.part(), estimate.left()) == (5 / 40, 70.0)
    estimate.see("upos", done=1.0, measured=1.0, seconds=20.0)
    estimate.begin("parts")  # the folds were done by an earlier run
    estimate.see("parts", done=0.25, measured=0.25, seconds=30.0)  # 6 s for a unit
    assert (estimate.part(), estimate.left()) == (25 / 40, 90.0)


def test_learners_side_by_side_end_with_the_slowest() -> None:
    estimate = Estimate({"parts": 30.0, "labels": 10.0, "rest": 10.0})
    for name in ("labels", "parts"):
        estimate.begin(name)
    estimate.see("parts", done=0.5, measured=0.5, seconds=15.0)
    estimate.see("labels", done=0.5, measured=0.5, seconds=5.0)
    assert estimate.left() == 15.0 + 10.0


def test_what_an_earlier_run_has_done_took_no_time_of_this_one() -> None:
    estimate = Estimate({"parts": 10.0})
    estimate.begin("parts")
    estimate.see("parts", done=0.75, measured=0.25, seconds=5.0)
    assert estimate.left() == pytest.approx(5.0)


def tell(progress: Lines | Bars, name: str, epochs: int) -> None:
    progress.start(name, 10, epochs)
    for epoch in range(1, epochs + 1):
        for done in range(1, 11):
            progress.instance(name, done, EpochRecord(epoch))
        progress.epoch(name, EpochRecord(epoch))


def test_lines_tell_the_time_of_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def later() -> float:
        nonlocal now
        now += 1.0
        return now

    monkeypatch.setattr("time.monotonic", later)
    lines = Lines()
    lines.expect({"upos": 1.0, "parts": 100.0})
    tell(lines, "upos", 2)
    first, last = capsys.readouterr().err.splitlines()
    assert " s left, about " in first
    assert last.endswith(" min in all")
    lines.start("unforeseen", 10, 1)
    lines.epoch("unforeseen", EpochRecord(1))
    assert capsys.readouterr().err.endswith(" s left\n")


def test_bars_of_many_learners_are_one_and_those_at_work(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"fold {fold} of 20: upos" for fold in range(1, 21)]
    with Bars() as bars:
        bars.expect(dict.fromkeys(names, 1.0))
        for name in names:
            tell(bars, name, 3)
        shown = [task.description for task in bars._bars.tasks if task.visible]
        whole = bars._bars.tasks[0]
    assert shown == ["all"]
    assert whole.completed == pytest.approx(1.0)
    assert whole.fields["figures"] == "about 0 s left"
    lines = [line for line in capsys.readouterr().err.splitlines() if "epoch" in line]
    assert sum("epoch  3/3" in line for line in lines) == 20
    assert not any("epoch  2/3" in line for line in lines)  # one line for each learner
