"""What the benchmarks share: figures of repeated runs, bars, and a table of both."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Bar:
    """A figure with the value that it has to reach, or to stay below."""

    name: str
    value: float
    limit: float
    at_least: bool
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Whether the figure is good enough."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        """Lay the bar out as a line."""
        sign = "≥" if self.at_least else "≤"
        return (
            f"  {'pass' if self.passed else 'FAIL'}  {self.name:54} {self.value:9.2f} "
            f"{sign} {self.limit:g} {self.unit}"
        )


@dataclass
class Report:
    """Sections of lines for people, the same figures as data for machines."""

    data: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)

    def section(self, title: str) -> None:
        """Begin a section."""
        self.lines += ["", title]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        bars = [{**asdict(bar), "passed": bar.passed} for bar in self.bars]
        return {**self.data, "bars": bars}

    def __str__(self) -> str:
        """Lay out the report."""
        return "\n".join([*self.lines, "", "bars", *map(str, self.bars)])


def spread(values: Sequence[float]) -> float:
    """Return how far repetitions lie apart: (largest - smallest) / median, in per cent.

    >>> spread([9.0, 10.0, 12.0])
    30.0
    """
    return 100.0 * (max(values) - min(values)) / median(values)


def summary(values: Sequence[float]) -> dict[str, Any]:
    """Return the median of some repetitions and what it is the median of."""
    return {
        "median": median(values),
        "spread_percent": spread(values),
        "repetitions": list(values),
    }


def busy_seconds() -> float | None:
    """Return the CPU seconds that the whole machine has spent, where the system tells."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    ticks = user + nice + system + irq + softirq + steal
    return ticks / os.sysconf("SC_CLK_TCK")
