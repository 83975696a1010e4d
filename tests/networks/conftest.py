"""A small treebank, and networks small enough to be computed twice."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from turbotree.networks import WordVectors
from turbotree.text import Sentence, treebank

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def sentences() -> list[Sentence]:
    return list(treebank(60, seed=5))


@pytest.fixture(scope="session")
def vectors(sentences: list[Sentence]) -> WordVectors:
    words = sorted({form.lower() for sentence in sentences for form in sentence.forms})[::2]
    values = np.random.default_rng(4).normal(size=(len(words), 7))
    return WordVectors(words, values.astype(np.float32))
