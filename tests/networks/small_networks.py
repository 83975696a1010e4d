"""Networks small enough to be computed twice, and runs that train them."""

from __future__ import annotations

from turbotree.networks import NetworkOptions, WordVectors
from turbotree.networks.training import NetworkTask
from turbotree.text import Sentence

#: Sizes that fill no vector register.
SMALL = NetworkOptions(
    hidden=10,
    arc_size=9,
    label_size=6,
    word_size=8,
    surface_size=7,
    tag_size=5,
    lemma_size=6,
    vector_size=4,
    surface_buckets=50,
    batch_words=40,
    updates=30,
    least_epochs=2,
    seed=3,
)


def make_run(
    sentences: list[Sentence],
    options: NetworkOptions = SMALL,
    vectors: WordVectors | None = None,
    kernels: str = "",
) -> NetworkTask:
    return NetworkTask(sentences, options, vectors=vectors, kernels=kernels)
