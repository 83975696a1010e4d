"""One small pipeline for all tests of the package."""

from __future__ import annotations

import pytest

from turbotree.pipeline import Pipeline
from turbotree.text import Sentence, treebank

#: Options that train in a second or two.
QUICK = {
    "folds": 2,
    "fold_epochs": 1,
    "token_epochs": 2,
    "lemma_epochs": 2,
    "tagger": {"epochs": 2},
    "parser": {"model": "arc", "epochs": 1, "pruner_epochs": 1},
}


@pytest.fixture(scope="session")
def quick() -> dict[str, object]:
    return dict(QUICK)


@pytest.fixture(scope="session")
def sentences() -> list[Sentence]:
    return list(treebank(80, seed=1))


@pytest.fixture(scope="session")
def nlp(sentences: list[Sentence]) -> Pipeline:
    return Pipeline.train(sentences, licence="CC0", **QUICK)
