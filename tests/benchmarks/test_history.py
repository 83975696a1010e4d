"""How `make bench` tells a regression from noise, on made-up histories."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

_FILE = Path(__file__).parents[2] / "benchmarks" / "history.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_history", _FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


history = _load()
HERE, NAME = "Linux, 2 cores", "trees"


def runs(*ratios: float, machine: str = HERE) -> list:
    return [
        history.Entry(machine, f"2026-01-{day:02}", f"c{day}", {NAME: ratio})
        for day, ratio in enumerate(ratios, 1)
    ]


def verdict(past: list, *ratios: float):
    (found,) = history.compare([history.Measured(NAME, ratios)], HERE, past)
    return found


def test_a_first_run_is_new_and_no_regression():
    found = verdict([], 2.0, 2.1, 1.9)
    assert (found.word, found.slower, found.change) == ("new", False, 0.0)


def test_runs_on_another_machine_are_not_compared():
    assert verdict(runs(9.0, 9.0, 9.0, machine="other"), 2.0, 2.0).word == "new"


def test_contests_that_the_past_does_not_know_are_new():
    past = [history.Entry(HERE, "2026-01-01", "c", {"another": 5.0})]
    assert verdict(past, 2.0, 2.0).word == "new"


def test_the_same_ratio_is_as_before():
    found = verdict(runs(2.0, 2.0), 2.0, 2.0, 2.0)
    assert found.word == "as before"
    assert found.change == pytest.approx(0.0)


def test_half_the_speed_is_a_regression_even_after_one_run():
    found = verdict(runs(2.0), 1.0, 1.01, 0.99)
    assert found.slower
    assert found.word == "SLOWER"
    assert found.change == pytest.approx(-0.5)


def test_twice_the_speed_is_progress_not_a_regression():
    found = verdict(runs(2.0), 4.0, 4.0)
    assert found.word == "faster"
    assert not found.slower


def test_a_quiet_history_makes_small_losses_visible():
    """A tenth less is within the usual spread of few runs, and above the noise of quiet ones."""
    assert verdict(runs(2.0), 1.8, 1.8, 1.8).word == "as before"
    assert verdict(runs(*[2.0, 2.001, 1.999] * 4), 1.8, 1.8, 1.8).word == "SLOWER"


def test_a_restless_history_forgives_more():
    past = runs(*[1.2, 2.0, 3.0] * 4)
    assert verdict(past, 1.3, 1.3).word == "as before"
    assert verdict(past, 0.2, 0.2).word == "SLOWER"


def test_restless_repeats_forgive_more():
    past = runs(2.0, 2.0, 2.0, 2.0)
    assert verdict(past, 1.5, 1.5, 1.5).slower
    assert not verdict(past, 0.8, 1.5, 2.9).slower


def test_the_limit_is_three_sigmas_of_the_usual_spread_after_one_quiet_run():
    found = verdict(runs(2.0), 2.0, 2.0)
    assert found.limit == pytest.approx(3 * 0.06)


def test_the_spread_of_the_past_replaces_the_usual_one():
    """Written out: logarithms 0, d and 2d around d have the median deviation d."""
    step = 0.1
    past = runs(*(math.exp(step * i) for i in (0, 1, 2)))
    expected = 3 * math.sqrt((2 * 0.06**2 + 2 * (1.4826 * step) ** 2) / 4)
    assert verdict(past, 1.0, 1.0).limit == pytest.approx(expected)


def test_the_noise_of_a_median_is_its_standard_error():
    """Written out: logarithms -d, 0, d."""
    d = 0.2
    measured = history.Measured(NAME, tuple(math.exp(x) for x in (-d, 0.0, d)))
    assert measured.noise == pytest.approx(1.2533 * 1.4826 * d / math.sqrt(3))
    assert measured.median == pytest.approx(1.0)


def test_one_freak_run_of_the_past_does_not_move_what_is_expected():
    found = verdict(runs(2.0, 2.0, 40.0, 2.0, 2.0), 2.0, 2.0)
    assert found.before == pytest.approx(2.0)
    assert found.word == "as before"


def test_only_the_latest_runs_count():
    found = verdict(runs(*[9.0] * 12, *[2.0] * 12), 2.0, 2.0)
    assert found.before == pytest.approx(2.0)
    assert found.runs == 12


def test_pure_noise_is_hardly_ever_flagged_and_a_third_less_nearly_always():
    """Runs that differ by 5 %, repeats by 5 %: 300 histories of each length."""
    draw = random.Random(1)

    def ratios(level: float, count: int) -> list[float]:
        return [level * math.exp(draw.gauss(0, 0.05)) for _ in range(count)]

    for length in (1, 3, 10):
        wrong = right = 0
        for _ in range(300):
            past = runs(*ratios(2.0, length))
            (level,) = ratios(2.0, 1)
            wrong += verdict(past, *ratios(level, 5)).slower
            right += verdict(past, *ratios(level / 1.5, 5)).slower
        assert wrong <= 6
        assert right >= 285


def test_pooled_repeats_are_all_of_them():
    both = history.Measured(NAME, (1.0, 2.0)).pooled(history.Measured(NAME, (3.0,)))
    assert both.ratios == (1.0, 2.0, 3.0)


def test_what_is_written_is_read_again(tmp_path: Path):
    path = tmp_path / "history.json"
    assert history.read_history(path) == []
    history.write_history(path, runs(2.0, 1.23456))
    found = history.read_history(path)
    assert [entry.ratios[NAME] for entry in found] == [2.0, 1.23]
    assert [entry.key for entry in found] == [entry.key for entry in runs(2.0, 1.0)]
    assert [file.name for file in tmp_path.iterdir()] == ["history.json"]


def test_a_second_run_of_a_commit_on_a_day_replaces_the_first():
    first = history.Entry(HERE, "2026-01-01", "c1", {"a": 1.0, "b": 2.0})
    second = history.Entry(HERE, "2026-01-01", "c1", {"a": 3.0})
    (found,) = history.with_entry([first], second)
    assert found.ratios == {"a": 3.0, "b": 2.0}
    assert len(history.with_entry([first], runs(1.0, 1.0)[1])) == 2


@pytest.mark.parametrize(
    "text", ["", "[]", '{"runs": 3}', '{"runs": [{}]}', '{"runs": ["x"]}', "nonsense"]
)
def test_a_damaged_history_is_one_clear_line(tmp_path: Path, text: str):
    path = tmp_path / "history.json"
    path.write_text(text)
    with pytest.raises(SystemExit, match=r"history\.json: no history of benchmarks"):
        history.read_history(path)


def test_a_ratio_of_zero_is_refused(tmp_path: Path):
    path = tmp_path / "history.json"
    row = {"machine": HERE, "date": "2026-01-01", "commit": "c", "ratios": {NAME: 0.0}}
    path.write_text(json.dumps({"runs": [row]}))
    with pytest.raises(SystemExit, match="not positive"):
        history.read_history(path)


def test_the_tracked_history_can_be_read():
    tracked = history.read_history(_FILE.with_name("history.json"))
    assert all(entry.ratios for entry in tracked)
