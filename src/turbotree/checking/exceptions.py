"""Findings that somebody has looked at and found to be right: they are not shown again.

They are kept in a small text file beside the treebank, one line each, with tabs between: the
sentence's name, the number of the word, its form, its annotation (UPOS, XPOS, FEATS, HEAD and
DEPREL, with blanks between) and, if somebody wants to say so, why. An exception holds as long as
the annotation of the word stays as it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from turbotree.checking.findings import Annotation, Finding
from turbotree.errors import InputError
from turbotree.files.reading import input_errors

#: What follows the treebank's name in that of the file.
ENDING = ".exceptions"
_FIELDS = 4


@dataclass(frozen=True, slots=True)
class AcknowledgedException:
    """One line of the file."""

    sent_id: str
    word: int
    form: str
    annotation: str
    reason: str = ""

    @classmethod
    def of(cls, finding: Finding, reason: str = "") -> AcknowledgedException:
        """Make the exception of a finding."""
        return cls(
            finding.sent_id, finding.word, finding.form, _written(finding.annotation), reason
        )

    @property
    def line(self) -> str:
        """The line, without its end."""
        fields = [self.sent_id, str(self.word), self.form, self.annotation]
        # A reason is free text; what would end the field or the line becomes a blank.
        return "\t".join([*fields, " ".join(self.reason.split())]).rstrip("\t")


def exceptions_path(treebank: str | os.PathLike[str]) -> Path:
    """Return the file that belongs to a treebank.

    >>> exceptions_path("data/train.conllu").name
    'train.conllu.exceptions'
    """
    return Path(f"{os.fspath(treebank)}{ENDING}")


def read_exceptions(path: str | os.PathLike[str]) -> list[AcknowledgedException]:
    """Read a file of exceptions; one that does not exist has none.

    Lines that begin with ``#`` and empty lines are skipped.

    Raises
    ------
    InputError
        With file and line, if a line has no exception.
    """
    name = os.fspath(path)
    if not Path(path).exists():
        return []
    with input_errors(name):
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    found = []
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) not in (_FIELDS, _FIELDS + 1) or not fields[1].isdecimal():
            expected = "sentence, number of the word, form, annotation and perhaps a reason"
            raise InputError.at(name, number, f"expected {expected} with tabs between")
        found.append(AcknowledgedException(fields[0], int(fields[1]), *fields[2:]))
    return found


def acknowledge(path: str | os.PathLike[str], exceptions: Iterable[AcknowledgedException]) -> None:
    """Add exceptions to a file, which is created if it is not there.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "train.conllu.exceptions")
    >>> one = AcknowledgedException("s1", 3, "that", "SCONJ IN _ 5 mark", "quoted text")
    >>> acknowledge(path, [one])
    >>> read_exceptions(path) == [one]
    True
    """
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(f"{one.line}\n" for one in exceptions)


def without_exceptions(
    findings: Iterable[Finding], exceptions: Iterable[AcknowledgedException]
) -> list[Finding]:
    """Omit the findings that have been acknowledged."""
    known = {(one.sent_id, one.word, one.form, one.annotation) for one in exceptions}
    return [
        finding
        for finding in findings
        if (finding.sent_id, finding.word, finding.form, _written(finding.annotation)) not in known
    ]


def _written(annotation: Annotation) -> str:
    return " ".join(
        str(value)
        for value in (
            annotation.upos,
            annotation.xpos,
            annotation.feats,
            annotation.head,
            annotation.label,
        )
    )
