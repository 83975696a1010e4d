"""``turbotree train --engine``."""

from __future__ import annotations

import pytest

from turbotree.modelfile import read_model


def test_a_single_worker_gives_the_bytes_of_serial_training(run, files, tmp_path):
    arguments = ("train", files.dev, "--model", "arc", "--epochs", 1, "--quiet", "-o")
    assert run(*arguments, tmp_path / "serial").exit_code == 0
    result = run(*arguments, tmp_path / "one", "--engine", "processes", "--workers", 1)
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "serial").read_bytes()
    assert not (tmp_path / "one.checkpoint").exists()


def test_sentences_that_are_skipped_are_not_dealt_out(run, files, tmp_path):
    broken = tmp_path / "broken.conllu"
    broken.write_bytes(files.dev.read_bytes() + b"1\tword\n\n")
    arguments = (
        "train",
        broken,
        "-o",
        tmp_path / "m",
        "--model",
        "arc",
        "--epochs",
        1,
        "--engine",
        "processes",
    )
    result = run(*arguments, "--on-error", "skip", "--mixes", 3)
    assert result.exit_code == 0, result.output
    assert "skipped 1 sentence" in result.stderr
    assert "epoch  1/1" in result.stderr
    mixing = read_model(tmp_path / "m").header["training"]["mixing"]
    assert mixing == {"shards": 2, "shares": "features", "times": 3}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--workers", 2), "--workers needs --engine"),
        (("--address", "auto"), "--address needs --engine ray"),
        (("--mixes", 3), "--mixes needs --engine"),
        (("--engine", "processes", "--address", "auto"), "--address needs --engine ray"),
        (("--engine", "processes", "--task", "tag"), "--engine is for parsers; this is a tagger"),
        (
            ("--engine", "processes", "--task", "pipeline"),
            "--engine is for parsers; this is a pipeline",
        ),
        (("--engine", "processes", "--workers", 10_000), "10000 shards, but"),
    ],
)
def test_options_that_do_not_go_together_are_refused(fails, files, tmp_path, options, reason):
    assert reason in fails("train", files.dev, "-o", tmp_path / "m", "--quiet", *options)
