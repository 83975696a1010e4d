from __future__ import annotations

import pytest
from oracles.labelled import chunked

from turbotree.labeling import Tagger
from turbotree.text import Sentence


@pytest.fixture(scope="session")
def training() -> list[Sentence]:
    """Sentences to learn from."""
    return chunked(60, seed=1)


@pytest.fixture(scope="session")
def held_out() -> list[Sentence]:
    """Sentences that were not learned from."""
    return chunked(20, seed=2)


@pytest.fixture(scope="session")
def tagger(training: list[Sentence], held_out: list[Sentence]) -> Tagger:
    """A small chunker."""
    return Tagger.train(training, dev=held_out, task="chunk", epochs=3)
