"""Pipelines at the command line."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.level_two import problems_of

from turbotree.pipeline import Pipeline
from turbotree.text import read_conllu, treebank, write_conllu
from turbotree.text.surface import raw_text

TEXT = "The dogs slept. A girl sang.\n\nDid the man see a dog?\n"


@pytest.fixture(scope="module")
def pipeline(run: Callable[..., Any], files: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline, trained by the command line on a small part of the treebank."""
    model = tmp_path_factory.mktemp("pipeline") / "all.safetensors"
    options = (
        "--task",
        "pipeline",
        "--model",
        "arc",
        "--epochs",
        "1",
        "--licence",
        "CC0",
        "--dev",
        files.dev,
    )
    result = run("train", files.test, "-o", model, *options)
    assert result.exit_code == 0, result.output
    assert "dev from raw text: tokens" in result.output
    epochs = [line for line in result.stderr.splitlines() if " epoch " in line]
    assert all(re.search(r" left, about .* in all$", line) for line in epochs)
    assert epochs[-1].endswith(" left, about 0 s in all")
    assert not model.with_name("all.safetensors.checkpoint").exists()
    return model


def test_an_interrupted_run_resumes_to_the_same_bytes(
    run: Callable[..., Any],
    files: Any,
    pipeline: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = tmp_path / "again.safetensors"
    options = ("--task", "pipeline", "--model", "arc", "--epochs", "1", "--licence", "CC0")
    arguments = ("train", files.test, "-o", model, *options, "--dev", files.dev, "--quiet")
    with monkeypatch.context() as patch:
        patch.setattr(Pipeline, "save", _interrupt)
        result = run(*arguments)
    assert result.exit_code == 130
    assert "--resume continues" in result.stderr
    state = model.with_name("again.safetensors.checkpoint")
    assert {"tagger", "parser", "fold-1"} <= {path.name for path in state.iterdir()}
    assert run(*arguments, "--resume").exit_code == 0
    assert model.read_bytes() == pipeline.read_bytes()
    assert not state.exists()


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def sentences(output: str) -> list[Any]:
    return list(read_conllu(io.StringIO(output)))


def test_text_comes_from_an_option_a_file_or_a_pipe(
    run: Callable[..., Any], pipeline: Path, tmp_path: Path
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    from_option = run("parse", pipeline, "--text", TEXT).stdout
    from_file = run("parse", pipeline, file).stdout
    assert [s.text for s in sentences(from_option)] == [
        "The dogs slept.",
        "A girl sang.",
        "Did the man see a dog?",
    ]
    assert from_file == from_option == run("parse", pipeline, input=TEXT).stdout
    assert from_file == run("parse", pipeline, file, "--threads", 2).stdout
    last = sentences(from_file)[-1]
    assert last.sent_id == "3"
    assert last.column("misc")[0] == f"TokenRange={TEXT.index('Did')}:{TEXT.index('Did') + 3}"


@pytest.mark.parametrize("given", ["text", "lines", "words"])
def test_what_is_written_passes_the_validator(
    run: Callable[..., Any], pipeline: Path, tmp_path: Path, given: str
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT + "\tDogs   don't sleep\u2028here , 10 000 _ #\n")
    result = run("parse", pipeline, file, "--input-format", given)
    assert result.exit_code == 0
    assert problems_of(result.stdout) == []


LINES = "The dogs slept. A girl sang.\n\n  Did the man see a dog ?  \nThe end\n"


def test_each_line_may_be_one_sentence(
    run: Callable[..., Any], pipeline: Path, tmp_path: Path
) -> None:
    found = run("parse", pipeline, "--input-format", "lines", input=LINES).stdout
    made = sentences(found)
    assert [s.text for s in made] == [
        "The dogs slept. A girl sang.",
        "Did the man see a dog ?",
        "The end",
    ]
    assert made[0].forms == ("The", "dogs", "slept", ".", "A", "girl", "sang", ".")
    assert [s.sent_id for s in made] == ["1", "2", "3"]
    for sentence in made:  # every token knows its place in the file
        for form, misc in zip(sentence.forms, sentence.column("misc"), strict=True):
            start, end = misc.rpartition("TokenRange=")[2].split(":")
            assert LINES[int(start) : int(end)] == form
    by_name = tmp_path / "some.lines"
    by_name.write_text(LINES)
    assert run("parse", pipeline, by_name).stdout == found
    assert run("parse", pipeline, by_name, "--threads", 2).stdout == found
    assert run("parse", pipeline, "--text", LINES, "--input-format", "lines").stdout == found


def test_words_may_be_parted_by_spaces(
    run: Callable[..., Any], pipeline: Path, tmp_path: Path
) -> None:
    found = run("parse", pipeline, "--input-format", "words", input=LINES).stdout
    made = sentences(found)
    assert [s.forms for s in made] == [tuple(x.split()) for x in LINES.splitlines() if x.strip()]
    assert [s.text for s in made] == [" ".join(s.forms) for s in made]
    given = "".join(s.replace(head=["_"] * len(s)).to_text() for s in made)
    tagged = sentences(run("parse", pipeline, "--input-format", "conllu", input=given).stdout)
    assert [(s.upos, s.heads) for s in tagged] == [(s.upos, s.heads) for s in made]
    by_name = tmp_path / "some.words"
    by_name.write_text(LINES)
    assert run("parse", pipeline, by_name).stdout == found
    assert len(sentences(run("parse", pipeline, by_name, "--k", 2).stdout)) == 6


def test_lines_are_answered_as_they_come(pipeline: Path) -> None:
    command = [sys.executable, "-m", "turbotree", "parse", str(pipeline), "--input-format", "lines"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text in (b"The dogs slept.", b"A girl sang."):
            process.stdin.write(text + b"\n")
            process.stdin.flush()
            answer = b"".join(iter(process.stdout.readline, b"\n"))  # the pipe is still open
            assert b"# text = " + text in answer
        process.stdin.close()


def test_a_byte_order_mark_changes_nothing_in_a_file(
    run: Callable[..., Any], pipeline: Path, tmp_path: Path
) -> None:
    expected = run("parse", pipeline, input=TEXT).stdout
    file, packed = tmp_path / "text.txt", tmp_path / "text.gz"
    marked = b"\xef\xbb\xbf" + TEXT.encode()
    file.write_bytes(marked)
    packed.write_bytes(gzip.compress(marked))
    assert run("parse", pipeline, file).stdout == expected
    assert run("parse", pipeline, packed).stdout == expected
    assert run("parse", pipeline, input=marked).stdout == expected
    # Of a text that is given as such, the mark is a character like any other to count.
    given = sentences(run("parse", pipeline, "--text", "\ufeff" + TEXT).stdout)
    assert [s.forms for s in given] == [s.forms for s in sentences(expected)]
    start = TEXT.index("Did") + 1
    assert given[-1].column("misc")[0] == f"TokenRange={start}:{start + 3}"
    out = tmp_path / "out"
    run("parse", pipeline, file, "-o", out, "--engine", "processes", "--workers", 1)
    (written,) = out.rglob("text*") if out.is_dir() else [out]
    assert [s.forms for s in read_conllu(written)] == [s.forms for s in sentences(expected)]


def test_sentences_are_tagged_and_parsed(
    run: Callable[..., Any], pipeline: Path, files: Any
) -> None:
    found = sentences(run("parse", pipeline, files.dev).stdout)
    gold = list(read_conllu(files.dev))
    assert [s.forms for s in found] == [s.forms for s in gold]
    assert [s.upos for s in found] != [s.upos for s in gold]
    kept = sentences(run("parse", pipeline, files.dev, "--keep-tags").stdout)
    assert [s.upos for s in kept] == [s.upos for s in gold]
    piped = run("parse", pipeline, "--input-format", "conllu", input=files.dev.read_text())
    assert sentences(piped.stdout) == found


def test_several_trees_come_from_text_and_given_heads_stay(
    run: Callable[..., Any], pipeline: Path
) -> None:
    best = sentences(run("parse", pipeline, "--text", "The dogs slept.", "--k", 3).stdout)
    assert [s.metadata["k"] for s in best] == ["1", "2", "3"]
    assert len({s.heads for s in best}) == 3
    assert (
        best[0].heads
        == sentences(run("parse", pipeline, "--text", "The dogs slept.").stdout)[0].heads
    )
    drawn = sentences(run("parse", pipeline, "--text", "The dogs slept.", "--samples", 4).stdout)
    assert len(drawn) == 4
    # the second best tree again, of which all but one head is given
    given = best[1].replace(head=[None, *best[1].heads[1:]], deprel=["_"] * len(best[1]))
    kept = run("parse", pipeline, "--input-format", "conllu", "--keep-given", input=given.to_text())
    assert sentences(kept.stdout)[0].heads[1:] == best[1].heads[1:]


def test_a_treebank_without_spaces_gives_a_model_without_raw_text(
    run: Callable[..., Any], fails: Callable[..., str], tmp_path: Path
) -> None:
    bare = [s.replace(misc=["_"] * len(s)) for s in treebank(40, seed=1)]
    train, model = tmp_path / "bare.conllu", tmp_path / "bare.safetensors"
    write_conllu(bare, train)
    result = run(
        "train",
        train,
        "--dev",
        train,
        "--task",
        "pipeline",
        "--model",
        "arc",
        "--epochs",
        1,
        "-o",
        model,
    )
    assert result.exit_code == 0, result.output
    said = "the training data never say SpaceAfter=No, so that no tokenizer can be learnt"
    assert result.stderr.startswith(said)  # before anything else is learnt
    assert said in result.stdout  # and in the end
    assert "dev with its words given: UAS " in result.stdout
    assert fails("parse", model, "--text", "The dogs slept.") == (
        "this pipeline takes no raw text: it has no tokenizer, as its training data never say "
        "SpaceAfter=No; give it CoNLL-U, or lines of words with --input-format words"
    )
    words = run("parse", model, "--text", "The dogs slept .", "--input-format", "words").stdout
    assert sentences(words)[0].forms == ("The", "dogs", "slept", ".")


def test_other_formats_are_written(run: Callable[..., Any], pipeline: Path) -> None:
    record = json.loads(run("parse", pipeline, "--text", "Dogs sing.", "-f", "json").stdout)
    assert [word["form"] for word in record["words"]] == ["Dogs", "sing", "."]
    marked = run("parse", pipeline, "--text", "Dogs sing.", "--marginals").stdout
    assert "HeadProb=" in marked


def test_raw_text_is_scored(
    run: Callable[..., Any], pipeline: Path, files: Any, tmp_path: Path
) -> None:
    text, parsed = tmp_path / "dev.txt", tmp_path / "parsed.conllu"
    text.write_text(raw_text(read_conllu(files.dev)))
    assert run("parse", pipeline, text, "-o", parsed).exit_code == 0
    figures = json.loads(run("eval", files.dev, parsed, "--raw", "--json").stdout)
    assert figures["tokens"]["F1"] > 98
    assert set(figures) >= {"sentences", "words", "UPOS", "UFeats", "lemmas", "UAS", "LAS"}
    whole = [line for line in parsed.read_text().splitlines() if line]
    merged = [line for line in whole if not line.startswith("# ")]
    assert merged
    assert "tokens" in run("eval", files.dev, parsed, "--raw").stdout


def test_inspect_tells_the_sizes_of_the_parts(run: Callable[..., Any], pipeline: Path) -> None:
    facts = json.loads(run("inspect", pipeline, "--json").stdout)
    assert list(facts["components"]) == ["tokenizer", "tagger", "lemmatizer", "parser"]
    assert sum(facts["sizes"].values()) == facts["bytes"] == pipeline.stat().st_size
    assert sum(part["bytes"] for part in facts["components"].values()) < facts["bytes"]
    assert facts["licence"] == "CC0"
    page = run("inspect", pipeline).stdout
    assert "held-out tags" in page
    assert "edit scripts" in page


def test_parsers_learn_from_predicted_tags_and_may_be_compact(
    run: Callable[..., Any], files: Any, tmp_path: Path
) -> None:
    sizes = {}
    for bits in (16, 32):
        model = tmp_path / f"{bits}.safetensors"
        options = ("--tags", "jackknife", "--bits", bits, "--model", "arc", "--epochs", 1, "-q")
        result = run("train", files.dev, "-o", model, *options)
        assert result.exit_code == 0, result.output
        sizes[bits] = json.loads(run("inspect", model, "--json").stdout)["sizes"]
    assert sizes[16]["parts"] < 0.6 * sizes[32]["parts"]
    trimmed = tmp_path / "trimmed.safetensors"
    run(
        "train",
        files.dev,
        "-o",
        trimmed,
        "--model",
        "arc",
        "--trim",
        8,
        "--bits",
        16,
        "--epochs",
        1,
        "-q",
    )
    facts = json.loads(run("inspect", trimmed, "--json").stdout)
    assert facts["sizes"]["parts"] < sizes[16]["parts"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--text", "a", "--input-format", "conllu"), "give only one of them"),
        (("--text", "a", "--keep-tags"), "plain text has no tags"),
        (("--input-format", "words", "--keep-tags"), "plain text has no tags"),
        (("--columns", "form"), "--columns is for taggers; this is a pipeline"),
    ],
)
def test_what_does_not_go_together_is_said(
    fails: Callable[..., str], pipeline: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in fails("parse", pipeline, *arguments)


def test_text_is_for_pipelines(fails: Callable[..., str], files: Any) -> None:
    assert fails("parse", files.model, "--text", "a") == "--text is for pipelines; this is a parser"
    for format in ("text", "lines", "words"):
        line = fails("parse", files.model, "--input-format", format, input="a")
        assert line == (
            f"--input-format {format} is for turbotree parse with a pipeline, en for instance; "
            "expected CoNLL-U here"
        )


def test_a_parser_says_what_to_do_with_raw_text(
    fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    file = tmp_path / "raw.txt"
    file.write_text(LINES)
    advice = (
        "; this model is a parser, which needs words with tags: raw text is for pipelines, "
        "en for instance"
    )
    expected = "neither CoNLL-U nor CoNLL-X (10 columns split by tabs expected)"
    assert fails("parse", files.model, file) == f"{file}: {expected}{advice}"
    assert fails("parse", files.model, input=LINES).endswith(f":1: 1 column, expected 10{advice}")
    # A mistake further down is no text that was given by mistake.
    late = files.test.read_text() + "odd\n\n"
    assert fails("parse", files.model, input=late).endswith(": 1 column, expected 10")
    for command in (("suggest",), ("trace",), ("explain", "--arc", "2,1")):
        assert fails(*command, files.model, file) == (
            f"{file}: {expected}; turbotree parse en FILE -o FILE.conllu makes CoNLL-U of text"
        )


def test_a_folder_needs_an_engine(fails: Callable[..., str], files: Any, tmp_path: Path) -> None:
    for model in (files.model, "en"):
        assert fails("parse", model, tmp_path) == (
            f"{tmp_path}: is a folder; --engine processes -o FOLDER parses all files in it"
        )
    for command in (("train", "-o", tmp_path / "m"), ("suggest", files.model)):
        assert fails(*command, tmp_path) == f"{tmp_path}: is a folder, expected a file"


def test_a_text_in_place_of_the_model_is_a_model_forgotten(
    fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    for path, problem in ((files.test, "not a turbotree model"), (tmp_path, "is a folder")):
        assert fails("parse", path) == (
            f"{path}: {problem}; the model comes first: turbotree parse en {path}"
        )


def test_text_that_is_not_unicode_is_one_line(
    fails: Callable[..., str], pipeline: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"Dogs sing.\n\xff\n")
    assert fails("parse", pipeline, bad, "--input-format", "text") == f"{bad}:2: not UTF-8 text"


def test_rules_reach_the_parser(
    run: Callable[..., Any], fails: Callable[..., str], pipeline: Path, tmp_path: Path
) -> None:
    assert run("parse", pipeline, "--text", TEXT, "--rules", "one-subject").exit_code == 0
    bad = tmp_path / "bad.rules"
    bad.write_text("nonsense(((")
    assert fails("parse", pipeline, "--text", TEXT, "--rules", bad).startswith(f"{bad}:1:")
