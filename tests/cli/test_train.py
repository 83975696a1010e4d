"""``turbotree train``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turbotree.parsing import Parser
from turbotree.text import Sentence, read_conllu, write_conllu


def test_the_model_is_written_and_the_checkpoint_goes(files: Any) -> None:
    assert len(Parser.load(files.model).labels.dictionary.names) > 10
    assert {path.suffix for path in files.model.parent.iterdir()} == {".conllu", ".safetensors"}


def test_figures_go_to_stderr_and_the_summary_to_stdout(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    result = run(
        "train",
        files.train,
        "-o",
        tmp_path / "m",
        "--model",
        "arc",
        "--epochs",
        1,
        "--dev",
        files.dev,
    )
    assert "parts    epoch  1/1  loss" in result.stderr
    assert "150 sentences" in result.stdout
    assert "UAS" in result.stdout.splitlines()[-1]


def test_quiet_training_says_nothing(run: Callable[..., Any], files: Any, tmp_path: Path) -> None:
    result = run(
        "train", files.dev, "-o", tmp_path / "m", "--model", "arc", "--epochs", 1, "--quiet"
    )
    assert (result.exit_code, result.output) == (0, "")


def test_two_threads_give_the_same_bytes(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    model = tmp_path / "two.safetensors"
    result = run("train", files.train, "-o", model, *files.training, "--threads", 2)
    assert result.exit_code == 0, result.output
    assert model.read_bytes() == files.model.read_bytes()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing kills so hard here")
def test_a_killed_run_resumes_to_the_same_bytes(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    model = tmp_path / "killed.safetensors"
    arguments = ["train", str(files.train), "-o", str(model), *files.training]
    with subprocess.Popen(
        [sys.executable, "-m", "turbotree", *arguments], stderr=subprocess.DEVNULL
    ) as process:
        checkpoint = tmp_path / "killed.safetensors.checkpoint" / "pruner.checkpoint"
        waited_until = time.monotonic() + 60
        while not checkpoint.exists() and time.monotonic() < waited_until:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not model.exists()
    assert checkpoint.exists()
    result = run(*arguments, "--resume")
    assert result.exit_code == 0, result.output
    assert "pruner   epoch  1/3" not in result.stderr  # was done before the kill
    assert model.read_bytes() == files.model.read_bytes()
    assert not checkpoint.parent.exists()


def test_resuming_with_other_options_is_refused(
    run: Callable[..., Any],
    fails: Callable[..., str],
    files: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = ("train", files.dev, "-o", tmp_path / "m", "--model", "arc", "--epochs", 1)
    with monkeypatch.context() as patch:
        patch.setattr(Parser, "save", _interrupt)
        assert run(*arguments, "--quiet").exit_code == 130
    message = fails(*arguments, "--resume", "--seed", 2)
    assert "other settings (seed)" in message


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_run_says_how_to_go_on(
    run: Callable[..., Any], files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parser, "save", _interrupt)
    result = run(
        "train", files.dev, "-o", tmp_path / "m", "--model", "arc", "--epochs", 1, "--quiet"
    )
    assert result.exit_code == 130
    assert result.stderr == "turbotree: interrupted; --resume continues from the last checkpoint\n"


def test_resuming_nothing_starts_from_the_beginning(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    result = run(
        "train", files.dev, "-o", tmp_path / "m", "--model", "arc", "--epochs", 1, "--resume"
    )
    assert result.exit_code == 0
    assert "nothing to resume" in result.stderr


def test_a_preset_sets_what_is_not_given(
    run: Callable[..., Any], fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    model = tmp_path / "m.safetensors"
    options = ("--preset", "turbo2010-bp", "--epochs", 1)
    run("train", files.dev, "-o", model, *options)
    parser = Parser.load(model)
    assert parser.parts.families == ("arc", "grandparent", "all_siblings")
    assert (parser.record["options"]["loss"], parser.record["options"]["epochs"]) == ("crf", 1)
    said = fails("train", files.dev, "-o", model, *options, "--model", "arc")
    assert said == "--preset and --model: give only one of them"


def test_templates_of_ones_own_are_used(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    templates = tmp_path / "arc.txt"
    templates.write_text("# mine\nh.upos m.upos dist\nh.form m.form\n")
    model = tmp_path / "m.safetensors"
    options = ("--model", "arc", "--epochs", 1, "--templates", f"arc={templates}")
    run("train", files.dev, "-o", model, *options)
    assert Parser.load(model).templates()["arc"] == ["h.upos m.upos dist", "h.form m.form"]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--loss", "hinge"], "unknown loss 'hinge'; there are crf"),
        (["--beta", "1"], "beta and gamma go together"),
        (["--loss", "crf", "--beta", "1", "--gamma", "0"], "not both"),
        (["--beta", "-1", "--gamma", "0"], "beta is -1.0"),
        (["--step", "0"], "largest step is 0.0"),
        (["--seed", "-1"], "seed is -1"),
        (["--epochs", "0"], "--epochs"),
        (["--model", "huge"], "--model"),
        (
            ["--templates", "arcs=x"],
            "expected SET=FILE; no set is called 'arcs'; did you mean 'arc'?",
        ),
        (["--templates", "arc=missing.txt"], "missing.txt: No such file"),
        (["-o", "no/such/folder/m"], "there is no folder"),
        (["-o", "."], "is a folder"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(
    fails: Callable[..., str], options: list[str], part: str
) -> None:
    assert part in fails("train", "unread.conllu", "-o", "m.safetensors", *options)


def test_a_template_that_says_nothing_is_named(
    fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    templates = tmp_path / "arc.txt"
    templates.write_text("h.fomr dist\n")
    model = tmp_path / "m"
    message = fails("train", files.dev, "-o", model, "--templates", f"arc={templates}")
    assert "unknown attribute 'fomr'" in message


def test_a_folder_that_cannot_be_written_is_refused(
    fails: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    assert "no permission to write in" in fails("train", "unread.conllu", "-o", tmp_path / "m")


def test_a_cycle_in_the_data_is_an_error_with_its_place(
    fails: Callable[..., str], tmp_path: Path
) -> None:
    bad = Sentence.from_words(["a", "b", "c"], heads=[2, 1, 0], labels=["x", "x", "root"])
    write_conllu([bad], tmp_path / "bad.conllu")
    message = fails("train", tmp_path / "bad.conllu", "-o", tmp_path / "m")
    assert message.startswith(f"{tmp_path / 'bad.conllu'}:1: cycle of heads: 1 (a) -> 2 (b)")


def test_malformed_sentences_are_skipped_and_counted(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    path, model = tmp_path / "some.conllu", tmp_path / "m.safetensors"
    cycle = Sentence.from_words(["a", "b", "c"], heads=[2, 1, 0], labels=["x", "x", "root"])
    write_conllu([*read_conllu(files.dev), cycle], path)
    with path.open("ab") as file:
        file.write(b"1\ttoo\tfew\n\n1\t\xff\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    result = run("train", path, "-o", model, "--model", "arc", "--epochs", 1, "--on-error", "skip")
    assert result.exit_code == 0, result.output
    assert "skipped 3 sentences; the first: " in result.stderr
    assert Parser.load(model).record["sentences"] == 20


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_treebank_is_refused(
    fails: Callable[..., str], tmp_path: Path, content: str
) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text(content)
    assert fails("train", path, "-o", tmp_path / "m") == f"{path}: no sentences"


def test_a_file_of_another_kind_is_refused(fails: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "chunks.txt"
    path.write_text("He PRP B-NP\nwent VBD B-VP\n\n")
    assert "neither CoNLL-U nor CoNLL-X" in fails("train", path, "-o", tmp_path / "m")


def test_weights_of_rules_are_learnt_after_the_rest(run, fails, files, tmp_path):
    rules, model = tmp_path / "soft.rules", tmp_path / "model"
    rules.write_text("rule one: [?] forall h: at most 1 m: label(h, m, 'nsubj*')\n")
    given = ("train", files.train, "-o", model, *files.training)
    result = run(*given, "--rules", rules)
    assert result.exit_code == 0, result.stderr
    assert "rule one  " in result.stderr
    assert run("parse", model, files.test, "--rules", rules).exit_code == 0
    assert "no weight for rule one" in fails("parse", files.model, files.test, "--rules", rules)
    assert "no rule has a weight to learn, [?]" in fails(*given, "--rules", "one-root")
