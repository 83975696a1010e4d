"""Walking through gold and predicted sentences together, making sure that they are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Protocol

from turbotree.errors import InputError

__all__ = ["TreeLike", "aligned", "aligned_tags"]


class TreeLike(Protocol):
    """What evaluation looks at in a sentence: :class:`turbotree.text.Sentence` has it all."""

    @property
    def forms(self) -> Sequence[str]:
        """The words."""

    @property
    def upos(self) -> Sequence[str]:
        """Their universal tags."""

    @property
    def heads(self) -> Sequence[int | None]:
        """Their heads; 0 is the root, None is no head."""

    @property
    def labels(self) -> Sequence[str]:
        """Their relations."""


def aligned(
    gold: Iterable[TreeLike], predicted: Iterable[TreeLike]
) -> Iterator[tuple[TreeLike, TreeLike]]:
    """Yield pairs of sentences with the same words, or raise InputError where they differ.

    >>> from types import SimpleNamespace as Some
    >>> one, two = Some(forms=["a", "b"], heads=[0, 1]), Some(forms=["a", "c"], heads=[0, 1])
    >>> list(aligned([one], [two]))
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: sentence 1: word 2 is 'c', in the gold sentence 'b'; raw_scores
        (eval --raw) compares different tokens of the same text
    """
    hint = "raw_scores (eval --raw) compares different tokens of the same text"
    gold, predicted = iter(gold), iter(predicted)
    number = 0
    for number, (one, other) in enumerate(zip_longest(gold, predicted), start=1):
        if one is None or other is None:
            common = number - 1
            rest = 1 + sum(1 for _ in (gold if other is None else predicted))
            counts = (common + rest, common) if other is None else (common, common + rest)
            found = f"{counts[1]} sentences were predicted, the gold file has {counts[0]}"
            raise InputError(f"{found}; {hint}")
        if tuple(one.forms) != tuple(other.forms):
            found = f"{_place(other)}sentence {number}: {_difference(one, other)}"
            raise InputError(f"{found}; {hint}")
        for word, head in enumerate(one.heads, start=1):
            if head is None:
                raise InputError(f"{_place(one)}sentence {number}: word {word} has no gold head")
        yield one, other


def aligned_tags(
    gold: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]]
) -> Iterator[tuple[int, Sequence[str], Sequence[str]]]:
    """Yield the number of each sentence, from 1, with its gold and its predicted tags.

    >>> list(aligned_tags([["NOUN", "VERB"]], [["NOUN"]]))
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: sentence 1: 1 tags were predicted, expected 2
    """
    for number, (one, other) in enumerate(zip_longest(gold, predicted), start=1):
        if one is None or other is None:
            shorter = "gold" if one is None else "predicted"
            raise InputError(f"sentence {number}: the {shorter} tags end before it")
        if len(one) != len(other):
            raise InputError(
                f"sentence {number}: {len(other)} tags were predicted, expected {len(one)}"
            )
        yield number, one, other


def _difference(gold: TreeLike, predicted: TreeLike) -> str:
    for word, (one, other) in enumerate(zip(gold.forms, predicted.forms, strict=False), start=1):
        if one != other:
            return f"word {word} is {other!r}, in the gold sentence {one!r}"
    return f"{len(predicted.forms)} words, the gold sentence has {len(gold.forms)}"


def _place(sentence: TreeLike) -> str:
    """Give ``file:line: `` for sentences that know where they came from."""
    path, line = getattr(sentence, "path", None), getattr(sentence, "line", None)
    return f"{path}:{line}: " if path is not None and line is not None else ""
