"""A network beside sparse features: its scores join theirs, everything else is as it was."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import turbotree as tt
from turbotree.cli.app import app
from turbotree.errors import InputError, ModelFileError
from turbotree.features import Parts
from turbotree.graphs import Status
from turbotree.modelfile import read_model, write_model
from turbotree.networks import NetworkOptions
from turbotree.parsing.arcs import PruningOptions
from turbotree.parsing.mixture import mixture_of
from turbotree.parsing.training.development import lost_heads
from turbotree.parsing.training.options import TrainingOptions
from turbotree.parsing.training.treebank import Treebank
from turbotree.scoring import Batch, sparse
from turbotree.text import Sentence, treebank, write_conllu

SMALL = NetworkOptions(
    hidden=16,
    arc_size=16,
    label_size=8,
    word_size=12,
    surface_size=12,
    tag_size=8,
    lemma_size=8,
    updates=60,
    least_epochs=2,
)
TRAIN, DEV, TEST = (
    list(treebank(150, seed=1)),
    list(treebank(40, seed=2)),
    list(treebank(12, seed=3)),
)

_LEAVES = "rule leaves: forall h, m: arc(h, m) and h != root -> upos(h) != 'PUNCT'"


@pytest.fixture(scope="module")
def parser() -> tt.Parser:
    return tt.Parser.train(TRAIN, dev=DEV, model="turbo", network=SMALL, epochs=2, pruner_epochs=1)


def test_scores_are_the_weighted_sum_of_both(parser: tt.Parser) -> None:
    assert parser.network is not None
    weights = mixture_of(parser.parts, parser.labels)
    batch = Batch(TEST)
    arcs = parser.pruner.candidates(batch)
    mixed = parser.parts.score(batch, {"arc": arcs})["arc"]
    features = sparse(parser.parts).score(batch, {"arc": arcs})["arc"]
    network = parser.network.score(parser.network.encode(TEST), {"arc": arcs})["arc"]
    expected = weights.features * features + weights.network * network
    assert mixed == pytest.approx(expected, rel=1e-9)


def test_every_tree_is_proven_and_has_probabilities(parser: tt.Parser) -> None:
    for parse in parser.parse_batch(TEST):
        assert parse.certificate.status is Status.OPTIMAL
        assert parse.arc_probabilities[:, 1:].sum(axis=0) == pytest.approx(1.0, abs=1e-3)  # BP
        assert all(0 < p <= 1 + 1e-9 for p in parse.label_probabilities)


def test_k_best_samples_rules_and_constraints_work(parser: tt.Parser) -> None:
    sentence = TEST[0]
    first, second = parser.k_best(sentence, 2)
    assert first.score >= second.score
    assert first.heads == parser.parse(sentence).heads
    assert len(parser.sample(sentence, 3, seed=1)) == 3
    assert parser.parse(sentence, require=[(0, 2)]).heads[1] == 0
    ruled = parser.parse(sentence, rules=_LEAVES)
    assert all(head == 0 or sentence.upos[head - 1] != "PUNCT" for head in ruled.heads)
    assert parser.explain(sentence, 2, 1)


def test_a_model_file_gives_the_same_parser_back(parser: tt.Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "model")
    for other in (tt.load(tmp_path / "model"), pickle.loads(pickle.dumps(parser))):
        assert isinstance(other, tt.Parser)
        assert other.to_bytes() == parser.to_bytes()
        found = [(parse.heads, parse.labels, parse.score) for parse in other.parse_batch(TEST)]
        assert found == [(p.heads, p.labels, p.score) for p in parser.parse_batch(TEST)]


def test_inspect_tells_of_the_network(parser: tt.Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "model")
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "model")])
    assert shown.exit_code == 0
    assert "2 BiLSTM layers of 2 x 16" in shown.output
    assert "network epoch  2" in shown.output
    facts = json.loads(
        CliRunner().invoke(app, ["inspect", str(tmp_path / "model"), "--json"]).output
    )
    assert facts["mixture"] == mixture_of(parser.parts, parser.labels).to_dict()
    assert facts["sizes"]["network"] > 0


def test_an_explanation_adds_up_to_the_score(parser: tt.Parser, tmp_path: Path) -> None:
    sentence = TEST[0]
    network = parser.explain_network(sentence, 2, 1)
    assert network is not None
    features = sum(feature.weight for feature in parser.explain(sentence, 2, 1))
    arc = {"arc": Parts.of_one(np.array([[2, 1]], dtype=np.int32))}
    score = float(parser.parts.score(Batch([sentence]), arc)["arc"][0])
    assert features + network.weight * network.log_probability == pytest.approx(score, rel=1e-4)
    parser.save(tmp_path / "model")
    write_conllu([sentence], tmp_path / "one.conllu")
    asked = ["explain", str(tmp_path / "model"), str(tmp_path / "one.conllu"), "--arc", "2,1"]
    page = CliRunner().invoke(app, [*asked, "--most", "2"]).output
    assert "network: " in page
    assert f"the other {len(network.inputs) - 2} together" in page
    record = json.loads(CliRunner().invoke(app, [*asked, "--json"]).output)
    assert record["score"] == pytest.approx(score, rel=1e-4)
    assert record["network"]["inputs"][0]["kind"] == network.inputs[0].kind


@pytest.mark.parametrize(
    ("name", "value"),
    [("mixture", None), ("mixture", {"features": 0}), ("network", {}), ("network", "none")],
)
def test_a_damaged_mixture_is_a_model_file_error(
    parser: tt.Parser, tmp_path: Path, name: str, value: object
) -> None:
    parser.save(tmp_path / "model")
    file = read_model(tmp_path / "model")
    write_model(tmp_path / "bad", file.arrays, {**file.header, name: value}, kind="parser")
    with pytest.raises(ModelFileError):
        tt.load(tmp_path / "bad")


def test_training_is_the_same_on_any_number_of_threads(parser: tt.Parser) -> None:
    other = tt.Parser.train(
        TRAIN, dev=DEV, model="turbo", network=SMALL, epochs=2, pruner_epochs=1, threads=2
    )
    assert other.to_bytes() == parser.to_bytes()


def test_a_part_of_the_training_data_stands_in_for_development_data() -> None:
    parser = tt.Parser.train(TRAIN, model="turbo", network=SMALL, epochs=1, pruner_epochs=1)
    assert parser.record["sentences"] == 135
    few = tt.Parser.train(TRAIN[:30], model="turbo", network=SMALL, epochs=1, pruner_epochs=1)
    assert few.record["sentences"] == 30
    assert mixture_of(few.parts, few.labels).network == 0.7


def test_words_without_a_head_are_free() -> None:
    def partial(sentence: Sentence, number: int) -> Sentence:
        heads = [None if (i + number) % 3 == 0 else h for i, h in enumerate(sentence.heads)]
        return sentence.with_tree(heads, sentence.labels)

    trees = [partial(sentence, number) for number, sentence in enumerate(TRAIN[:40])]
    parser = tt.Parser.train(trees, model="turbo", network=SMALL, epochs=1, pruner_epochs=1)
    assert np.isfinite(parser.parse(TEST[0]).score)


def test_a_network_alone_has_no_features(tmp_path: Path) -> None:
    parser = tt.Parser.train(TRAIN, dev=DEV, model="network", network=SMALL)
    assert parser.network is not None
    assert not any(parser.templates().values())
    parses = parser.parse_batch(TEST)
    # The network's own trees: its scores, and nothing else.
    own = [heads for heads, _ in parser.network.trees(parser.network.encode(TEST))]
    assert [list(parse.heads) for parse in parses] == own
    assert all(parse.certificate.status is Status.OPTIMAL for parse in parses)
    assert parser.explain(TEST[0], 2, 1) == []
    parser.save(tmp_path / "model")
    assert tt.load(tmp_path / "model").to_bytes() == parser.to_bytes()
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "model")])
    assert shown.exit_code == 0
    assert "features of parts" not in shown.output


def test_fewer_bits_make_a_smaller_model_that_parses_nearly_the_same(parser: tt.Parser) -> None:
    small = tt.Parser.train(
        TRAIN, dev=DEV, model="turbo", network=SMALL, epochs=2, pruner_epochs=1, bits=8
    )
    assert small.network is not None
    assert small.network.bits == 8
    assert len(small.to_bytes()) < 0.6 * len(parser.to_bytes())
    found = [head for parse in small.parse_batch(TEST) for head in parse.heads]
    expected = [head for parse in parser.parse_batch(TEST) for head in parse.heads]
    assert np.mean(np.array(found) == np.array(expected)) > 0.9


def test_options_say_what_is_wrong() -> None:
    assert TrainingOptions(model="turbo").network_options() == NetworkOptions()
    assert TrainingOptions(model="turbo", network=0).network_options() is None
    assert TrainingOptions(model="arc").network_options() is None
    fast = TrainingOptions(model="standard", network=128, seed=5).network_options()
    assert fast is not None
    assert (fast.hidden, fast.seed) == (128, 5)
    with pytest.raises(InputError, match="network is -1"):
        TrainingOptions(network=-1)
    with pytest.raises(InputError, match="network is '200'"):
        TrainingOptions(network="200")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="without a network"):
        TrainingOptions(model="network", network=0)
    with pytest.raises(InputError, match="no templates"):
        TrainingOptions(model="network", templates={"arc": ["h.form"]})
    with pytest.raises(InputError, match="bits is 8; expected 16 or 32"):
        TrainingOptions(model="standard", bits=8)


def test_a_single_candidate_is_as_sure_as_the_pruner_is_right(parser: tt.Parser) -> None:
    assert parser.network is not None
    eager = replace(parser.pruner, options=PruningOptions(threshold=0.9, max_heads=1))
    batch = Batch(DEV)
    arcs = eager.candidates(batch)
    rows = [arcs.rows[arcs.places(i)] for i in range(len(DEV))]
    single = wrong = 0
    for sentence, own in zip(DEV, rows, strict=True):
        for word, head in enumerate(sentence.heads, 1):
            heads = own[own[:, 1] == word, 0].tolist()
            if len(heads) == 1:
                single += 1
                wrong += heads[0] != head
    assert single
    encoder = parser.encoder
    known = Treebank.of(DEV, encoder, parser.labels.dictionary.names)
    alone = [Parts.of_one(own) for own in rows]
    assert lost_heads(known, alone) == pytest.approx((wrong + 0.5) / (single + 1), abs=1e-4)
    doubtful = replace(parser, pruner=eager, lost_heads=0.1)
    sentence = TEST[0]
    found = doubtful.parse(sentence).arc_probabilities
    assert found[:, 1:].sum(axis=0) == pytest.approx(1.0, abs=1e-3)
    candidates = eager.candidates(Batch([sentence])).rows
    certain = [m for m in range(1, len(sentence) + 1) if (candidates[:, 1] == m).sum() == 1]
    assert certain
    assert found[:, certain].max(axis=0) == pytest.approx(0.9)
    assert found.diagonal().tolist() == [0.0] * (len(sentence) + 1)
    # What the user says is certain.
    pinned = doubtful.parse(sentence, require=[(0, 2)])
    assert pinned.arc_probabilities[0, 2] == pytest.approx(1.0, abs=1e-6)
    saved = type(parser).from_bytes(doubtful.to_bytes())
    assert saved.lost_heads == 0.1
