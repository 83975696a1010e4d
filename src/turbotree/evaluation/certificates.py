"""What a file of parses says of its proofs, summed up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from turbotree.errors import InputError
from turbotree.text import Sentence

_KEYS = ("status", "gap", "rounds", "seconds")


@dataclass
class CertificateSums:
    """Figures of the comments that ``turbotree parse --certificates`` writes.

    Attributes
    ----------
    sentences
        Trees that have a certificate.
    proven
        Those that are proven best.
    unknown
        Those of which no bound is known.
    gap, largest_gap
        Sum and largest of the gaps of the others.
    rounds, seconds
        Of the solvers, in all.

    Examples
    --------
    >>> notes = ["status = optimal", "gap = 0", "rounds = 7", "seconds = 0.5"]
    >>> comments = [f"certificate_{note}" for note in notes]
    >>> sums = CertificateSums()
    >>> sums.add(Sentence.from_words(["Go"], comments=comments))
    >>> print(sums)
    1 tree, 100.00 % proven best, 7.0 rounds and 500.000 ms per tree
    """

    sentences: int = 0
    proven: int = 0
    unknown: int = 0
    gap: float = 0.0
    largest_gap: float = 0.0
    rounds: int = 0
    seconds: float = 0.0

    def add(self, sentence: Sentence) -> None:
        """Count one sentence; one without a certificate is an InputError."""
        said = sentence.metadata
        try:
            status, gap, rounds, seconds = (said[f"certificate_{key}"] for key in _KEYS)
            open_gap = math.inf if gap == "unknown" else float(gap)
            spent, count = float(seconds), int(rounds)
        except (KeyError, ValueError):
            raise InputError.at(
                sentence.path,
                sentence.line,
                "no certificate in the comments; turbotree parse --certificates writes them",
            ) from None
        self.sentences += 1
        self.rounds += count
        self.seconds += spent
        if status == "optimal":
            self.proven += 1
        elif math.isinf(open_gap):
            self.unknown += 1
        else:
            self.gap += open_gap
            self.largest_gap = max(self.largest_gap, open_gap)

    def watching(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """Count sentences as they pass by."""
        for sentence in sentences:
            self.add(sentence)
            yield sentence

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        return {
            "trees": self.sentences,
            "proven": self.proven,
            "unknown": self.unknown,
            "gap": self.gap,
            "largest_gap": self.largest_gap,
            "rounds": self.rounds,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        count = max(self.sentences, 1)
        text = (
            f"{self.sentences:,} tree{'' if self.sentences == 1 else 's'}, "
            f"{100 * self.proven / count:.2f} % proven best, "
            f"{self.rounds / count:.1f} rounds and {1000 * self.seconds / count:.3f} ms per tree"
        )
        others = self.sentences - self.proven - self.unknown
        if others:
            text += (
                f"; {others} with a gap, {self.gap / others:.3g} on average, "
                f"{self.largest_gap:.3g} at most"
            )
        if self.unknown:
            text += f"; nothing is known of {self.unknown}"
        return text
