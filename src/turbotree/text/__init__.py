"""Sentences, and the files that hold them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from turbotree.text.checking import check_partial_tree, check_tree, find_cycle
from turbotree.text.layouts import CONLLU, CONLLX, Layout, column_layout, renamed
from turbotree.text.reading import OnError, read_columns, read_conllu, read_conllx, read_layout
from turbotree.text.sentence import Sentence, as_sentence, check_many
from turbotree.text.sniffing import layout_of, read_sentences, sniff
from turbotree.text.sources import Source
from turbotree.text.token import Token
from turbotree.text.writing import Target, converted, write_conllu, write_conllx, write_sentences

if TYPE_CHECKING:
    from turbotree.text.drawing import draw_svg, draw_text
    from turbotree.text.grammar import treebank

__all__ = [
    "CONLLU",
    "CONLLX",
    "Layout",
    "OnError",
    "Sentence",
    "Source",
    "Target",
    "Token",
    "as_sentence",
    "check_many",
    "check_partial_tree",
    "check_tree",
    "column_layout",
    "converted",
    "draw_svg",
    "draw_text",
    "find_cycle",
    "layout_of",
    "read_columns",
    "read_conllu",
    "read_conllx",
    "read_layout",
    "read_sentences",
    "renamed",
    "sniff",
    "treebank",
    "write_conllu",
    "write_conllx",
    "write_sentences",
]

# What a parser on duty does not need is loaded when first asked for.
_LATE = {
    "draw_svg": "turbotree.text.drawing",
    "draw_text": "turbotree.text.drawing",
    "treebank": "turbotree.text.grammar",
}


def __getattr__(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
