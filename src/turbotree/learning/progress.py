"""Showing how training goes: a live display in a terminal, a line an epoch elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from turbotree.learning.learner import EpochRecord

if TYPE_CHECKING:
    from rich.progress import Progress as RichBars
    from rich.progress import TaskID


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


def describe(record: EpochRecord, instances: int) -> str:
    """Return what is worth knowing of an epoch.

    >>> describe(EpochRecord(2, loss=5.0, features=1200, scores={"dev UAS": 87.25}), 10)
    'loss 0.500  1,200 features  dev UAS 87.25'
    """
    parts = [f"loss {record.loss / max(1, instances):.3f}", f"{record.features:,} features"]
    parts += [f"{name} {score:.2f}" for name, score in record.scores.items()]
    return "  ".join(parts)


class _Clock:
    """Time taken and time left of each learner."""

    def __init__(self) -> None:
        self._started: dict[str, float] = {}
        self._sizes: dict[str, tuple[int, int]] = {}
        self._finished: dict[str, int] = {}

    def start(self, name: str, instances: int, epochs: int) -> None:
        self._started[name] = time.monotonic()
        self._sizes[name] = (instances, epochs)
        self._finished[name] = 0

    def instances(self, name: str) -> int:
        return self._sizes[name][0]

    def epochs(self, name: str) -> int:
        return self._sizes[name][1]

    def elapsed(self, name: str) -> float:
        return time.monotonic() - self._started[name]

    def left(self, name: str, epoch: int) -> float:
        """Tell the time that is left at the end of an epoch."""
        # Epochs of this run: a resumed one does not begin with the first.
        self._finished[name] += 1
        return self.elapsed(name) / self._finished[name] * (self.epochs(name) - epoch)


class Lines:
    """One line an epoch on standard error: for logs and pipes."""

    def __init__(self) -> None:
        self._clock = _Clock()
        self._lock = threading.Lock()

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Remember the size of the work."""
        self._clock.start(name, instances, epochs)

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Wait for the end of the epoch."""

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Print the epoch's figures and the time left."""
        epochs = self._clock.epochs(name)
        elapsed = self._clock.elapsed(name)
        left = self._clock.left(name, record.epoch)
        self.note(
            f"{name:8} epoch {record.epoch:2}/{epochs}  "
            f"{describe(record, self._clock.instances(name))}  {elapsed:.0f} s, {left:.0f} s left"
        )

    def note(self, text: str) -> None:
        """Print a line."""
        with self._lock:
            print(text, file=sys.stderr, flush=True)


class Bars:
    """Live progress bars on standard error; use as a context manager."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._clock = _Clock()
        self._tasks: dict[str, TaskID] = {}
        self._shown: dict[str, float] = {}
        self._bars: RichBars = Progress(
            TextColumn("{task.description:8}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Add a bar."""
        self._clock.start(name, instances, epochs)
        self._tasks[name] = self._bars.add_task(name, total=instances * epochs, figures="")

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Move the bar, a few times a second."""
        now = time.monotonic()
        if now - self._shown.get(name, 0.0) < 0.1:
            return
        self._shown[name] = now
        instances, epochs = self._clock.instances(name), self._clock.epochs(name)
        self._bars.update(
            self._tasks[name],
            completed=(record.epoch - 1) * instances + done,
            figures=f"epoch {record.epoch}/{epochs}  loss {record.loss / max(1, done):.3f}",
        )

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Print the epoch's figures above the bars."""
        instances, epochs = self._clock.instances(name), self._clock.epochs(name)
        self._bars.update(self._tasks[name], completed=record.epoch * instances)
        self.note(f"{name:8} epoch {record.epoch:2}/{epochs}  {describe(record, instances)}")

    def note(self, text: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(text, highlight=False, markup=False)
