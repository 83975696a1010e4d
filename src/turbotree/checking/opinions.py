"""What models that have not seen a sentence think of its annotation.

A parser says how likely each word's annotated head is, and how likely its label given the annotated
tree; a tagger how likely its tags are. Beside each stands the likeliest other value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray, IntArray, LongArray
from turbotree.checking.findings import TAG_COLUMNS
from turbotree.errors import InputError
from turbotree.labeling import Tagger, Tagging
from turbotree.parsing import Parse, Parser
from turbotree.scoring import Batch
from turbotree.streaming import in_batches
from turbotree.text import Sentence

#: Texts, one per word.
TextArray = npt.NDArray[np.str_]
_Key = TypeVar("_Key", int, str)

#: Nothing is less likely than this: what a model excludes may still be right.
LEAST = 1e-6
_BATCH_SIZE = 64


@dataclass(frozen=True)
class Column:
    """What models think of one column, word by word.

    Attributes
    ----------
    chances
        The probability of the annotated value; 1 where nothing is annotated.
    others, other_chances
        The likeliest other value, and its probability.
    """

    chances: FloatArray
    others: npt.NDArray[Any]
    other_chances: FloatArray


@dataclass(frozen=True)
class Opinions:
    """What models think of some sentences, the words of all in one row.

    Attributes
    ----------
    columns
        By the column's name: ``"head"`` (whose other values are numbers), ``"label"`` and the tags
        that the treebank has.
    heads, labels
        The trees that the parser finds best.
    entropies
        How open the head of each word is, in nats.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> sentences = list(treebank(5, seed=2))
    >>> opinions = Opinions.of(sentences, parser)
    >>> list(opinions.columns), len(opinions) == sum(map(len, sentences))
    (['head', 'label'], True)
    """

    columns: dict[str, Column]
    heads: IntArray
    labels: TextArray
    entropies: FloatArray

    def __len__(self) -> int:
        return len(self.heads)

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence], parser: Parser, tagger: Tagger | None = None
    ) -> Opinions:
        """Ask models for their opinion of sentences whose heads are trees, perhaps partial."""
        pieces = [_ask(batch, parser, tagger) for batch in in_batches(sentences, _BATCH_SIZE)]
        return cls.joined(pieces)

    @classmethod
    def joined(cls, pieces: Sequence[Opinions]) -> Opinions:
        """Put opinions of one set of sentences after another."""
        if not pieces:
            raise InputError("no sentences to have an opinion of")
        names = pieces[0].columns
        columns = {
            name: Column(
                *(
                    np.concatenate([getattr(piece.columns[name], field) for piece in pieces])
                    for field in ("chances", "others", "other_chances")
                )
            )
            for name in names
        }
        return cls(
            columns,
            np.concatenate([piece.heads for piece in pieces]),
            np.concatenate([piece.labels for piece in pieces]),
            np.concatenate([piece.entropies for piece in pieces]),
        )

    def chosen(self, words: LongArray) -> Opinions:
        """Return the opinions of some words, in that order."""
        columns = {
            name: Column(own.chances[words], own.others[words], own.other_chances[words])
            for name, own in self.columns.items()
        }
        return Opinions(columns, self.heads[words], self.labels[words], self.entropies[words])

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return arrays that a file can hold."""
        arrays = {"heads": self.heads, "labels": self.labels, "entropies": self.entropies}
        found: dict[str, npt.NDArray[Any]] = dict(arrays)
        for name, own in self.columns.items():
            found |= {
                f"{name}.chances": own.chances,
                f"{name}.others": own.others,
                f"{name}.other_chances": own.other_chances,
            }
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> Opinions:
        """Undo :meth:`to_arrays`."""
        names = [name.partition(".")[0] for name in arrays if name.endswith(".chances")]
        columns = {
            name: Column(
                arrays[f"{name}.chances"], arrays[f"{name}.others"], arrays[f"{name}.other_chances"]
            )
            for name in names
        }
        return cls(columns, arrays["heads"], arrays["labels"], arrays["entropies"])


def _ask(sentences: Sequence[Sentence], parser: Parser, tagger: Tagger | None) -> Opinions:
    parses = parser.parse_batch(sentences)
    columns = {"head": _heads(parses), "label": _labels(parses, parser)}
    if tagger is not None:
        taggings = tagger.tag_batch(sentences)
        for name in TAG_COLUMNS:
            if any(stage.column == name for stage in tagger.stages):
                columns[name] = _tags(taggings, name)
    return Opinions(
        columns,
        np.array([head for parse in parses for head in parse.heads], dtype=np.int32),
        np.array([label for parse in parses for label in parse.labels], dtype=np.str_),
        np.array([value for parse in parses for value in parse.head_entropies]),
    )


def _heads(parses: Iterable[Parse]) -> Column:
    rows = []
    for parse in parses:
        matrix = parse.arc_probabilities
        for word, head in enumerate(parse.sentence.heads, 1):
            # The tree's head comes first where several are as likely.
            likely = {parse.heads[word - 1]: float(matrix[parse.heads[word - 1], word])}
            for other in np.argsort(-matrix[:, word], kind="stable")[:2].tolist():
                likely.setdefault(other, float(matrix[other, word]))
            if head is not None:
                likely.setdefault(head, float(matrix[head, word]))
            likely.pop(word, None)
            rows.append(_opinion(likely, head, -1))
    return _column(rows, np.int32)


def _labels(parses: Sequence[Parse], parser: Parser) -> Column:
    heads = [
        found if given is None else given
        for parse in parses
        for given, found in zip(parse.sentence.heads, parse.heads, strict=True)
    ]
    batch = Batch([parse.sentence for parse in parses])
    scores = parser.labels.label(batch, np.array(heads, dtype=np.int32))
    names = parser.labels.dictionary.names
    distributions = scores.distributions(parser.label_temperature)
    annotated = [label for parse in parses for label in parse.sentence.labels]
    rows = []
    for distribution, label in zip(distributions, annotated, strict=True):
        likely = {names[number]: chance for number, chance in distribution.items()}
        rows.append(_opinion(likely, None if label == "_" else label, ""))
    return _column(rows, np.str_)


def _tags(taggings: Iterable[Tagging], column: str) -> Column:
    rows = []
    for tagging in taggings:
        annotated = tagging.sentence.column(column)
        distributions = tagging.distributions[column]
        for distribution, value in zip(distributions, annotated, strict=True):
            rows.append(_opinion(distribution, value, ""))
    return _column(rows, np.str_)


def _opinion(
    likely: Mapping[_Key, float], annotated: _Key | None, none: _Key
) -> tuple[float, _Key, float]:
    """Return the probability of a value, the likeliest other value, and its probability."""
    others = [value for value in likely if value != annotated]
    other = max(others, key=likely.__getitem__) if others else none
    chance = 1.0 if annotated is None else likely.get(annotated, 0.0)
    return chance, other, likely.get(other, 0.0)


def _column(rows: Sequence[tuple[float, Any, float]], kind: npt.DTypeLike) -> Column:
    chances, others, other_chances = zip(*rows, strict=True)
    return Column(
        np.clip(np.array(chances), LEAST, 1.0),
        np.array(others, dtype=kind),
        np.clip(np.array(other_chances), LEAST, 1.0),
    )
