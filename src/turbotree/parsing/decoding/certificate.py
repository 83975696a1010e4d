"""A tree that was found, and what is known of it: a proof, or how far it may be from the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turbotree.arrays import IntArray
from turbotree.graphs import Status


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known of a parse: whether no tree has a higher score.

    Attributes
    ----------
    status
        OPTIMAL is a proof.
    bound
        No tree has a higher score than this.
    gap
        By how much a better tree might be better; 0 if the parse is optimal.
    iterations
        Rounds of the solver.
    seconds
        Wall-clock time of the solver.
    note
        What was done for less than usual, because the sentence is very long or time was over.
    """

    status: Status
    bound: float
    gap: float
    iterations: int
    seconds: float
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give plain values; a bound or gap that is not known is None, an empty note is omitted.

        >>> Certificate(Status.OPTIMAL, 2.5, 0.0, 3, 0.01).to_dict()["status"]
        'optimal'
        """
        return {
            "status": self.status.value,
            "bound": self.bound if np.isfinite(self.bound) else None,
            "gap": self.gap if np.isfinite(self.gap) else None,
            "rounds": self.iterations,
            "seconds": round(self.seconds, 6),
            **({"note": self.note} if self.note else {}),
        }

    def __str__(self) -> str:
        if self.status is Status.OPTIMAL:
            return "proven best"
        gap = f"within {self.gap:.3g} of the best" if np.isfinite(self.gap) else "not proven best"
        return f"{gap} ({self.status.value})"


class FoundTree(NamedTuple):
    """The heads of a tree, its score, and what is known of it."""

    heads: IntArray
    score: float
    certificate: Certificate
