"""Parsing: candidate arcs, trees, labels; training, saving and loading of parsers."""

from turbotree.parsing.arcs import PruningOptions, TreeShape
from turbotree.parsing.arrays import Decoded, decode
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.decoding.decode import DECODERS
from turbotree.parsing.parse import Parse
from turbotree.parsing.parser import Parser
from turbotree.parsing.rules import ParserRules, compile_rules, learn_rule_weights, shipped_rules
from turbotree.parsing.training.options import TrainingOptions
from turbotree.parsing.training.selecting import select_parser
from turbotree.parsing.training.trainer import train_parser

__all__ = [
    "DECODERS",
    "Constraints",
    "Decoded",
    "Parse",
    "Parser",
    "ParserRules",
    "PruningOptions",
    "TrainingOptions",
    "TreeShape",
    "compile_rules",
    "decode",
    "learn_rule_weights",
    "select_parser",
    "shipped_rules",
    "train_parser",
]
