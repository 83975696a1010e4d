"""Where the time of parsing goes, and how many parts there are."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from turbotree.parsing.parts import PartSet


@dataclass
class Profile:
    """Figures of a run, added up over sentences and threads.

    Attributes
    ----------
    seconds
        CPU time of each stage.
    parts
        Number of parts of each family.
    sentences, words, proofs
        How many there were; proofs are the trees known to be the best.

    Examples
    --------
    >>> from turbotree import Parser
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> profile = Profile()
    >>> _ = parser.parse(next(treebank(1, seed=2)), profile=profile)
    >>> list(profile.seconds)
    ['encoding', 'pruning', 'scoring', 'decoding', 'labelling']
    """

    seconds: dict[str, float] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    sentences: int = 0
    words: int = 0
    proofs: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def count(self, parts: PartSet, proofs: int, ends: Mapping[str, float]) -> None:
        """Count the sentences of a batch, their words, parts and proofs, and its time.

        Parameters
        ----------
        parts, proofs
            Its parts, and the number of its trees that are proven best.
        ends
            When each stage ended, by the CPU clock of its thread; the first is the start.
        """
        with self._lock:
            for (_, start), (stage, end) in pairwise(ends.items()):
                self.seconds[stage] = self.seconds.get(stage, 0.0) + end - start
            self.sentences += len(parts.lengths)
            self.words += int(parts.lengths.sum())
            self.proofs += proofs
            for name, own in parts.items():
                self.parts[name] = self.parts.get(name, 0) + len(own.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON-ready data."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "proofs": self.proofs,
            "seconds": dict(self.seconds),
            "parts": dict(self.parts),
        }

    def __str__(self) -> str:
        """Give a table for people."""
        total = sum(self.seconds.values())
        words, sentences = max(self.words, 1), max(self.sentences, 1)
        lines = [
            f"{self.sentences:,} sentences, {self.words:,} words, "
            f"{100 * self.proofs / sentences:.1f} % of the trees proven best, "
            f"{self.words / total if total else 0:,.0f} words per CPU second"
        ]
        lines += [
            f"  {name:<10} {spent:8.2f} s  {100 * spent / total if total else 0:5.1f} %  "
            f"{1e6 * spent / words:7.1f} µs per word"
            for name, spent in self.seconds.items()
        ]
        counts = ", ".join(f"{count / sentences:,.1f} {name}" for name, count in self.parts.items())
        lines.append(f"  parts per sentence: {counts}")
        return "\n".join(lines)
