"""Presets set options that exist, and the page of them lists them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from turbotree.graphs.solvers.registry import check_options, find_solver
from turbotree.naming import options_of
from turbotree.parsing import Parser
from turbotree.presets import PRESETS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "papers.md"

every_preset = pytest.mark.parametrize("name", PRESETS)


@every_preset
def test_options_exist(name):
    preset = PRESETS[name]
    assert bool(preset.solver) == bool(preset.solving)
    if preset.solver:
        check_options(find_solver(preset.solver), preset.solving)
    assert set(preset.parsing) <= set(options_of(Parser.parse_batch))


@every_preset
def test_the_page_has_a_row_for_each(name):
    assert f"| `{name}` | {PRESETS[name].paper}" in PAGE.read_text()
