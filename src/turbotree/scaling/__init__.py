"""Many files, many workers: inputs cut into pieces, and the engines that work them off."""

from turbotree.scaling.engines import ENGINES, Engine, open_engine
from turbotree.scaling.parsing import CorpusReport, parse_corpus
from turbotree.scaling.pieces import Piece, cut

__all__ = [
    "ENGINES",
    "CorpusReport",
    "Engine",
    "Piece",
    "cut",
    "open_engine",
    "parse_corpus",
]
