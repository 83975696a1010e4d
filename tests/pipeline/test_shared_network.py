"""A pipeline with one network: it scores tags and trees, and reads a sentence once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import turbotree as tt
from turbotree.errors import InputError, ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.networks import Network, NetworkOptions
from turbotree.pipeline import Pipeline
from turbotree.pipeline.options import PipelineOptions
from turbotree.text import Sentence, treebank

TEXT = "The dogs slept. Did a girl see them?\n\nNo."

TINY = NetworkOptions(
    hidden=12,
    arc_size=9,
    label_size=6,
    column_size=8,
    word_size=8,
    surface_size=8,
    lemma_size=4,
    surface_buckets=64,
    updates=4,
    least_epochs=1,
    batch_words=200,
)


def written(parses: list[tt.Parse]) -> str:
    return "".join(parse.to_sentence().to_text() for parse in parses)


@pytest.fixture(scope="module")
def options(quick: dict[str, Any]) -> dict[str, Any]:
    parser = {**quick["parser"], "network": TINY}
    return {**quick, "bits": 8, "shared_network": True, "parser": parser}


@pytest.fixture(scope="module")
def nlp(sentences: list[Sentence], options: dict[str, Any]) -> Pipeline:
    return Pipeline.train(sentences, dev=list(treebank(20, seed=3)), **options)


def test_tagger_and_parser_have_one_network(nlp: Pipeline) -> None:
    network = nlp.parser.network
    assert network is not None
    assert network is nlp.tagger.network
    assert network.reads_forms_alone
    assert list(network.columns) == ["upos", "xpos", "feats"]
    assert network.bits == 8
    assert {"network", "jackknife"} <= set(nlp.record)


def test_a_file_keeps_one_network(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "model")
    loaded = Pipeline.load(tmp_path / "model")
    assert loaded.tagger.network is loaded.parser.network
    assert written(loaded(TEXT)) == written(nlp(TEXT))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_sentences_run_through_the_network_once(
    nlp: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold, calls, encode = list(treebank(5, seed=4)), [], Network.encode

    def counted(network: Network, sentences: Any, **options: Any) -> Any:
        calls.append(len(sentences))
        return encode(network, sentences, **options)

    monkeypatch.setattr(Network, "encode", counted)
    found = nlp.annotate(gold)
    assert calls == [5]
    # One after the other, they give the same.
    apart = nlp.parser.parse_batch(nlp.tag(gold))
    assert calls == [5, 5, 5]
    assert written(found) == written(apart)
    assert [parse.score for parse in found] == [parse.score for parse in apart]


def test_long_sentences_are_parsed_in_pieces(nlp: Pipeline) -> None:
    short, long = Sentence.from_words(["dogs", "sleep"]), Sentence.from_words(["dogs"] * 400)
    mixed = [short, long, short, long, long]
    found = nlp.annotate(mixed, decoder="mst")
    assert [len(parse.heads) for parse in found] == [2, 400, 2, 400, 400]
    assert found[0].heads == found[2].heads == nlp.annotate([short], decoder="mst")[0].heads


def test_training_goes_on_from_a_checkpoint(
    sentences: list[Sentence], options: dict[str, Any], tmp_path: Path
) -> None:
    some, folder = sentences[:30], tmp_path / "state"
    Pipeline.train(some, checkpoint=folder, **options).save(tmp_path / "whole")
    (folder / "tagger" / "upos.checkpoint").unlink()
    again = Pipeline.train(some, checkpoint=folder, resume=True, **options)
    again.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


def test_tagger_and_parser_have_networks_of_their_own(
    sentences: list[Sentence], options: dict[str, Any], tmp_path: Path
) -> None:
    given = {**options, "shared_network": False, "tagger": {"epochs": 1, "network": TINY}}
    apart = Pipeline.train(sentences[:40], **given)
    tagger, parser = apart.tagger.network, apart.parser.network
    assert tagger is not None
    assert parser is not None
    assert (tagger.labels, list(tagger.columns)) == ([], ["upos", "xpos", "feats"])
    assert (len(parser.labels) > 1, parser.columns) == (True, {})
    assert tagger.reads_forms_alone
    assert not parser.reads_forms_alone
    assert tagger.bits == parser.bits == 8
    apart.save(tmp_path / "model")
    assert written(Pipeline.load(tmp_path / "model")(TEXT)) == written(apart(TEXT))


def test_the_network_of_a_tagger_is_as_large_as_the_parsers(options: dict[str, Any]) -> None:
    for given, expected in ((128, 128), (300, 200), (0, None)):
        own = {**options, "shared_network": False, "bits": 16, "parser": {"network": given}}
        network = PipelineOptions(**own).tagger_options()["network"]
        assert (None if network is None else network.hidden) == expected


def test_a_tagger_with_a_network_of_its_own_shares_none(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a network of its own, though it is to share"):
        Pipeline.train([], **{**options, "tagger": {"network": TINY}})


def test_a_file_without_the_shared_network_is_refused(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "model")
    file = read_model(tmp_path / "model")
    parser = {key: own for key, own in file.header["parser"].items() if key != "network"}
    header = {**file.header, "parser": parser}
    write_model(tmp_path / "broken", file.arrays, header, kind="pipeline")
    with pytest.raises(ModelFileError):
        Pipeline.load(tmp_path / "broken")
