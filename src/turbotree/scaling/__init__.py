"""Many files, many workers: inputs cut into pieces or shards, and who processes them."""

from turbotree.learning.parameter_mixing import Mixing
from turbotree.scaling.engines import ENGINES, Engine, open_engine
from turbotree.scaling.parsing import CorpusReport, parse_corpus
from turbotree.scaling.pieces import Piece, cut
from turbotree.scaling.shards import Shard, deal
from turbotree.scaling.training import train_in_shards
from turbotree.scaling.worker_pool import WorkerPool, open_worker_pool

__all__ = [
    "ENGINES",
    "CorpusReport",
    "Engine",
    "Mixing",
    "Piece",
    "Shard",
    "WorkerPool",
    "cut",
    "deal",
    "open_engine",
    "open_worker_pool",
    "parse_corpus",
    "train_in_shards",
]
