"""Who is told how training goes: what a display has to offer, and two that show nothing new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from turbotree.learning.epochs import EpochRecord


class Progress(Protocol):
    """Told what the learners do; several may run at once, so each gives its name."""

    def start(self, name: str, instances: int, epochs: int) -> None:
        """A learner starts."""
        ...

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """A learner has seen one more instance of its current epoch."""
        ...

    def epoch(self, name: str, record: EpochRecord) -> None:
        """A learner has finished an epoch."""
        ...

    def note(self, text: str) -> None:
        """Something worth a line has happened."""
        ...

    def expect(self, shares: Mapping[str, float]) -> None:
        """Many learners are to come; how much work each is guessed to be, in their order."""
        ...


class Silent:
    """Shows nothing."""

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Ignore."""

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Ignore."""

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Ignore."""

    def note(self, text: str) -> None:
        """Ignore."""

    def expect(self, shares: Mapping[str, float]) -> None:
        """Ignore."""


class PrefixedProgress:
    """Passes everything on, each learner under a longer name: ``"fold 2 of 5: upos"``."""

    def __init__(self, inner: Progress, prefix: str) -> None:
        self._inner, self._prefix = inner, prefix

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Pass it on."""
        self._inner.start(f"{self._prefix}: {name}", instances, epochs)

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Pass it on."""
        self._inner.instance(f"{self._prefix}: {name}", done, record)

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Pass it on."""
        self._inner.epoch(f"{self._prefix}: {name}", record)

    def note(self, text: str) -> None:
        """Pass it on."""
        self._inner.note(text)

    def expect(self, shares: Mapping[str, float]) -> None:
        """Ignore: the caller expects all learners, under their longer names."""
