"""The routes of a review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turbotree.serving import schemas
from turbotree.serving.answering import PLAIN_TEXT, Response, answered
from turbotree.serving.review.review import Correction, Review
from turbotree.serving.workers import Workers


def add_review_routes(
    add: Callable[..., None], review: Review, workers: Workers, refusals: dict[Any, Any]
) -> None:
    """Add the routes of a review to a server."""
    handlers = _Handlers(review, workers)
    answers = (
        ("/review/status", "GET", handlers.status, schemas.ReviewAnswer),
        ("/review/findings", "GET", handlers.findings, schemas.FindingsAnswer),
        ("/review/next", "POST", handlers.next, schemas.FindingAnswer),
        ("/review/show", "POST", handlers.show, schemas.FindingAnswer),
        ("/review/decide", "POST", handlers.decide, schemas.ReviewAnswer),
        ("/review/undo", "POST", handlers.undo, schemas.FindingAnswer),
    )
    for path, method, handler, model in answers:
        add(path, method, handler, response_model=model, responses=refusals)
    text = {200: {"description": "The corrected treebank.", **PLAIN_TEXT}}
    add("/review.conllu", "GET", handlers.corrected, responses=text)


class _Handlers:
    """One method per route."""

    def __init__(self, review: Review, workers: Workers) -> None:
        self._review, self._workers = review, workers

    async def status(self) -> Response:
        """Tell how far the review is."""
        return await answered(self._workers, self._review.status)

    async def findings(self, kind: str | None = None) -> Response:
        """List what is open, the most suspicious first."""
        return await answered(self._workers, lambda: {"findings": self._review.listed(kind)})

    async def next(self, request: schemas.NextFindingRequest) -> Response:
        """Give the next open finding with its sentence."""
        return await answered(
            self._workers, lambda: self._shown(self._review.next(request.after, request.kind))
        )

    async def show(self, request: schemas.ShowFindingRequest) -> Response:
        """Give a finding by its number."""
        return await answered(self._workers, lambda: self._shown(request.index))

    async def decide(self, request: schemas.DecisionRequest) -> Response:
        """Decide about a finding; it is on the disk when this is answered."""

        def job() -> dict[str, Any]:
            given = request.correction
            correction = None if given is None else Correction(**given.model_dump())
            self._review.decide(request.index, request.verdict, correction, request.reason)
            return self._review.status()

        return await answered(self._workers, job, to_its_end=True)

    async def undo(self, _: schemas.UndoRequest) -> Response:
        """Take back the last decision and give its finding."""
        return await answered(
            self._workers, lambda: self._shown(self._review.undo()), to_its_end=True
        )

    async def corrected(self, file: str) -> Response:
        """Give a corrected treebank; what nobody has changed has its bytes."""
        content = await self._workers.run(lambda _: self._review.corrected(file))
        headers = {"content-disposition": 'attachment; filename="corrected.conllu"'}
        return Response(content, media_type="text/plain; charset=utf-8", headers=headers)

    def _shown(self, index: int | None) -> dict[str, Any]:
        return {"index": None} if index is None else self._review.finding(index)
