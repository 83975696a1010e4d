"""A live input (pipe, terminal), parsed in as large batches as what has arrived allows.

Waiting for a full batch would hold back answers that somebody is waiting for; batches of one
would be slow when plenty is there. So a batch ends as soon as no further sentence is at hand.
"""

from __future__ import annotations

import os
import select
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TypeVar

from turbotree.cli.inputs.reading import standard_input
from turbotree.errors import InputError
from turbotree.text import Sentence
from turbotree.text.sources import is_live

_PIECE = 1 << 16
#: Sentences per thread that are parsed at once, if so many have arrived.
MOST_AT_ONCE = 256

_Answer = TypeVar("_Answer")


class LiveInput:
    """The lines of a live input, with a look at what has already arrived.

    It reads the file descriptor itself, because what lies in Python's own buffer cannot be seen.
    Sentences end at blank lines, or each takes one line.
    """

    def __init__(self, stream: IO[bytes], *, by_line: bool = False) -> None:
        self.name = stream.name
        self._descriptor = stream.fileno()
        self._lines: deque[bytes] = deque()
        self._unfinished = b""
        self._ended = False
        self._read_ends, self._given_ends = _Ends(by_line), _Ends(by_line)

    def seekable(self) -> bool:
        """Tell readers that this is live."""
        return False

    def __iter__(self) -> Iterator[bytes]:
        while True:
            if self._lines:
                line = self._lines.popleft()
                self._given_ends.see(line)
                yield line
            elif not self._ended:
                self._read()
            else:
                return

    def sentence_at_hand(self) -> bool:
        """Return whether the next sentence, or the end, can be read without waiting."""
        while not self._ended and self._read_ends.count == self._given_ends.count:
            if not _readable(self._descriptor):
                return False
            self._read()
        return True

    def _read(self) -> None:
        piece = os.read(self._descriptor, _PIECE)
        *lines, self._unfinished = (self._unfinished + piece).split(b"\n")
        self._lines.extend(line + b"\n" for line in lines)
        for line in lines:
            self._read_ends.see(line)
        if not piece:
            self._ended = True
            if self._unfinished:
                self._lines.append(self._unfinished)


class _Ends:
    """Counts the ends of sentences: blank lines after lines that are not, or the latter alone."""

    def __init__(self, by_line: bool) -> None:
        self.count = 0
        self._by_line = by_line
        self._blank_before = True

    def see(self, line: bytes) -> None:
        if self._by_line:
            self.count += bool(line.strip())
            return
        blank = line in (b"", b"\n", b"\r", b"\r\n")
        self.count += blank and not self._blank_before
        self._blank_before = blank


def live_input() -> LiveInput | IO[bytes]:
    """Return standard input, in a way that tells what has arrived if it is live."""
    stream = standard_input()
    return LiveInput(stream) if is_live(stream) else stream


def answers(
    find: Callable[[Iterable[Sentence]], Iterable[_Answer]],
    sentences: Iterator[Sentence],
    source: object,
    out: IO[bytes],
    largest: int,
) -> Iterator[_Answer]:
    """Find answers for sentences; for those of a live input batch by batch, written at once."""
    if not isinstance(source, LiveInput):
        yield from find(sentences)
        return
    for batch in batches(sentences, source, largest):
        yield from find(batch)
        out.flush()


def batches(
    sentences: Iterator[Sentence], source: LiveInput, largest: int
) -> Iterator[list[Sentence]]:
    """Group sentences that have arrived together; those before a malformed one are still given."""
    batch: list[Sentence] = []
    try:
        for sentence in sentences:
            batch.append(sentence)
            if len(batch) == largest or not source.sentence_at_hand():
                yield batch
                batch = []
    except InputError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _readable(descriptor: int) -> bool:
    try:
        return bool(select.select([descriptor], [], [], 0)[0])
    except (OSError, ValueError):  # Windows asks only sockets: parse one by one there
        return False
