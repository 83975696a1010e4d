"""The trees of several annotators, each in a folder of their own, and how far they agree."""

from __future__ import annotations

import re
import threading
from itertools import combinations
from pathlib import Path
from typing import Any

from turbotree.errors import InputError
from turbotree.evaluation import Agreement, agreement
from turbotree.serving.annotations import Annotations, Saved
from turbotree.text import Sentence

FOLDER = "annotators"
_NAME = re.compile(r"\w[\w .-]{0,39}")


def checked_name(name: str) -> str:
    """Return the name of an annotator, which is that of a folder too; '' is nobody's.

    >>> checked_name(" Ann ")
    'Ann'
    >>> checked_name("../x")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: annotator '../x': expected up to 40 letters, digits, -, _, . ...
    """
    name = name.strip()
    if name and not _NAME.fullmatch(name):
        raise InputError(
            f"annotator {name!r}: expected up to 40 letters, digits, -, _, . and spaces, "
            "a letter or digit first"
        )
    return name


class Annotators:
    """The stores of all annotators; what one saves never touches what another did.

    Parameters
    ----------
    folder
        The folder of :class:`Annotations`; annotators have theirs in ``annotators`` within.
    nobody
        The store of those who give no name, which is open already.
    """

    def __init__(self, folder: Path, nobody: Annotations) -> None:
        self._folder = folder / FOLDER
        self._stores: dict[str, Annotations] = {"": nobody}
        self._mutex = threading.Lock()
        if self._folder.is_dir():
            for path in sorted(self._folder.iterdir()):
                if path.is_dir() and not path.is_symlink() and _NAME.fullmatch(path.name):
                    self._stores[path.name] = Annotations(path)

    @property
    def names(self) -> list[str]:
        """All annotators."""
        with self._mutex:
            return list(self._stores)

    def store(self, name: str) -> Annotations:
        """Return an annotator's store; it is made when they first save something."""
        with self._mutex:
            store = self._stores.get(name)
            if store is None:
                store = self._stores[name] = Annotations(self._folder / checked_name(name))
            return store

    def save(self, name: str, sentence: Sentence) -> Saved:
        """Keep an annotator's tree; it is on the disk when this returns."""
        return self.store(name).save(sentence)

    def done(self) -> dict[str, set[str]]:
        """Return the names of the sentences that each annotator has saved."""
        with self._mutex:
            stores = dict(self._stores)
        return {who: store.names for who, store in stores.items()}

    def trees(self, name: str) -> list[Sentence]:
        """Return an annotator's trees, the first saved first."""
        with self._mutex:
            store = self._stores.get(name)
        return store.sentences if store is not None else []

    def agreement(self) -> dict[str, Any]:
        """Compare every two annotators on the sentences that both have; as JSON-ready data."""
        kept = {
            name: {(one.sent_id, one.forms): one for one in self.trees(name)} for name in self.names
        }
        pairs: list[tuple[str, str, Agreement]] = []
        for one, other in combinations(sorted(kept), 2):
            common = [key for key in kept[one] if key in kept[other]]
            if common:
                mine, yours = ([kept[who][key] for key in common] for who in (one, other))
                pairs.append((one, other, agreement(mine, yours)))
        return {
            "pairs": [
                {"annotators": [one, other], **found.to_dict()} for one, other, found in pairs
            ],
            "all": Agreement.pooled(found for *_, found in pairs).to_dict() if pairs else None,
        }

    def close(self) -> None:
        """Close all stores but nobody's, which belongs to who opened it."""
        failures = []
        with self._mutex:
            for name, store in self._stores.items():
                if name:
                    try:
                        store.close()
                    except Exception as error:  # the others have to be closed all the same
                        failures.append(error)
        if failures:
            raise failures[0]
