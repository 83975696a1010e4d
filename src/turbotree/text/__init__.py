"""Sentences, and the files that hold them."""

from __future__ import annotations

from turbotree.text.checking import check_tree, find_cycle
from turbotree.text.conversion import converted
from turbotree.text.grammar import treebank
from turbotree.text.layouts import CONLLU, CONLLX, Layout, column_layout
from turbotree.text.reading import OnError, read_columns, read_conllu, read_conllx, read_layout
from turbotree.text.sentence import Sentence
from turbotree.text.sniffing import layout_of, read_sentences, sniff
from turbotree.text.sources import Source
from turbotree.text.token import Token
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
    "check_tree",
    "column_layout",
    "converted",
    "find_cycle",
    "layout_of",
    "read_columns",
    "read_conllu",
    "read_conllx",
    "read_layout",
    "read_sentences",
    "sniff",
    "treebank",
    "write_conllu",
    "write_conllx",
    "write_sentences",
]
