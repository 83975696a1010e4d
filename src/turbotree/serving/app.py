"""The HTTP API: routes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import turbotree
from turbotree.errors import InputError, MissingExtraError, TurbotreeError
from turbotree.serving import schemas
from turbotree.serving.annotations import Annotations, Counts
from turbotree.serving.boundary import Boundary
from turbotree.serving.engine import Engine, Question
from turbotree.serving.errors import problem, problem_of, status_of, to_json
from turbotree.serving.limits import Limits, TooLargeError
from turbotree.serving.metrics import Metrics
from turbotree.serving.pages import Page, read_pages
from turbotree.serving.reading import conllu_sentences
from turbotree.serving.review.review import Review
from turbotree.serving.review.routes import add_review_routes
from turbotree.serving.workbench.routes import add_routes
from turbotree.serving.workbench.workbench import Workbench
from turbotree.serving.workers import Workers

try:
    from fastapi import FastAPI, Request, Response
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
except ImportError as error:
    raise MissingExtraError(
        "turbotree serve needs FastAPI: pip install 'turbotree[serve]'"
    ) from error

if TYPE_CHECKING:
    from turbotree.serving.inception.recommender import Recommender

_ABOUT = """Trees with probabilities, proofs and constraints over HTTP. Errors are JSON too:
{"error": {"kind": ..., "message": ...}}, one line for people."""
_JSON = "application/json"
_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.ErrorAnswer, "description": what}
    for status, what in (
        (400, "Not JSON, or not for this host."),
        (408, "The body took too long to arrive."),
        (413, "Too many bytes, sentences, words or trees."),
        (415, "Not of type application/json."),
        (422, "A mistake in the request, or constraints that no tree satisfies."),
        (429, "Too many requests at once; see Retry-After."),
        (503, "Took too long."),
    )
}

_FULL: dict[int | str, dict[str, Any]] = {
    507: {"model": schemas.ErrorAnswer, "description": "The disk does not take it."}
}


def create_app(
    engine: Engine | None,
    *,
    annotations: Annotations | None = None,
    workbench: Workbench | None = None,
    review: Review | None = None,
    inception: Recommender | None = None,
    limits: Limits | None = None,
    hosts: Collection[str] | None = None,
) -> Any:
    """Make the application of a server.

    Parameters
    ----------
    engine
        The model, with its limits; None for a server that only has a review.
    annotations
        Where corrected trees are kept; without it, they cannot be saved. Close it when the server
        has stopped.
    workbench
        A queue of sentences to annotate, with the model that learns from it: that model is served
        then. Close it, too.
    review
        Findings to go through; close it when the server has stopped.
    inception
        What answers INCEpTION at ``/inception``; close it, too.
    limits
        What is refused, if there is no engine.
    hosts
        Names that the server goes by; None takes any.

    Returns
    -------
    An ASGI application; :func:`turbotree.serving.run` runs it.

    Examples
    --------
    >>> from turbotree import Parser
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> callable(create_app(Engine(parser)))
    True
    """
    limits = engine.limits if engine is not None else limits or Limits()
    metrics, workers = Metrics(), Workers(limits)

    def current() -> Engine:
        found = engine if workbench is None else workbench.engine
        assert found is not None  # there is no route that asks
        return found

    offers = {
        "annotate": annotations is not None,
        "queue": workbench is not None,
        "review": review is not None,
    }
    handlers = _Handlers(current, metrics, workers, offers)

    app = FastAPI(
        title="turbotree",
        version=turbotree.__version__,
        description=_ABOUT,
        docs_url=None,  # its page asks another host for its scripts; ours is static/docs.html
        redoc_url=None,
    )
    app.add_exception_handler(TurbotreeError, handlers.mistake)
    app.add_exception_handler(RequestValidationError, handlers.invalid)
    app.add_exception_handler(HTTPException, handlers.http_error)

    paths: set[str] = set()

    def add(path: str, method: str, handler: Callable[..., Any], **options: object) -> None:
        if not path.startswith("/static/"):
            paths.add(path)
        app.add_api_route(path, handler, methods=[method], **options)

    if engine is not None:
        answer, several = schemas.ParseAnswer, schemas.BatchAnswer
        add("/parse", "POST", handlers.parse, response_model=answer, responses=_REFUSALS)
        add("/batch", "POST", handlers.batch, response_model=several, responses=_REFUSALS)
        add("/model", "GET", handlers.model, response_model=schemas.ModelAnswer)
    add("/health", "GET", handlers.health, response_model=schemas.HealthAnswer)
    add("/metrics", "GET", handlers.metrics_text, responses=_text("Counters for Prometheus."))
    if annotations is not None:
        saved = schemas.SavedAnswer
        refusals = _REFUSALS | _FULL
        kept = _AnnotationHandlers(annotations, workers)
        add("/annotations", "POST", kept.save, response_model=saved, responses=refusals)
        add("/annotations", "GET", kept.saved, response_model=schemas.CountsAnswer)
        add("/annotations.conllu", "GET", kept.saved_file, responses=_text("All trees."))
    if workbench is not None:
        add_routes(add, workbench, workers, _REFUSALS | _FULL)
    if review is not None:
        add_review_routes(add, review, workers, _REFUSALS | _FULL)
    documents: Collection[str] = ()
    if inception is not None:
        from turbotree.serving.inception.routes import PREDICT, TRAIN, add_inception_routes

        add_inception_routes(add, inception, workers, _REFUSALS)
        documents = (PREDICT, TRAIN)
    addresses = {"docs.html": ["/docs"]}
    if engine is not None:
        addresses["index.html"] = ["/"]
    if workbench is not None:
        addresses["annotate.html"] = ["/annotate"]
    if review is not None:
        addresses["review.html"] = ["/review"] if engine is not None else ["/review", "/"]
    for name, page in read_pages().items():
        static = [] if name.endswith(".html") else [f"/static/{name}"]
        for path in addresses.get(name, static):
            add(path, "GET", _page_handler(page), include_in_schema=False)
    return Boundary(app, limits, metrics, paths, hosts, documents)


class _Handlers:
    """One method per route."""

    def __init__(
        self,
        engine: Callable[[], Engine],
        metrics: Metrics,
        workers: Workers,
        offers: dict[str, bool],
    ) -> None:
        self._current, self._offers = engine, offers
        self._metrics, self._workers = metrics, workers

    @property
    def _engine(self) -> Engine:
        """The engine as it is now: a model that learns is replaced now and then."""
        return self._current()

    async def parse(self, request: schemas.ParseRequest) -> Response:
        """Parse sentences; with constraints, rules, several trees, probabilities, a trace."""
        question = Question(**request.model_dump())

        def job(in_time: Callable[[], bool]) -> bytes:
            answers = self._engine.answer(question, in_time)
            self._count(answers)
            return to_json({"sentences": answers})

        return Response(await self._workers.run(job), media_type=_JSON)

    async def batch(self, request: schemas.BatchRequest) -> Response:
        """Parse several documents; a mistake in one is reported in its place."""
        shared = request.model_dump(exclude={"documents"})
        questions = [Question(**own.model_dump(), **shared) for own in request.documents]

        engine = self._engine

        def job(in_time: Callable[[], bool]) -> bytes:
            documents: list[dict[str, Any]] = []
            count = 0
            for question in questions:
                try:
                    answers = engine.answer(question, in_time)
                except TurbotreeError as error:
                    if status_of(error) != 422:
                        raise
                    documents.append({"error": problem_of(error)})
                    continue
                count += len(answers)
                if count > engine.limits.max_sentences:
                    raise TooLargeError(
                        f"more than {engine.limits.max_sentences} sentences; send fewer at a time"
                    )
                self._count(answers)
                documents.append({"sentences": answers})
            return to_json({"documents": documents})

        return Response(await self._workers.run(job), media_type=_JSON)

    async def model(self) -> Response:
        """Tell what the model is, and what this server takes."""
        engine = self._engine
        about = {
            **engine.about(),
            **self._offers,
            "limits": asdict(engine.limits),
        }
        return Response(to_json(about), media_type=_JSON)

    async def health(self) -> Response:
        """Answer, which is all there is to say."""
        about = {"status": "ok", "version": turbotree.__version__}
        return Response(to_json(about), media_type=_JSON)

    async def metrics_text(self) -> Response:
        """Give counters in the text format of Prometheus."""
        return Response(self._metrics.to_text(), media_type="text/plain; version=0.0.4")

    async def mistake(self, _: Request, error: TurbotreeError) -> Response:
        """Answer an error that was raised on purpose."""
        return self._failed(problem_of(error), status_of(error))

    async def invalid(self, _: Request, error: RequestValidationError) -> Response:
        """Answer a request of the wrong shape."""
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return self._failed(problem("input", "the body is not JSON"), 400)
        where = ".".join(str(step) for step in first["loc"] if step != "body")
        said = f"{where}: {first['msg']}" if where else str(first["msg"])
        return self._failed(problem("input", said), 422)

    async def http_error(self, _: Request, error: HTTPException) -> Response:
        """Answer what is not there, and what cannot be read."""
        headers = dict(error.headers or {})
        return self._failed(problem("input", str(error.detail)), error.status_code, headers)

    def _failed(
        self, what: dict[str, Any], status: int, headers: dict[str, str] | None = None
    ) -> Response:
        self._metrics.failed(what["kind"])
        if status == 429:
            headers = {"retry-after": "1"}
        return Response(to_json({"error": what}), status, headers, media_type=_JSON)

    def _count(self, answers: list[dict[str, Any]]) -> None:
        self._metrics.parsed(len(answers), sum(len(answer["words"]) for answer in answers))


class _AnnotationHandlers:
    """One method per route of a server that keeps corrected trees."""

    def __init__(self, annotations: Annotations, workers: Workers) -> None:
        self._annotations, self._workers = annotations, workers

    async def save(self, request: schemas.SaveRequest) -> Response:
        """Keep a corrected tree; it is on the disk when this is answered."""
        annotations = self._annotations

        def job(_: Callable[[], bool]) -> bytes:
            sentences = conllu_sentences(request.conllu)
            if len(sentences) != 1:
                raise InputError(f"expected one sentence, got {len(sentences)}")
            saved = annotations.save(sentences[0])
            return to_json({**_counts(annotations, saved), "sent_id": saved.sent_id})

        return Response(await self._workers.run(job, to_its_end=True), media_type=_JSON)

    async def saved(self) -> Response:
        """Tell how many sentences are kept."""
        about = _counts(self._annotations, self._annotations.counts)
        return Response(to_json(about), media_type=_JSON)

    async def saved_file(self) -> Response:
        """Give all trees that were kept, as CoNLL-U."""
        annotations = self._annotations
        text = await self._workers.run(lambda _: annotations.to_text())
        headers = {"content-disposition": f'attachment; filename="{annotations.file.name}"'}
        return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


def _counts(annotations: Annotations, counts: Counts) -> dict[str, Any]:
    return {
        "saved": counts.count,
        "file": annotations.file.name,
        "in_file": counts.in_file,
        "waiting": counts.waiting,
        "problem": counts.problem,
    }


def _text(what: str) -> dict[int | str, dict[str, Any]]:
    schema = {"schema": {"type": "string"}}
    return {200: {"description": what, "content": {"text/plain": schema}}}


def _page_handler(page: Page) -> Callable[[Request], Any]:
    async def give(request: Request) -> Response:
        headers = {"etag": page.tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == page.tag:
            return Response(status_code=304, headers=headers)
        return Response(page.content, media_type=page.media_type, headers=headers)

    return give
