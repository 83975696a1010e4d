"""Sentences, and the files that hold them."""

from __future__ import annotations

from turbotree.text.layouts import CONLLU, CONLLX, Layout, column_layout
from turbotree.text.reading import OnError, read_columns, read_conllu, read_conllx, read_layout
from turbotree.text.sentence import Sentence, Token
from turbotree.text.sources import Source
from turbotree.text.writing import Target, write_conllu, write_conllx, write_sentences

__all__ = [
    "CONLLU",
    "CONLLX",
    "Layout",
    "OnError",
    "Sentence",
    "Source",
    "Target",
    "Token",
    "column_layout",
    "read_columns",
    "read_conllu",
    "read_conllx",
    "read_layout",
    "write_conllu",
    "write_conllx",
    "write_sentences",
]
