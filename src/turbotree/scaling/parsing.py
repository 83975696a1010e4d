"""Parsing corpora: any number of files, by any number of workers, with one output per input.

Each worker writes the piece it was given to a file of its own, in a folder beside the output, and
that file appears whole or not at all. When all pieces of an input are there, they are joined to its
output, in order. A run that was interrupted finds the pieces that are done and goes on; a worker
that dies loses only the piece in its hands.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turbotree.errors import InputError
from turbotree.files.atomic import atomic_path
from turbotree.files.outputs import check_outputs, clear, work_folder
from turbotree.modelfile import read_model
from turbotree.models import located
from turbotree.naming import unknown
from turbotree.scaling.annotating import AnyPiece, PieceReport, parse_piece
from turbotree.scaling.engines import Engine
from turbotree.scaling.parquet import ROWS, is_parquet, join_tables, row_groups
from turbotree.scaling.pieces import cut
from turbotree.text import CONLLU, CONLLX, Layout, sniff

#: About so large are pieces: a second or a few of parsing.
PIECE_BYTES = 1 << 20
#: How the folder of the pieces of one input ends.
_JOB = ".job"


@dataclass
class CorpusReport:
    """What became of a corpus; `resumed` pieces had been done before."""

    inputs: int = 0
    pieces: int = 0
    resumed: int = 0
    sentences: int = 0
    words: int = 0
    seconds: float = 0.0
    skipped: list[str] = field(default_factory=list)


def parse_corpus(
    model: str | os.PathLike[str],
    inputs: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    engine: Engine,
    *,
    options: dict[str, Any] | None = None,
    skip_errors: bool = False,
    rows: str = ROWS[0],
    column: str | None = None,
    piece_bytes: int = PIECE_BYTES,
    on_piece: Callable[[int, int, PieceReport], None] | None = None,
) -> CorpusReport:
    """Parse files.

    Parameters
    ----------
    model
        The file of a parser, a tagger or a pipeline; the workers must see it under the same path,
        as the inputs.
    inputs
        Files of CoNLL-U or CoNLL-X, or of Parquet with a column of CoNLL-U; for a pipeline, also
        of plain text, or with a column of it.
    output
        With one input, a file; with several, a folder that gets a file of the same name for each.
        It is Parquet if it is called so, and else CoNLL-U.
    engine
        Who does the work.
    options
        Those of :meth:`turbotree.Parser.parse_batch`.
    skip_errors
        Skip broken sentences instead of stopping at the first.
    rows
        What a row of a Parquet output is: a ``"token"`` or a ``"sentence"``.
    column
        Where the documents of a Parquet input are; without it, ``conllu`` or ``text``.
    piece_bytes
        How large the pieces are; those of Parquet are its row groups.
    on_piece
        Told of each piece that is done: how many are, of how many, and what became of it.
    """
    if rows not in ROWS:
        raise unknown("kind of rows", rows, ROWS)
    model = located(model)
    files = [Path(path) for path in inputs]
    targets = _targets(files, Path(output))
    read = [Path(model), *files, *_rule_files(options or {})]
    check_outputs(targets, read)
    checksum = read_model(model).checksum
    settings = {
        "model": _digest(Path(model)),
        "options": options or {},
        "rules": [_digest(rule) for rule in _rule_files(options or {})],
        "skip_errors": skip_errors,
        "piece_bytes": piece_bytes,
        "rows": rows,
        "column": column,
    }
    place = _place_of_pieces(Path(output))
    with work_folder(place, output, (f"*{_JOB}",), read):
        jobs = [
            _Job.begin(file, target, place, settings, piece_bytes, rows, column)
            for file, target in zip(files, targets, strict=True)
        ]
        _drop_other_jobs(place, jobs)
        report = _process(jobs, engine, (model, checksum), options or {}, skip_errors, on_piece)
        clear(place)  # only now: a run that is interrupted has to know which inputs are done
    return report


def _process(
    jobs: Sequence[_Job],
    engine: Engine,
    model: tuple[str, str],
    options: dict[str, Any],
    skip_errors: bool,
    on_piece: Callable[[int, int, PieceReport], None] | None,
) -> CorpusReport:
    """Have all pieces parsed that are not done yet, and join those of each input."""
    report = CorpusReport(inputs=len(jobs))
    calls = [(job, piece) for job in jobs for piece in job.pieces if not job.is_done(piece)]
    report.pieces = sum(len(job.pieces) for job in jobs)
    report.resumed = finished = report.pieces - len(calls)
    for job, _ in calls:
        job.left += 1
    for job in jobs:
        if not job.left:
            job.join()
    arguments = [
        (
            *model,
            piece,
            job.layout,
            options,
            skip_errors,
            os.fspath(job.path_of(piece)),
            job.rows,
        )
        for job, piece in calls
    ]
    for number, done in engine.run(parse_piece, arguments):
        report.sentences += done.sentences
        report.words += done.words
        report.seconds += done.seconds
        report.skipped += done.skipped
        finished += 1
        job = calls[number][0]
        job.left -= 1
        if not job.left:
            job.join()
        if on_piece is not None:
            on_piece(finished, report.pieces, done)
    return report


def _place_of_pieces(output: Path) -> Path:
    """Return where the pieces of a run go: into an output that is a folder, or beside a file."""
    if output.is_dir():
        return output / ".pieces"
    file = Path(os.path.realpath(output)) if output.is_symlink() else output
    return file.with_name(f".{file.name}.pieces")


def _drop_other_jobs(place: Path, jobs: Sequence[_Job]) -> None:
    """Delete what runs with another model, or of another input, have left."""
    kept = {job.folder.name for job in jobs}
    for folder in place.glob(f"*{_JOB}"):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(eq=False)
class _Job:
    """One input on its way to one output."""

    source: Path
    target: Path
    layout: Layout | None
    pieces: Sequence[AnyPiece]
    folder: Path
    rows: str | None  # of a Parquet output
    left: int = 0  # pieces that are not done yet

    @classmethod
    def begin(
        cls,
        source: Path,
        target: Path,
        place: Path,
        settings: dict[str, Any],
        most: int,
        rows: str,
        column: str | None,
    ) -> _Job:
        if not source.is_file():
            raise InputError(f"{source}: no such file")
        pieces: Sequence[AnyPiece]
        if is_parquet(source):
            pieces, sentences = row_groups(source, column)
            layout = CONLLU if sentences else None
        else:
            layout = _layout_at(source)
            pieces = cut(source, most)
        state = source.stat()
        plan = {
            **settings,
            "target": target.name,
            "size": state.st_size,
            "changed": state.st_mtime_ns,
        }
        # Pieces made in another way are in another folder: a worker that outlives its run by a
        # moment writes none among those of the next.
        digest = hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()
        folder = place / f"{digest[:32]}{_JOB}"
        folder.mkdir(exist_ok=True)
        return cls(source, target, layout, pieces, folder, rows if is_parquet(target) else None)

    def path_of(self, piece: AnyPiece) -> Path:
        return self.folder / f"{piece.number:06}.piece"

    @property
    def _joined(self) -> Path:
        """A mark that the output is there."""
        return self.folder / "joined"

    def is_done(self, piece: AnyPiece) -> bool:
        """Return whether a piece was done before."""
        return (self._joined.exists() and self.target.exists()) or self.path_of(piece).exists()

    def join(self) -> None:
        """Make the output of the pieces, unless it is there."""
        if self._joined.exists() and self.target.exists():
            return
        parts = [self.path_of(piece) for piece in self.pieces]
        with atomic_path(self.target) as temporary:
            if self.rows is not None:
                join_tables(parts, temporary, self.rows)
            else:
                _concatenate(parts, temporary)
        self._joined.touch()
        for piece in self.pieces:
            self.path_of(piece).unlink()


def _concatenate(parts: Sequence[Path], target: Path) -> None:
    with open(target, "wb") as out:
        for part in parts:
            with open(part, "rb") as file:
                shutil.copyfileobj(file, out)


def _layout_at(source: Path) -> Layout | None:
    """Find out the layout of a file; None is plain text."""
    try:
        layout = sniff(source)
    except InputError:
        return None
    return layout if layout in (CONLLU, CONLLX) else None


def _targets(files: list[Path], output: Path) -> list[Path]:
    if not files:
        raise InputError("no input files")
    if len(files) == 1 and not output.is_dir():
        return [output]
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two inputs are called {name}; their outputs would be one file")
    if output.exists() and not output.is_dir():
        raise InputError(
            f"{output}: is a file; expected a folder for the output of {len(files)} inputs"
        )
    output.mkdir(exist_ok=True)
    return [output / name for name in names]


def _rule_files(options: dict[str, Any]) -> list[Path]:
    rules = options.get("rules") or []
    given = [rules] if isinstance(rules, str) else rules
    return [Path(rule) for rule in given if len(rule) < 256 and Path(rule).is_file()]


def _digest(path: Path) -> str:
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
