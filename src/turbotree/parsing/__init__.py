"""Parsing: candidate arcs, trees, labels; training, saving and loading of parsers."""

from turbotree.parsing.arcs import PruningOptions, TreeShape
from turbotree.parsing.options import TrainingOptions
from turbotree.parsing.parse import Parse
from turbotree.parsing.parser import DECODERS, Parser
from turbotree.parsing.selecting import select_parser
from turbotree.parsing.training import train_parser

__all__ = [
    "DECODERS",
    "Parse",
    "Parser",
    "PruningOptions",
    "TrainingOptions",
    "TreeShape",
    "select_parser",
    "train_parser",
]
