"""The routes of the recommender, as INCEpTION's protocol for external recommenders has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turbotree.errors import InputError
from turbotree.serving import schemas
from turbotree.serving.answering import Response, answered
from turbotree.serving.inception.recommender import Recommender, Request
from turbotree.serving.workers import Workers

#: The address that INCEpTION is told; it adds the rest of the paths.
BASE = "/inception"
PREDICT, TRAIN = f"{BASE}/predict", f"{BASE}/train"


def add_inception_routes(
    add: Callable[..., None], recommender: Recommender, workers: Workers, refusals: dict[Any, Any]
) -> None:
    """Add the routes of a recommender to a server."""
    handlers = _Handlers(recommender, workers)
    add(BASE, "GET", handlers.status, response_model=schemas.InceptionAnswer)
    answer = schemas.InceptionPredictAnswer
    add(PREDICT, "POST", handlers.predict, response_model=answer, responses=refusals)
    add(TRAIN, "POST", handlers.train, status_code=204, responses=refusals)


class _Handlers:
    """One method per route."""

    def __init__(self, recommender: Recommender, workers: Workers) -> None:
        self._recommender, self._workers = recommender, workers

    async def status(self) -> Response:
        """Tell what can be suggested, and what was learnt."""
        return await answered(self._workers, self._recommender.status)

    async def predict(self, request: schemas.InceptionPredictRequest) -> Response:
        """Give a document back with suggestions for one feature of one layer."""
        asked = _request(request, [request.document])
        return await answered(self._workers, lambda: {"document": self._recommender.predict(asked)})

    async def train(self, request: schemas.InceptionTrainRequest) -> Response:
        """Learn from an annotator's documents; the answer comes before that is done."""
        if not request.documents:
            raise InputError("documents: there are none")
        asked = _request(request, request.documents)

        def job() -> dict[str, Any]:
            self._recommender.train(asked)
            return {}

        await answered(self._workers, job, to_its_end=True)
        return Response(status_code=204)


def _request(
    given: schemas.InceptionPredictRequest | schemas.InceptionTrainRequest,
    documents: list[schemas.InceptionDocument],
) -> Request:
    about = given.metadata
    return Request(
        about.layer,
        about.feature,
        given.typeSystem,
        [(one.xmi, str(one.documentId)) for one in documents],
        str(about.projectId),
        documents[0].userId,
        None if about.range is None else (about.range.begin, about.range.end),
    )
