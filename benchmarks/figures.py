"""The measured figures that README and docs print, in one file: benchmarks/figures.json.

A benchmark that is run with ``--record`` writes what it measured with `record`. The tables of the
pages are drawn from the file by draw_figures.py (`make figures`), and a test compares the two.

An entry has a name such as ``parsing/en_ewt/turbotree standard``, its values, the setting that they
were measured in, the kind of machine, date and commit, and the script that measures them. Figures
that others have published have a source instead of machine, commit and script.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

FIGURES = Path(__file__).with_name("figures.json")

Value = float | int | str


@dataclass(frozen=True)
class Figure:
    """What was measured in one setting.

    Attributes
    ----------
    values
        The figures by name, with the unit in the name where there is one.
    setting
        What a reader has to know to repeat or to compare them.
    machine, date, commit, script
        Where, when, on which commit and with what they were measured.
    source
        Where a published figure comes from; empty for a measured one.
    """

    values: Mapping[str, Value]
    setting: str
    machine: str = ""
    date: str = ""
    commit: str = ""
    script: str = ""
    source: str = ""

    def __getitem__(self, name: str) -> Value:
        """Return one value."""
        return self.values[name]


def machine_kind() -> str:
    """Name the kind of machine: figures of different processors are not compared."""
    model = platform.processor() or platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        for line in cpus.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = " ".join(line.split(":", 1)[1].split())
                break
    return f"{platform.system()} {platform.machine()}, {model}, {os.cpu_count()} cores"


def commit() -> str:
    """Name the commit; a plus says that files have changed since."""
    here = Path(__file__).parent

    def git(*words: str) -> str:
        command = ["git", *words]
        done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    written = (":!history.json", ":!figures.json")
    changed = git("status", "--porcelain", "--", "../src", "../core", ".", *written)
    return (git("rev-parse", "--short=8", "HEAD") or "unknown") + ("+" if changed else "")


def today() -> str:
    """Return the date, the same everywhere on Earth."""
    return datetime.now(timezone.utc).date().isoformat()


def read_figures(path: Path = FIGURES) -> dict[str, Figure]:
    """Read all entries by name."""
    try:
        rows: dict[str, dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))
        return {name: Figure(**row) for name, row in rows.items()}  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError) as error:
        raise SystemExit(f"{path}: not a file of figures ({error})") from None


def write_figures(figures: Mapping[str, Figure], path: Path = FIGURES) -> None:
    """Write all entries, one per line, whole or not at all."""
    lines = []
    for name, figure in figures.items():
        row = {key: value for key, value in asdict(figure).items() if value != ""}
        lines.append(f" {json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}")
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    os.replace(temporary, path)


def record(
    name: str, values: Mapping[str, Value], *, setting: str, script: str, path: Path = FIGURES
) -> None:
    """Write what a benchmark has measured; values that it has not measured this time stay."""
    figures = read_figures(path) if path.exists() else {}
    before = figures[name].values if name in figures else {}
    figures[name] = Figure(
        {**before, **values}, setting, machine_kind(), today(), commit(), Path(script).name
    )
    write_figures(figures, path)
