"""Spans written as labels of words: IOB1, BIO, BIOES, BILOU; and which labels may follow others.

=========  ==========================================================================
scheme     a span of three words, one of two right after it, one of one word
=========  ==========================================================================
``iob1``   I-X I-X I-X, B-X I-X, B-X: ``B`` only where two spans of a type touch
``bio``    B-X I-X I-X, B-X I-X, B-X
``bioes``  B-X I-X E-X, B-X E-X, S-X
``bilou``  B-X I-X L-X, B-X L-X, U-X
=========  ==========================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.evaluation import Span, find_spans

SCHEMES = ("iob1", "bio", "bioes", "bilou")

# The letters for the first word of a span, those inside, the last one, and the only one.
_LETTERS = {
    "bio": ("B", "I", "I", "B"),
    "bioes": ("B", "I", "E", "S"),
    "bilou": ("B", "I", "L", "U"),
}
OUTSIDE = "O"


def spans_to_tags(spans: Iterable[Span], words: int, scheme: str) -> list[str]:
    """Write spans that do not overlap as labels.

    >>> spans_to_tags([Span(0, 2, "NP"), Span(2, 3, "NP")], 4, "bioes")
    ['B-NP', 'E-NP', 'S-NP', 'O']
    >>> spans_to_tags([Span(0, 2, "NP"), Span(2, 3, "NP")], 4, "iob1")
    ['I-NP', 'I-NP', 'B-NP', 'O']
    """
    tags = [OUTSIDE] * words
    before: Span | None = None
    for span in sorted(spans):
        if scheme == "iob1":
            touching = before is not None and (before.end, before.type) == (span.start, span.type)
            first = inside = last = "I"
            first = only = "B" if touching else "I"
        else:
            first, inside, last, only = _LETTERS[scheme]
        if span.end == span.start + 1:
            letters = only
        else:
            letters = first + inside * (span.end - span.start - 2) + last
        tags[span.start : span.end] = [f"{letter}-{span.type}" for letter in letters]
        before = span
    return tags


def letter_in(tag: str, scheme: str) -> str:
    """Write one label of BIO, BIOES or BILOU in another of these, its neighbours left aside.

    From BIOES every label has its counterpart; from BIO, ``B`` and ``I`` stay what they are.

    >>> letter_in("S-NP", "bio"), letter_in("E-NP", "bilou"), letter_in("B-NP", "bioes")
    ('B-NP', 'L-NP', 'B-NP')
    """
    if tag == OUTSIDE:
        return tag
    place = {"B": 0, "I": 1, "E": 2, "L": 2, "S": 3, "U": 3}[tag[0]]
    return _LETTERS[scheme][place] + tag[1:]


def convert(tags: Sequence[str], scheme: str) -> list[str]:
    """Write labels of any scheme in another one.

    >>> convert(["B-NP", "I-NP", "O", "B-VP"], "bioes")
    ['B-NP', 'E-NP', 'O', 'S-VP']
    """
    return spans_to_tags(find_spans(tags), len(tags), scheme)


def detect_scheme(sequences: Iterable[Sequence[str]]) -> str:
    """Return which scheme label sequences are written in.

    What fits both IOB1 and BIO counts as BIO, and so does what breaks the rules of both.

    >>> detect_scheme([["I-NP", "B-NP", "O"]]), detect_scheme([["B-NP", "I-NP", "O"]])
    ('iob1', 'bio')
    >>> detect_scheme([["S-NP", "O"]])
    'bioes'
    """
    letters: set[str] = set()
    needless = missing = False  # a B- that IOB1 would not write; an I- that BIO would not
    for tags in sequences:
        before = OUTSIDE
        for tag in tags:
            letter, type_ = tag[:1], tag[2:]
            letters.add(letter)
            continues = before != OUTSIDE and before[2:] == type_
            needless = needless or (letter == "B" and not continues)
            missing = missing or (letter == "I" and not continues)
            before = tag
    if letters & {"E", "S"}:
        return "bioes"
    if letters & {"L", "U"}:
        return "bilou"
    return "iob1" if missing and not needless else "bio"


def span_transitions(labels: Sequence[str], scheme: str) -> Transitions:
    """Return which labels of a scheme may follow one another.

    >>> transitions = span_transitions(["B-NP", "I-NP", "O"], "bio")
    >>> transitions.allowed[2].tolist(), transitions.starts.tolist()
    ([True, False, True], [True, False, True])
    """
    if scheme not in ("bio", "bioes"):
        raise InputError(f"scheme {scheme!r}: a model works with bio or bioes")
    rows = [(label[:1], label[2:]) for label in labels]

    def follows(before: tuple[str, str], after: tuple[str, str]) -> bool:
        begins = after[0] in "OBS"
        if scheme == "bio":
            return begins or (before[0] != OUTSIDE and before[1] == after[1])
        open_before = before[0] in "BI"
        return not begins and before[1] == after[1] if open_before else begins

    allowed = np.array([[follows(a, b) for b in rows] for a in rows])
    starts = [letter in "OBS" for letter, _ in rows]
    ends = [scheme == "bio" or letter in "OES" for letter, _ in rows]
    return Transitions(allowed, starts, ends)
