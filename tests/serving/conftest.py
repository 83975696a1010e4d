"""A small parser, and applications that serve it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.serving import Annotations, Engine, Limits
from turbotree.text import treebank


@pytest.fixture(scope="session")
def parser() -> Parser:
    return Parser.train(treebank(150, seed=1), model="arc", epochs=2, pruner_epochs=1)


@pytest.fixture(scope="session")
def nlp() -> Pipeline:
    return Pipeline.train(
        treebank(100, seed=1),
        fold_epochs=1,
        folds=2,
        token_epochs=2,
        tagger={"epochs": 1},
        parser={"model": "arc", "epochs": 1, "pruner_epochs": 1},
    )


@pytest.fixture(scope="session")
def model_file(parser: Parser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.safetensors"
    parser.save(path)
    return path


@pytest.fixture
def client(parser: Parser) -> Iterator[Callable[..., Any]]:
    """Make a client of an application; options are those of limits."""
    testclient = pytest.importorskip("fastapi.testclient")
    pytest.importorskip("httpx")
    from turbotree.serving import create_app

    opened: list[Annotations] = []

    def make(
        model: Any = parser,
        folder: Path | None = None,
        hosts: Any = None,
        rules_allowed: bool = True,
        **limits: Any,
    ) -> Any:
        engine = Engine(model, "small", Limits(**limits), rules_allowed=rules_allowed)
        annotations = Annotations(folder) if folder is not None else None
        if annotations is not None:
            opened.append(annotations)
        app = create_app(engine, annotations=annotations, hosts=hosts)
        return testclient.TestClient(app)

    yield make
    for one in opened:
        one.close()
