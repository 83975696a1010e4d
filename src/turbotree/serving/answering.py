"""Jobs in threads, answered as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turbotree.errors import MissingExtraError
from turbotree.serving.errors import to_json
from turbotree.serving.workers import Workers

try:
    from fastapi import Response
except ImportError as error:
    raise MissingExtraError(
        "turbotree serve needs FastAPI: pip install 'turbotree[serve]'"
    ) from error

__all__ = ["PLAIN_TEXT", "Response", "answered"]

#: What OpenAPI is told of answers that are text.
PLAIN_TEXT: dict[str, Any] = {"content": {"text/plain": {"schema": {"type": "string"}}}}


async def answered(
    workers: Workers, job: Callable[[], dict[str, Any]], *, to_its_end: bool = False
) -> Response:
    """Do a job in a thread and answer what it gives; see :meth:`Workers.run`."""
    found = await workers.run(lambda _: to_json(job()), to_its_end=to_its_end)
    return Response(found, media_type="application/json")
