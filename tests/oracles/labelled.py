"""A small language of chunks: sentences to learn from, made from a seed."""

from __future__ import annotations

import random

from turbotree.text import Sentence, column_layout

LAYOUT = column_layout(("form", "xpos", "chunk"))


def chunked(count: int, seed: int) -> list[Sentence]:
    """Make sentences: DT? JJ* NN is an NP, RB? VB a VP, IN a PP; two NPs may touch."""
    choice = random.Random(seed)
    sentences = []
    for _ in range(count):
        chunks: list[tuple[str, list[tuple[str, str]]]] = []
        for _ in range(choice.randint(1, 3)):
            noun = [("the", "DT")] * choice.randint(0, 1)
            noun += [(choice.choice(["old", "red"]), "JJ") for _ in range(choice.randint(0, 2))]
            chunks.append(("NP", [*noun, (choice.choice(["dog", "cat", "Rome"]), "NN")]))
            verb = [("never", "RB")] * choice.randint(0, 1)
            chunks.append(("VP", [*verb, (choice.choice(["sees", "is"]), "VB")]))
            if choice.random() < 0.5:
                chunks.append(("PP", [("in", "IN")]))
            if choice.random() < 0.3:
                chunks += [("NP", [("cats", "NN")]), ("NP", [("the", "DT"), ("dog", "NN")])]
        rows = [
            f"{form} {tag} {'I' if place else 'B'}-{kind}"
            for kind, words in chunks
            for place, (form, tag) in enumerate(words)
        ]
        sentences.append(Sentence("\n".join([*rows, ". . O", "", ""]), LAYOUT))
    return sentences
