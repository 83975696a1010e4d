"""A treebank whose words are corrected one by one, and whose other bytes stay as they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from turbotree.errors import InputError
from turbotree.files.atomic import atomic_path
from turbotree.files.reading import input_errors
from turbotree.text import Sentence

#: What can be corrected, with its column in CoNLL-U.
CORRECTABLE = {"upos": 3, "xpos": 4, "feats": 5, "head": 6, "label": 7}
_WIDTH = 10

#: By the line of a word: its columns and what they become.
Cells = dict[int, dict[str, str]]


class CorrectedTreebank:
    """The lines of a CoNLL-U file, some cells of which change.

    Lines that nobody has touched are written as they were read, whatever they hold: comments,
    broken lines, line ends of any kind.

    Parameters
    ----------
    path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.conllu")
    >>> _ = path.write_bytes(b"# x\\r\\n1\\tGo\\tgo\\tNOUN\\t_\\t_\\t0\\troot\\t_\\t_\\r\\n\\r\\n")
    >>> treebank = CorrectedTreebank(path)
    >>> treebank.change({2: {"upos": "VERB"}})
    {2: {'upos': 'NOUN'}}
    >>> treebank.content
    b'# x\\r\\n1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\r\\n\\r\\n'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        with input_errors(str(self.path)):
            content = self.path.read_bytes()
        self._lines = _lines(content)

    @property
    def content(self) -> bytes:
        """The whole file as it is now."""
        return b"".join(self._lines)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write it, whole or not at all."""
        with atomic_path(path) as temporary:
            temporary.write_bytes(self.content)

    def sentence(self, line: int) -> Sentence:
        """Return the sentence, as it is now, that a line belongs to.

        Raises
        ------
        InputError
            If there is no such line, or its sentence cannot be read.
        """
        self._check(line)
        first = last = line - 1
        while first > 0 and self._lines[first - 1].strip():
            first -= 1
        while last + 1 < len(self._lines) and self._lines[last + 1].strip():
            last += 1
        block = b"".join(self._lines[first : last + 1])
        try:
            text = block.decode()
        except UnicodeDecodeError:
            raise InputError.at(str(self.path), first + 1, "not UTF-8") from None
        return Sentence(text, path=str(self.path), line=first + 1)

    def cells(self, line: int) -> dict[str, str]:
        """Return what a word's line says now, by the names of `CORRECTABLE`."""
        found = self._split(line)
        return {name: found[at].decode() for name, at in CORRECTABLE.items()}

    def change(self, cells: Mapping[int, Mapping[str, str]]) -> Cells:
        """Change some cells; return what they were, so that this can be undone."""
        before: Cells = {}
        for line, values in cells.items():
            found = self._split(line)
            for name, value in values.items():
                if name not in CORRECTABLE or not value or any(c in value for c in "\t\r\n"):
                    raise InputError.at(str(self.path), line, f"cannot set {name} to {value!r}")
                before.setdefault(line, {})[name] = found[CORRECTABLE[name]].decode()
                found[CORRECTABLE[name]] = value.encode()
            self._lines[line - 1] = b"\t".join(found)
        return before

    def _check(self, line: int) -> None:
        if not 1 <= line <= len(self._lines):
            raise InputError(f"{self.path}: there is no line {line}")

    def _split(self, line: int) -> list[bytes]:
        self._check(line)
        found = self._lines[line - 1].split(b"\t")
        if len(found) != _WIDTH or not found[0].isdigit():
            raise InputError.at(str(self.path), line, "is no line of a word")
        return found


def changed_cells(before: Sentence, after: Sentence) -> Cells:
    """Return the cells in which two annotations of a sentence differ, by the first one's lines.

    >>> one = Sentence.from_words(["Go"], heads=[0], labels=["root"])
    >>> changed_cells(one, one.replace(upos=["VERB"]))
    {1: {'upos': 'VERB'}}
    """
    names = {"upos": "upos", "xpos": "xpos", "feats": "feats", "head": "head", "label": "deprel"}
    found: Cells = {}
    for name, column in names.items():
        pairs: Sequence[tuple[str, str]] = list(
            zip(before.column(column), after.column(column), strict=True)
        )
        for word, (old, new) in enumerate(pairs, 1):
            if old != new:
                found.setdefault(before.place(word)[1], {})[name] = new
    return found


def _lines(content: bytes) -> list[bytes]:
    # Not splitlines, which would cut at a lone CR too; a line ends with LF and nothing else.
    *whole, rest = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])
