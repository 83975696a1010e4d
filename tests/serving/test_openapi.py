"""The server keeps to its own OpenAPI document, whatever schemathesis sends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from turbotree.parsing import Parser
from turbotree.serving import Annotations, Engine, Limits

schemathesis = pytest.importorskip("schemathesis")
pytest.importorskip("fastapi")
pytest.importorskip("cassis")
checks = pytest.importorskip("schemathesis.specs.openapi.checks")
positive_data_acceptance = checks.positive_data_acceptance
negative_data_rejection = checks.negative_data_rejection

ROUTES = [
    ("POST", "/parse"),
    ("POST", "/batch"),
    ("POST", "/annotations"),
    ("GET", "/annotations"),
    ("GET", "/annotations.conllu"),
    ("GET", "/inception"),
    ("POST", "/inception/predict"),
    ("POST", "/inception/train"),
    ("GET", "/model"),
    ("GET", "/health"),
    ("GET", "/metrics"),
]


@pytest.fixture(scope="module")
def document(parser: Parser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from turbotree.serving import create_app
    from turbotree.serving.inception import Recommender

    engine = Engine(parser, "small", Limits())
    inception = Recommender(lambda: engine)
    with Annotations(tmp_path_factory.mktemp("saved")) as annotations:
        app = create_app(engine, annotations=annotations, inception=inception)
        yield schemathesis.openapi.from_asgi("/openapi.json", app)
    inception.close()


def test_all_routes_are_described(document: Any) -> None:
    found = [operation.ok() for operation in document.get_all_operations()]
    assert sorted((one.method.upper(), one.path) for one in found) == sorted(ROUTES)


@pytest.mark.parametrize("kind", ["POSITIVE", "NEGATIVE"])
@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_the_server_keeps_to_its_own_description(
    document: Any, method: str, path: str, kind: str
) -> None:
    mode = getattr(schemathesis.GenerationMode, kind)
    if kind == "NEGATIVE" and method == "GET":
        pytest.skip("nothing to get wrong")

    @settings(
        max_examples=30 if method == "POST" else 3,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate],
        derandomize=True,
    )
    @given(case=document[path][method].as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        # Not every text is CoNLL-U, and no schema can say which is; nor that 413 is a refusal.
        response = case.call_and_validate(
            excluded_checks=[positive_data_acceptance, negative_data_rejection]
        )
        assert kind == "POSITIVE" or 400 <= response.status_code < 500

    check()
