"""What a tree must be before anybody learns from it."""

from __future__ import annotations

from collections.abc import Sequence

from turbotree.errors import InputError
from turbotree.text.sentence import Sentence


def check_tree(sentence: Sentence) -> tuple[int, ...]:
    """Check that the HEAD column is a tree and return its heads.

    Every word has a head in the sentence or is a root, no word is above itself, and there is a
    root; there may be several.

    Parameters
    ----------
    sentence : Sentence
        A sentence with given heads.

    Returns
    -------
    tuple of int
        The head of each word.

    Raises
    ------
    InputError
        Names the file, the line and the reason.

    Examples
    --------
    >>> check_tree(Sentence.from_words(["Birds", "sing"], heads=[2, 0]))
    (2, 0)
    >>> check_tree(Sentence.from_words(["Birds", "sing"], heads=[2, 7]))
    Traceback (most recent call last):
    turbotree.errors.InputError: <text>:2: head 7 is outside the sentence (2 words)
    """
    heads = check_partial_tree(sentence)
    for word, head in enumerate(heads, 1):
        if head is None:
            raise InputError.at(*sentence.place(word), "head missing")
    return tuple(head for head in heads if head is not None)


def check_partial_tree(sentence: Sentence) -> tuple[int | None, ...]:
    """Check that a tree can hold the heads that are given, and return them; None is for ``_``.

    Examples
    --------
    >>> check_partial_tree(Sentence.from_words(["Birds", "sing"], heads=[None, 0]))
    (None, 0)
    >>> check_partial_tree(Sentence.from_words(["Birds", "sing", "!"], heads=[2, 1, None]))
    Traceback (most recent call last):
    turbotree.errors.InputError: <text>:1: cycle of heads: 1 (Birds) -> 2 (sing) -> 1 (Birds)
    """
    count = len(sentence)
    for word, head in enumerate(sentence.heads, 1):
        if head is None:
            continue
        if head > count:
            words = "1 word" if count == 1 else f"{count} words"
            reason = f"head {head} is outside the sentence ({words})"
            raise InputError.at(*sentence.place(word), reason)
        if head == word:
            raise InputError.at(*sentence.place(word), f"word {word} is its own head")
    heads = sentence.heads
    cycle = find_cycle([head or 0 for head in heads])
    if cycle:
        forms = sentence.forms
        way = " -> ".join(f"{word} ({forms[word - 1]})" for word in [*cycle, cycle[0]])
        reason = (
            f"cycle of heads: {way}"
            if 0 in heads or None in heads
            else f"no root, the heads run in a cycle: {way}"
        )
        raise InputError.at(*sentence.place(cycle[0]), reason)
    return heads


def find_cycle(heads: Sequence[int]) -> list[int]:
    """Return the words of a cycle, each followed by its head, from its first word; or nothing.

    >>> find_cycle([2, 0, 4, 5, 3])
    [3, 4, 5]
    """
    reached = [0] * (len(heads) + 1)  # by the walk up from which word
    for start in range(1, len(heads) + 1):
        word = start
        while word and not reached[word]:
            reached[word] = start
            word = heads[word - 1]
        if word and reached[word] == start:
            cycle = [word]
            while (above := heads[cycle[-1] - 1]) != word:
                cycle.append(above)
            first = cycle.index(min(cycle))
            return cycle[first:] + cycle[:first]
    return []
