"""Named entities: from files of CoNLL-2002, or names read off trees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from turbotree.errors import InputError
from turbotree.experiments.data.columns import in_columns
from turbotree.experiments.data.treebanks import Dataset, held_out
from turbotree.text import Sentence, column_layout, read_sentences

_LAYOUT = column_layout(("form", "xpos", "entity"), " ")
_WITHIN = ("flat", "compound", "name")


def names_of(tree: Sentence) -> list[str]:
    """Return the tags of names: neighbouring proper nouns that hang together.

    >>> heads, labels = [3, 1, 0, 3], ["nsubj", "flat", "root", "obj"]
    >>> upos = ["PROPN", "PROPN", "VERB", "PROPN"]
    >>> words = ["Ada", "Lovelace", "visited", "London"]
    >>> names_of(Sentence.from_words(words, upos=upos, heads=heads, labels=labels))
    ['B-NAME', 'I-NAME', 'O', 'B-NAME']
    """
    tags: list[str] = []
    before = 0  # where the name of the word before hangs together; 0 if there is none
    for word, tag in enumerate(tree.upos, 1):
        if tag != "PROPN":
            tags.append("O")
            before = 0
            continue
        top = _top(tree, word)
        tags.append("I-NAME" if top == before else "B-NAME")
        before = top
    return tags


def _top(tree: Sentence, word: int) -> int:
    """Climb from a proper noun to the one that its name hangs on."""
    while tree.labels[word - 1].split(":")[0] in _WITHIN:
        head = tree.heads[word - 1]
        if not head or tree.upos[head - 1] != "PROPN":
            break
        word = head
    return word


def with_entities(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with words, tags and entities; trees get their names as entities."""
    found = []
    for one in sentences:
        if one.layout.numbered:
            # The tag of a proper noun would give the answer away.
            tags = ["NOUN" if tag == "PROPN" else tag for tag in one.upos]
            found.append(in_columns(one, tags, names_of(one), _LAYOUT))
        else:
            found.append(one)
    return found


def read_entities(folder: Path) -> list[Dataset]:
    """Read all ``X.train`` of a folder, with ``X.testa`` (dev) and ``X.testb`` (test)."""
    names = sorted(path.stem for path in folder.glob("*.train"))
    if not names:
        raise InputError(
            f"{folder}: no entities; expected files such as esp.train, esp.testa and esp.testb"
        )
    found = []
    for name in names:
        test = folder / f"{name}.testb"
        if not test.exists():
            raise InputError(f"{test}: missing, though there is {name}.train")
        train = tuple(read_sentences(folder / f"{name}.train", _LAYOUT))
        dev_file = folder / f"{name}.testa"
        about = "named entities"
        if dev_file.exists():
            dev = tuple(read_sentences(dev_file, _LAYOUT))
        else:
            train, dev = held_out(train)
            about += "; every tenth training sentence is held out for development"
        tested = tuple(read_sentences(test, _LAYOUT))
        found.append(Dataset(name, train, dev, tested, about, "entities"))
    return found
