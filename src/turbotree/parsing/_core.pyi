"""
Hot loops of turbotree.parsing: trees over candidate arcs, parts, chains of labels.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray

def all_arcs(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
]: ...
def best_trees(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    single_root: bool,
    projective: bool,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
def arc_marginals(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    single_root: bool,
    projective: bool,
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))],
]: ...
def prune(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    scores: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    single_root: bool,
    projective: bool,
    threshold: float,
    max_heads: int,
    keep: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ]
    | None = None,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
]: ...
def consecutive_siblings(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
]: ...
def all_siblings(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
]: ...
def grandparents(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
]: ...
def head_bigrams(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    arcs: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    Annotated[NDArray[numpy.int32], dict(shape=(None, None))],
]: ...

class LabelChains:
    """Parts of a labelling; each array can be taken once."""

    def take_nodes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]: ...
    def take_node_offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_label_offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_pairs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]: ...
    def take_pair_offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_pair_label_offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_pair_labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def take_edge_offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def label_chains(
    lengths: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    heads: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    classes: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    lists: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    list_offsets: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    list_labels: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> LabelChains: ...
