from __future__ import annotations

import pytest

from turbotree.parsing import Parser
from turbotree.text import Sentence, treebank


@pytest.fixture(scope="session")
def parser() -> Parser:
    """A small parser, trained well enough to prefer some trees to others."""
    return Parser.train(
        treebank(80, seed=1), dev=treebank(15, seed=2), model="arc", epochs=2, pruner_epochs=2
    )


@pytest.fixture(scope="session")
def held_out() -> list[Sentence]:
    """Sentences that the parser has not seen."""
    return list(treebank(25, seed=3))


@pytest.fixture(scope="session")
def short(held_out: list[Sentence]) -> list[Sentence]:
    """The first words of some of them: so few that all their trees can be listed."""
    pieces = []
    for length, sentence in zip((1, 2, 3, 4, 4, 5, 5), held_out, strict=False):
        columns = (
            sentence.forms,
            sentence.lemmas,
            sentence.upos,
            sentence.xpos,
            sentence.feats,
        )
        pieces.append(Sentence.from_words(*(column[:length] for column in columns)))
    return pieces
