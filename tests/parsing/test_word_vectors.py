"""Parsers whose network has pretrained word vectors, from the file to the parse."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import turbotree as tt
from turbotree.cli.app import app
from turbotree.errors import InputError
from turbotree.networks import NetworkOptions, WordVectors
from turbotree.parsing.training.options import TrainingOptions
from turbotree.text import Sentence, treebank, write_conllu

TRAIN, DEV, TEST = (list(treebank(count, seed=seed)) for seed, count in ((1, 60), (2, 15), (3, 8)))
SMALL = NetworkOptions(
    hidden=8,
    arc_size=8,
    label_size=6,
    word_size=6,
    surface_size=6,
    tag_size=6,
    lemma_size=6,
    vector_size=5,
    surface_buckets=256,
    updates=30,
    least_epochs=1,
)
QUICK: dict[str, Any] = {
    "model": "turbo", "network": SMALL, "dev": DEV, "epochs": 1, "pruner_epochs": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random vectors of the treebank's words, behind some that it does not have."""
    forms = {form for sentence in (*TRAIN, *DEV) for form in sentence.forms}
    words = [*(f"other{i}" for i in range(50)), *sorted({form.lower() for form in forms})]
    values = np.random.default_rng(1).normal(size=(len(words), 7))
    lines = [f"{len(words)} 7"] + [
        f"{word} {' '.join(f'{value:.5f}' for value in row)}"
        for word, row in zip(words, values, strict=True)
    ]
    path = tmp_path_factory.mktemp("vectors") / "random.vec.gz"
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


@pytest.fixture(scope="module")
def parser(file: Path) -> tt.Parser:
    return tt.Parser.train(TRAIN, vectors=file, **QUICK)


def parsed(parser: tt.Parser, sentences: list[Sentence]) -> list[Any]:
    return [(parse.heads, parse.labels, parse.score) for parse in parser.parse_batch(sentences)]


def test_a_model_file_gives_the_same_parser_back(parser: tt.Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "model")
    loaded = tt.load(tmp_path / "model")
    assert isinstance(loaded, tt.Parser)
    assert loaded.to_bytes() == parser.to_bytes()
    assert parsed(loaded, TEST) == parsed(parser, TEST)
    assert loaded.network is not None
    assert loaded.network.vectors is not None
    assert loaded.network.vectors.size == 7


def test_unknown_words_have_zeros(parser: tt.Parser) -> None:
    assert parser.network is not None
    vectors = parser.network.vectors
    assert vectors is not None
    assert not vectors.table[vectors.rows_of(["Zzyzx"])].any()
    strange = Sentence.from_words(["Zzyzx", "qwrtz", "."])
    assert len(parser.parse(strange).heads) == 3


def test_the_vectors_change_the_scores(parser: tt.Parser, file: Path) -> None:
    plain = tt.Parser.train(TRAIN, **QUICK)
    assert parsed(plain, TEST) != parsed(parser, TEST)
    assert "vectors" not in plain.record
    given = tt.Parser.train(TRAIN, vectors=WordVectors.read(file), **QUICK)
    assert parsed(given, TEST) == parsed(parser, TEST)


def test_words_to_train_on_are_kept_first(parser: tt.Parser, file: Path) -> None:
    record = parser.record["vectors"]
    assert (record["file"], record["size"]) == ("random.vec.gz", 7)
    every = {form.lower() for sentence in (*TRAIN, *DEV) for form in sentence.forms}
    assert record["count"] == 50 + len(every)
    forms = {form.lower() for sentence in TRAIN for form in sentence.forms}
    few = tt.Parser.train(TRAIN, vectors=file, max_vectors=len(forms) + 2, **QUICK)
    assert few.network is not None
    assert few.network.vectors is not None
    assert set(few.network.vectors.words) == {*forms, "other0", "other1"}


