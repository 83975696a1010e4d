"""Trees as rows of columns, and training data without a development part."""

from __future__ import annotations

from collections.abc import Sequence

from turbotree.experiments.data.treebanks import HELD_OUT
from turbotree.text import Layout, Sentence


def in_columns(
    tree: Sentence, tags: Sequence[str], labels: Sequence[str], layout: Layout
) -> Sentence:
    """Return the words of a tree with tags and labels, as a sentence of a column file.

    >>> from turbotree.text import column_layout
    >>> layout = column_layout(("form", "xpos", "chunk"), " ")
    >>> birds = Sentence.from_words(["Birds", "sing"])
    >>> in_columns(birds, ["NOUN", "VERB"], ["B-NP", "O"], layout).to_text()
    'Birds NOUN B-NP\\nsing VERB O\\n\\n'
    """
    # Column files are split at spaces, which some treebanks have inside of words.
    forms = (form.replace(" ", "_") for form in tree.forms)
    rows = zip(forms, tags, labels, strict=True)
    lines = "".join(f"{form} {tag} {label}\n" for form, tag, label in rows)
    return Sentence(f"{lines}\n", layout)


def held_out(train: Sequence[Sentence]) -> tuple[tuple[Sentence, ...], tuple[Sentence, ...]]:
    """Part every tenth sentence from training data that come without a development part.

    >>> rest, dev = held_out([Sentence.from_words([str(i)]) for i in range(20)])
    >>> len(rest), [sentence.forms for sentence in dev]
    (18, [('0',), ('10',)])
    """
    rest = tuple(one for number, one in enumerate(train) if number % HELD_OUT)
    return rest, tuple(train[::HELD_OUT])
