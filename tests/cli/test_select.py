"""``turbotree select``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from oracles.labelled import chunked

from turbotree.labeling import Tagger
from turbotree.text import treebank, write_conllu, write_sentences


class Chunks(NamedTuple):
    """Paths of column files."""

    train: Path
    dev: Path
    folder: Path


@pytest.fixture(scope="module")
def chunks(tmp_path_factory: pytest.TempPathFactory) -> Chunks:
    folder = tmp_path_factory.mktemp("select")
    files = Chunks(folder / "train.txt", folder / "dev.txt", folder)
    write_sentences(chunked(40, seed=1), files.train)
    write_sentences(chunked(15, seed=2), files.dev)
    return files


QUICK = ("--task", "chunk", "--epochs", 2, "--passes", 2, "--rounds", 20)


def test_several_budgets_give_a_table_and_the_best_model(
    run: Callable[..., Any], chunks: Chunks
) -> None:
    model, plot = chunks.folder / "small.safetensors", chunks.folder / "plot.svg"
    pytest.importorskip("matplotlib")
    result = run(
        "select", chunks.train, "-o", model, "--budget", "3,8", "--dev", chunks.dev,
        "--plot", plot, *QUICK,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        "budget", "templates", "features", "MB", "peak", "features", "F1", "seconds",
    ]  # fmt: skip
    rows = [line.split() for line in lines[1:3]]
    assert [row[:2] for row in rows] == [["3", "4"], ["8", "9"]]
    best = max(rows, key=lambda row: (float(row[5]), -int(row[0])))
    assert len(Tagger.load(model).stages[0].model.templates) == int(best[1])
    assert any(line.startswith("POS n-grams") for line in lines)
    assert "chunk-3-selection epoch  2/2" in result.stderr
    assert plot.read_text().startswith("<?xml")
    assert not model.with_name(f"{model.name}.checkpoint").exists()

    page = run("inspect", model).stdout
    assert f"selected  {best[1]} of 97 templates, group-lasso by template, budget {best[0]}" in page
    assert "select  epoch  2" in page
    facts = json.loads(run("inspect", model, "--json").stdout)
    assert facts["training"]["selection"]["budget"] == int(best[0])


def test_a_preset_sets_what_is_not_given(
    run: Callable[..., Any], fails: Callable[..., str], chunks: Chunks
) -> None:
    model = chunks.folder / "preset.safetensors"
    arguments = ("select", chunks.train, "-o", model, "--budget", "3", *QUICK)
    run(*arguments, "--preset", "sparsity2011")
    record = Tagger.load(model).record["selection"]
    assert (record["costs"], record["rounds_between"], record["epochs"]) == ("log2", 20, 2)
    assert record["pseudo_budgets"] is True
    training = Tagger.load(model).record["options"]
    assert (training["loss"], training["largest_step"]) == ("svm", 1e12)
    run(*arguments, "--norm", "max")
    assert Tagger.load(model).record["selection"]["norm"] == "max"
    said = fails(*arguments, "--preset", "sparse")
    assert said == "unknown preset for selecting 'sparse'; there is only sparsity2011"


def test_json_has_families_and_traces(run: Callable[..., Any], chunks: Chunks) -> None:
    model = chunks.folder / "json.safetensors"
    result = run("select", chunks.train, "-o", model, "--budget", 4, "--json", "-q", *QUICK)
    report = json.loads(result.stdout)
    assert report["templates"] == 97
    outcome = report["outcomes"][0]
    assert len(outcome["templates"]) == 5
    assert outcome["scores"] == {}
    # Two epochs of 40 sentences, a step every 20.
    assert [step[0] for step in outcome["trace"]] == [20, 40, 60, 80]
    assert sum(outcome["families"].values()) >= 5


def test_trees_and_information_gain(run: Callable[..., Any], tmp_path: Path) -> None:
    train, model = tmp_path / "train.conllu", tmp_path / "model"
    write_conllu(treebank(20, seed=1), train)
    templates = tmp_path / "templates.txt"
    templates.write_text("h.upos m.upos\nh.form\nm.form\ndist\nh.upos m.upos dist\n")
    given = ("--templates", templates, "--epochs", 1, "--method", "information-gain")
    result = run("select", train, "-o", model, "--budget", "2", *given)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[1].split()[:2] == ["2", "2"]
    page = run("inspect", model).stdout
    assert "selected  2 of 5 templates, information-gain, budget 2\n" in page
    assert run("parse", model, train).exit_code == 0


def test_mistakes_are_one_line(
    fails: Callable[..., str], chunks: Chunks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*arguments: Any) -> str:
        return fails("select", chunks.train, "-o", chunks.folder / "m", *arguments)

    assert "expected whole numbers" in said("--budget", "ten", *QUICK)
    assert "budget is 0" in said("--budget", "0", *QUICK)
    assert "groups are for" in said("--budget", 2, "--method", "l1", "--groups", "label", *QUICK)
    assert "scheme auto" in said("--budget", 2, "--scheme", "auto", *QUICK)
    assert "ends in .svg" in said("--budget", 2, "--plot", chunks.folder / "p.gif", *QUICK)
    assert "--task: unknown value 'pipeline'" in said("--budget", 2, "--task", "pipeline")
    assert "--label is for taggers" in said("--budget", 2, "--label", "chunk")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "turbotree[plots]" in said("--budget", 2, "--plot", chunks.folder / "p.svg", *QUICK)
