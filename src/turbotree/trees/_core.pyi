"""Hot loops of turbotree.trees."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


BAD_SCORE: int = 1

INFEASIBLE: int = 2

OUT_OF_MEMORY: int = 3

def maximum_trees(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, heads: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], single_root: bool, projective: bool, threads: int) -> tuple[int, int, int, int] | None: ...

def log_partitions(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, log_partition: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], single_root: bool, projective: bool, threads: int) -> tuple[int, int, int, int] | None: ...

def tree_marginals(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, marginals: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], log_partition: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], entropy: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], single_root: bool, projective: bool, threads: int) -> tuple[int, int, int, int] | None: ...

def marginal_derivatives(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, direction: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], derivative: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], single_root: bool, threads: int) -> tuple[int, int, int, int] | None: ...

def sample(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, heads: Annotated[NDArray[numpy.int64], dict(order='C', device='cpu')], count: int, seed: int, single_root: bool, projective: bool, threads: int) -> tuple[int, int, int, int] | None: ...

def k_best(scores: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, k: int, single_root: bool, projective: bool, threads: int) -> tuple[tuple[int, int, int, int] | None, list[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]]]: ...
