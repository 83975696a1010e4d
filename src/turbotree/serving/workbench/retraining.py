"""Training all over again, in a process of its own that gives way to everything else.

``python -m turbotree.serving.workbench.retraining JOB`` is that process. It reads its job from a
file and writes its result whole or not at all. It ends with who started it, however that ended:
it watches its standard input, which closes then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turbotree.errors import InputError, TurbotreeError
from turbotree.files.atomic import atomic_path
from turbotree.loading import load
from turbotree.parsing import Parser
from turbotree.parsing.training.online import OnlineLearner
from turbotree.parsing.training.trainer import train_parser
from turbotree.text import Sentence, read_conllu, read_sentences, write_conllu

FOLDER = "retraining"
_NICENESS = 15


@dataclass(frozen=True)
class Job:
    """What to train.

    Attributes
    ----------
    trees
        The file with the trees that were saved.
    treebanks
        Other trees to train on, if any.
    base
        The model to begin with; None if there is none.
    from_scratch
        Whether to train a parser from nothing but trees. Otherwise what is learnt on top of the
        base is learnt again, in several passes.
    options
        Of training.
    output
        Where the result goes.
    """

    trees: str
    treebanks: Sequence[str]
    base: str | None
    from_scratch: bool
    options: dict[str, Any]
    output: str


class Retraining:
    """A training that runs beside the server; at most one at a time.

    Parameters
    ----------
    folder
        Where it keeps its files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._process: subprocess.Popen[bytes] | None = None
        self._job: Job | None = None
        self.problem: str | None = None

    @property
    def result(self) -> Path:
        """Where the last parser trained from scratch is."""
        return self._folder / "parser.safetensors"

    @property
    def running(self) -> bool:
        """Whether a training has begun whose end nobody has looked at."""
        return self._process is not None

    def begin(
        self,
        trees: Sequence[Sentence],
        *,
        treebanks: Sequence[Path] = (),
        base: Path | str | None,
        from_scratch: bool,
        options: dict[str, Any],
    ) -> None:
        """Begin to train."""
        self._folder.mkdir(parents=True, exist_ok=True)
        saved = self._folder / "trees.conllu"
        write_conllu(trees, saved)
        output = self.result if from_scratch else self._folder / "learnt.npz"
        self._job = Job(
            str(saved),
            [str(path) for path in treebanks],
            None if base is None else str(base),
            from_scratch,
            options,
            str(output),
        )
        job = self._folder / "job.json"
        with atomic_path(job) as path:
            path.write_text(json.dumps(asdict(self._job)), "utf-8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "turbotree.serving.workbench.retraining", str(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def finished(self) -> Parser | dict[str, Any] | None:
        """Return what was trained, a parser or learnt weights, if it has ended since; else None.

        A training that failed leaves its reason in :attr:`problem`.
        """
        process, job = self._process, self._job
        if process is None or job is None or process.poll() is None:
            return None
        self._process = None
        assert process.stderr is not None
        complaint = process.stderr.read().decode("utf-8", "replace").strip()
        self._close(process)
        if process.returncode != 0:
            self.problem = complaint.splitlines()[-1] if complaint else "retraining was stopped"
            return None
        self.problem = None
        try:
            if job.from_scratch:
                return Parser.load(job.output)
            with np.load(job.output, allow_pickle=False) as arrays:
                return dict(arrays)
        except (OSError, ValueError, TurbotreeError) as error:
            self.problem = str(error)
            return None

    def stop(self) -> None:
        """End it; what it has not finished is nowhere."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            self._close(process)

    def _close(self, process: subprocess.Popen[bytes]) -> None:
        for stream in (process.stdin, process.stderr):
            if stream is not None:
                stream.close()


def train(job: Job) -> None:
    """Do a job."""
    trees = list(read_conllu(job.trees))
    model = load(job.base) if job.base is not None else None
    base = getattr(model, "parser", model)
    if job.from_scratch:
        more = [one for path in job.treebanks for one in read_sentences(path)]
        options = dict(job.options)
        if isinstance(base, Parser) and base.network is not None:
            options["network"] = base.network
        train_parser([*more, *trees], **options).save(job.output)
        return
    if not isinstance(base, Parser):
        raise InputError("there is no parser to learn on top of")
    learner = OnlineLearner(base)
    learner.learn_all(trees, epochs=int(job.options.get("epochs", 5)))
    with atomic_path(job.output) as path, open(path, "wb") as file:
        np.savez(file, **learner.state())  # type: ignore[arg-type]


def main(path: str) -> int:
    """Run as a process of its own; errors are one line on stderr."""
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        train(Job(**json.loads(Path(path).read_text("utf-8"))))
    except TurbotreeError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _end_with_parent() -> None:
    os.read(0, 1)  # not sys.stdin, whose lock a thread must not hold when Python ends
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
