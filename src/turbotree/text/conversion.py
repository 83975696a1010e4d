"""From one layout to another."""

from __future__ import annotations

from turbotree.text.layouts import STANDARD_COLUMNS, Layout
from turbotree.text.sentence import Sentence
from turbotree.text.values import check_values


def converted(sentence: Sentence, layout: Layout) -> Sentence:
    """Give the sentence in another layout; columns it lacks become ``_``.

    Multiword tokens and empty nodes are lost on the way, and comments if the layout has none.
    A value that cannot stand in the new layout (a form with a space in a file split by spaces)
    is an InputError.

    Parameters
    ----------
    sentence : Sentence
        A sentence of any layout.
    layout : Layout
        The layout wanted; if the sentence has it, the sentence itself is returned.

    Examples
    --------
    >>> from turbotree.text import column_layout
    >>> tagged = Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"])
    >>> converted(tagged, column_layout(["form", "upos"])).to_text()
    'Go VERB\\n! PUNCT\\n\\n'
    """
    if layout == sentence.layout:
        return sentence
    known = (*sentence.layout.columns, *STANDARD_COLUMNS)
    absent = ("_",) * len(sentence)
    columns = [sentence.column(name) if name in known else absent for name in layout.columns]
    if layout.numbered:
        columns[0] = tuple(str(number) for number in range(1, len(sentence) + 1))
    for name, column in zip(layout.columns, columns, strict=True):
        check_values(column, name, layout)
    rows = map((layout.separator or " ").join, zip(*columns, strict=True))
    text = "\n".join([*rows, "", ""])
    result = Sentence(text, layout, path=sentence.path, line=sentence.line)
    return result.with_comments(sentence.comments) if layout.numbered else result
