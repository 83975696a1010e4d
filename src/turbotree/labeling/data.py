"""Labelled sentences made ready for training."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.features import Encoded, Encoder
from turbotree.labeling.schemes import OUTSIDE
from turbotree.text import Layout, Sentence, read_sentences, renamed, sniff

TrainingSource = str | os.PathLike[str] | Iterable[Sentence]

_TAG_COLUMNS = ("upos", "xpos", "feats")


def read_labelled(
    source: TrainingSource,
    what: str,
    columns: Sequence[str] | None = None,
    encoding: str | None = None,
) -> list[Sentence]:
    """Read sentences; `what` names those that have no file."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        layout = sniff(source)
        layout = renamed(layout, columns) if columns is not None else layout
        sentences = list(read_sentences(source, layout, encoding=encoding))
    else:
        name = what
        sentences = list(source)
    if not sentences:
        raise InputError(f"{name}: no sentences")
    for sentence in sentences:
        if not isinstance(sentence, Sentence):
            raise InputError(f"{what}: expected sentences, got {type(sentence).__name__}")
    return sentences


def choose_columns(
    sentences: Sequence[Sentence], task: str, given: Sequence[str] | None
) -> list[str]:
    """Return the columns to learn, the main one first.

    >>> tagged = Sentence.from_words(["Go"], upos=["VERB"], feats=["Mood=Imp"])
    >>> choose_columns([tagged], "tag", None)
    ['upos', 'feats']
    """
    layout = sentences[0].layout
    for sentence in sentences:
        if sentence.layout.columns != layout.columns:
            raise InputError.at(
                sentence.path,
                sentence.line,
                f"columns {', '.join(sentence.layout.columns)}; "
                f"the first sentence has {', '.join(layout.columns)}",
            )
    if given is not None:
        names = [resolve_column(layout, name) for name in given]
        if len(names) > 1 and (task != "tag" or names[0] != "upos"):
            raise InputError(
                f"label is {', '.join(names)}; several columns are for task tag, upos the first"
            )
        for name in names:
            if not _is_filled(sentences, name):
                raise InputError(
                    f"{sentences[0].path}: the column {name} is empty, nothing to learn"
                )
        return names
    if not layout.numbered:
        if len(layout.columns) < 2:
            raise InputError(f"{sentences[0].path}: only one column, expected words and labels")
        return [layout.columns[-1]]
    if task != "tag":
        raise InputError(
            f"{sentences[0].path}: {layout.name} has no column of chunks or entities by custom; "
            "name the column to learn (label, --label)"
        )
    filled = [name for name in _TAG_COLUMNS if _is_filled(sentences, name)]
    if not filled or filled[0] != "upos":
        raise InputError(f"{sentences[0].path}: the column upos is empty, nothing to learn")
    return filled


def _is_filled(sentences: Sequence[Sentence], name: str) -> bool:
    return any(set(sentence.column(name)) != {"_"} for sentence in sentences)


def resolve_column(layout: Layout, name: str) -> str:
    """Return the name of a column that is given by name or number, from 1.

    >>> from turbotree.text import column_layout
    >>> resolve_column(column_layout(), "3"), resolve_column(column_layout(), "xpos")
    ('chunk', 'xpos')
    """
    if name not in layout.columns and name.isdecimal() and 1 <= int(name) <= len(layout.columns):
        return layout.columns[int(name) - 1]
    return layout.columns[layout.index(name)]


def are_spans(sequences: Iterable[Sequence[str]]) -> bool:
    """Return whether all labels are those of spans: O, B-X, I-X, ...

    >>> are_spans([["B-NP", "O"]]), are_spans([["NN", "O"]]), are_spans([["O"]])
    (True, False, True)
    """
    labels = {label for labels in sequences for label in labels}
    return all(
        label == OUTSIDE or (label[:1] in "BIESLU" and label[1:2] == "-") for label in labels
    )


@dataclass(frozen=True)
class Labelled:
    """Sentences as integers, each a batch of one, and their gold labels."""

    encoded: list[Encoded]
    labels: list[IntArray]

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        labels: Iterable[Sequence[str]],
        names: Sequence[str],
        encoder: Encoder,
    ) -> Labelled:
        """Encode sentences; `names` are the labels that training knows, all others are -1."""
        numbers = {name: i for i, name in enumerate(names)}
        return cls(
            [encoder.encode([sentence]) for sentence in sentences],
            [np.array([numbers.get(x, -1) for x in row], dtype=np.int32) for row in labels],
        )
