"""
Hot loops of turbotree.features: keys, scores, gradients and tables of weights.
"""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


LABEL_BITS: int = 12

MAX_LABELS: int = 4096

MAX_TEMPLATES: int = 1023

FIRST_FREE_ID: int = 3

def distance_bin_ends() -> list[int]: ...

class Program:
    """Templates compiled for one kind of part."""

    def __init__(self, first_template: int, templates: int, slots: int, columns: int, attributes: int, set_attributes: int, atoms: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], numerics: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], uses: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

class Prepared:
    """The words of some sentences, hashed for one program."""

    def __init__(self, program: Program, ids: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> None: ...

    def __len__(self) -> int: ...

class Gradient:
    """A sparse vector over features."""

    def __len__(self) -> int: ...

    def extend(self, other: Gradient) -> None:
        """Append the gradient of other templates: no key may be in both."""

    @property
    def keys(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def squared_norm(self) -> float: ...

class WeightTable:
    """Weights that grow and change during training."""

    def __init__(self, expected: int = 0) -> None: ...

    def __len__(self) -> int: ...

    @property
    def memory_bytes(self) -> int: ...

    @property
    def round(self) -> int: ...

    @round.setter
    def round(self, arg: int, /) -> None: ...

    @property
    def closed(self) -> bool: ...

    @closed.setter
    def closed(self, arg: bool, /) -> None: ...

    def add(self, gradient: Gradient, scale: float) -> None: ...

    def insert(self, gradient: Gradient) -> None: ...

    def find(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def entries(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

    def restore(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weighted_updates: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def freeze(self, threshold: float) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]: ...

    def freeze_labels(self, label_bits: int, threshold: float) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None))]: ...

class BucketTable:
    """Weights of a finished model without labels."""

    def __init__(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def find(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

class RowTable:
    """Weights of a finished model with labels."""

    def __init__(self, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], label_bits: int) -> None: ...

    def find(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

def keys(program: Program, prepared: Prepared, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

@overload
def score(program: Program, prepared: Prepared, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: WeightTable) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def score(program: Program, prepared: Prepared, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: BucketTable) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def score_labels(program: Program, prepared: Prepared, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: WeightTable) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def score_labels(program: Program, prepared: Prepared, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label_offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: RowTable) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def gradient(program: Program, prepared: Prepared, rows: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label_offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Gradient: ...
