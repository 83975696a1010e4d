"""``turbotree parse --engine``."""

from __future__ import annotations


def test_a_folder_is_parsed_as_its_files_would_be(run, files, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.conllu", "b.conllu"):
        (folder / name).write_bytes(files.test.read_bytes())
    out = tmp_path / "out"
    options = ("--engine", "processes", "--workers", 1, "--projective")
    result = run("parse", files.model, folder, "-o", out, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith("2 files, ")
    run("parse", files.model, files.test, "-o", tmp_path / "alone.conllu", "--projective")
    expected = (tmp_path / "alone.conllu").read_bytes()
    assert [(out / name).read_bytes() for name in ("a.conllu", "b.conllu")] == [expected] * 2


def test_an_engine_needs_files(fails, files):
    assert "--engine and Parquet need an INPUT" in fails(
        "parse", files.model, "--engine", "processes"
    )


def test_an_engine_writes_nothing_but_predictions(fails, files, tmp_path):
    given = ("parse", files.model, files.test, "-o", tmp_path / "out", "--engine", "processes")
    assert "--marginals and --engine: give only one of them" in fails(*given, "--marginals")


def test_workers_are_for_engines(fails, files):
    assert "--workers needs --engine" in fails("parse", files.model, files.test, "--workers", 2)
