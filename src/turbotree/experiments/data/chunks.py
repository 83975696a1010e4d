"""Chunks: from a file, or base noun phrases read off trees."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from turbotree.errors import InputError
from turbotree.experiments.data.columns import in_columns
from turbotree.experiments.data.treebanks import Dataset, held_out
from turbotree.text import Sentence, column_layout, read_sentences

_LAYOUT = column_layout(("form", "xpos", "chunk"), " ")
_HEADS = ("NOUN", "PROPN", "PRON")
_BEFORE = ("det", "amod", "nummod", "compound", "poss", "nmod")


def noun_phrases(tree: Sentence) -> list[str]:
    """Return the tags of base noun phrases: nouns, each with what stands before it and hangs on it.

    >>> heads, labels = [3, 3, 4, 0], ["det", "amod", "nsubj", "root"]
    >>> upos = ["DET", "ADJ", "NOUN", "VERB"]
    >>> words = ["The", "old", "dog", "barks"]
    >>> noun_phrases(Sentence.from_words(words, upos=upos, heads=heads, labels=labels))
    ['B-NP', 'I-NP', 'I-NP', 'O']
    """
    tags = ["O"] * len(tree)
    for last in range(len(tree) - 1, -1, -1):
        if tree.upos[last] not in _HEADS or tags[last] != "O":
            continue
        first = last
        while (
            first > 0
            and tree.heads[first - 1] == last + 1
            and tree.labels[first - 1].split(":")[0] in _BEFORE
        ):
            first -= 1
        tags[first : last + 1] = ["B-NP", *["I-NP"] * (last - first)]
    return tags


def chunked(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences with words, tags and chunks; trees get their noun phrases as chunks."""
    return [
        in_columns(one, one.upos, noun_phrases(one), _LAYOUT) if one.layout.numbered else one
        for one in sentences
    ]


def read_chunks(folder: Path) -> Dataset:
    """Read ``train.txt`` and ``test.txt`` of a folder, with words, tags and chunks."""
    parts = []
    for name in ("train.txt", "test.txt"):
        if not (folder / name).exists():
            raise InputError(f"{folder / name}: missing; expected words, tags and chunks there")
        parts.append(tuple(read_sentences(folder / name, _LAYOUT)))
    train, test = parts
    train, dev = held_out(train)
    about = "chunks; every tenth training sentence is held out for development"
    return Dataset(folder.name, train, dev, test, about, "chunks")
