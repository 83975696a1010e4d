"""The routes of a workbench."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turbotree.errors import InputError
from turbotree.serving import schemas
from turbotree.serving.answering import PLAIN_TEXT, Response, answered
from turbotree.serving.reading import conllu_sentences
from turbotree.serving.workbench.annotators import checked_name
from turbotree.serving.workbench.workbench import Workbench
from turbotree.serving.workers import Workers


def add_routes(
    add: Callable[..., None], workbench: Workbench, workers: Workers, refusals: dict[Any, Any]
) -> None:
    """Add the routes of a workbench to a server."""
    handlers = _Handlers(workbench, workers)
    answers = (
        ("/queue", "GET", handlers.status, schemas.QueueAnswer),
        ("/queue/next", "POST", handlers.next, schemas.OfferAnswer),
        ("/queue/save", "POST", handlers.save, schemas.SavedAnswer),
        ("/queue/skip", "POST", handlers.skip, schemas.QueueAnswer),
        ("/agreement", "GET", handlers.agreement, schemas.AgreementAnswer),
    )
    for path, method, handler, model in answers:
        add(path, method, handler, response_model=model, responses=refusals)
    text = {200: {"description": "Trees.", **PLAIN_TEXT}}
    add("/queue.conllu", "GET", handlers.trees, responses=text)


class _Handlers:
    """One method per route."""

    def __init__(self, workbench: Workbench, workers: Workers) -> None:
        self._workbench, self._workers = workbench, workers

    async def status(self, annotator: schemas.Annotator = "") -> Response:
        """Tell how many sentences are left, and what has become of the model."""
        return await answered(self._workers, lambda: self._workbench.status(annotator))

    async def next(self, request: schemas.AnnotatorRequest) -> Response:
        """Give the sentence that is worth most; it is reserved until saved or skipped."""

        def job() -> dict[str, Any]:
            offer = self._workbench.next(request.annotator)
            if offer is None:
                return {"name": None, "value": None, "shared": False, "sentence": None}
            return {
                "name": offer.name,
                "value": offer.value,
                "shared": offer.shared,
                "sentence": offer.answer,
            }

        return await answered(self._workers, job)

    async def save(self, request: schemas.QueueSaveRequest) -> Response:
        """Keep the tree of a sentence; it is on the disk when this is answered."""

        def job() -> dict[str, Any]:
            sentences = conllu_sentences(request.conllu)
            if len(sentences) != 1:
                raise InputError(f"expected one sentence, got {len(sentences)}")
            saved = self._workbench.save(request.annotator, request.name, sentences[0])
            store = self._workbench.annotators.store(checked_name(request.annotator))
            return {
                "saved": saved.count,
                "file": store.file.name,
                "in_file": saved.in_file,
                "waiting": saved.waiting,
                "problem": saved.problem,
                "sent_id": saved.sent_id,
            }

        return await answered(self._workers, job, to_its_end=True)

    async def skip(self, request: schemas.QueueSkipRequest) -> Response:
        """Leave a sentence to others; that is on the disk when this is answered."""

        def job() -> dict[str, Any]:
            self._workbench.skip(request.annotator, request.name)
            return self._workbench.status(request.annotator)

        return await answered(self._workers, job, to_its_end=True)

    async def agreement(self) -> Response:
        """Tell how far annotators agree on the sentences that they have in common."""
        return await answered(self._workers, self._workbench.annotators.agreement)

    async def trees(self, annotator: schemas.Annotator = "") -> Response:
        """Give the trees of an annotator, as CoNLL-U."""
        name = checked_name(annotator)

        def job(_: Callable[[], bool]) -> str:
            return "".join(tree.to_text() for tree in self._workbench.annotators.trees(name))

        headers = {"content-disposition": 'attachment; filename="annotations.conllu"'}
        text = await self._workers.run(job)
        return Response(text, media_type="text/plain; charset=utf-8", headers=headers)
