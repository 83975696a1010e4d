"""The models that come with the package: found by name, and good enough to be shipped."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import turbotree as tt
from turbotree import models
from turbotree.cli.app import app
from turbotree.errors import ModelFileError
from turbotree.modelfile import read_model
from turbotree.models import BUNDLED, USUAL, located
from turbotree.pipeline import Pipeline
from turbotree.text import read_conllu, write_conllu

SENTENCE = "I saw the man with a telescope."
MOST_BYTES = 30_000_000


@pytest.fixture(scope="module")
def english() -> Pipeline:
    """The English model, loaded once."""
    model = tt.load("en")
    assert isinstance(model, Pipeline)
    return model


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of one sentence, without tags."""
    file = tmp_path_factory.mktemp("text") / "one.conllu"
    write_conllu([tt.Sentence.from_words(["Birds", "sing", "."])], file)
    return file


def run(*arguments: object, input: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


def test_a_file_is_where_it_is() -> None:
    assert located("mine.safetensors") == "mine.safetensors"
    assert located(Path("some") / "en") == os.path.join("some", "en")


def test_a_file_of_a_shipped_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en").mkdir()
    assert located("en") != "en", "a folder is no model"
    (tmp_path / "en").rmdir()
    (tmp_path / "en").write_bytes(b"mine")
    assert located("en") == "en"


@pytest.mark.parametrize(
    "load", [tt.load, read_model, Pipeline.load, lambda name: run("inspect", name).output]
)
def test_an_installation_without_the_model_says_so(
    load: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "__file__", str(tmp_path / "__init__.py"))
    message = "en: this installation comes without the model of that name; `make model-en`"
    try:
        shown = load("en")
    except ModelFileError as error:
        shown = str(error)
    assert message in shown


@pytest.mark.parametrize("name", BUNDLED)
def test_a_shipped_model_is_small_and_names_its_licence(name: str) -> None:
    file = read_model(name)  # verifies the checksum
    assert file.kind == "pipeline"
    assert file.size == os.path.getsize(located(name)) <= MOST_BYTES
    licence = file.header["training"]["options"]["licence"]
    assert "CC BY-SA 4.0" in licence
    assert "English EWT" in licence
    notice = (Path(__file__).parents[1] / "NOTICE").read_text()
    assert "CC BY-SA 4.0" in notice
    vectors = file.header["training"]["vectors"]
    assert "PDDL 1.0" in vectors["licence"]
    assert "Public Domain Dedication and License 1.0" in notice
    assert f"{vectors['count']:,} word vectors of GloVe" in notice


def test_english_is_parsed_as_it_should_be(english: Pipeline) -> None:
    (parse,) = english(SENTENCE)
    sentence = parse.to_sentence()
    assert sentence.forms == ("I", "saw", "the", "man", "with", "a", "telescope", ".")
    tags = ("PRON", "VERB", "DET", "NOUN", "ADP", "DET", "NOUN", "PUNCT")
    assert sentence.upos == tags
    assert sentence.lemmas == ("I", "see", "the", "man", "with", "a", "telescope", ".")
    # Who has the telescope is open; everything else is not.
    assert parse.heads[:6] == (2, 0, 4, 2, 7, 7)
    assert parse.heads[6] in (2, 4)
    assert parse.labels[:6] == ("nsubj", "root", "det", "obj", "case", "det")
    assert parse.labels[7] == "punct"


def test_text_falls_into_sentences_and_multiword_tokens(english: Pipeline) -> None:
    found = [parse.to_sentence() for parse in english("Don't panic! It's OK.\n\nMr. Lee agreed")]
    assert [s.text for s in found] == ["Don't panic!", "It's OK.", "Mr. Lee agreed"]
    assert found[0].forms == ("Do", "n't", "panic", "!")
    assert english("") == english(" \n\n ") == []


def test_the_usual_model_needs_no_name(english: Pipeline) -> None:
    expected = [parse.to_sentence() for parse in english(SENTENCE)]
    for arguments in (["parse"], ["parse", USUAL], ["parse", located(USUAL)]):
        done = run(*arguments, "--text", SENTENCE)
        assert done.exit_code == 0, done.output
        found = [sentence.forms for sentence in read_conllu(io.StringIO(done.stdout))]
        assert found == [sentence.forms for sentence in expected]
    assert run("parse", input=SENTENCE).stdout == run("parse", "--text", SENTENCE).stdout


def test_every_verb_that_takes_a_model_takes_the_name(tagged: Path) -> None:
    shown = run("inspect", "en").output
    assert "CC BY-SA 4.0" in shown
    for verb in (
        ("parse", "en", tagged),
        ("explain", "en", tagged, "--arc", "2,1"),
        ("suggest", "en", tagged),
        ("trace", "en", tagged),
    ):
        done = run(*verb)
        assert done.exit_code == 0, (verb, done.output)


def test_a_parser_of_a_pipeline_sees_predicted_tags(english: Pipeline, tagged: Path) -> None:
    fired = json.loads(run("explain", "en", tagged, "--arc", "2,1", "--json").stdout)["features"]
    seen = [
        dict(zip(feature["template"].split(), feature["values"], strict=True))["m.upos"]
        for feature in fired
        if "m.upos" in feature["template"].split()
    ]
    assert set(seen) == {"NOUN"}
    (sentence,) = english.tag(list(read_conllu(tagged)))
    assert sentence.upos == ("NOUN", "VERB", "PUNCT")
