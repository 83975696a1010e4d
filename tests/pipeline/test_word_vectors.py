"""A pipeline whose networks read pretrained word vectors."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from turbotree.cli.app import app
from turbotree.errors import InputError, ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.networks import NetworkOptions
from turbotree.pipeline import Pipeline
from turbotree.pipeline.options import PipelineOptions
from turbotree.text import Sentence, treebank

TEXT = "The dogs slept. Did a girl see them?"
TINY = NetworkOptions(
    hidden=8,
    arc_size=6,
    label_size=6,
    column_size=6,
    word_size=6,
    surface_size=6,
    lemma_size=4,
    vector_size=4,
    surface_buckets=64,
    updates=3,
    least_epochs=1,
    batch_words=200,
)
ARRAYS = ("network.vectors", "network.vectors.scale", "network.vocabulary.vectors")
LICENCE = "PDDL 1.0 (invented words)"


def written(nlp: Pipeline) -> str:
    return "".join(parse.to_sentence().to_text() for parse in nlp(TEXT))


@pytest.fixture(scope="module")
def file(sentences: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    words = [
        *(f"other{i}" for i in range(9)),
        *sorted({f.lower() for s in sentences for f in s.forms}),
    ]
    values = np.random.default_rng(1).normal(size=(len(words), 5))
    path = tmp_path_factory.mktemp("vectors") / "invented.vec"
    rows = (" ".join([word, *map(str, row)]) for word, row in zip(words, values, strict=True))
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def options(quick: dict[str, Any], file: Path) -> dict[str, Any]:
    networks = {
        name: {**quick[name], "epochs": 1, "network": TINY} for name in ("tagger", "parser")
    }
    vectors = {"vectors": file, "max_vectors": 100, "vectors_licence": LICENCE}
    return {**quick, **networks, **vectors, "bits": 8}


@pytest.fixture(scope="module")
def nlp(sentences: list[Sentence], options: dict[str, Any]) -> Pipeline:
    return Pipeline.train(sentences, dev=list(treebank(20, seed=3)), **options)


def test_both_networks_read_them(nlp: Pipeline) -> None:
    for network in (nlp.tagger.network, nlp.parser.network):
        assert network is not None
        assert network.vectors is not None
        assert (network.vectors.size, network.vectors.licence) == (5, LICENCE)
    assert nlp.record["vectors"]["file"] == "invented.vec"
    assert nlp.record["vectors"]["licence"] == LICENCE


def test_a_file_holds_them_once(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "model")
    arrays = read_model(tmp_path / "model").arrays
    for name in ARRAYS:
        assert f"parser.{name}" in arrays
        assert f"tagger.{name}" not in arrays
    loaded = Pipeline.load(tmp_path / "model")
    assert written(loaded) == written(nlp)
    assert loaded.to_bytes() == (tmp_path / "model").read_bytes()
    assert loaded.tagger.network is not None
    assert loaded.tagger.network.vectors is not None
    assert loaded.tagger.network.vectors.licence == LICENCE


def test_different_ones_are_both_kept(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "model")
    file = read_model(tmp_path / "model")
    louder = {"parser.network.vectors.scale": file.arrays["parser.network.vectors.scale"] * 2}
    lent = {f"tagger.{name}": file.arrays[f"parser.{name}"] for name in ARRAYS}
    tagger = file.header["tagger"]
    network = {**tagger["network"], "vectors": {"file": "", "licence": None}}
    header = {**file.header, "tagger": {**tagger, "network": network}}
    write_model(tmp_path / "apart", {**file.arrays, **lent, **louder}, header, kind="pipeline")
    apart = Pipeline.load(tmp_path / "apart")
    assert apart.to_bytes() == (tmp_path / "apart").read_bytes()


def test_a_file_without_the_vectors_that_are_shared_is_refused(
    nlp: Pipeline, tmp_path: Path
) -> None:
    nlp.save(tmp_path / "model")
    file = read_model(tmp_path / "model")
    for name in ARRAYS:
        rest = {key: own for key, own in file.arrays.items() if key != f"parser.{name}"}
        write_model(tmp_path / "broken", rest, file.header, kind="pipeline")
        with pytest.raises(ModelFileError):
            Pipeline.load(tmp_path / "broken")


def test_training_goes_on_from_a_checkpoint(
    sentences: list[Sentence], options: dict[str, Any], tmp_path: Path
) -> None:
    some, folder = sentences[:30], tmp_path / "state"
    whole = Pipeline.train(some, checkpoint=folder, **options)
    (folder / "tagger" / "network.checkpoint").unlink()
    again = Pipeline.train(some, checkpoint=folder, resume=True, **options)
    assert again.to_bytes() == whole.to_bytes()
    with pytest.raises(InputError, match=r"other settings \(vectors\)"):
        Pipeline.train(some, checkpoint=folder, resume=True, **{**options, "max_vectors": 20})


def test_a_shared_network_reads_them_too(
    sentences: list[Sentence], options: dict[str, Any], quick: dict[str, Any]
) -> None:
    given = {**options, "tagger": quick["tagger"], "shared_network": True}
    nlp = Pipeline.train(sentences[:30], **given)
    assert nlp.tagger.network is nlp.parser.network
    assert nlp.parser.network is not None
    assert nlp.parser.network.vectors is not None
    assert nlp.record["vectors"]["size"] == 5


def test_options_are_those_of_the_whole_pipeline(file: Path) -> None:
    with pytest.raises(InputError, match="parser: vectors is the same for the whole pipeline"):
        PipelineOptions(parser={"vectors": file})
    with pytest.raises(InputError, match="vectors are for a network, and there is none"):
        PipelineOptions(parser={"model": "arc"}, vectors=file)
    bare = PipelineOptions(vectors=file, tagger={"network": 0})
    assert "vectors" not in bare.tagger_options()


def test_inspect_and_cards_name_file_and_licence(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "model")
    told = f"from invented.vec; licence: {LICENCE}"
    page = CliRunner().invoke(app, ["inspect", str(tmp_path / "model")])
    assert told in " ".join(page.output.split())
    command = ["package", str(tmp_path / "model"), "--name", "turbotree-xx", "--licence", "CC0"]
    made = CliRunner().invoke(app, [*command, "--model-version", "1.0", "-o", str(tmp_path)])
    assert made.exit_code == 0, made.output
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        card = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        assert told in wheel.read(card).decode()
