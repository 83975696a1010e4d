"""Chunks of a file are taken as they are, those of trees are base noun phrases."""

from __future__ import annotations

from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.evaluation import find_spans
from turbotree.experiments import EXPERIMENTS, SMALL, Cache, choose, read_chunks, run_experiments
from turbotree.experiments.data.chunks import chunked, noun_phrases
from turbotree.text import Sentence, treebank


def test_a_noun_takes_what_stands_right_before_it_and_hangs_on_it() -> None:
    tree = Sentence.from_words(
        ["Big", "city", "dogs", "quickly", "saw", "it", "yesterday"],
        upos=["ADJ", "NOUN", "NOUN", "ADV", "VERB", "PRON", "ADV"],
        heads=[2, 3, 5, 5, 0, 5, 5],
        labels=["amod", "compound", "nsubj", "advmod", "root", "obj", "advmod"],
    )
    # "Big" hangs on "city", not on the noun that ends the phrase, and stays outside.
    assert noun_phrases(tree) == ["O", "B-NP", "I-NP", "O", "O", "B-NP", "O"]


def test_every_noun_of_a_treebank_is_in_one_phrase_that_it_or_its_head_ends() -> None:
    for tree in treebank(40, seed=5):
        tags = noun_phrases(tree)
        assert len(tags) == len(tree)
        for span in find_spans(tags):
            assert tree.upos[span.end - 1] in ("NOUN", "PROPN", "PRON")
            assert all(tree.heads[word] == span.end for word in range(span.start, span.end - 1))
        nouns = [word for word, tag in enumerate(tree.upos) if tag in ("NOUN", "PROPN", "PRON")]
        assert all(tags[word] != "O" for word in nouns)


def test_chunks_keep_words_and_tags() -> None:
    trees = list(treebank(5, seed=5))
    for tree, sentence in zip(trees, chunked(trees), strict=True):
        assert sentence.forms == tree.forms
        assert sentence.column("xpos") == tree.upos
        assert list(sentence.column("chunk")) == noun_phrases(tree)
        assert chunked([sentence]) == [sentence]


def test_a_folder_of_chunks_serves_the_experiment_with_chunks_and_no_other(tmp_path: Path) -> None:
    made = chunked(list(treebank(40, seed=5)))
    folder = tmp_path / "words"
    folder.mkdir()
    for name, part in (("train", made[:30]), ("test", made[30:])):
        (folder / f"{name}.txt").write_text("".join(one.to_text() for one in part))
    data = read_chunks(folder)
    assert [len(part) for part in (data.train, data.dev, data.test)] == [27, 3, 10]
    notes: list[str] = []
    chosen = choose(EXPERIMENTS, "sparsity2011", ["table"])
    (outcome,) = run_experiments(
        chosen, [data], SMALL.with_epochs(1), Cache(tmp_path / "cache"), note=notes.append
    )
    assert outcome.experiment.id == "sparsity2011-table1"
    assert [row[1] for row in outcome.shown.tables[0].rows] == ["all templates", "10", "30"]
    assert any("omitted: no data of trees" in note for note in notes)


def test_a_folder_without_chunks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"train\.txt: missing"):
        read_chunks(tmp_path)
