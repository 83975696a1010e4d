"""Many files, many workers: inputs cut into pieces or shards, and who works them off."""

from turbotree.learning.parameter_mixing import Mixing
from turbotree.scaling.crews import Crew, open_crew
from turbotree.scaling.engines import ENGINES, Engine, open_engine
from turbotree.scaling.parsing import CorpusReport, parse_corpus
from turbotree.scaling.pieces import Piece, cut
from turbotree.scaling.shards import Shard, deal
from turbotree.scaling.training import train_in_shards

__all__ = [
    "ENGINES",
    "CorpusReport",
    "Crew",
    "Engine",
    "Mixing",
    "Piece",
    "Shard",
    "cut",
    "deal",
    "open_crew",
    "open_engine",
    "parse_corpus",
    "train_in_shards",
]
