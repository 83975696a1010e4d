"""Parsers with parts of higher order, from training to the file and back."""

import numpy as np
import pytest

from turbotree import Parser
from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.parsing.decoding.decode import ARC_DECODERS
from turbotree.parsing.profile import Profile
from turbotree.text import treebank

UNSEEN = list(treebank(12, seed=5))


@pytest.fixture(scope="module", params=["standard", "full", "third"])
def parser(request):
    size = 60 if request.param == "third" else 120  # it has many more parts
    return Parser.train(treebank(size, seed=1), epochs=2, pruner_epochs=1, model=request.param)


def answers(parses):
    return [(parse.heads, parse.labels, parse.score, parse.certificate.status) for parse in parses]


def test_every_tree_has_a_certificate(parser):
    for parse in parser.pipe(UNSEEN, decoder="exact"):
        assert parse.certificate.status is Status.OPTIMAL
        assert parse.certificate.gap == 0.0
        assert parse.certificate.bound == parse.score


@pytest.mark.parametrize("decoder", ["auto", "admm", "subgradient", "lp", "ilp"])
def test_trees_that_two_decoders_prove_best_have_the_same_score(parser, decoder):
    exact = parser.pipe(UNSEEN, decoder="exact")
    for best, parse in zip(exact, parser.pipe(UNSEEN, decoder=decoder), strict=True):
        scale = max(1.0, abs(best.score))
        assert parse.score <= best.score + 1e-5 * scale
        assert parse.certificate.bound >= best.score - 1e-5 * scale
        if parse.certificate.status is Status.OPTIMAL:
            assert parse.score == pytest.approx(best.score, abs=1e-5 * scale)


def test_neither_threads_nor_batches_nor_the_file_change_the_answer(parser, tmp_path):
    parser.save(tmp_path / "model")
    loaded = Parser.load(tmp_path / "model")
    expected = answers(parser.pipe(UNSEEN))
    assert loaded.parts.families == parser.parts.families
    assert answers(loaded.pipe(UNSEEN)) == expected
    assert answers(parser.pipe(UNSEEN, threads=2, batch_size=5)) == expected
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_probabilities_of_heads_add_up_to_one(parser):
    for parse in parser.pipe(UNSEEN):
        if parse.marginals.converged:
            sums = parse.arc_probabilities[:, 1:].sum(axis=0)
            assert sums == pytest.approx(np.ones(len(parse.heads)), abs=1e-4)
        assert 0.0 <= parse.probability <= 1.0


def test_projective_trees_can_be_asked_for(parser):
    shape = {"projective": True, "single_root": True}
    for parse in parser.pipe(UNSEEN, **shape):
        spans = [sorted(arc) for arc in enumerate(parse.heads, 1)]
        assert not any(a[0] < b[0] < a[1] < b[1] for a in spans for b in spans)
        assert parse.heads.count(0) == 1


@pytest.mark.parametrize("decoder", ARC_DECODERS)
def test_decoders_of_arcs_alone_are_refused(parser, decoder):
    with pytest.raises(InputError, match="also scores sibling"):
        parser.parse(UNSEEN[0], decoder=decoder)


def test_a_profile_counts_time_parts_and_proofs(parser):
    profile = Profile()
    parses = list(parser.pipe(UNSEEN, threads=2, batch_size=3, profile=profile))
    figures = profile.to_dict()
    assert figures["sentences"] == len(UNSEEN)
    assert figures["words"] == sum(len(parse.heads) for parse in parses)
    proofs = sum(parse.certificate.status is Status.OPTIMAL for parse in parses)
    assert figures["proofs"] == proofs
    assert list(figures["parts"]) == list(parser.parts.families)
    assert {"pruning", "scoring", "decoding", "labelling"} <= set(figures["seconds"])
    assert f"{100 * proofs / len(UNSEEN):.1f} % of the trees proven best" in str(profile)


def test_parts_can_be_chosen_by_name():
    parser = Parser.train(treebank(40, seed=1), epochs=1, pruner_epochs=1, parts=["grandparent"])
    assert parser.parts.families == ("arc", "grandparent")
    assert all(len(parse.heads) > 0 for parse in parser.pipe(UNSEEN))


def test_the_same_seed_gives_the_same_file_with_any_number_of_threads(tmp_path):
    for threads in (1, 2):
        Parser.train(
            treebank(40, seed=1), epochs=1, pruner_epochs=1, model="standard", threads=threads
        ).save(tmp_path / str(threads))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_arc_factored_models_take_the_decoders_of_graphs_too():
    parser = Parser.train(treebank(40, seed=1), model="arc", epochs=1, pruner_epochs=1)
    best = [parse.score for parse in parser.pipe(UNSEEN)]
    found = [parse.score for parse in parser.pipe(UNSEEN, decoder="exact")]
    assert found == pytest.approx(best)
