"""The review of findings: decisions in a journal, a corrected treebank, acknowledged exceptions.

A decision is on the disk, in the journal, before it counts. The corrected treebanks and the files
of exceptions are made from it, when the review ends and now and then before; after a crash they
are made again. The treebanks themselves are never written to.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from turbotree.checking import (
    AcknowledgedException,
    Finding,
    exceptions_path,
    read_exceptions,
    read_findings,
)
from turbotree.checking.corrections import Cells, CorrectedTreebank, changed_cells
from turbotree.errors import InputError, TurbotreeError
from turbotree.files.atomic import atomic_path
from turbotree.naming import unknown
from turbotree.serving.annotations import StorageError
from turbotree.serving.annotations.journal import Journal
from turbotree.serving.annotations.store import locked
from turbotree.text import Sentence, check_tree

JOURNAL, LOCK = "review.journal", "review.lock"
#: What can be decided about a finding. ``accept``: the annotation is right. ``acknowledge``: it is
#: right, and nobody is to be asked again. ``correct``: it is wrong, and another one takes its
#: place. ``skip``: somebody else may decide.
VERDICTS = ("accept", "acknowledge", "correct", "skip")
#: The corrected treebanks are written after so many decisions.
_WRITE_EVERY = 20


@dataclass(frozen=True)
class Correction:
    """The annotation of a whole sentence, one value per word."""

    heads: Sequence[int]
    labels: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]

    def applied(self, sentence: Sentence) -> Sentence:
        """Return a sentence with it; what is no tree is an InputError."""
        for name, values in asdict(self).items():
            if len(values) != len(sentence):
                raise InputError(f"{len(values)} {name} for {len(sentence)} words")
        changed = sentence.replace(
            head=self.heads,
            deprel=self.labels,
            upos=self.upos,
            xpos=self.xpos,
            feats=self.feats,
        )
        check_tree(changed)
        return changed


@dataclass(frozen=True)
class _Decision:
    """What was decided, and what to put back if it is taken back."""

    finding: int
    verdict: str
    reason: str
    before: Cells


class Review:
    """A list of findings that somebody goes through; :meth:`close` it in the end.

    Parameters
    ----------
    findings
        The file that ``turbotree check`` wrote.
    folder
        Where journal and corrected treebanks go; made if it is not there.
    treebank
        The treebank, if it is elsewhere than the findings say.

    Attributes
    ----------
    stale
        How many findings were omitted because the treebank has other words where they point to.
    """

    def __init__(self, findings: Path, folder: Path, treebank: Path | None = None) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._mutex = threading.Lock()
        self._closed = False
        self._treebanks: dict[str, CorrectedTreebank] = {}
        every = list(read_findings(findings))
        places = {one.path for one in every}
        if treebank is not None and len(places) > 1:
            raise InputError(
                f"{findings}: has findings of {len(places)} files; a single treebank was given"
            )
        for path in sorted(places):
            self._treebanks[path] = CorrectedTreebank(treebank or path)
        self.files = _names([one.path for one in self._treebanks.values()])
        self.findings = [one for one in every if self._is_there(one)]
        self.stale = len(every) - len(self.findings)
        self._decisions: list[_Decision] = []
        self._verdicts: dict[int, str] = {}
        self._once_acknowledged: set[int] = set()
        self._unwritten = 0
        self.problem: str | None = None
        self._lock = locked(folder / LOCK, "another server keeps its review here")
        try:
            self._journal = Journal(folder / JOURNAL)
        except BaseException:
            os.close(self._lock)
            raise
        try:
            self.damaged = self._journal.damaged
            for record in self._journal.recovered:
                self._replay(record)
            self._write()
        except BaseException:
            self._let_go()
            raise

    # ---- What the page asks

    def status(self) -> dict[str, Any]:
        """Tell how far the review is, as JSON-ready data."""
        with self._mutex:
            kinds = Counter(kind for one in self.findings for kind in one.kinds)
            open_kinds = Counter(
                kind
                for i, one in enumerate(self.findings)
                if i not in self._verdicts
                for kind in one.kinds
            )
            return {
                "total": len(self.findings),
                "decided": len(self._verdicts),
                "verdicts": dict(Counter(self._verdicts.values())),
                "kinds": {
                    kind: {"total": n, "open": open_kinds[kind]} for kind, n in kinds.items()
                },
                "files": sorted(self.files),
                "stale": self.stale,
                "can_undo": bool(self._decisions),
                "problem": self.problem,
            }

    def listed(self, kind: str | None = None, most: int = 200) -> list[dict[str, Any]]:
        """List findings that are open, the most suspicious first, in a few words each."""
        with self._mutex:
            found = [
                {
                    "index": i,
                    "form": one.form,
                    "sent_id": one.sent_id,
                    "kinds": list(one.kinds),
                    "score": one.score,
                }
                for i, one in enumerate(self.findings)
                if i not in self._verdicts and (kind is None or kind in one.kinds)
            ]
        return found[:most]

    def next(self, after: int = -1, kind: str | None = None) -> int | None:
        """Return the number of the next open finding, from the beginning again after the last."""
        with self._mutex:
            places = [
                i
                for i, one in enumerate(self.findings)
                if i not in self._verdicts and (kind is None or kind in one.kinds)
            ]
        return next((i for i in places if i > after), places[0] if places else None)

    def finding(self, index: int) -> dict[str, Any]:
        """Describe a finding with its sentence as it is now, as JSON-ready data."""
        with self._mutex:
            one = self._finding(index)
            sentence = self._treebanks[one.path].sentence(one.line)
            verdict = self._verdicts.get(index)
        words = zip(
            sentence.forms,
            sentence.lemmas,
            sentence.upos,
            sentence.xpos,
            sentence.feats,
            strict=True,
        )
        names = ("form", "lemma", "upos", "xpos", "feats")
        return {
            "index": index,
            "finding": one.to_dict(),
            "text": sentence.text or " ".join(sentence.forms),
            "words": [dict(zip(names, word, strict=True)) for word in words],
            "heads": list(sentence.heads),
            "labels": list(sentence.labels),
            "verdict": verdict,
        }

    def decide(
        self, index: int, verdict: str, correction: Correction | None = None, reason: str = ""
    ) -> None:
        """Decide about a finding; it is on the disk when this returns.

        Raises
        ------
        InputError
            If the correction is no tree, or there is none where one is needed.
        StorageError
            If the disk does not take it. Then nothing was decided.
        """
        if verdict not in VERDICTS:
            raise unknown("verdict", verdict, VERDICTS)
        if (verdict == "correct") != (correction is not None):
            raise InputError("a correction goes with the verdict 'correct', and with no other")
        with self._mutex:
            one = self._finding(index)
            cells: Cells = {}
            if correction is not None:
                sentence = self._treebanks[one.path].sentence(one.line)
                cells = changed_cells(sentence, correction.applied(sentence))
            record = {
                "finding": _key(one),
                "verdict": verdict,
                "reason": " ".join(reason.split()),
                "cells": {str(line): values for line, values in cells.items()},
            }
            self._append(record)
            self._replay(record)
            self._count(index)

    def undo(self) -> int | None:
        """Take back the last decision; return its finding, or None if there was none."""
        with self._mutex:
            if not self._decisions:
                return None
            index = self._decisions[-1].finding
            self._append({"undo": True})
            self._replay({"undo": True})
            self._count(index)
            return index

    def corrected(self, name: str) -> bytes:
        """Return a corrected treebank by the name of its file."""
        if name not in self.files:
            raise unknown("treebank", name, sorted(self.files))
        with self._mutex:
            return next(
                one.content for one in self._treebanks.values() if one.path == self.files[name]
            )

    def close(self) -> None:
        """Write the corrected treebanks and let go of the folder."""
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            try:
                self._write()
            finally:
                self._let_go()
        if self.problem is not None:
            raise StorageError(self.problem)

    # ---- What it is made of

    def _finding(self, index: int) -> Finding:
        if not 0 <= index < len(self.findings):
            raise InputError(f"there is no finding {index}; there are {len(self.findings)}")
        return self.findings[index]

    def _is_there(self, one: Finding) -> bool:
        try:
            sentence = self._treebanks[one.path].sentence(one.line)
            return sentence.forms[one.word - 1] == one.form and (
                sentence.place(one.word)[1] == one.line
            )
        except (InputError, IndexError):
            return False

    def _append(self, record: dict[str, Any]) -> None:
        if self._closed:
            raise StorageError(f"{self.folder}: not saved, the review is closed")
        try:
            self._journal.append(record)
        except OSError as error:
            raise StorageError(
                f"{self._journal.path}: not saved: {error.strerror or error}"
            ) from None

    def _replay(self, record: Any) -> None:
        """Do what a record of the journal says."""
        try:
            if record.get("undo"):
                self._take_back()
                return
            key, verdict = tuple(record["finding"]), record["verdict"]
            cells = {int(line): dict(values) for line, values in record["cells"].items()}
            index = next(
                (i for i, one in enumerate(self.findings) if tuple(_key(one)) == key), None
            )
            if index is None:
                return  # a finding of an older file
            before = self._treebanks[self.findings[index].path].change(cells)
            self._decisions.append(_Decision(index, verdict, record["reason"], before))
            self._verdicts[index] = verdict
            if verdict == "acknowledge":
                self._once_acknowledged.add(index)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(f"{self._journal.path}: is no journal of a review") from None

    def _take_back(self) -> None:
        if not self._decisions:
            return
        last = self._decisions.pop()
        self._treebanks[self.findings[last.finding].path].change(last.before)
        self._verdicts.pop(last.finding, None)
        for earlier in reversed(self._decisions):
            if earlier.finding == last.finding:
                self._verdicts[last.finding] = earlier.verdict
                break

    def _count(self, index: int) -> None:
        self._unwritten += 1
        if self._unwritten >= _WRITE_EVERY:
            self._write()
        elif index in self._once_acknowledged:
            self._noting(lambda: self._write_exceptions(self.findings[index].path))

    def _write(self) -> None:
        """Write treebanks and exceptions."""

        def job() -> None:
            for name, path in self.files.items():
                one = next(one for one in self._treebanks.values() if one.path == path)
                one.write(self.folder / name)
            for source in self._treebanks:
                self._write_exceptions(source)
            self._unwritten = 0

        self._noting(job)

    def _noting(self, job: Callable[[], None]) -> None:
        """Write something; what goes wrong is noted, as no decision is lost."""
        try:
            job()
        except (OSError, TurbotreeError) as error:
            said = getattr(error, "strerror", None) or error
            self.problem = f"{said}; decisions are in {JOURNAL}"
        else:
            self.problem = None

    def _write_exceptions(self, path: str) -> None:
        """Make the file of exceptions have what is acknowledged here, and not what no longer is."""
        reasons = {one.finding: one.reason for one in self._decisions}
        own = [
            (index, AcknowledgedException.of(one, reasons.get(index, "")))
            for index, one in enumerate(self.findings)
            if one.path == path
        ]
        wanted = [one for index, one in own if self._verdicts.get(index) == "acknowledge"]
        # Only those are taken out that were put in here and taken back.
        once = {_bare(one) for index, one in own if index in self._once_acknowledged}
        unwanted = once - {_bare(one) for one in wanted}
        target = exceptions_path(self._treebanks[path].path)
        there = read_exceptions(target)
        known = {_bare(one) for one in there}
        missing = [one for one in wanted if _bare(one) not in known]
        gone = unwanted & known
        if not missing and not gone:
            return
        text = target.read_text("utf-8") if target.exists() else ""
        lines = [line for line in text.splitlines() if tuple(line.split("\t")[:4]) not in gone]
        with atomic_path(target) as temporary:
            lines += [one.line for one in missing]
            temporary.write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def _let_go(self) -> None:
        try:
            self._journal.close()
        finally:
            os.close(self._lock)


def _key(one: Finding) -> list[Any]:
    """Return what a finding is known by, whatever its place in the list."""
    return [one.path, one.line, one.sent_id, one.word, one.form]


def _bare(one: AcknowledgedException) -> tuple[str, str, str, str]:
    """Return an exception without its reason, as the file has it."""
    return (one.sent_id, str(one.word), one.form, one.annotation)


def _names(paths: Sequence[Path]) -> dict[str, Path]:
    """Give each treebank the name of a file of its own."""
    found: dict[str, Path] = {}
    for path in paths:
        name, number = path.name, 2
        while name in found:
            name, number = f"{path.stem}-{number}{path.suffix}", number + 1
        found[name] = path
    return found
