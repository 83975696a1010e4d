"""What experiments are run on: treebanks, chunks and named entities."""

from __future__ import annotations

from turbotree.experiments.data.chunks import read_chunks
from turbotree.experiments.data.entities import read_entities
from turbotree.experiments.data.treebanks import Dataset, built_in, find_datasets, given_files

__all__ = [
    "Dataset",
    "built_in",
    "find_datasets",
    "given_files",
    "read_chunks",
    "read_entities",
]
