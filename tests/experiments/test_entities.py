"""Entities of files are taken as they are, those of trees are their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.experiments import (
    EXPERIMENTS,
    SMALL,
    Cache,
    built_in,
    choose,
    read_entities,
    run_experiments,
)
from turbotree.experiments.data.entities import names_of, with_entities
from turbotree.text import Sentence, treebank


def sentence(upos: list[str], heads: list[int], labels: list[str]) -> Sentence:
    words = [f"w{number}" for number in range(len(upos))]
    return Sentence.from_words(words, upos=upos, heads=heads, labels=labels)


def test_neighbours_that_do_not_hang_together_are_two_names() -> None:
    tree = sentence(["VERB", "PROPN", "PROPN"], [0, 1, 1], ["root", "iobj", "obj"])
    assert names_of(tree) == ["O", "B-NAME", "B-NAME"]


def test_a_name_may_hang_on_its_first_or_on_its_last_word() -> None:
    on_first = sentence(["PROPN"] * 3, [0, 1, 1], ["root", "flat:name", "flat:name"])
    on_last = sentence(["PROPN"] * 3, [3, 3, 0], ["compound", "compound", "root"])
    assert names_of(on_first) == names_of(on_last) == ["B-NAME", "I-NAME", "I-NAME"]


def test_the_proper_nouns_of_a_treebank_are_its_names() -> None:
    trees = list(treebank(60, seed=5))
    assert any("PROPN" in tree.upos for tree in trees)
    for tree, made in zip(trees, with_entities(trees), strict=True):
        tags = made.column("entity")
        assert [tag != "O" for tag in tags] == [tag == "PROPN" for tag in tree.upos]
        assert "PROPN" not in made.column("xpos")
        assert made.forms == tree.forms
        assert with_entities([made]) == [made]


def folder_of(tmp_path: Path, *, dev: bool) -> Path:
    made = with_entities(list(treebank(60, seed=5)))
    folder = tmp_path / "entities"
    folder.mkdir()
    parts = {"train": made[:40], "testb": made[40:52]} | ({"testa": made[52:]} if dev else {})
    for name, part in parts.items():
        (folder / f"esp.{name}").write_text("".join(one.to_text() for one in part))
    return folder


def test_files_are_read_and_a_missing_dev_file_is_held_out(tmp_path: Path) -> None:
    (data,) = read_entities(folder_of(tmp_path, dev=True))
    assert (data.name, data.kind) == ("esp", "entities")
    assert [len(part) for part in (data.train, data.dev, data.test)] == [40, 8, 12]
    (tmp_path / "entities" / "esp.testa").unlink()
    (data,) = read_entities(tmp_path / "entities")
    assert [len(part) for part in (data.train, data.dev, data.test)] == [36, 4, 12]


def test_the_experiment_prefers_entities_to_trees_and_shows_the_language_of_the_paper(
    tmp_path: Path,
) -> None:
    (data,) = read_entities(folder_of(tmp_path, dev=False))
    chosen = choose(EXPERIMENTS, "sparsity2011-table2")
    datasets = [built_in(10, 4), data]
    cache = Cache(tmp_path / "cache")
    (outcome,) = run_experiments(chosen, datasets, SMALL.with_epochs(1), cache)
    rows = outcome.shown.tables[0].rows
    assert {row[0] for row in rows} == {"esp"}
    by_name = {row[1]: row for row in rows}
    lasso = [f"lasso, as many features as {budget}" for budget in (50, 100)]
    groups = [f"group lasso {budget}" for budget in (50, 100)]
    strengths = [f"lasso C = {strength}" for strength in (0.1, 0.5, 1)]
    assert set(by_name) == {"all templates", *lasso, *groups, *strengths}
    # Ours and the paper's F1 on development and test data, then features.
    assert rows[0][1] == "all templates"
    assert (rows[0][3], rows[0][5], rows[0][7]) == ("70.38", "74.09", "8,598,246")
    assert all(row[place] != "–" for row in rows for place in (2, 4, 6))
    for one, other in zip(lasso, groups, strict=True):
        # The budget is what the group lasso has; many weights may fall below it at once.
        features = [int(by_name[name][6].replace(",", "")) for name in (one, other)]
        assert 0 < features[0] <= features[1]


def test_folders_without_entities_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no entities; expected files such as esp\.train"):
        read_entities(tmp_path)
    (tmp_path / "esp.train").write_text("Madrid NP B-LOC\n\n")
    with pytest.raises(InputError, match=r"esp\.testb: missing, though there is esp\.train"):
        read_entities(tmp_path)
