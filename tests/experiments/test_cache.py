"""Results are kept, and only results that can be trusted are taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turbotree.experiments import Cache

INPUTS = {"what": "x", "numbers": [1, 2.5]}


def stored(tmp_path: Path) -> tuple[Cache, Path]:
    cache = Cache(tmp_path / "kept")
    cache.store(INPUTS, {"answer": [1, 2]})
    return cache, cache.path(INPUTS)


def test_a_result_is_found_again_under_the_same_inputs_only(tmp_path: Path) -> None:
    cache, _ = stored(tmp_path)
    assert cache.load(dict(reversed(INPUTS.items()))) == {"answer": [1, 2]}
    assert cache.load({**INPUTS, "what": "y"}) is None


def test_what_is_kept_is_not_worked_out_again(tmp_path: Path) -> None:
    cache, _ = stored(tmp_path)
    assert cache.get(INPUTS, lambda: pytest.fail("worked again")) == {"answer": [1, 2]}


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace("[1, 2]", "[1, 3]"),
        lambda text: json.dumps({**json.loads(text), "inputs": {}}),
    ],
    ids=["cut short", "empty", "something else", "changed", "of other inputs"],
)
def test_a_broken_entry_is_worked_out_again(tmp_path: Path, damage: object) -> None:
    cache, path = stored(tmp_path)
    assert callable(damage)
    path.write_text(damage(path.read_text()))
    assert cache.load(INPUTS) is None
    assert cache.get(INPUTS, lambda: {"answer": [4]}) == {"answer": [4]}
    assert cache.load(INPUTS) == {"answer": [4]}


def test_what_json_cannot_hold_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "kept")
    with pytest.raises(ValueError, match="JSON"):
        cache.store(INPUTS, float("nan"))
    assert cache.load(INPUTS) is None
