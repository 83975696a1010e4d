"""Presets set options that exist, and the page of them lists them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.graphs.solvers.registry import check_options, find_solver
from turbotree.learning import SelectionOptions
from turbotree.naming import options_of
from turbotree.parsing import Parser, TrainingOptions
from turbotree.parsing.parts import families_of
from turbotree.presets import PRESETS, presets_for
from turbotree.text import treebank

PAGE = Path(__file__).resolve().parent.parent / "docs" / "papers.md"

every_preset = pytest.mark.parametrize("name", PRESETS)


@every_preset
def test_options_exist(name):
    preset = PRESETS[name]
    assert bool(preset.solver) == bool(preset.solving)
    if preset.solver:
        check_options(find_solver(preset.solver), preset.solving)
    assert set(preset.parsing) <= set(options_of(Parser.parse_batch))
    if preset.training:
        TrainingOptions(**preset.training)
    if preset.selecting:
        SelectionOptions(**preset.selecting)


@every_preset
def test_the_page_has_a_row_for_each(name):
    assert f"| `{name}` | {PRESETS[name].paper}" in PAGE.read_text()


@pytest.mark.parametrize("name", presets_for("training"))
def test_what_is_given_beside_a_preset_counts_more(name):
    parser = Parser.train(treebank(20, seed=1), preset=name, epochs=1, pruner_epochs=1, seed=3)
    wanted = PRESETS[name].training
    assert parser.parts.families == families_of("arc", wanted["parts"])
    record = parser.record["options"]
    assert (record["epochs"], record["seed"], record["loss"]) == (1, 3, wanted["loss"])
    decoded = [parser.parse(own, preset=name) for own in treebank(3, seed=2)]
    by_hand = [parser.parse(own, **PRESETS[name].parsing) for own in treebank(3, seed=2)]
    assert [one.heads for one in decoded] == [one.heads for one in by_hand]


def test_decoders_that_are_given_beside_a_preset_count_more():
    parser = Parser.train(treebank(20, seed=1), model="standard", epochs=1, pruner_epochs=1)
    sentence = next(treebank(1, seed=2))
    one = parser.parse(sentence, preset="koo2010", decoder="ilp")
    assert one.certificate.status is Status.OPTIMAL
    with pytest.raises(InputError, match="unknown preset for training 'koo2010'"):
        Parser.train(treebank(2, seed=1), preset="koo2010")
