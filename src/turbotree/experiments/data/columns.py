"""Trees as rows of columns."""

from __future__ import annotations

from collections.abc import Sequence

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
