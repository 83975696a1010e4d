"""What `make bench` remembers of its runs, and how it tells a regression from noise.

A ratio is a peer's CPU seconds over ours, from the same run: higher is better, and the machine
cancels out, nearly. Ratios are compared as logarithms, with earlier runs on the same kind of
machine. What is noise is told by two things:

- the repeats within a run: how far its median can be trusted;
- the spread of the earlier runs. As long as there are few of them, what runs usually differ by
  (`USUAL_SPREAD`) stands in, with the weight of `USUAL_WEIGHT` runs.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

USUAL_SPREAD, USUAL_WEIGHT = 0.06, 2
#: So many times its noise is what a difference needs to count.
SIGMAS = 3.0
#: Runs further back than these say little of today's machine and peers.
REMEMBERED = 12
#: The median absolute deviation of a normal distribution, and the error of its median, in sigmas.
_OF_MEDIAN_DEVIATION, _OF_MEDIAN = 1.4826, 1.2533


@dataclass(frozen=True)
class Measured:
    """The ratios of one contest's repeats."""

    name: str
    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """The ratio to report."""
        return median(self.ratios)

    @property
    def noise(self) -> float:
        """How far the median may be off, as a share: its standard error by the repeats."""
        spread = _spread([math.log(ratio) for ratio in self.ratios])
        return _OF_MEDIAN * spread / math.sqrt(len(self.ratios))

    def pooled(self, other: Measured) -> Measured:
        """Put the repeats of two measurements together."""
        return Measured(self.name, self.ratios + other.ratios)


@dataclass(frozen=True)
class Entry:
    """One run: a kind of machine, a date, a commit, and the median ratio of each contest."""

    machine: str
    date: str
    commit: str
    ratios: Mapping[str, float]

    @property
    def key(self) -> tuple[str, str, str]:
        """What a later run of the same replaces."""
        return self.machine, self.date, self.commit


@dataclass(frozen=True)
class Verdict:
    """One contest beside its past.

    Attributes
    ----------
    measured
        This run's.
    before
        The median of the earlier runs; None if there are none.
    limit
        The share by which this run may differ from that.
    runs
        How many earlier runs there are.
    """

    measured: Measured
    before: float | None
    limit: float
    runs: int

    @property
    def change(self) -> float:
        """By how much the ratio has risen, as a share; 0 without a past."""
        return 0.0 if self.before is None else self.measured.median / self.before - 1.0

    @property
    def _distance(self) -> float:
        if self.before is None:
            return 0.0
        return math.log(self.measured.median / self.before)

    @property
    def slower(self) -> bool:
        """Whether this is a regression above noise."""
        return self._distance < -self.limit

    @property
    def faster(self) -> bool:
        """Whether this is progress above noise."""
        return self._distance > self.limit

    @property
    def word(self) -> str:
        """Say it."""
        if self.before is None:
            return "new"
        return "SLOWER" if self.slower else "faster" if self.faster else "as before"


def compare(measured: Sequence[Measured], machine: str, history: Sequence[Entry]) -> list[Verdict]:
    """Put each contest beside the earlier runs on the same kind of machine."""
    own = [entry for entry in history if entry.machine == machine]
    return [
        _verdict(one, [e.ratios[one.name] for e in own if one.name in e.ratios]) for one in measured
    ]


def _verdict(measured: Measured, past: Sequence[float]) -> Verdict:
    past = past[-REMEMBERED:]
    if not past:
        return Verdict(measured, None, math.inf, 0)
    logs = [math.log(ratio) for ratio in past]
    seen = _spread(logs) if len(logs) > 1 else 0.0
    known = len(logs) - 1  # one run says nothing of a spread
    variance = (USUAL_WEIGHT * USUAL_SPREAD**2 + known * seen**2) / (USUAL_WEIGHT + known)
    limit = SIGMAS * math.sqrt(variance + measured.noise**2)
    return Verdict(measured, math.exp(median(logs)), limit, len(past))


def _spread(values: Sequence[float]) -> float:
    """Return the standard deviation, by the median deviation: one outlier does not count."""
    middle = median(values)
    return _OF_MEDIAN_DEVIATION * median([abs(value - middle) for value in values])


def read_history(path: Path) -> list[Entry]:
    """Read the entries, oldest first; none if there is no file."""
    if not path.exists():
        return []
    try:
        rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["runs"]
        entries = [Entry(r["machine"], r["date"], r["commit"], r["ratios"]) for r in rows]
        for entry in entries:
            if not all(ratio > 0 for ratio in entry.ratios.values()):
                raise ValueError(f"a ratio of {entry.date} is not positive")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SystemExit(f"{path}: no history of benchmarks ({error})") from None
    return entries


def with_entry(history: Sequence[Entry], new: Entry) -> list[Entry]:
    """Add a run. One of the same machine, date and commit is replaced, except what it has more."""
    before = {name: r for e in history if e.key == new.key for name, r in e.ratios.items()}
    kept = [entry for entry in history if entry.key != new.key]
    return [*kept, Entry(*new.key, {**before, **new.ratios})]


def write_history(path: Path, history: Sequence[Entry]) -> None:
    """Write all entries, whole or not at all; three digits are more than a ratio is worth."""
    rows = [
        {
            "machine": entry.machine,
            "date": entry.date,
            "commit": entry.commit,
            "ratios": {name: float(f"{ratio:.3g}") for name, ratio in sorted(entry.ratios.items())},
        }
        for entry in history
    ]
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text(json.dumps({"runs": rows}, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)
