"""``turbotree`` with taggers: train, parse, eval, inspect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from oracles.labelled import chunked

from turbotree.text import treebank, write_conllu, write_sentences


class Chunks(NamedTuple):
    """Paths of column files and of a model."""

    train: Path
    test: Path
    model: Path


@pytest.fixture(scope="module")
def chunks(run: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Chunks:
    folder = tmp_path_factory.mktemp("chunks")
    files = Chunks(folder / "train.txt", folder / "test.txt", folder / "chunks.safetensors")
    write_sentences(chunked(40, seed=1), files.train)
    write_sentences(chunked(10, seed=2), files.test)
    options = ("--dev", files.test, "--epochs", 2, "--licence", "CC0")
    result = run("train", files.train, "--task", "chunk", "-o", files.model, *options)
    assert result.exit_code == 0, result.output
    # O; B, I, E, S of NP; B, E, S of VP, as it has two words at most; S of PP
    assert "chunk (9 labels)" in result.stdout
    assert "dev: chunk F1" in result.stdout
    return files


def test_the_last_column_comes_back_predicted(
    run: Callable[..., Any], chunks: Chunks, tmp_path: Path
) -> None:
    blank = tmp_path / "blank.txt"
    blank.write_text("".join(s.replace(chunk=["O"] * len(s)).to_text() for s in chunked(10, 2)))
    out = tmp_path / "out.txt"
    assert run("parse", chunks.model, blank, "-o", out).exit_code == 0
    scores = json.loads(run("eval", chunks.test, out, "--json").stdout)
    assert scores["chunk"]["F1"] > 80.0
    assert run("parse", chunks.model, blank, "--threads", 2).stdout == out.read_text()
    assert run("parse", chunks.model, input=blank.read_bytes()).stdout == out.read_text()


def test_files_without_labels_get_a_column_more(
    run: Callable[..., Any], chunks: Chunks, tmp_path: Path
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("the DT\ndog NN\n\n")
    assert run("parse", chunks.model, path).stdout == "the DT B-NP\ndog NN I-NP\n\n"
    path.write_text("DT the ?\nNN dog ?\n\n")
    given = ("--columns", "xpos,form,chunk")
    assert run("parse", chunks.model, path, *given).stdout == "DT the B-NP\nNN dog I-NP\n\n"


def test_other_encodings_come_back_as_they_were(
    run: Callable[..., Any], chunks: Chunks, fails: Callable[..., str], tmp_path: Path
) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("the DT O\nperro-ñ NN O\n\n".encode("latin-1"))
    assert "latin-1" in fails("parse", chunks.model, path)
    out = tmp_path / "out.txt"
    assert run("parse", chunks.model, path, "-o", out, "--encoding", "latin-1").exit_code == 0
    assert out.read_bytes() == "the DT B-NP\nperro-ñ NN I-NP\n\n".encode("latin-1")


def test_json_has_the_probabilities(run: Callable[..., Any], chunks: Chunks) -> None:
    result = run("parse", chunks.model, chunks.test, "--format", "json", "--marginals")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(records) == 10
    for record in records:
        assert 0.0 < record["probability"] <= 1.0
        for word in record["words"]:
            assert max(word["chunk_probabilities"].values()) <= 1.0


def test_inspect_tells_what_a_tagger_is(run: Callable[..., Any], chunks: Chunks) -> None:
    facts = json.loads(run("inspect", chunks.model, "--json").stdout)
    assert (facts["kind"], facts["task"], facts["licence"]) == ("tagger", "chunk", "CC0")
    assert facts["columns"] == ["form", "xpos", "chunk"]
    assert facts["features"] == facts["stages"]["chunk"]["features"] > 0
    page = run("inspect", chunks.model).stdout
    for part in ("task chunk", "spans in bioes inside and bio outside", "chunk   epoch  2  loss"):
        assert part in page


def test_tags_are_learned_from_a_treebank_and_scored(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    train, test, model = (tmp_path / name for name in ("train.conllu", "test.conllu", "tags"))
    write_conllu(treebank(60, seed=1), train)
    write_conllu(treebank(10, seed=2), test)
    assert run("train", train, "--task", "tag", "-o", model, "--epochs", 2, "-q").exit_code == 0
    out = tmp_path / "out.conllu"
    assert run("parse", model, test, "-o", out, "--marginals").exit_code == 0
    assert "TagProb=" in out.read_text()
    label = ("--label", "upos,feats")
    scores = json.loads(run("eval", test, out, *label, "--json").stdout)
    assert scores["upos"]["accuracy"] > 70.0
    assert scores["feats"]["accuracy"] > 50.0
    assert "accuracy 100.00" in run("eval", test, test, "--label", "4").stdout


def test_mistakes_are_one_line(
    fails: Callable[..., str], chunks: Chunks, files: Any, tmp_path: Path
) -> None:
    out = ("-o", tmp_path / "m")
    train = ("train", chunks.train, *out)
    assert "for parsers and pipelines; this is a tagger" in fails(
        *train, "--task", "chunk", "--model", "full"
    )
    assert "--label is for taggers; this is a parser" in fails(
        "train", files.train, *out, "--label", "upos"
    )
    assert "--dev" in fails(*train, "--task", "chunk", "--scheme", "auto")
    assert "no column 'x'" in fails(*train, "--task", "chunk", "--label", "x")
    assert "there is only chunk" in fails(*train, "--task", "chunk", "--templates", "arc=x")
    assert "name the column" in fails("train", files.train, *out, "--task", "entities")
    parse = ("parse", chunks.model, chunks.test)
    assert "for parsers" in fails(*parse, "--decoder", "mst")
    assert "for parsers" in fails(*parse, "--exact")
    assert "not svg" in fails(*parse, "--format", "svg")
    assert "no column for probabilities" in fails(*parse, "--marginals")
    assert "for taggers" in fails("parse", files.model, files.test, "--encoding", "latin-1")
    short = tmp_path / "short.txt"
    short.write_text("dog\n\n")
    assert "name those of this file with --columns" in fails("parse", chunks.model, short)
    assert "is a tagger, expected a parser or a pipeline" in fails(
        "explain", chunks.model, files.test, "--arc", "2,1"
    )


def test_built_in_template_sets_go_by_their_names(
    run: Callable[..., Any], chunks: Chunks, tmp_path: Path
) -> None:
    model = tmp_path / "m"
    options = ("--task", "chunk", "--templates", "chunk=chunk96", "--epochs", 1, "-q")
    assert run("train", chunks.train, "-o", model, *options).exit_code == 0
    facts = json.loads(run("inspect", model, "--json").stdout)
    assert facts["stages"]["chunk"]["templates"] == 97