def test_a_run_is_not_resumed_with_other_vectors(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def broken_off(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("turbotree.parsing.training.trainer.network_stage", broken_off)
        with pytest.raises(KeyboardInterrupt):
            tt.Parser.train(TRAIN, vectors=file, checkpoint=tmp_path, **QUICK)
    for other in ({"vectors": file, "max_vectors": 20}, {}):
        with pytest.raises(InputError, match=r"other settings \(vectors\)"):
            tt.Parser.train(TRAIN, checkpoint=tmp_path, resume=True, **other, **QUICK)
    resumed = tt.Parser.train(TRAIN, vectors=file, checkpoint=tmp_path, resume=True, **QUICK)
    assert resumed.to_bytes() == tt.Parser.train(TRAIN, vectors=file, **QUICK).to_bytes()


def test_options_say_what_is_wrong(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="vectors are for a network"):
        TrainingOptions(model="arc", vectors=file)
    with pytest.raises(InputError, match="vectors are for a network"):
        TrainingOptions(model="turbo", network=0, vectors=file)
    with pytest.raises(InputError, match="no such file"):
        TrainingOptions(model="turbo", vectors=tmp_path / "none")
    with pytest.raises(InputError, match="vectors is 5; expected a file"):
        TrainingOptions(model="turbo", vectors=5)  # type: ignore[arg-type]
    for licensed in (None, WordVectors(["a"], np.ones((1, 2), np.float32), licence="CC0")):
        with pytest.raises(InputError, match="vectors_licence is for a file"):
            TrainingOptions(model="turbo", vectors=licensed, vectors_licence="CC0")
    for wrong in (0, -1, 1.5, None, "2", 2**40):
        with pytest.raises(InputError, match="max_vectors is"):
            TrainingOptions(model="turbo", vectors=file, max_vectors=wrong)  # type: ignore[arg-type]


# The command line


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    write_conllu(TRAIN[:20], tmp_path / "train.conllu")

    def train(*arguments: object) -> Any:
        command = ["train", tmp_path / "train.conllu", "-o", tmp_path / "model", "--epochs", 1]
        return CliRunner().invoke(app, [str(one) for one in (*command, *arguments)])

    return train


def test_the_command_line_takes_vectors(
    run: Callable[..., Any], file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NetworkOptions, "of_size", lambda hidden, seed: SMALL)
    given = ("--vectors", file, "--max-vectors", 60, "--vectors-licence", "PDDL 1.0")
    done = run("--network", 8, *given)
    assert done.exit_code == 0, done.output
    assert re.search(r"vectors  60 of size 7, for [1-9]\d\.\d % of the words", done.stderr)
    model = tmp_path / "model"
    shown = CliRunner().invoke(app, ["inspect", str(model)]).output
    assert "60 word vectors of size 7 (random.vec.gz, PDDL 1.0)" in " ".join(shown.split())
    assert "60 of size 7 from random.vec.gz; licence: PDDL 1.0" in " ".join(shown.split())
    facts = json.loads(CliRunner().invoke(app, ["inspect", str(model), "--json"]).output)
    assert facts["training"]["vectors"]["file"] == "random.vec.gz"
    assert str(file.parent).encode() not in model.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vectors", "{file}", "--model", "arc"],
         "vectors are for a network, and there is none: give its size"),
        (["--max-vectors", "5", "--model", "turbo"], "--max-vectors needs --vectors"),
        (["--vectors-licence", "PDDL"], "--vectors-licence needs --vectors"),
        (["--vectors", "{file}", "--task", "tag"],
         "vectors are for a network, and there is none: give its size"),
        (["--vectors", "{file}", "--task", "pipeline", "--network", "none"],
         "vectors are for a network, and there is none: give its size"),
        (["--vectors", "{file}.no", "--model", "turbo"], "{file}.no: no such file"),
        (["--vectors", "{bad}", "--model", "turbo"], "{bad}:2: 1 values, expected 2"),
    ],
)  # fmt: skip
def test_the_command_line_says_what_is_wrong_in_one_line(
    run: Callable[..., Any], file: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "bad.txt").write_text("the 1 2\nof 1\n")
    names = {"file": str(file), "bad": str(tmp_path / "bad.txt")}
    done = run(*(argument.format(**names) for argument in arguments))
    assert done.exit_code == 2
    assert done.stderr == f"turbotree: error: {message.format(**names)}\n"
    assert not (tmp_path / "model").exists()


def test_the_vectors_are_not_overwritten(
    run: Callable[..., Any], file: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    model.write_bytes(file.read_bytes())
    done = run("--model", "turbo", "--vectors", model)
    assert done.exit_code == 2
    assert "input" in done.stderr
    assert model.read_bytes() == file.read_bytes()
