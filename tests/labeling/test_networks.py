"""A network beside the sparse features of a tagger."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import turbotree as tt
from turbotree.cli.app import app
from turbotree.errors import InputError, ModelFileError
from turbotree.labeling import TaggerOptions
from turbotree.labeling.mixture import network_weights
from turbotree.modelfile import read_model, write_model
from turbotree.networks import Network, NetworkOptions, WordVectors
from turbotree.scoring import Batch
from turbotree.text import Sentence, treebank, write_conllu

SMALL = NetworkOptions(
    hidden=16, column_size=24, word_size=24, tag_size=8, updates=120, dropout=0.1
)
TRAIN, DEV, TEST = (list(treebank(n, seed=n)) for n in (120, 30, 8))
QUICK: dict[str, Any] = {"task": "tag", "epochs": 1, "network": SMALL}


@pytest.fixture(scope="module")
def tagger() -> tt.Tagger:
    return tt.Tagger.train(TRAIN, dev=DEV, **QUICK)


def chunks(count: int, seed: int) -> list[Sentence]:
    """Sentences whose nouns are chunks."""
    return [
        one.replace(misc=["B-NP" if tag == "NOUN" else "O" for tag in one.upos])
        for one in treebank(count, seed=seed)
    ]


def test_scores_are_the_weighted_sum_of_both(tagger: tt.Tagger) -> None:
    assert tagger.network is not None
    stage, batch = tagger.stages[0], Batch(TEST)
    weights = network_weights(stage.model)
    assert weights is not None
    _, of_features, of_network = weights
    parts = stage.model.rows(batch.lengths).parts
    both, alone = stage.model.scorer.score(batch, parts), stage.model.sparse.score(batch, parts)
    rows = tagger.network.column(batch.of(tagger.network), "upos").ravel().astype(float)
    expected = of_features * alone["word"] + of_network * rows
    assert both["word"] == pytest.approx(expected, abs=1e-9)
    assert both["pair"] == pytest.approx(of_features * alone["pair"])


def test_all_columns_are_filled_with_probabilities(tagger: tt.Tagger) -> None:
    for tagging in tagger.tag_batch(TEST):
        assert list(tagging.columns) == ["upos", "xpos", "feats"]
        assert all(0 < p <= 1 + 1e-9 for p in tagging.probabilities)
    best, second = tagger.k_best(TEST[0], 2)
    assert best.score >= second.score


def test_a_model_file_gives_the_same_tagger_back(tagger: tt.Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "model")
    for other in (tt.load(tmp_path / "model"), pickle.loads(pickle.dumps(tagger))):
        assert isinstance(other, tt.Tagger)
        assert other.to_bytes() == tagger.to_bytes()
        found = [(t.columns, t.score) for t in other.tag_batch(TEST)]
        assert found == [(t.columns, t.score) for t in tagger.tag_batch(TEST)]


def test_threads_and_interruptions_change_nothing(tagger: tt.Tagger, tmp_path: Path) -> None:
    again = tt.Tagger.train(TRAIN, dev=DEV, threads=2, checkpoint=tmp_path / "states", **QUICK)
    assert again.to_bytes() == tagger.to_bytes()


def test_a_part_of_the_training_data_stands_in_for_development_data() -> None:
    tagger = tt.Tagger.train(TRAIN, **QUICK)
    assert tagger.record["sentences"] == 108
    assert "mixture" in tagger.record


def test_spans_keep_their_rules(tmp_path: Path) -> None:
    options = {**QUICK, "task": "chunk", "label": "misc"}
    tagger = tt.Tagger.train(chunks(60, 1), dev=chunks(20, 2), trigrams=True, **options)
    assert tagger.network is not None
    assert tagger.network.options.tag_size == SMALL.tag_size  # tags are there to be read
    tagger.save(tmp_path / "model")
    other = tt.load(tmp_path / "model")
    assert [t.columns for t in other.tag_batch(TEST)] == [t.columns for t in tagger.tag_batch(TEST)]


def test_a_tagger_of_tags_reads_no_tags(tagger: tt.Tagger) -> None:
    assert tagger.network is not None
    bare = [Sentence.from_words(one.forms) for one in TEST]
    wanted = tagger.network.column(tagger.network.encode(TEST), "upos")
    assert np.array_equal(tagger.network.column(tagger.network.encode(bare), "upos"), wanted)


def test_the_command_line_trains_and_tells_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        NetworkOptions, "of_size", lambda hidden, *, seed: replace(SMALL, hidden=hidden, seed=seed)
    )
    write_conllu(TRAIN[:60], tmp_path / "train.conllu")
    write_conllu(DEV, tmp_path / "dev.conllu")
    model = str(tmp_path / "model")

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, [*arguments])
        assert result.exit_code == 0, result.output
        return result.output

    trained = run(
        *("train", str(tmp_path / "train.conllu"), "--dev", str(tmp_path / "dev.conllu")),
        *("--task", "tag", "--network", "8", "--epochs", "1", "--bits", "8", "-o", model),
    )
    assert "BiLSTM layers of 2 x 8" in trained
    assert "dev: upos accuracy" in trained
    page = run("inspect", model)
    assert "2 BiLSTM layers of 2 x 8" in page
    assert "network epoch" in page
    assert json.loads(run("inspect", model, "--json"))["sizes"]["network"] > 0


@pytest.mark.parametrize(
    ("name", "value"), [("network", {}), ("network", "none"), ("network", None)]
)
def test_a_damaged_network_is_a_model_file_error(
    tagger: tt.Tagger, tmp_path: Path, name: str, value: object
) -> None:
    tagger.save(tmp_path / "model")
    file = read_model(tmp_path / "model")
    write_model(tmp_path / "bad", file.arrays, {**file.header, name: value}, kind="tagger")
    with pytest.raises(ModelFileError):
        tt.load(tmp_path / "bad")


def test_options_say_what_is_wrong() -> None:
    assert TaggerOptions().network_options() is None
    with pytest.raises(InputError, match="network is -1"):
        TaggerOptions(network=-1)
    with pytest.raises(InputError, match="bits is 8"):
        TaggerOptions(bits=8)
    with pytest.raises(InputError, match="vectors are for a network, and there is none"):
        TaggerOptions(vectors="words.vec")
    with pytest.raises(InputError, match="trim is -1"):
        TaggerOptions(trim=-1)


def test_the_network_of_a_tagger_reads_word_vectors(tagger: tt.Tagger, tmp_path: Path) -> None:
    forms = sorted({form.lower() for one in TRAIN for form in one.forms})
    lines = [f"{word} {i % 7} {i % 3} 1\n" for i, word in enumerate(["other", *forms])]
    (tmp_path / "small.vec").write_text("".join(lines))
    given = {"vectors": tmp_path / "small.vec", "max_vectors": len(forms)}
    own = tt.Tagger.train(TRAIN, dev=DEV, vectors_licence="CC0", **given, **QUICK)
    assert own.network is not None
    assert own.network.vectors is not None
    assert sorted(own.network.vectors.words) == forms  # those of words to train on come first
    assert own.record["vectors"]["licence"] == "CC0"
    assert "vectors" not in tagger.record
    own.save(tmp_path / "model")
    other = tt.Tagger.load(tmp_path / "model")
    assert other.to_bytes() == own.to_bytes()
    assert other.network is not None
    assert other.network.vectors is not None
    assert str(other.network.vectors) == f"{len(forms)} word vectors of size 3 (small.vec, CC0)"
    # They make a difference: the same weights with other vectors give other scores.
    network = other.network
    swapped = WordVectors(network.vectors.words, network.vectors.table[:0:-1])
    changed = Network(network.vocabulary, network.options, network.weights, vectors=swapped)
    found, before = (one.column(one.encode(TEST), "upos") for one in (changed, network))
    assert not np.allclose(found, before)


@pytest.mark.parametrize("label", ["xpos", "5"])
def test_tags_that_are_to_be_found_are_not_read(label: str) -> None:
    templates = {"chunk": ["w.form", "prev"]}
    options = {**QUICK, "task": "chunk", "label": label, "templates": templates}
    tagger = tt.Tagger.train(TRAIN[:40], dev=DEV, **options)
    assert tagger.network is not None
    assert tagger.network.options.tag_size == 0
