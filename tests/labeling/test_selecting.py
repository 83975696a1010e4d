"""Taggers with few templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.features import Weights
from turbotree.labeling import Tagger, select_tagger
from turbotree.labeling.data import Labelled
from turbotree.labeling.model import ChainModel
from turbotree.labeling.templates import load_templates
from turbotree.labeling.training import task_of
from turbotree.learning import Checkpoint, EpochRecord, SelectionOptions, renumbered
from turbotree.learning.progress import Silent
from turbotree.learning.regularisers import templates_of_keys
from turbotree.text import Sentence, treebank

FAST = SelectionOptions(epochs=2, rounds_between=25)
OPTIONS: dict[str, Any] = {"task": "chunk", "epochs": 2}


def test_each_budget_gives_an_ordinary_tagger(
    training: list[Sentence], held_out: list[Sentence], tmp_path: Path
) -> None:
    taggers, report = select_tagger(training, [8, 4, 8], selection=FAST, dev=held_out, **OPTIONS)
    assert [outcome.budget for outcome in report.outcomes] == [4, 8]
    for tagger, outcome in zip(taggers, report.outcomes, strict=True):
        model = tagger.stages[0].model
        # The label bigrams are not counted.
        assert len(model.templates) == outcome.budget + 1
        assert "prev" in model.templates
        assert outcome.templates == tuple(model.templates)
        assert outcome.features == tagger.features <= outcome.peak_features
        assert outcome.scores["dev F1"] > 80.0
        assert tagger.record["selection"]["templates_after"] == len(model.templates)
        tagger.save(tmp_path / "small")
        again = Tagger.load(tmp_path / "small")
        for sentence in held_out:
            assert again.tag(sentence).labels == tagger.tag(sentence).labels
        used = {
            atom.split(".")[1] for text in model.templates for atom in text.split() if "." in atom
        }
        assert set(again.encoder.attributes) == used


def test_templates_refitted_as_a_whole_are_training_on_them(
    training: list[Sentence], tmp_path: Path
) -> None:
    how = SelectionOptions(epochs=1, rounds_between=25, refit="templates")
    (selected,), report = select_tagger(training, [5], selection=how, **OPTIONS)
    templates = {"chunk": list(report.outcomes[0].templates)}
    trained = Tagger.train(training, templates=templates, **OPTIONS)
    for name, tagger in (("a", selected), ("b", trained)):
        tagger.record.clear()
        tagger.record["options"] = {}
        tagger.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("method", ["l1", "frequency", "information-gain"])
def test_other_methods_give_taggers_too(training: list[Sentence], method: str) -> None:
    how = SelectionOptions(method=method, epochs=1, rounds_between=25)
    budget = 5 if method == "information-gain" else 60
    (tagger,), report = select_tagger(training, [budget], selection=how, **OPTIONS)
    assert tagger.tag(training[0]).labels
    assert report.outcomes[0].scores == {}
    if method != "information-gain":
        assert 0 < tagger.features <= budget


def test_of_several_columns_the_first_is_selected_for() -> None:
    sentences = list(treebank(30, seed=1))
    taggers, _ = select_tagger(sentences, [3, 5], selection=FAST, task="tag", epochs=1)
    for tagger, count in zip(taggers, (3, 5), strict=True):
        upos, *others = tagger.stages
        assert len(upos.model.templates) == count + 1
        assert [stage.column for stage in others] == ["xpos", "feats"]
        assert all(stage.model.templates == load_templates("tag_given") for stage in others)


def test_features_of_chains_keep_their_scores_under_new_numbers(training: list[Sentence]) -> None:
    tagger = Tagger.train(training, task="chunk", epochs=1)
    model = tagger.stages[0].model
    assert isinstance(model, ChainModel)
    rows = [sentence.column("chunk") for sentence in training]
    data = Labelled.of(
        training, [[model.labels[0]] * len(row) for row in rows], model.labels, tagger.encoder
    )
    texts = model.numbered_templates
    numbers = [number for number in range(len(texts)) if number % 3 != 1]
    small = model.with_templates([texts[number] for number in numbers])
    many, fewer = task_of(model, data), task_of(small, data)
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


@pytest.mark.parametrize("trigrams", [False, True])
def test_costs_by_trial_are_there_for_the_asking(training: list[Sentence], trigrams: bool) -> None:
    how = SelectionOptions(epochs=1, rounds_between=25, costs="trial")
    (tagger,), report = select_tagger(training, [5], selection=how, trigrams=trigrams, **OPTIONS)
    assert tagger.tag(training[0]).labels
    assert len(report.outcomes[0].templates) >= 6


def test_what_templates_say_of_labels_adds_up_to_the_scores(training: list[Sentence]) -> None:
    tagger = Tagger.train(list(treebank(10, seed=1)), task="tag", epochs=1)
    chain, *_, choice = tagger.stages
    for stage in (chain, choice):
        model = stage.model
        rows = [list(sentence.column(stage.column)) for sentence in treebank(10, seed=1)]
        data = Labelled.of(treebank(10, seed=1), rows, model.labels, tagger.encoder)
        task = task_of(model, data)
        rng = np.random.default_rng(1)
        weights = Weights()
        for index in range(len(task)):
            problem = task.problem(index)
            weights.add(problem.gradient(rng.normal(size=len(problem.gold))), 1.0)
        for index, labels in enumerate(rows):
            problem = task.problem(index)
            known = len(problem.choices)
            added = problem.contributions(weights).sum(axis=1)
            np.testing.assert_allclose(added, problem.scores(weights)[:known], atol=1e-9)
            right = problem.choices[problem.gold[:known] > 0]
            assert right.tolist() == list(range(len(labels)))


class KillerError(Exception):
    """What ends a run."""


class Killer(Silent):
    """Stops training after some instances."""

    def __init__(self, instances: int) -> None:
        self.left = instances

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        self.left -= 1
        if not self.left:
            raise KillerError


def test_a_killed_selection_goes_on_to_the_same_models(
    training: list[Sentence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(**more: Any) -> list[bytes]:
        taggers, _ = select_tagger(training, [3, 6], selection=FAST, **OPTIONS, **more)
        for tagger in taggers:
            tagger.save(tmp_path / f"{len(tagger.stages[0].model.templates)}")
        return [(tmp_path / name).read_bytes() for name in ("4", "7")]

    expected = run()
    monkeypatch.setattr(Checkpoint, "due", lambda self: True)
    folder = tmp_path / "state"
    # In the first selection, in its refit, in the second selection.
    for instances in (70, 110, 150):
        with pytest.raises(KillerError):
            run(checkpoint=folder, resume=True, progress=Killer(instances))
    assert run(checkpoint=folder, resume=True) == expected


def test_mistakes_are_told(training: list[Sentence]) -> None:
    with pytest.raises(InputError, match="no budget"):
        select_tagger(training, [], **OPTIONS)
    with pytest.raises(InputError, match="scheme auto"):
        select_tagger(training, [2], scheme="auto", **OPTIONS)
    with pytest.raises(InputError, match="did you mean 'epochs'"):
        select_tagger(training, [2], epoch=3)
