from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Sizes:
    def __init__(self, *, words: int, word_size: int, surfaces: int, surface_size: int, tags: int, tag_size: int, lemmas: int, lemma_size: int, vectors: int, vector_size: int, projected_size: int, layers: int, hidden: int, arcs: int, labels: int, label_size: int, columns: Sequence[int], column_size: int) -> None: ...

    def blocks(self) -> list[tuple[str, int, int]]:
        """Name, rows and columns of each matrix of the flat weights."""

class Inputs:
    def __init__(self, *, starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lemmas: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], vectors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], surface_starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], surfaces: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bundles: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tag_starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Training:
    def __init__(self, *, kernels: str, sizes: Sizes, inputs: Inputs, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], vectors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_shares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], lemma_shares: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], group_share: float, lstm_share: float, perceptron_share: float, shared_dropout: bool, trees: bool, mean_decay: float, square_decay: float, epsilon: float, largest_norm: float, average_decay: float, shards: int, seed: int) -> None: ...

    def accumulate(self, sentences: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dropout: bool, threads: int) -> tuple[float, float, int]:
        """
        Add the gradient of some sentences; losses of arcs and labels, and the words counted.
        """

    def update(self, rate: float, threads: int) -> None: ...

    def state(self) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], int]:
        """Weights, Adam's means and squares, averages, updates."""

    def restore(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], square: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], average: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], updates: int) -> None: ...

    def gradient(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class Encodings:
    @property
    def sentences(self) -> int: ...

    @property
    def words(self) -> int: ...

class Network:
    def __init__(self, kernels: str, sizes: Sizes, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], vectors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], whole_numbers: bool) -> None: ...

    @property
    def kernels(self) -> str: ...

    def encode(self, inputs: Inputs, words_at_once: int, threads: int) -> Encodings: ...

    def repeated(self, encodings: Encodings, sentences: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Encodings: ...

    def arcs(self, encodings: Encodings, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def labels(self, encodings: Encodings, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def column(self, encodings: Encodings, number: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

    def likely_arcs(self, encodings: Encodings, threshold: float, max_heads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def surface_features(forms: Sequence[str], lowers: Sequence[str], shapes: Sequence[str], buckets: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def draw_batches(lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, seed: int, epoch: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def kernel_names() -> list[str]:
    """The sets of kernels that this processor has, fastest first."""

def product(kernels: str, a: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

def quantised_kernel_names() -> list[str]: ...

def quantised_product(kernels: str, a: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...
