"""Corrected trees in a folder: a CoNLL-U file, and a journal of what is not in it yet.

A tree is first written to the journal and flushed to the disk; only then is it acknowledged. Now
and then the file is written again with all trees, beside the old one, and takes its place by one
rename; then the journal is emptied. Whatever moment a crash comes at, file and journal together
have every tree that was acknowledged: reading the journal twice changes nothing.

What goes wrong before the journal has a tree is an error, and the tree is nowhere. What goes wrong
later (a file that cannot be written) is reported beside the success: the tree is safe.
"""

from __future__ import annotations

import io
import itertools
import os
import secrets
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

from turbotree.errors import InputError, TurbotreeError
from turbotree.serving.annotations.journal import Journal
from turbotree.serving.annotations.plain_files import check_plain, open_plain
from turbotree.serving.annotations.sent_ids import name_of, with_sent_id
from turbotree.text import CONLLU, Sentence, check_tree, converted, read_conllu, write_conllu

FILE, JOURNAL, LOCK = "annotations.conllu", "annotations.journal", "annotations.lock"
# Writing the whole file costs as much as it is long: the longer, the more trees wait for it.
_WAITING_SHARE = 50

Key = tuple[str, ...]


class StorageError(TurbotreeError):
    """The disk does not take what is to be kept."""


@dataclass(frozen=True)
class Counts:
    """How much is kept, and where.

    Attributes
    ----------
    count
        Sentences kept: those in the file, and those that the journal has beyond them.
    in_file
        Sentences in the file at this moment.
    waiting
        Trees that wait in the journal for the file to be written.
    problem
        Why the file could not be written, if so. What waits is safe in the journal all the same.
    """

    count: int
    in_file: int
    waiting: int
    problem: str | None


@dataclass(frozen=True)
class Saved(Counts):
    """A tree that is on the disk, and how much is kept with it.

    Attributes
    ----------
    sent_id
        What the sentence is called in the file.
    """

    sent_id: str


