"""Results on disk, each under a hash of what it depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from turbotree.files.atomic import atomic_path


class Cache:
    """A folder of results: an interrupted run goes on where it stood.

    An entry holds the inputs in full beside the result, and a checksum; one that does not fit, is
    cut short or was changed is worked out again.

    Examples
    --------
    >>> import tempfile
    >>> cache = Cache(Path(tempfile.mkdtemp()))
    >>> cache.get({"x": 1}, lambda: 2), cache.get({"x": 1}, lambda: 3)
    (2, 2)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, inputs: Mapping[str, Any], ending: str = ".json") -> Path:
        """Return where the result of these inputs lies, whether it is there or not."""
        return self.folder / f"{_hash(inputs)[:32]}{ending}"

    def load(self, inputs: Mapping[str, Any]) -> Any | None:
        """Return the result of these inputs, or None if there is none that can be trusted."""
        try:
            entry = json.loads(self.path(inputs).read_text(encoding="utf-8"))
            fits = entry["inputs"] == json.loads(_text(inputs))
            whole = entry["checksum"] == _hash(entry["result"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return entry["result"] if fits and whole else None

    def store(self, inputs: Mapping[str, Any], result: Any) -> None:
        """Keep a result, which JSON must be able to hold."""
        self.folder.mkdir(parents=True, exist_ok=True)
        entry = {"inputs": inputs, "checksum": _hash(result), "result": result}
        with atomic_path(self.path(inputs)) as temporary:
            # Not sorted: the order of a table's rows is part of the result.
            text = json.dumps(entry, ensure_ascii=False, allow_nan=False)
            temporary.write_text(text, encoding="utf-8")

    def get(self, inputs: Mapping[str, Any], work: Callable[[], Any]) -> Any:
        """Return the result of these inputs; work it out and keep it if it is not there."""
        found = self.load(inputs)
        if found is None:
            self.store(inputs, work())
            found = self.load(inputs)  # what a later run will see: lists, not tuples
        return found


def _text(data: Any) -> str:
    return json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _hash(data: Any) -> str:
    return hashlib.sha256(_text(data).encode()).hexdigest()
