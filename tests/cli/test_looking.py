"""``turbotree inspect`` and ``turbotree explain``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turbotree import __version__
from turbotree.modelfile import read_model, write_model
from turbotree.parsing import Parser
from turbotree.text import read_conllu


def test_inspect_tells_what_a_model_is(run: Callable[..., Any], files: Any) -> None:
    facts = json.loads(run("inspect", files.model, "--json").stdout)
    parser = Parser.load(files.model)
    assert (facts["kind"], facts["parts"]) == ("parser", ["arc"])
    assert facts["package_version"] == __version__
    assert facts["bytes"] == files.model.stat().st_size
    assert facts["features"]["parts"] == len(parser.parts.weights)
    assert facts["templates"]["arc"] == len(parser.templates()["arc"])
    assert facts["licence"] == "CC0"
    assert facts["training"]["sentences"] == 150
    assert [record["epoch"] for record in facts["training"]["parts"]] == [1, 2]
    assert "dev UAS" in facts["training"]["parts"][0]["scores"]


def test_inspect_shows_it_to_people(run: Callable[..., Any], files: Any) -> None:
    page = run("inspect", files.model).stdout
    for part in ("trained on   150 sentences", "licence      CC0", "parts   epoch  2  loss"):
        assert part in page
    assert max(map(len, page.splitlines())) <= 100 + len(str(files.model))


def test_inspect_refuses_what_is_no_model(fails: Callable[..., str], files: Any) -> None:
    assert "not a turbotree model" in fails("inspect", files.test)


def test_the_features_of_a_tree_add_up_to_its_score(run: Callable[..., Any], files: Any) -> None:
    sentence = list(read_conllu(files.test))[2]
    parse = Parser.load(files.model).parse(sentence)
    total = 0.0
    for word, head in enumerate(parse.heads, 1):
        arguments = ("--sentence", 3, "--arc", f"{head},{word}", "--json")
        record = json.loads(run("explain", files.model, files.test, *arguments).stdout)
        assert record["chosen_head"] == head
        assert record["probability"] == pytest.approx(parse.head_probabilities[word - 1])
        weights = [feature["weight"] for feature in record["features"]]
        assert record["score"] == pytest.approx(sum(weights))
        assert weights == sorted(weights, key=abs, reverse=True)
        total += record["score"]
    assert total == pytest.approx(parse.score, rel=1e-5)


def test_explain_shows_the_heaviest_features(run: Callable[..., Any], files: Any) -> None:
    lines = run("explain", files.model, files.test, "--arc", "2,1", "--most", 3).stdout
    assert "(2) → " in lines
    rows = [line for line in lines.splitlines() if line.lstrip()[:1] in "+-" and "." in line[:10]]
    assert len(rows) in (3, 4)  # and the rest together
    assert "dir=left" in run("explain", files.model, files.test, "--arc", "2,1", "--most", 0).stdout


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--arc", "1"], "expected two numbers, HEAD,WORD"),
        (["--arc", "a,b"], "expected two numbers, HEAD,WORD"),
        (["--arc", "1,99"], "modifier 99 is outside the sentence"),
        (["--arc", "1,0"], "modifier 0 is outside the sentence"),
        (["--arc", "1,1"], "its own head"),
        (["--arc", "1,2", "--sentence", "999"], "there is no sentence 999"),
        ([], "--arc"),
    ],
)
def test_arcs_that_are_not_there_are_refused(
    fails: Callable[..., str], files: Any, options: list[str], part: str
) -> None:
    assert part in fails("explain", files.model, files.test, *options)


@pytest.mark.parametrize("record", [{}, {"options": None}, {"options": {}, "words": "many"}])
def test_a_training_record_of_another_kind_is_said_in_one_line(
    files: Any, fails: Callable[..., str], tmp_path: Path, record: object
) -> None:
    file = read_model(files.model)
    path = tmp_path / "foreign.safetensors"
    write_model(path, file.arrays, {**file.header, "training": record}, kind="parser")
    assert "a training record of another kind" in fails("inspect", path)


def test_a_training_record_that_is_no_record_is_said_in_one_line(
    files: Any, fails: Callable[..., str], tmp_path: Path
) -> None:
    file = read_model(files.model)
    path = tmp_path / "foreign.safetensors"
    write_model(path, file.arrays, {**file.header, "training": []}, kind="parser")
    message = fails("inspect", path)
    assert message.endswith("not a usable parser: training: expected an object, got []")
