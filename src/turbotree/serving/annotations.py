"""Corrected trees in a folder: a CoNLL-U file, and a journal of what is not in it yet.

A tree is first written to the journal and flushed to the disk; only then is it acknowledged. Now
and then the file is written anew with all trees, beside the old one, and takes its place by one
rename; then the journal is emptied. Whatever moment a crash comes at, file and journal together
have every tree that was acknowledged: reading the journal twice changes nothing.
"""

from __future__ import annotations

import contextlib
import io
import os
import threading
from pathlib import Path

from turbotree.errors import InputError
from turbotree.serving.journal import Journal
from turbotree.text import Sentence, check_tree, read_conllu, write_conllu

FILE, JOURNAL, LOCK = "annotations.conllu", "annotations.journal", "annotations.lock"
# Writing the whole file costs as much as it is long: the longer, the more trees wait for it.
_WAITING_SHARE = 50

Key = tuple[str, ...]


class Annotations:
    """The corrected trees of a folder; use it as a context manager, or :meth:`close` it.

    A sentence is known by its ``sent_id`` and its words: saved once more, it takes the place of
    what was saved before. The name alone would not do, because names of pipelines count the
    sentences of each text anew.

    Parameters
    ----------
    folder
        Made if it is not there. Only one process may have it open.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tree = Sentence.from_words(["Go", "!"], heads=[0, 1], labels=["root", "punct"])
    >>> with Annotations(folder) as annotations:
    ...     annotations.save(tree)
    1
    >>> [sentence.heads for sentence in read_conllu(f"{folder}/annotations.conllu")]
    [(0, 1)]
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / FILE
        self._mutex = threading.Lock()
        self._lock = _locked(self.folder / LOCK)
        try:
            kept = list(read_conllu(self.file)) if self.file.exists() else []
            self._sentences = {key_of(sentence): sentence for sentence in kept}
            self._journal = Journal(self.folder / JOURNAL)
            self.damaged = self._journal.damaged
            self.recovered = len(self._journal.recovered)
            for text in self._journal.recovered:
                self._keep(Sentence(text, path=JOURNAL))
            self._waiting = self.recovered
            if self._waiting:
                self._compact()
        except BaseException:
            os.close(self._lock)
            raise

    def save(self, sentence: Sentence) -> int:
        """Keep a tree, and give the number of sentences kept; it is on the disk by then.

        Raises
        ------
        InputError
            If the sentence has no whole tree, or a word no relation.
        """
        check_tree(sentence)
        for word, label in enumerate(sentence.labels, 1):
            if label == "_":
                raise InputError.at(*sentence.place(word), f"word {word} has no relation")
        with self._mutex:
            self._journal.append(sentence.to_text())
            self._keep(sentence)
            self._waiting += 1
            if self._waiting * _WAITING_SHARE >= len(self._sentences):
                # The tree is safe in the journal; a full disk is told of at the next save.
                with contextlib.suppress(OSError):
                    self._compact()
            return len(self._sentences)

    def __len__(self) -> int:
        return len(self._sentences)

    def __contains__(self, sentence: Sentence) -> bool:
        return key_of(sentence) in self._sentences

    def to_text(self) -> str:
        """Give all of them as CoNLL-U."""
        text = io.StringIO()
        with self._mutex:
            write_conllu(self._sentences.values(), text)
        return text.getvalue()

    def close(self) -> None:
        """Write what waits to the file, and let go of the folder."""
        with self._mutex:
            if self._waiting:
                self._compact()
            self._journal.close()
            os.close(self._lock)

    def __enter__(self) -> Annotations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep(self, sentence: Sentence) -> None:
        self._sentences[key_of(sentence)] = sentence

    def _compact(self) -> None:
        write_conllu(self._sentences.values(), self.file)  # whole or not at all
        self._journal.clear()
        self._waiting = 0


def key_of(sentence: Sentence) -> Key:
    """Tell what a sentence is known by.

    >>> key_of(Sentence.from_words(["Go", "!"], comments=["sent_id = a"]))
    ('a', 'Go', '!')
    """
    return (sentence.sent_id or "", *sentence.forms)


def _locked(path: Path) -> int:
    import fcntl  # not on Windows, where nothing else here would know

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError(f"{path.parent}: another server saves its trees here") from None
    return descriptor
