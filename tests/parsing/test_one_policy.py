"""Parsers, arrays of scores and rules decode alike: one policy for `auto`."""

import numpy as np
import pytest

import turbotree as tt
from turbotree.parsing.arrays.parts import dense_parts, part_scores
from turbotree.parsing.decoding import SOLVERS, decode, solver_of
from turbotree.parsing.decoding.decode import decode_many
from turbotree.parsing.parts import ScoredSentence


def problem(words, seed):
    """Draw scores of all arcs, siblings and grandparents."""
    rng = np.random.default_rng(seed)
    size = words + 1
    arrays = {
        "arc": rng.normal(size=(size, size)),
        "sibling": rng.normal(size=(size,) * 3),
        "grandparent": rng.normal(size=(size,) * 3),
    }
    parts, places = dense_parts(arrays["arc"], words, grandparents=True)
    return arrays, ScoredSentence(parts, 0, part_scores(arrays, places))


@pytest.mark.parametrize(("words", "seed"), [(1, 0), (5, 1), (9, 2), (14, 3)])
def test_arrays_are_decoded_as_parsers_decode(words, seed):
    arrays, scored = problem(words, seed)
    found = tt.decode(
        arrays["arc"], sibling_scores=arrays["sibling"], grandparent_scores=arrays["grandparent"]
    )
    expected = decode(scored)
    assert found.heads.tolist() == expected.heads.tolist()
    assert found.score == expected.score
    for name in ("status", "bound", "gap", "iterations"):
        assert getattr(found.certificate, name) == getattr(expected.certificate, name)


def test_sentences_of_usual_length_get_all_nodes_even_if_every_arc_is_a_candidate():
    _, scored = problem(22, 4)
    assert solver_of("auto", scored) == SOLVERS["auto"]


def test_a_batch_is_decoded_as_its_sentences_alone():
    sentences = {seed: problem(3 + seed, seed)[1] for seed in range(5)}
    found = dict(decode_many(sentences.items(), threads=2))
    for seed, scored in sentences.items():
        alone = decode(scored)
        assert found[seed].heads.tolist() == alone.heads.tolist()
        assert found[seed].score == alone.score
