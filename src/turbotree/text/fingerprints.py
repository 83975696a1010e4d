"""A checksum of sentences, by which a later run knows that it has the same data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from turbotree.text.sentence import Sentence


def fingerprint(sentences: Iterable[Sentence]) -> str:
    """Return a checksum of the sentences' text.

    >>> fingerprint([])[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(sentence.to_text().encode())
    return digest.hexdigest()
