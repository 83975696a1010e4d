"""A fresh environment without network: is the English model there, and how long does it take?

    python benchmarks/offline.py [--wheel FILE]

Builds the package's wheel, or takes the one that is given, and collects those that it needs (this
part may use the network), makes an environment of its own, and from there on does without network:
by ``unshare -n`` where the system allows it, and in any case by ``pip install --no-index``. Then
one sentence is parsed by the installed command, a few times, each from start to finish. Exits with
1 if a bar was missed.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from reporting import Bar, Report

ROOT = Path(__file__).resolve().parent.parent
SENTENCE = "I saw the man with a telescope."
_REPEATS = 5


def main() -> int:
    """Run and report; 1 if a bar was missed."""
    options = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        return _check(Path(folder), options)


def _check(folder: Path, options: argparse.Namespace) -> int:
    wheels, environment = folder / "wheels", folder / "environment"
    isolation = [] if options.build_isolation else ["--no-build-isolation"]
    pip = [sys.executable, "-m", "pip", "--quiet"]
    package = str(options.wheel or ROOT)
    _run([*pip, "wheel", *isolation, "--wheel-dir", str(wheels), package])
    (own,) = wheels.glob("turbotree-*.whl")
    venv.create(environment, with_pip=True)
    alone = _without_network()
    python = environment / "bin" / "python"
    offline = ["-m", "pip", "--quiet", "install", "--no-index", "--find-links", str(wheels)]
    _run([*alone, str(python), *offline, "turbotree"])
    command = [*alone, str(environment / "bin" / "turbotree"), "parse", "--text", SENTENCE]
    seconds, busy, outputs = [], [], set()
    for _ in range(_REPEATS):
        started, used = time.perf_counter(), _children_seconds()
        outputs.add(_run(command, cwd=folder))
        seconds.append(time.perf_counter() - started)
        busy.append(_children_seconds() - used)
    (output,) = outputs
    report = Report()
    report.section(f"{SENTENCE} {'(no network)' if alone else '(unshare is not allowed here)'}")
    report.lines += output.splitlines()
    report.data = {
        "seconds": seconds,
        "cpu_seconds": busy,
        "wheel_megabytes": own.stat().st_size / 1e6,
        "network": not alone,
        "heads": [int(line.split("\t")[6]) for line in io.StringIO(output) if "\t" in line],
    }
    report.section(f"wheel {report.data['wheel_megabytes']:.1f} MB; {max(busy):.2f} CPU seconds")
    report.bars.append(Bar("seconds, the first time", seconds[0], 2.0, False, "s"))
    report.bars.append(Bar("seconds, the slowest time", max(seconds), 2.0, False, "s"))
    print(json.dumps(report.to_dict(), indent=2) if options.json else report)
    return 0 if all(bar.passed for bar in report.bars) else 1


def _without_network() -> list[str]:
    """Return what to put before a command so that it has no network; nothing if that is refused."""
    for words in (["unshare", "-n"], ["unshare", "-rn"]):
        if shutil.which("unshare") and not subprocess.run([*words, "true"], check=False).returncode:
            return words
    return []


def _children_seconds() -> float:
    """Return the CPU time of all commands so far: on a busy machine the figure to trust."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--no-build-isolation",
        dest="build_isolation",
        action="store_false",
        help="build with what this environment has (scikit-build-core, nanobind)",
    )
    parser.add_argument("--wheel", type=Path, help="a wheel of turbotree; by default it is built")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
