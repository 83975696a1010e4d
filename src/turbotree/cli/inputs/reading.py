"""Sentences from the files that the user names, with malformed ones skipped if that is wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from turbotree.cli.options.shared import ErrorPolicy, InputFormat
from turbotree.cli.process.failures import say
from turbotree.errors import InputError, TurbotreeError
from turbotree.models import USUAL
from turbotree.streaming import OnFailure
from turbotree.text import (
    CONLLU,
    Layout,
    OnError,
    Sentence,
    check_partial_tree,
    check_tree,
    layout_of,
    read_layout,
    sniff,
)
from turbotree.text.sniffing import found_layout

STDIN = Path("-")
#: Formats with nothing but words, for pipelines; the others hold trees.
PLAIN = ("text", "lines", "words")
#: What to do with text where sentences are asked for.
PARSE_FIRST = f"; turbotree parse {USUAL} FILE -o FILE.conllu makes CoNLL-U of text"


class Skipped:
    """Counts the sentences that are skipped; the first is kept for the report.

    They are malformed, or no tree obeys the rules and heads that are given for them.
    """

    def __init__(self, on_error: ErrorPolicy) -> None:
        self.on_error: OnError = "raise" if on_error == "raise" else self
        self._count = 0
        self._first: TurbotreeError | None = None

    @property
    def on_failure(self) -> OnFailure | None:
        """What a parser does about a sentence that no tree fits."""
        return self if callable(self.on_error) else None

    def __call__(self, error: TurbotreeError) -> None:
        """Note one."""
        self._count += 1
        self._first = self._first or error

    def report(self) -> None:
        """Say how many there were, if any."""
        if self._count == 1:
            say(f"skipped 1 sentence: {self._first}")
        elif self._count:
            say(f"skipped {self._count} sentences; the first: {self._first}")


def layout_at(path: Path, *, otherwise: Layout = CONLLU) -> Layout:
    """Find out the layout of a file; what a pipe holds can be read only once, so not of a pipe."""
    is_pipe = path.exists() and not (path.is_file() or path.is_dir())
    return otherwise if is_pipe else sniff(path)


def tree_layout(path: Path, format: InputFormat | None = None, *, advice: str = "") -> Layout:
    """Return the layout of a file that has heads and labels, found out if it is not given.

    If it is another kind of file, the error ends in the advice.
    """
    if format is not None:
        return format_layout(format)
    is_pipe = path.exists() and not (path.is_file() or path.is_dir())
    layout = CONLLU if is_pipe else found_layout(path)
    if layout is None or not layout.numbered:
        expected = "neither CoNLL-U nor CoNLL-X (10 columns split by tabs expected)"
        raise InputError(f"{path}: {expected}{advice}")
    return layout


def with_advice(sentences: Iterator[Sentence], advice: str) -> Iterator[Sentence]:
    """Pass sentences on; if not even the first can be read, the error ends in the advice."""
    try:
        first = next(sentences, None)
    except InputError as error:
        raise InputError(f"{error}{advice}") from None
    if first is not None:
        yield first
        yield from sentences


def format_layout(format: InputFormat) -> Layout:
    """Return the layout of a format of sentences."""
    if format in PLAIN:
        raise InputError(
            f"--input-format {format} is for turbotree parse with a pipeline, {USUAL} for "
            "instance; expected CoNLL-U here"
        )
    return layout_of(format)


def read_trees(path: Path, skipped: Skipped, *, partial: bool = False) -> Iterator[Sentence]:
    """Read a treebank; a sentence whose heads are not a tree counts as malformed.

    If it may be partial, heads may be missing.
    """
    check = check_partial_tree if partial else check_tree
    for sentence in read_layout(path, tree_layout(path), on_error=skipped.on_error):
        try:
            check(sentence)
        except InputError as error:
            if not callable(skipped.on_error):
                raise
            skipped(error)
        else:
            yield sentence


def read_treebank(path: Path, on_error: ErrorPolicy, *, partial: bool = False) -> list[Sentence]:
    """Read a whole treebank, and say what was skipped."""
    skipped = Skipped(on_error)
    sentences = list(read_trees(path, skipped, partial=partial))
    skipped.report()
    if not sentences:
        raise InputError(f"{path}: no sentences")
    return sentences


def standard_input() -> IO[bytes]:
    """Return standard input; tell somebody at a terminal that it is being read."""
    if sys.stdin.isatty():
        say("reading from the terminal; Ctrl-D ends the input")
    return sys.stdin.buffer
