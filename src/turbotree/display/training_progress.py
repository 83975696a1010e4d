"""Showing how training goes: live bars in a terminal, one line per epoch elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from turbotree.display.estimates import Estimate, roughly
from turbotree.learning.epochs import EpochRecord

if TYPE_CHECKING:
    from rich.progress import Progress as RichBars
    from rich.progress import TaskID


def describe(record: EpochRecord, instances: int) -> str:
    """Return what is worth knowing of an epoch.

    >>> describe(EpochRecord(2, loss=5.0, features=1200, scores={"dev UAS": 87.25}), 10)
    'loss 0.500  1,200 features  dev UAS 87.25'
    """
    parts = [f"loss {record.loss / max(1, instances):.3f}", *record.figures()]
    parts += [f"{name} {score:.2f}" for name, score in record.scores.items()]
    return "  ".join(parts)


class _Clock:
    """Time taken and time left of each learner, and of all that are expected."""

    def __init__(self) -> None:
        self.all: Estimate | None = None
        self._started: dict[str, float] = {}
        self._first: dict[str, int] = {}
        self._sizes: dict[str, tuple[int, int]] = {}

    def start(self, name: str, instances: int, epochs: int) -> None:
        self._started[name] = time.monotonic()
        self._sizes[name] = (instances, epochs)

    def instance(self, name: str, position: int) -> bool:
        """Return whether this is the learner's first; a resumed one begins in the middle.

        Its time counts from then on: what it has to wait for before is no work of its own.
        """
        first = name not in self._first
        if first:
            self._first[name] = position - 1
            self._started[name] = time.monotonic()
            if self.all is not None and name in self.all:
                self.all.begin(name)
        return first

    def left_in_all(self, name: str, position: int) -> float | None:
        """Estimate the time left of all learners that are expected, this one being so far."""
        if self.all is None or name not in self.all:
            return None
        instances, epochs = self._sizes[name]
        whole = max(1, instances * epochs)
        measured = position - self._first.get(name, 0)
        self.all.see(
            name, done=position / whole, measured=measured / whole, seconds=self.elapsed(name)
        )
        return self.all.left()

    def instances(self, name: str) -> int:
        return self._sizes[name][0]

    def epochs(self, name: str) -> int:
        return self._sizes[name][1]

    def elapsed(self, name: str) -> float:
        return time.monotonic() - self._started[name]

    def left(self, name: str, position: int) -> float:
        """Estimate the time left from the speed of this run alone."""
        instances, epochs = self._sizes[name]
        done = position - self._first.get(name, 0)
        return self.elapsed(name) / max(1, done) * (instances * epochs - position)


class Lines:
    """One line per epoch on standard error: for logs and pipes."""

    def __init__(self) -> None:
        self._clock = _Clock()
        self._lock = threading.Lock()

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Remember the size of the work."""
        self._clock.start(name, instances, epochs)

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Wait for the end of the epoch."""
        self._clock.instance(name, (record.epoch - 1) * self._clock.instances(name) + done)

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Print the epoch's figures and the time left."""
        epochs = self._clock.epochs(name)
        elapsed = self._clock.elapsed(name)
        instances = self._clock.instances(name)
        left = self._clock.left(name, record.epoch * instances)
        whole = self._clock.left_in_all(name, record.epoch * instances)
        in_all = "" if whole is None else f", about {roughly(whole)} in all"
        self.note(
            f"{name:8} epoch {record.epoch:2}/{epochs}  "
            f"{describe(record, instances)}  {elapsed:.0f} s, {left:.0f} s left{in_all}"
        )

    def expect(self, shares: Mapping[str, float]) -> None:
        """Tell the time left of all of them, too."""
        self._clock.all = Estimate(shares)

    def note(self, text: str) -> None:
        """Print a line."""
        with self._lock:
            print(text, file=sys.stderr, flush=True)


class Bars:
    """Live progress bars on standard error; use as a context manager.

    A bar for each learner; if many are expected, one for all of them, and those of the learners
    that are at work.
    """

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, Task, TextColumn, TimeRemainingColumn
        from rich.text import Text

        class _TimeOfOne(TimeRemainingColumn):
            """The time left of one learner; that of all is told in words."""

            def render(self, task: Task) -> Text:
                return Text() if task.description == "all" else super().render(task)

        self._clock = _Clock()
        self._tasks: dict[str, TaskID] = {}
        self._shown: dict[str, float] = {}
        self._whole: TaskID | None = None
        self._bars: RichBars = Progress(
            TextColumn("{task.description:8}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}"),
            _TimeOfOne(),
            console=Console(stderr=True),
        )

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def start(self, name: str, instances: int, epochs: int) -> None:
        """Add a bar; it is seen when the work begins, which a resumed learner may have done."""
        self._clock.start(name, instances, epochs)
        self._tasks[name] = self._bars.add_task(
            name, total=instances * epochs, figures="", visible=False
        )

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        """Move the bar, a few times per second."""
        instances, epochs = self._clock.instances(name), self._clock.epochs(name)
        position = (record.epoch - 1) * instances + done
        if self._clock.instance(name, position):
            # Where a resumed run begins is not progress, or the time left would be too short.
            self._bars.reset(self._tasks[name], completed=position, visible=True)
        now = time.monotonic()
        if now - self._shown.get(name, 0.0) < 0.1:
            return
        self._shown[name] = now
        self._bars.update(
            self._tasks[name],
            completed=position,
            figures=f"epoch {record.epoch}/{epochs}  loss {record.loss / max(1, done):.3f}",
        )
        self._show_whole(name, position)

    def epoch(self, name: str, record: EpochRecord) -> None:
        """Print the epoch's figures above the bars; of many learners, those of the last one."""
        instances, epochs = self._clock.instances(name), self._clock.epochs(name)
        self._bars.update(self._tasks[name], completed=record.epoch * instances)
        if self._whole is not None:
            self._show_whole(name, record.epoch * instances)
            if record.epoch < epochs:
                return
            self._bars.update(self._tasks[name], visible=False)
        self.note(f"{name:8} epoch {record.epoch:2}/{epochs}  {describe(record, instances)}")

    def expect(self, shares: Mapping[str, float]) -> None:
        """Add a bar for all of them."""
        self._clock.all = Estimate(shares)
        self._whole = self._bars.add_task("all", total=1.0, figures="")

    def _show_whole(self, name: str, position: int) -> None:
        left = self._clock.left_in_all(name, position)
        if self._whole is None or self._clock.all is None or left is None:
            return
        figures = f"about {roughly(left)} left"
        self._bars.update(self._whole, completed=self._clock.all.part(), figures=figures)

    def note(self, text: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(text, highlight=False, markup=False)
