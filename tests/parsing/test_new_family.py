"""A family of parts that is added by the recipe of CONTRIBUTING.md, and by nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from oracles.part_cases import candidate_trees

from turbotree import Parser
from turbotree.features import PartKind, Parts
from turbotree.graphs import Status
from turbotree.parsing.decoding import decode, part_marginals
from turbotree.parsing.parts import (
    CLASSES,
    FAMILIES,
    Candidates,
    PairFamily,
    PartSet,
    ScoredSentence,
    register,
)
from turbotree.text import treebank


@dataclass(frozen=True, slots=True)
class NeighbourFamily(PairFamily):
    """Two neighbouring words with one head."""

    name: ClassVar[str] = "neighbours"
    kind: ClassVar[PartKind] = PartKind(("h", "m", "s"))
    templates: ClassVar[tuple[str, ...]] = ("h.upos m.upos s.upos", "m.upos s.upos")

    @classmethod
    def find(cls, candidates: Candidates) -> "NeighbourFamily":
        rows, pairs, offsets = [], [], [0]
        for sentence in range(len(candidates.lengths)):
            arcs = candidates.arcs.rows[candidates.arcs.places(sentence)].tolist()
            numbers = {tuple(arc): number for number, arc in enumerate(arcs)}
            for head, modifier in arcs:
                if (head, modifier + 1) in numbers:
                    rows.append((head, modifier, modifier + 1))
                    pairs.append((numbers[head, modifier], numbers[head, modifier + 1]))
            offsets.append(len(rows))
        parts = Parts(
            np.array(rows, dtype=np.int32).reshape(-1, 3), np.array(offsets, dtype=np.int32)
        )
        return cls(parts, np.array(pairs, dtype=np.int32).reshape(-1, 2))


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register(NeighbourFamily)
    yield
    del FAMILIES["neighbours"], CLASSES["neighbours"]


@pytest.fixture
def parser(registered):
    return Parser.train(
        treebank(60, seed=1), parts=["sibling", "neighbours"], epochs=2, pruner_epochs=1
    )


def by_hand(heads):
    return sum(first == second for first, second in pairwise(heads))


def test_it_is_found_trained_and_decoded(parser, tmp_path):
    assert parser.parts.families == ("arc", "sibling", "neighbours")
    assert parser.templates()["neighbours"] == list(NeighbourFamily.templates)
    for sentence in [s for s in treebank(40, seed=2) if len(s) <= 6]:
        parse = parser.parse(sentence, decoder="exact")
        scored = parse._batch.scored.sentence(0)
        assert scored.indicators(np.array(parse.heads))["neighbours"].sum() == by_hand(parse.heads)
        trees = candidate_trees(scored.parts, 0, scored.shape)
        assert parse.certificate.status is Status.OPTIMAL
        assert parse.score == pytest.approx(max(scored.score(tree) for tree in trees), abs=1e-6)
    parser.save(tmp_path / "parser.model")
    again = Parser.load(tmp_path / "parser.model")
    for sentence in treebank(5, seed=3):
        one, other = again.parse(sentence), parser.parse(sentence)
        assert (one.heads, one.labels, one.score) == (other.heads, other.labels, other.score)
        assert parser.parse(sentence).entropy > -0.5
        assert len(parser.k_best(sentence, 3)) == 3
        assert len(parser.sample(sentence, 3)) == 3


@pytest.mark.parametrize("decoder", ["auto", "exact", "lp", "ilp", "admm"])
@pytest.mark.parametrize("decomposition", ["structured", "logic"])
def test_every_decoder_knows_it(decoder, decomposition):
    if decoder == "auto" and decomposition == "logic":
        decoder = "subgradient"
    for seed in range(10):
        rng = np.random.default_rng(seed)
        words = 4
        arcs = [(h, m) for m in range(1, words + 1) for h in range(words + 1) if h != m]
        lengths = np.array([words], dtype=np.int32)
        parts = PartSet.build(lengths, Parts.of_one(arcs), ("arc", "neighbours"))
        scores = {name: rng.normal(size=len(own.rows)) for name, own in parts.items()}
        scored = ScoredSentence(parts, 0, scores)
        best = max(scored.score(tree) for tree in candidate_trees(parts, 0, scored.shape))
        found = decode(scored, decoder, decomposition=decomposition)
        assert found.score == pytest.approx(scored.score(found.heads), abs=1e-6)
        assert found.certificate.bound >= best - 1e-4
        if found.certificate.status is Status.OPTIMAL:
            assert found.score == pytest.approx(best, abs=1e-4)
        probabilities = part_marginals(scored, every_part=True).parts["neighbours"]
        assert ((probabilities >= -1e-9) & (probabilities <= 1 + 1e-9)).all()
