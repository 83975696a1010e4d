"""``turbotree eval``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.text import Sentence, write_conllu


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """Of four words, three get the right head, two of these the right relation."""
    sentence = Sentence.from_words(
        ["Big", "birds", "sing", "."],
        upos=["ADJ", "NOUN", "VERB", "PUNCT"],
        heads=[2, 3, 0, 3],
        labels=["amod", "nsubj", "root", "punct"],
    )
    predicted = sentence.with_tree([2, 3, 0, 2], ["amod", "obj", "root", "punct"])
    write_conllu([sentence], tmp_path / "gold.conllu")
    write_conllu([predicted], tmp_path / "predicted.conllu")
    return tmp_path / "gold.conllu", tmp_path / "predicted.conllu"


def test_trees_are_scored(run: Callable[..., Any], trees: tuple[Path, Path]) -> None:
    figures = json.loads(run("eval", *trees, "--json").stdout)
    assert (figures["UAS"], figures["LAS"]) == (75.0, 50.0)
    assert (figures["UAS_nopunct"], figures["LAS_nopunct"]) == (100.0, 66.67)
    assert figures["relations"]["obj"]["predicted"] == 1


def test_the_table_shows_the_same_figures(
    run: Callable[..., Any], trees: tuple[Path, Path]
) -> None:
    table = run("eval", *trees).stdout
    assert "UAS                      75.00               100.00" in table
    assert "nsubj" in table


def test_predictions_may_come_from_stdin(run: Callable[..., Any], trees: tuple[Path, Path]) -> None:
    gold, predicted = trees
    result = run("eval", gold, "-", "--json", input=predicted.read_bytes())
    assert result.stdout == run("eval", gold, predicted, "--json").stdout


def test_chunks_and_entities_are_scored(run: Callable[..., Any], tmp_path: Path) -> None:
    gold, predicted = tmp_path / "gold.txt", tmp_path / "predicted.txt"
    gold.write_text("U.N. NNP I-NP I-ORG\nofficial NN I-NP O\nleft VBD I-VP O\n\n")
    predicted.write_text("U.N. NNP I-NP I-LOC\nofficial NN I-NP O\nleft VBD I-NP O\n\n")
    figures = json.loads(run("eval", gold, predicted, "--json").stdout)
    assert set(figures) == {"chunk", "entity"}
    # Gold chunks: NP (0-2), VP (2-3); predicted: NP (0-3).
    assert figures["chunk"]["right"] == 0
    assert (figures["chunk"]["gold"], figures["chunk"]["predicted"]) == (2, 1)
    assert figures["entity"]["accuracy"] == 66.67
    assert "chunk" in run("eval", gold, predicted).stdout


@pytest.mark.parametrize(
    ("gold", "predicted", "part"),
    [
        ("a B-X\n\n", "b B-X\n\n", "sentence 1 has different words"),
        ("a B-X\n\nb O\n\n", "a B-X\n\n", "ends before sentence 2"),
        ("a B-X\n\n", "a NN B-X\n\n", "columns form, xpos, chunk; the gold file has form, chunk"),
        ("a NN\n\n", "a NN\n\n", "tag 'NN'"),
        ("a\nb c\n", "a\n", "neither CoNLL-U nor columns"),
    ],
)
def test_files_that_do_not_fit_are_one_line(
    fails: Callable[..., str], tmp_path: Path, gold: str, predicted: str, part: str
) -> None:
    (tmp_path / "gold").write_text(gold)
    (tmp_path / "predicted").write_text(predicted)
    assert part in fails("eval", tmp_path / "gold", tmp_path / "predicted")


def test_other_words_are_named(
    fails: Callable[..., str], files: Any, trees: tuple[Path, Path]
) -> None:
    line = fails("eval", files.test, trees[1])
    assert line.startswith(
        "the files have different tokens and cannot be scored, even with --raw: the texts "
    )
    assert "eval --raw scores" in fails("eval", files.test, trees[1], "--label", "upos")


def test_different_tokens_of_one_text_are_scored_as_raw_text(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    gold = Sentence.from_words(["do", "n't"], heads=[0, 1], labels=["root", "advmod"])
    found = Sentence.from_words(["don't"], heads=[0], labels=["root"])
    for name, sentence in (("gold", gold), ("found", found)):
        write_conllu([sentence], tmp_path / f"{name}.conllu")
    paths = (tmp_path / "gold.conllu", tmp_path / "found.conllu")
    result = run("eval", *paths)
    assert result.stdout == run("eval", *paths, "--raw").stdout
    assert "different tokens: scored by characters, as --raw does" in result.stderr
    with pytest.raises(InputError, match=r"raw_scores \(eval --raw\)"):
        attachment_scores([gold], [found])


def test_a_missing_file_is_named(fails: Callable[..., str], trees: tuple[Path, Path]) -> None:
    assert fails("eval", trees[0], "missing.conllu").startswith("missing.conllu: ")
