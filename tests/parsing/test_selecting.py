"""Parsers with few templates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.features import Encoder, Weights, attributes_of, parse_templates
from turbotree.learning import SelectionOptions, renumbered
from turbotree.learning.regularisers import templates_of_keys
from turbotree.parsing import Parser, TrainingOptions, select_parser
from turbotree.parsing.arcs import ARC, TreeShape
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.trainer import ParserTrainer, TrainingData
from turbotree.scoring import SparseScorer
from turbotree.text import treebank

FAST = SelectionOptions(epochs=2, rounds_between=10)
TEMPLATES = {"arc": load_templates("arc")}


def test_each_budget_gives_an_ordinary_parser(tmp_path: Path) -> None:
    train, dev = list(treebank(40, seed=1)), list(treebank(10, seed=2))
    parsers, report = select_parser(
        train, [6, 15], selection=FAST, dev=dev, templates=TEMPLATES, epochs=2, pruner_epochs=1
    )
    for parser, outcome in zip(parsers, report.outcomes, strict=True):
        assert list(outcome.templates) == parser.templates()["arc"]
        assert len(outcome.templates) == outcome.budget
        assert outcome.features == len(parser.parts.weights or ()) < outcome.peak_features
        assert outcome.scores["dev UAS"] > 50.0
        parser.save(tmp_path / "small")
        again = Parser.load(tmp_path / "small")
        assert [again.parse(s).heads for s in dev] == [parser.parse(s).heads for s in dev]
    assert parsers[0].labels is parsers[1].labels
    assert report.options.costs == "trial"


def test_costs_by_size_are_there_for_the_asking() -> None:
    train = list(treebank(40, seed=1))
    by_size = replace(FAST, costs="size")
    options: dict[str, Any] = {
        "model": "arc",
        "templates": TEMPLATES,
        "epochs": 1,
        "pruner_epochs": 1,
    }
    _, ours = select_parser(train, [6], selection=by_size, **options)
    _, usual = select_parser(train, [6], selection=FAST, **options)
    assert ours.options == by_size
    assert len(ours.outcomes[0].templates) == 6
    assert ours.outcomes[0].templates != usual.outcomes[0].templates


def test_a_budget_that_allows_all_changes_nothing_but_the_features(tmp_path: Path) -> None:
    train = list(treebank(15, seed=1))
    few = {"arc": TEMPLATES["arc"][:10]}
    how = SelectionOptions(epochs=1, refit="templates")
    options = {"model": "arc", "templates": few, "epochs": 1, "pruner_epochs": 1}
    (selected,), _ = select_parser(train, [10], selection=how, **options)
    trained = Parser.train(train, **options)
    for name, parser in (("a", selected), ("b", trained)):
        parser.record.clear()
        parser.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_features_of_arcs_keep_their_scores_under_new_numbers() -> None:
    sentences = list(treebank(8, seed=3))
    texts = TEMPLATES["arc"]  # words between and sets of values among them
    names, sets = attributes_of(parse_templates(texts, ARC))
    encoder = Encoder.fit(sentences, names, sets)
    encoded = [encoder.encode([sentence]) for sentence in sentences]
    heads = [np.array(sentence.heads, dtype=np.int32) for sentence in sentences]
    numbers = [number for number in range(len(texts)) if number % 4 != 2]
    shape = TreeShape(single_root=False)
    many = PartTask(SparseScorer({"arc": texts}, FAMILIES, encoder), encoded, heads, shape)
    small = SparseScorer({"arc": [texts[number] for number in numbers]}, FAMILIES, encoder)
    fewer = PartTask(small, encoded, heads, shape)
    rng = np.random.default_rng(1)
    weights = Weights()
    for index in range(len(many)):
        problem = many.problem(index)
        weights.add(problem.gradient(rng.normal(size=len(problem.gold))), 1.0)
    keys, values, _ = weights.table.entries()
    kept = np.isin(templates_of_keys(keys), numbers)
    old = Weights.of(keys[kept], values[kept])
    new = Weights.of(renumbered(keys[kept], numbers, many, fewer), values[kept])
    assert len(old) == len(new)
    for index in range(len(many)):
        ours, theirs = fewer.problem(index).scores(new), many.problem(index).scores(old)
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_what_templates_say_of_arcs_adds_up_to_the_scores() -> None:
    sentences = list(treebank(5, seed=3))
    texts = {"arc": TEMPLATES["arc"], "sibling": load_templates("sibling")}
    kinds = {name: parse_templates(texts[name], FAMILIES[name]) for name in texts}
    names, sets = attributes_of([template for some in kinds.values() for template in some])
    encoder = Encoder.fit(sentences, names, sets)
    encoded = [encoder.encode([sentence]) for sentence in sentences]
    heads = [np.array(sentence.heads, dtype=np.int32) for sentence in sentences]
    task = PartTask(
        SparseScorer(texts, FAMILIES, encoder), encoded, heads, TreeShape(single_root=False)
    )
    rng = np.random.default_rng(1)
    weights = Weights()
    for index in range(len(task)):
        problem = task.problem(index)
        weights.add(problem.gradient(rng.normal(size=len(problem.gold))), 1.0)
    for index, sentence in enumerate(sentences):
        problem = task.problem(index)
        arcs = len(problem.choices)
        added = problem.contributions(weights)
        assert added.shape == (arcs, len(texts["arc"]))
        np.testing.assert_allclose(added.sum(axis=1), problem.scores(weights)[:arcs], atol=1e-9)
        # Each word has one right arc among those it chooses from.
        right = problem.choices[problem.gold[:arcs] > 0]
        assert sorted(right.tolist()) == list(range(1, len(sentence) + 1))


def test_selection_is_for_arcs_alone() -> None:
    with pytest.raises(InputError, match="models of arcs alone"):
        select_parser(treebank(2, seed=1), [3], model="standard")
    with pytest.raises(InputError, match="budget is 0"):
        select_parser(treebank(2, seed=1), [0])


def test_the_more_templates_the_smaller_the_weights_that_are_kept() -> None:
    def threshold(**options: Any) -> float:
        trees = list(treebank(3, seed=1))
        data = TrainingData.of(trees, [], TrainingOptions(model="arc", **options))
        return ParserTrainer(data, data.run()).negligible_part(data.blueprint.part_model())

    usual = threshold()
    assert threshold(templates={"arc": TEMPLATES["arc"][:20]}) == usual
    share = len(TEMPLATES["arc"]) / 684
    assert threshold(templates={"arc": load_templates("arc684")}) == pytest.approx(usual * share)
