"""Run every script of examples/ as a user would; each has to finish by itself with status 0.

usage: run_examples.py [NAME ...]

Names choose examples; without any, all run. Each runs in an empty folder of its own, so that
what it writes does not stay.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
TIME_LIMIT_SECONDS = 600


def run(script: Path) -> str | None:
    """Run one example; give what went wrong, if anything did."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, str(script)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                timeout=TIME_LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"not finished after {TIME_LIMIT_SECONDS} s"
    return None if done.returncode == 0 else f"{done.stdout}\nstatus {done.returncode}"


def main(names: list[str]) -> int:
    scripts = sorted(EXAMPLES.glob("*.py"))
    unknown = set(names) - {script.stem for script in scripts}
    if unknown:
        print(f"no such example: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    passed = failed = 0
    for script in scripts:
        if names and script.stem not in names:
            continue
        start = time.perf_counter()
        problem = run(script)
        verdict = "passed" if problem is None else "FAILED"
        print(f"{script.name} {verdict} ({time.perf_counter() - start:.1f} s)", flush=True)
        if problem is None:
            passed += 1
        else:
            failed += 1
            print(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
