"""What to annotate next: the sentences, or the words, that a parser is least sure of."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from turbotree.naming import unknown
from turbotree.parsing.parse import Parse
from turbotree.parsing.parser import Parser
from turbotree.text import Sentence

#: How sentences are compared: by the entropy of their trees divided by the words, or as it is; or
#: by the share of the words whose head or relation is expected to be wrong.
MEASURES = ("mean", "total", "errors")
#: Heads at least this likely are listed.
LIKELY = 0.01


@dataclass(frozen=True, slots=True)
class OpenSentence:
    """A sentence to annotate.

    Attributes
    ----------
    entropy
        That of its trees, in nats; a word's share of it, or of the wrong arcs to expect, if that
        was asked for.
    place
        Which of the sentences it was, from 0.
    sentence
        The sentence with the tree that the parser gives it.
    head_entropies
        How open the head of each of its words is.
    """

    entropy: float
    place: int
    sentence: Sentence
    head_entropies: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class OpenWord:
    """A word to annotate.

    Attributes
    ----------
    entropy
        That of its head, in nats.
    place
        Which of the sentences it is in, from 0.
    word
        Its number in the sentence, from 1.
    sentence
        The sentence with the tree that the parser gives it.
    heads
        The heads that the word might have with their probabilities, the likeliest first.
    """

    entropy: float
    place: int
    word: int
    sentence: Sentence
    heads: dict[int, float]


_Open = TypeVar("_Open", OpenSentence, OpenWord)


def suggest_sentences(
    parser: Parser,
    sentences: Iterable[Sentence],
    count: int | None = None,
    *,
    measure: str = MEASURES[0],
    threads: int = 1,
) -> list[OpenSentence]:
    """Return the sentences whose trees are most open, the most open first.

    Parameters
    ----------
    parser
        Any parser; its probabilities should be calibrated, so train it with development data.
    sentences
        The sentences to choose from; their heads are not looked at.
    count
        How many to return; all without it.
    measure
        ``"mean"``: entropy by the word. ``"total"``: of the whole tree, which favours long ones.
        ``"errors"``: share of the words whose head or relation is expected to be wrong.
    threads
        As for :meth:`Parser.pipe`.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=2)
    >>> found = suggest_sentences(parser, treebank(20, seed=2), 3)
    >>> len(found), found[0].entropy >= found[1].entropy
    (3, True)
    """
    if measure not in MEASURES:
        raise unknown("measure", measure, MEASURES)

    def rated() -> Iterator[OpenSentence]:
        for place, parse in enumerate(parser.pipe(sentences, threads=threads)):
            value = sentence_value(parse, measure)
            yield OpenSentence(value, place, parse.to_sentence(), parse.head_entropies)

    return _largest(rated(), count)


def sentence_value(parse: Parse, measure: str = MEASURES[0]) -> float:
    """Return how open a sentence is by one of the `MEASURES`; see :func:`suggest_sentences`.

    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=2)
    >>> parse = parser.parse(next(treebank(1, seed=2)))
    >>> 0 <= sentence_value(parse, "errors") <= 1
    True
    """
    if measure == "errors":
        chances = zip(parse.head_probabilities, parse.label_probabilities, strict=True)
        return 1.0 - sum(head * label for head, label in chances) / len(parse.heads)
    return parse.entropy / (len(parse.heads) if measure == "mean" else 1)


def suggest_words(
    parser: Parser, sentences: Iterable[Sentence], count: int | None = None, *, threads: int = 1
) -> list[OpenWord]:
    """Return the words whose heads are most open, the most open first.

    The parameters are those of :func:`suggest_sentences`. Annotate only these, leave ``_`` in the
    HEAD column of all others, and train on that.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=2)
    >>> found = suggest_words(parser, treebank(20, seed=2), 5)
    >>> len(found), found[0].entropy >= found[1].entropy
    (5, True)
    """

    def rated() -> Iterator[OpenWord]:
        for place, parse in enumerate(parser.pipe(sentences, threads=threads)):
            sentence = parse.to_sentence()
            for word, entropy in enumerate(parse.head_entropies, 1):
                chances = parse.arc_probabilities[:, word]
                likely = [h for h in np.argsort(-chances).tolist() if chances[h] >= LIKELY]
                heads = {head: float(chances[head]) for head in likely}
                yield OpenWord(entropy, place, word, sentence, heads)

    return _largest(rated(), count)


def _largest(found: Iterator[_Open], count: int | None) -> list[_Open]:
    """Sort by entropy; ties stay in the order they came in. Only `count` are held in memory."""
    if count is None:
        return sorted(found, key=lambda one: -one.entropy)
    return heapq.nsmallest(count, found, key=lambda one: -one.entropy)
