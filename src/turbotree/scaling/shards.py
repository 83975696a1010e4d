"""Training data in shards that workers read for themselves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from turbotree.errors import InputError
from turbotree.parsing.training.treebank import read_trees
from turbotree.quantities import check_least
from turbotree.scaling.pieces import Piece, cut
from turbotree.text import Layout, Sentence, sniff

# So many pieces per shard, dealt out in turn: shards of about the same size and of the same
# mixture, however the file is ordered.
_PIECES_PER_SHARD = 64


@dataclass(frozen=True)
class Shard:
    """Some pieces of a treebank."""

    number: int
    pieces: tuple[Piece, ...]
    layout: Layout

    def trees(self) -> list[Sentence]:
        """Read the shard's sentences, those without any head omitted."""
        sentences = [s for piece in self.pieces for s in piece.sentences(self.layout)]
        return read_trees(sentences, self.pieces[0].source, partial=True)


def deal(path: str | os.PathLike[str], shards: int) -> list[Shard]:
    """Deal the sentences of a file out to shards, a few of them at a time.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from turbotree.text import treebank, write_conllu
    >>> file = Path(tempfile.mkdtemp(), "trees.conllu")
    >>> _ = write_conllu(treebank(10, seed=1), file)
    >>> [len(shard.trees()) for shard in deal(file, 2)]
    [5, 5]
    """
    check_least("shards", shards, 1)
    size = os.stat(path).st_size
    pieces: Sequence[Piece] = cut(path, max(1, size // (shards * _PIECES_PER_SHARD)))
    if len(pieces) < shards:
        raise InputError(f"{os.fspath(path)}: {shards} shards, but {len(pieces)} sentences")
    layout = sniff(path)
    return [Shard(i, tuple(pieces[i::shards]), layout) for i in range(shards)]
