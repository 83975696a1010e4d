"""``turbotree reproduce`` from the outside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from turbotree.cli.app import app
from turbotree.errors import InputError
from turbotree.experiments import (
    EXPERIMENTS,
    SMALL,
    Cache,
    ExperimentContext,
    built_in,
    find_datasets,
    given_files,
)
from turbotree.presets import PRESETS
from turbotree.text import treebank, write_conllu


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    return result.exit_code, result.output


def test_the_list_names_every_experiment() -> None:
    status, text = run("--list")
    assert status == 0
    assert [line.split()[0] for line in text.splitlines()] == [e.id for e in EXPERIMENTS]


def test_presets_of_experiments_are_presets() -> None:
    named = {experiment.id: experiment.preset for experiment in EXPERIMENTS}
    assert named["koo2010-fig4"] == "koo2010"
    assert {preset for preset in named.values() if preset} <= set(PRESETS)


def test_a_small_run_fills_its_report_and_a_second_one_adds_nothing(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    given = ("koo2010-table3", "--small", "--sentences", "40", "--measured", "8", "--epochs", "1")
    status, text = run(*given, "-o", str(report))
    assert status == 0, text
    page = report.read_text(encoding="utf-8")
    for expected in (
        "Koo, Rush",
        "Table 3",
        "P-G+S",
        "92.34",
        "How the data differ",
        "Preset",
        "95 %",
    ):
        assert expected in page
    status, text = run(*given, "-o", str(tmp_path / "other.html"), "--kept")
    assert status == 2
    assert "nothing of what was asked for is kept" in text
    assert not (tmp_path / "other.html").exists()
    status, again = run(*given, "-o", str(report))
    assert status == 0
    assert "kept from an earlier run" in again
    assert "training" not in again
    assert report.read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["all"], "no report to write"),
        (["all", "-o", "r.html"], "no data"),
        (["all", "-o", "r.html", "--train", "x"], "--train needs --test"),
        (["nothing", "-o", "r.html"], "unknown experiment 'nothing'"),
        (["all", "-o", "r.html", "--data", "."], "no treebank"),
        (["all", "-o", "r.html", "--data", "absent"], "expected a folder"),
        (["all", "-o", "r.html", "--small", "--medium"], "give only one of them"),
        (["all", "-o", "r.html", "--entities", "."], "no entities"),
    ],
)
def test_what_is_missing_is_said_in_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, text = run(*arguments)
    assert status == 2
    assert message in text
    assert len(text.splitlines()) == 1
    assert not (tmp_path / "r.html").exists()


def test_treebanks_are_found_by_name_and_a_missing_dev_is_held_out(tmp_path: Path) -> None:
    trees = list(treebank(40, seed=1))
    for split, part in (("train", trees[:30]), ("test", trees[30:])):
        write_conllu(part, tmp_path / f"xx_some-ud-{split}.conllu")
    (found,) = find_datasets(tmp_path)
    assert found.name == "xx_some"
    assert found.dev == tuple(trees[0:30:10])
    assert len(found.train) == 27
    assert not {s.sent_id for s in found.train} & {s.sent_id for s in found.dev}
    assert found.test == tuple(trees[30:])
    one = given_files(tmp_path / "xx_some-ud-train.conllu", tmp_path / "xx_some-ud-test.conllu")
    assert (one.name, one.train, one.test) == (found.name, found.train, found.test)


def test_sentences_that_are_no_trees_are_omitted_and_counted(tmp_path: Path) -> None:
    trees = [tree.to_text() for tree in treebank(12, seed=1)]
    loop = "1\tGo\t_\tVERB\t_\t_\t1\troot\t_\t_\n\n"
    (tmp_path / "train.conllu").write_text("".join([*trees[:5], loop, *trees[5:10]]))
    (tmp_path / "test.conllu").write_text("".join(trees[10:]) + loop)
    (tmp_path / "loops.conllu").write_text(loop)
    files = (tmp_path / "train.conllu", tmp_path / "test.conllu")
    found = given_files(*files, dev=tmp_path / "test.conllu")
    assert (len(found.train), len(found.dev), len(found.test)) == (10, 2, 2)
    assert "3 sentences omitted" in found.about
    with pytest.raises(InputError, match=r"loops\.conllu:1: word 1 is its own head"):
        given_files(tmp_path / "loops.conllu", tmp_path / "test.conllu")


def test_slow_decoders_are_measured_on_no_more_sentences_than_the_settings_say() -> None:
    data = built_in(5, 4)
    for most, left in ((None, 4), (3, 3), (9, 4)):
        settings = replace(SMALL, hard_sentences=most)
        context = ExperimentContext(data, "test", settings, Cache(Path("none")))
        assert context.hard_gold == context.gold[:left]
