"""Treebanks as they come, with broken lines, unknown relations and missing heads.

Whatever cannot be checked is named once, and the rest is checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from turbotree.errors import InputError
from turbotree.text import CONLLU, Layout, Sentence, check_partial_tree, read_layout
from turbotree.text.universal import RELATIONS, TAGS

#: For many look-ups.
_RELATIONS, _TAGS = frozenset(RELATIONS), frozenset(TAGS)
_NOTHING = "no sentences that can be checked"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that cannot be checked, or that no treebank of UD should have.

    Attributes
    ----------
    path, line
        Where it first occurs.
    message
        What it is.
    count
        How often it occurs.
    """

    path: str
    line: int
    message: str
    count: int = 1

    def __str__(self) -> str:
        times = "" if self.count == 1 else f" ({self.count} times; the first here)"
        return f"{self.path}:{self.line}: {self.message}{times}"


@dataclass(frozen=True)
class Treebank:
    """The sentences of some files that can be checked, and what is wrong with the files.

    Attributes
    ----------
    sentences
        In the order of the files; their heads are trees, perhaps partial.
    problems
        Each once: sentences that were skipped by line, everything else by what it is.
    skipped
        How many sentences were skipped.
    """

    sentences: list[Sentence]
    problems: tuple[Problem, ...]
    skipped: int


@dataclass
class _Problems:
    """Counts problems by file and kind."""

    errors: list[str] = field(default_factory=list)
    found: dict[tuple[str, str], Problem] = field(default_factory=dict)

    def __call__(self, error: InputError) -> None:
        """Note a sentence that cannot be read."""
        self.errors.append(str(error))

    def add(self, place: tuple[str, int], message: str) -> None:
        known = self.found.get((place[0], message), Problem(*place, message, 0))
        self.found[place[0], message] = Problem(known.path, known.line, message, known.count + 1)


def read_treebanks(
    paths: Iterable[str | os.PathLike[str]], *, layout: Layout = CONLLU, strict: bool = False
) -> Treebank:
    """Read treebanks, and name what is wrong with them.

    Parameters
    ----------
    paths
        The files.
    layout
        Of all of them.
    strict
        Whether relations and tags have to be those of Universal Dependencies.

    Raises
    ------
    InputError
        If a file cannot be opened, or not one sentence of all files can be checked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> go = "1\\tGo\\tgo\\tVERB\\tVB\\t_\\t{}\\t{}\\t_\\t_\\n\\n"
    >>> _ = path.write_text(go.format(0, "root") + go.format(7, "root") + go.format(0, "rot"))
    >>> treebank = read_treebanks([path], strict=True)
    >>> len(treebank.sentences)
    2
    >>> for problem in treebank.problems:
    ...     print(str(problem).replace(str(path), "a.conllu"))
    a.conllu:3: head 7 is outside the sentence (1 word); the sentence is skipped
    a.conllu:5: 'rot' is no relation of Universal Dependencies
    """
    problems = _Problems()
    sentences: list[Sentence] = []
    names = [os.fspath(path) for path in paths]
    for name in names:
        before = len(sentences)
        for sentence in read_layout(name, layout, on_error=problems):
            try:
                check_partial_tree(sentence)
            except InputError as error:
                problems(error)
                continue
            sentences.append(sentence)
            _look_at(sentence, problems, strict)
        if len(sentences) == before:
            problems.add((name, 1), _NOTHING)
    if not sentences:
        first = f"; the first problem: {problems.errors[0]}" if problems.errors else ""
        raise InputError(f"{', '.join(names)}: {_NOTHING}{first}")
    skipped = [_skipped(message, names) for message in problems.errors]
    return Treebank(sentences, (*skipped, *problems.found.values()), len(skipped))


def _look_at(sentence: Sentence, problems: _Problems, strict: bool) -> None:
    rows: Sequence[tuple[str, Sequence[str], frozenset[str]]] = ()
    if strict:
        relations = [label.partition(":")[0] for label in sentence.labels]
        rows = (("relation", relations, _RELATIONS), ("tag", sentence.upos, _TAGS))
    for what, values, known in rows:
        for word, value in enumerate(values, 1):
            if value not in known and value not in ("", "_"):
                message = f"{value!r} is no {what} of Universal Dependencies"
                problems.add(sentence.place(word), message)
    columns = zip(sentence.forms, sentence.heads, sentence.labels, strict=True)
    for word, (form, head, label) in enumerate(columns, 1):
        if not form:
            problems.add(sentence.place(word), "the word has no form")
        if head is None:
            problems.add(sentence.place(word), "head missing; not checked")
        elif label in ("", "_"):
            problems.add(sentence.place(word), "relation missing; not checked")


def _skipped(message: str, names: Sequence[str]) -> Problem:
    """Take the place out of a message that begins with it."""
    for name in names:
        line, colon, reason = message.removeprefix(f"{name}:").partition(": ")
        if message.startswith(f"{name}:") and colon and line.isdecimal():
            return Problem(name, int(line), f"{reason}; the sentence is skipped")
    return Problem(names[0], 1, f"{message}; the sentence is skipped")
