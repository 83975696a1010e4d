"""The treebanks that experiments run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turbotree.errors import InputError
from turbotree.text import Sentence, check_tree, read_sentences, treebank
from turbotree.text.sentence import fingerprint

_SPLITS = ("train", "dev", "test")
_HELD_OUT = 10  # without a dev file, every tenth training sentence stands in for it


@dataclass(frozen=True)
class Dataset:
    """One treebank in three parts.

    Attributes
    ----------
    name
        How the report calls it.
    train, dev, test
        Its sentences.
    about
        Where they are from, for the report.
    kind
        ``"trees"`` or ``"chunks"``: experiments say which they can use.
    """

    name: str
    train: tuple[Sentence, ...]
    dev: tuple[Sentence, ...]
    test: tuple[Sentence, ...]
    about: str
    kind: str = "trees"

    def fingerprint(self, split: str) -> str:
        """Give a hash of one part: another text, another hash."""
        return fingerprint(getattr(self, split))

    def limited(self, train: int | None, test: int | None) -> Dataset:
        """Keep the first sentences only."""
        return replace(self, train=self.train[:train], dev=self.dev[:test], test=self.test[:test])


def built_in(train: int, test: int, seed: int = 1) -> Dataset:
    """Make up a treebank by the bundled grammar.

    >>> found = built_in(20, 5)
    >>> len(found.train), len(found.dev), len(found.test)
    (20, 5, 5)
    """
    first, second, third = (
        tuple(treebank(n, seed=3 * seed + i)) for i, n in enumerate((train, test, test))
    )
    about = "made up by turbotree's own grammar of English"
    return Dataset("built-in", first, second, third, about)


def held_out(train: Sequence[Sentence]) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Part every tenth sentence from training data that come without a development part.

    >>> rest, dev = held_out([Sentence.from_words([str(i)]) for i in range(20)])
    >>> len(rest), [sentence.forms for sentence in dev]
    (18, [('0',), ('10',)])
    """
    rest = tuple(one for number, one in enumerate(train) if number % _HELD_OUT)
    return rest, tuple(train[::_HELD_OUT])


def find_datasets(folder: Path, only: Sequence[str] | None = None) -> list[Dataset]:
    """Read the treebanks of a folder, named ``X-ud-train.conllu``, ``-dev`` and ``-test``."""
    if not folder.is_dir():
        raise InputError(f"{folder}: expected a folder of treebanks")
    files = folder.glob("*-ud-train.conllu")
    names = sorted(path.name.removesuffix("-ud-train.conllu") for path in files)
    if not names:
        raise InputError(f"{folder}: no treebank; expected files such as en_ewt-ud-train.conllu")
    for name in only or ():
        if name not in names:
            raise InputError(f"{folder}: no treebank {name}; expected some of {', '.join(names)}")
    return [_in_folder(folder, name) for name in only or names]


def given_files(train: Path, test: Path, dev: Path | None = None) -> Dataset:
    """Read a treebank from files, CoNLL-U or CoNLL-X."""
    name = train.name.split(".")[0].removesuffix("-ud-train").removesuffix("-train")
    return _assembled(name, train, dev, test)


def _in_folder(folder: Path, name: str) -> Dataset:
    train, dev, test = (folder / f"{name}-ud-{split}.conllu" for split in _SPLITS)
    if not test.exists():
        raise InputError(f"{test}: missing, though there is {train.name}")
    return _assembled(name, train, dev if dev.exists() else None, test)


def _assembled(name: str, train_file: Path, dev_file: Path | None, test_file: Path) -> Dataset:
    about = f"{name}, Universal Dependencies" if "_" in name else name
    train, faulty = _read(train_file)
    dev, dev_faulty = _read(dev_file) if dev_file is not None else ((), 0)
    test, test_faulty = _read(test_file)
    if not dev:
        if len(train) < _HELD_OUT:
            raise InputError(f"{name}: {len(train)} sentences are too few to hold some out")
        train, dev = held_out(train)
        about += "; no dev file, so every tenth training sentence is held out instead"
    if omitted := faulty + dev_faulty + test_faulty:
        about += f"; {omitted} sentence{'s' * (omitted > 1)} omitted, whose heads form no tree"
    return Dataset(name, train, dev, test, about)


def _read(path: Path) -> tuple[tuple[Sentence, ...], int]:
    """Read trees; give how many sentences are none, too: a slip of the annotators stops no run."""
    trees, faulty = [], 0
    mistake = InputError(f"{path}: no sentences")
    for sentence in read_sentences(path):
        try:
            check_tree(sentence)
        except InputError as error:
            mistake = error if not faulty else mistake
            faulty += 1
        else:
            trees.append(sentence)
    if not trees:
        raise mistake
    return tuple(trees), faulty
