"""Sentences that wait to be annotated: who gets which, and in what order."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from turbotree.errors import InputError
from turbotree.files.reading import input_errors
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.serving.annotations.journal import Journal
from turbotree.serving.annotations.sent_ids import name_of, with_sent_id
from turbotree.text import CONLLU, Sentence, converted, read_layout
from turbotree.text.sniffing import found_layout

#: A sentence that somebody was given goes to others if it was not saved for so long.
LEASE_SECONDS = 1800.0
_TOKEN = re.compile(r"\w+(?:[-'’.]\w+)*|[^\w\s]")


def read_queue(path: Path, model: Parser | Pipeline | None) -> list[Sentence]:
    """Read the sentences to annotate, each under a name of its own; their trees are dropped.

    Parameters
    ----------
    path
        CoNLL-U, CoNLL-X, or raw text. Text needs a pipeline that can cut it; without any model,
        each line is a sentence, and words end at white space and punctuation.
    model
        What will parse them; None for a cold start.
    """
    layout = found_layout(path)
    if layout is not None and layout.numbered:
        found = [converted(sentence, CONLLU) for sentence in read_layout(path, layout)]
    else:
        found = _from_text(path, model)
    if not found:
        raise InputError(f"{path}: no sentences")
    taken: set[str] = set()
    queue = []
    for number, sentence in enumerate(found, 1):
        name = name_of(sentence)
        if name is None or name in taken:
            name = next(
                new
                for new in (f"{path.stem}-{number}", f"{path.stem}-{number}~")
                if new not in taken
            )
        taken.add(name)
        queue.append(sentence if sentence.sent_id == name else with_sent_id(sentence, name))
    return queue


def _from_text(path: Path, model: Parser | Pipeline | None) -> list[Sentence]:
    with input_errors(str(path)):
        text = path.read_text("utf-8")
    if isinstance(model, Pipeline) and model.tokenizer is not None:
        return list(model.tokenizer.sentences(text))
    if model is not None:
        raise InputError(
            f"{path}: is neither CoNLL-U nor CoNLL-X; to annotate raw text, serve a pipeline"
        )
    return [split(line) for line in text.splitlines() if line.strip()]


def split(line: str) -> Sentence:
    """Make a sentence of a line of text, without any model.

    >>> split("Birds sing, don't they?").forms
    ('Birds', 'sing', ',', "don't", 'they', '?')
    """
    line = " ".join(line.split())
    found = list(_TOKEN.finditer(line))
    if not found:
        raise InputError(f"no word in the line {line!r}")
    apart = [line[one.end() : one.end() + 1] in ("", " ") for one in found]
    return Sentence.from_words(
        [one.group() for one in found],
        misc=["_" if space else "SpaceAfter=No" for space in apart],
        comments=[f"text = {line}"],
    )


class Queue:
    """The sentences, what each is worth, and who has been given which.

    It belongs to one thread at a time; what was skipped is on the disk before it counts.

    Parameters
    ----------
    sentences
        Each with a ``sent_id`` of its own.
    journal
        Where to keep what was skipped.
    overlap
        The share of the sentences, from 0 to 1, that every annotator gets.

    Examples
    --------
    >>> import tempfile
    >>> words = [Sentence.from_words(["Go"], comments=[f"sent_id = {i}"]) for i in range(3)]
    >>> queue = Queue(words, Path(tempfile.mkdtemp()) / "queue.journal")
    >>> queue.values["1"] = 0.7
    >>> queue.next("ann", {"ann": set()}), queue.next("bob", {"ann": set(), "bob": set()})
    ('1', '0')
    >>> queue.close()
    """

    def __init__(self, sentences: Sequence[Sentence], journal: Path, overlap: float = 0.0) -> None:
        if not 0 <= overlap <= 1:
            raise InputError(f"overlap is {overlap}; expected 0 to 1")
        self.sentences: dict[str, Sentence] = {str(one.sent_id): one for one in sentences}
        self.values: dict[str, float] = {}
        self.overlap = overlap
        self._leases: dict[str, tuple[str, float]] = {}
        self._skipped: dict[str, set[str]] = {}
        self._journal = Journal(journal)
        for record in self._journal.recovered:
            if not isinstance(record, dict) or not {"annotator", "skipped"} <= record.keys():
                raise InputError(f"{journal}: is no journal of a queue")
            self._skipped.setdefault(record["annotator"], set()).add(record["skipped"])

    def __len__(self) -> int:
        return len(self.sentences)

    def close(self) -> None:
        """Let go of the journal."""
        self._journal.close()

    def is_shared(self, name: str) -> bool:
        """Tell whether every annotator gets a sentence; that is decided by its name alone."""
        return zlib.crc32(name.encode("utf-8", "replace")) < self.overlap * 2**32

    def skipped(self, annotator: str) -> int:
        """Count what an annotator has skipped."""
        return len(self._skipped.get(annotator, ()))

    def open(self, done: Iterable[set[str]]) -> list[str]:
        """List the sentences that nobody has annotated."""
        finished = set().union(*done)
        return [name for name in self.sentences if name not in finished]

    def next(self, annotator: str, done: dict[str, set[str]]) -> str | None:
        """Choose the sentence that an annotator is given; None when there is none left.

        It stays theirs until it is saved or skipped, or until they have let it lie for long. Of
        the sentences that all get, those come first that others have annotated already, whenever
        the annotator has had less than their share of them.

        Parameters
        ----------
        annotator
            Who asks.
        done
            The names of the sentences that each annotator has saved.
        """
        now = time.monotonic()
        self._leases = {
            name: lease for name, lease in self._leases.items() if now - lease[1] < LEASE_SECONDS
        }
        own = done.get(annotator, set())
        skipped = self._skipped.get(annotator, set())
        for name, (who, _) in self._leases.items():
            if who == annotator and name not in own and name not in skipped:
                return name
        by_others = set().union(*(names for who, names in done.items() if who != annotator))
        given_to_others = {name for name, (who, _) in self._leases.items() if who != annotator}
        free: list[str] = []
        waiting: list[str] = []
        for name in self.sentences:
            if name in own or name in skipped:
                continue
            if self.is_shared(name):
                (waiting if name in by_others else free).append(name)
            elif name not in by_others and name not in given_to_others:
                free.append(name)
        had = sum(1 for name in own if self.is_shared(name))
        if waiting and (had < self.overlap * (len(own) + 1) or not free):
            free = waiting
        if not free:
            return None
        # Those without a value yet come last, as they stand in the file; max keeps the first.
        chosen = max(free, key=lambda name: self.values.get(name, float("-inf")))
        self._leases[chosen] = (annotator, now)
        return chosen

    def skip(self, annotator: str, name: str) -> None:
        """Do not give a sentence to this annotator again."""
        self.check(name)
        self._journal.append({"annotator": annotator, "skipped": name})
        self._skipped.setdefault(annotator, set()).add(name)
        self.release(annotator, name)

    def release(self, annotator: str, name: str) -> None:
        """Take note that an annotator has done with a sentence."""
        if self._leases.get(name, ("", 0.0))[0] == annotator:
            del self._leases[name]

    def check(self, name: str) -> None:
        """Raise InputError if there is no such sentence."""
        if name not in self.sentences:
            raise InputError(f"there is no sentence {name!r} in the queue")
