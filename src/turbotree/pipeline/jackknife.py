"""Predictions for training data, each by a model that has not seen the sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from turbotree.errors import InputError
from turbotree.quantities import check_least
from turbotree.text import Sentence

#: Annotates sentences.
Annotator = Callable[[Sequence[Sentence]], Iterable[Sentence]]

# Neighbouring sentences tell of the same things. Where no document is marked, so many make one.
_DOCUMENT = 20


def documents(sentences: Sequence[Sentence]) -> list[range]:
    """Return where the documents are: from one ``# newdoc`` to the next.

    >>> one, two = (Sentence.from_words(["Go"], comments=[f"newdoc id = {i}"]) for i in "ab")
    >>> documents([one, Sentence.from_words(["Stop"]), two])
    [range(0, 2), range(2, 3)]
    """
    starts = [
        i
        for i, sentence in enumerate(sentences)
        if any(comment.split(" ", 1)[0] == "newdoc" for comment in sentence.comments)
    ]
    if len(starts) < 2:
        starts = list(range(0, len(sentences), _DOCUMENT))
    if sentences and starts[0] != 0:
        starts.insert(0, 0)
    return [range(a, b) for a, b in zip(starts, [*starts[1:], len(sentences)], strict=True)]


def fold_numbers(sentences: Sequence[Sentence], folds: int) -> list[int]:
    """Return each sentence's fold: whole documents, about as many words in each.

    >>> sentences = [Sentence.from_words(["Go"])] * 60
    >>> numbers = fold_numbers(sentences, 3)
    >>> numbers[::20]
    [0, 1, 2]
    """
    check_least("folds", folds, 2)
    parts = documents(sentences)
    if len(parts) < folds:
        parts = [range(i, i + 1) for i in range(len(sentences))]
    if len(parts) < folds:
        count = "1 sentence" if len(sentences) == 1 else f"{len(sentences)} sentences"
        raise InputError(f"{count} cannot be split into {folds} folds")
    sizes = [0] * folds
    numbers = [0] * len(sentences)
    for part in parts:
        fold = sizes.index(min(sizes))
        sizes[fold] += sum(len(sentences[i]) for i in part)
        for i in part:
            numbers[i] = fold
    return numbers


def jackknife(
    sentences: Sequence[Sentence],
    train: Callable[[list[Sentence], int], Annotator],
    *,
    folds: int = 5,
) -> list[Sentence]:
    """Annotate sentences with models that have not seen them (jack-knifing).

    A parser that is to work with predicted tags learns from predicted tags; those of a tagger on
    its own training data would be too good to be true.

    Parameters
    ----------
    sentences
        Annotated sentences, the training data.
    train
        Trains on some of them; gives what annotates others. The second argument is the number of
        the fold, from 0.
    folds
        Into how many parts to split.

    Examples
    --------
    >>> sentences = [Sentence.from_words([str(i)]) for i in range(4)]
    >>> def train(others, fold):
    ...     tag = "+".join(sentence.forms[0] for sentence in others)
    ...     return lambda some: [sentence.replace(upos=[tag]) for sentence in some]
    >>> [sentence.upos[0] for sentence in jackknife(sentences, train, folds=2)]
    ['1+3', '0+2', '1+3', '0+2']
    """
    numbers = fold_numbers(sentences, folds)
    annotated: list[Sentence] = list(sentences)
    for fold in range(folds):
        inside = [i for i, number in enumerate(numbers) if number == fold]
        annotate = train(
            [s for s, number in zip(sentences, numbers, strict=True) if number != fold], fold
        )
        found = annotate([sentences[i] for i in inside])
        for i, sentence in zip(inside, found, strict=True):
            annotated[i] = sentence
    return annotated
