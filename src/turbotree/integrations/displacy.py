"""Trees for displaCy, spaCy's drawing of dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from turbotree.errors import InputError
from turbotree.parsing import Parse
from turbotree.text import Sentence


def to_displacy(tree: Parse | Sentence) -> dict[str, Any]:
    """Return a tree as the data that ``displacy.render(data, style="dep", manual=True)`` draws.

    The arc from the root has no place in displaCy and is omitted.

    Examples
    --------
    >>> tree = Sentence.from_words(
    ...     ["Birds", "sing"], upos=["NOUN", "VERB"], heads=[2, 0], labels=["nsubj", "root"]
    ... )
    >>> to_displacy(tree)["words"]
    [{'text': 'Birds', 'tag': 'NOUN'}, {'text': 'sing', 'tag': 'VERB'}]
    >>> to_displacy(tree)["arcs"]
    [{'start': 0, 'end': 1, 'label': 'nsubj', 'dir': 'left'}]
    """
    sentence = tree.sentence if isinstance(tree, Parse) else tree
    heads: Sequence[int | None] = tree.heads
    words = [
        {"text": form, "tag": tag} for form, tag in zip(sentence.forms, sentence.upos, strict=True)
    ]
    arcs = []
    for modifier, (head, label) in enumerate(zip(heads, tree.labels, strict=True), 1):
        if head is None:
            raise InputError.at(*sentence.place(modifier), "head missing: there is no tree to draw")
        if head:
            first, last = sorted((head - 1, modifier - 1))
            # The arrow points at the modifier.
            side = "left" if modifier < head else "right"
            arcs.append({"start": first, "end": last, "label": label, "dir": side})
    return {"words": words, "arcs": arcs}