class Annotations:
    """The corrected trees of a folder; use it as a context manager, or :meth:`close` it.

    A sentence is known by its ``sent_id`` and its words: saved once more, it takes the place of
    what was saved before. One without a ``sent_id`` is a sentence of its own, and is given one that
    the file does not have yet. So is one that was cut from a text and whose ``sent_id`` is only its
    number there, and one whose ``sent_id`` belongs to other words.

    Parameters
    ----------
    folder
        Made if it is not there. Only one process may have it open.

    Attributes
    ----------
    file
        The path of the CoNLL-U file.
    recovered
        How many trees the journal had that the file lacked.
    damaged
        Where the journal as it was found is kept, if a line was unreadable; else None.
    problem
        Why the file could not be written when that was last tried, if so; else None.
    counts
        How much is kept, and where.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tree = Sentence.from_words(["Go", "!"], heads=[0, 1], labels=["root", "punct"])
    >>> with Annotations(folder) as annotations:
    ...     first, second = annotations.save(tree), annotations.save(tree)
    >>> second.count
    2
    >>> [sentence.heads for sentence in read_conllu(f"{folder}/annotations.conllu")]
    [(0, 1), (0, 1)]
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise InputError(f"{self.folder}: is not a folder") from None
        self.file = self.folder / FILE
        self.problem: str | None = None
        self._mutex = threading.Lock()
        self._closed = False
        self._sentences: list[Sentence] = []
        self._places: dict[Key, int] = {}  # where a sentence is among them
        self._names: set[str | None] = set()
        for path in (self.file, self.folder / JOURNAL, self.folder / LOCK):
            check_plain(path)
        self._lock = locked(self.folder / LOCK, "another server saves its trees here")
        try:
            for sentence in read_conllu(self.file) if self.file.exists() else ():
                self._add(sentence)
            self._in_file = len(self._sentences)
            self._journal = Journal(self.folder / JOURNAL)
        except BaseException:
            os.close(self._lock)
            raise
        try:
            self.damaged = self._journal.damaged
            self.recovered = self._waiting = len(self._journal.recovered)
            for text in self._journal.recovered:
                if not isinstance(text, str):
                    raise InputError(f"{self._journal.path}: is no journal of trees")
                self._keep(Sentence(text, path=str(self._journal.path)))
            if self._waiting:
                self._write_file()
            self._count()
        except BaseException:
            self._let_go()
            raise

    def save(self, sentence: Sentence) -> Saved:
        """Keep a tree; it is on the disk when this returns.

        Raises
        ------
        InputError
            If the sentence has no whole tree, or a word no relation.
        StorageError
            If the disk does not take it. Then it is not kept, now or later.
        """
        check_tree(sentence)
        for word, label in enumerate(sentence.labels, 1):
            if label == "_":
                raise InputError.at(*sentence.place(word), f"word {word} has no relation")
        sentence = converted(sentence, CONLLU)
        with self._mutex:
            if self._closed:
                raise StorageError(f"{self.folder}: not saved, it is closed")
            sentence = self._named(sentence)
            try:
                self._journal.append(sentence.to_text())
            except OSError as error:
                reason = error.strerror or error
                raise StorageError(f"{self._journal.path}: not saved: {reason}") from None
            self._keep(sentence)
            self._waiting += 1
            if self._waiting * _WAITING_SHARE >= len(self._sentences):
                self._write_file()
            self._count()
            return Saved(**asdict(self.counts), sent_id=sentence.sent_id or "")

    def __len__(self) -> int:
        return len(self._sentences)

    def __contains__(self, sentence: Sentence) -> bool:
        return key_of(sentence) in self._places

    @property
    def sentences(self) -> list[Sentence]:
        """All of them, the first saved first."""
        with self._mutex:
            return list(self._sentences)

    @property
    def names(self) -> set[str]:
        """What they are called."""
        with self._mutex:
            return {name for name in self._names if name is not None}

    def to_text(self) -> str:
        """Give all of them as CoNLL-U."""
        text = io.StringIO()
        with self._mutex:
            write_conllu(self._sentences, text)
        return text.getvalue()

    def close(self) -> None:
        """Write what waits to the file, and let go of the folder, whatever goes wrong.

        Raises
        ------
        StorageError
            If the file could not be written. Its trees wait in the journal for the next start.
        """
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            try:
                if self._waiting:
                    self._write_file()
            finally:
                self._let_go()
        if self.problem is not None:
            raise StorageError(self.problem)

    def __enter__(self) -> Annotations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _named(self, sentence: Sentence) -> Sentence:
        """Give a sentence a name that no other one has."""
        name = name_of(sentence)
        if name is None:
            return with_sent_id(sentence, self._new_name())
        for number in itertools.count(2):
            if key_of(sentence) in self._places or sentence.sent_id not in self._names:
                break
            sentence = with_sent_id(sentence, f"{name}~{number}")
        return sentence

    def _new_name(self) -> str:
        while True:
            name = f"saved-{secrets.token_hex(6)}"
            if name not in self._names:
                return name

    def _keep(self, sentence: Sentence) -> None:
        place = self._places.get(key_of(sentence))
        if place is None:
            self._add(sentence)
        else:
            self._sentences[place] = sentence

    def _add(self, sentence: Sentence) -> None:
        self._places[key_of(sentence)] = len(self._sentences)
        self._names.add(sentence.sent_id)
        self._sentences.append(sentence)

    def _count(self) -> None:
        # One assignment, so that who looks at it never waits for the disk.
        self.counts = Counts(len(self._sentences), self._in_file, self._waiting, self.problem)

    def _write_file(self) -> None:
        """Write the file and empty the journal; what goes wrong is noted, as no tree is lost."""
        try:
            check_plain(self.file)
            write_conllu(self._sentences, self.file)  # whole or not at all
            self._in_file = len(self._sentences)
            self._journal.clear()
        except (OSError, TurbotreeError, MemoryError) as error:
            said = getattr(error, "strerror", None) or str(error) or "out of memory"
            trees = "1 tree waits" if self._waiting == 1 else f"{self._waiting} trees wait"
            self.problem = f"{said}; {trees} in {JOURNAL}"
        else:
            self.problem = None
            self._waiting = 0

    def _let_go(self) -> None:
        try:
            self._journal.close()
        finally:
            os.close(self._lock)


def key_of(sentence: Sentence) -> Key:
    """Tell what a sentence is known by.

    >>> key_of(Sentence.from_words(["Go", "!"], comments=["sent_id = a"]))
    ('a', 'Go', '!')
    """
    return (sentence.sent_id or "", *sentence.forms)


def locked(path: Path, otherwise: str) -> int:
    """Take the lock of a folder and give its descriptor; if it is taken, that is an InputError."""
    import fcntl  # not on Windows, where nothing else here would know

    descriptor = open_plain(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise InputError(f"{path.parent}: {otherwise}") from None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
