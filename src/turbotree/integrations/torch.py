"""Layers for PyTorch: probabilities of arcs, and sparse relaxed trees and assignments.

Each is a function of tensors with a gradient. The work is done in double precision on the CPU,
by the core; tensors of any floating type and device go in, and the answer comes back like them.

Needs torch: ``pip install 'turbotree[torch]'``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from turbotree import trees
from turbotree.errors import InputError, MissingExtraError
from turbotree.graphs import FactorGraph, Sparsemap, sparsemap
from turbotree.graphs.sparsemap import extras_of, with_scores
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.automata import tree_of_arcs
from turbotree.parsing.decoding import part_marginals
from turbotree.parsing.own_scores import Places, dense_parts, part_scores
from turbotree.parsing.parts import PartSet

try:
    import torch
    from torch.autograd.function import once_differentiable
except ImportError as error:
    raise MissingExtraError(
        "turbotree.integrations.torch needs torch: pip install 'turbotree[torch]'"
    ) from error

__all__ = ["bp_marginals", "log_partition", "lp_sparsemap", "marginals", "sparsemap_trees"]

FloatArray = npt.NDArray[np.float64]
Tensor: TypeAlias = torch.Tensor

#: Belief propagation runs until messages move by less, so that differences of its answers count.
_BP_OPTIONS: dict[str, Any] = {"tolerance": 1e-12, "max_iterations": 5000}
#: How far scores move to see an answer change that is smooth, or one that is linear in pieces.
_SMALL_STEP, _LINEAR_STEP = 1e-4, 1e-5


def log_partition(
    arc_scores: Tensor,
    lengths: Any = None,
    *,
    single_root: bool = False,
    threads: int | None = None,
) -> Tensor:
    """Log of the sum over all trees of e^score; its gradient is the probabilities of arcs.

    The loss of a CRF is this less the score of the right tree. It can be differentiated twice.

    Parameters
    ----------
    arc_scores : Tensor of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``[h, m]`` of word ``h`` as the head of word ``m``; 0 is the root, -inf forbids an arc.
    lengths : tensor or array of shape (b,), optional
        Words of each sentence of a padded batch.
    single_root : bool
        Exactly one word hangs from the root.
    threads : int, optional
        By default as many as torch uses.

    Returns
    -------
    Tensor of shape () or (b,)

    Examples
    --------
    >>> round(log_partition(torch.zeros(3, 3)).exp().item(), 3)  # two words have three trees
    3.0
    """
    return _LogPartition.apply(arc_scores, _lengths(lengths), single_root, _threads(threads))


def marginals(
    arc_scores: Tensor,
    lengths: Any = None,
    *,
    single_root: bool = False,
    threads: int | None = None,
) -> Tensor:
    """Probability of every arc, exact, by the matrix-tree theorem.

    Parameters and layout are those of :func:`log_partition`. The backward pass has a closed form:
    :func:`turbotree.trees.marginal_derivative`.

    Examples
    --------
    >>> scores = torch.zeros(3, 3, requires_grad=True)
    >>> chances = marginals(scores)
    >>> chances[0, 1].backward()
    >>> round(scores.grad[0, 1].item(), 4)  # 2/3 times 1/3
    0.2222
    """
    return _Marginals.apply(arc_scores, _lengths(lengths), single_root, _threads(threads))


def bp_marginals(
    arc_scores: Tensor,
    sibling_scores: Tensor | None = None,
    grandparent_scores: Tensor | None = None,
    lengths: Any = None,
    *,
    single_root: bool = True,
) -> Tensor:
    """Probability of every arc with parts of second order, by belief propagation.

    Layouts are those of :func:`turbotree.decode`. The gradient is that of the fixed point: since
    probabilities are the derivative of the Bethe log partition, two more runs with scores moved
    along the incoming gradient, forth and back, give what a backward pass needs (Domke 2010).
    """
    return _BpMarginals.apply(
        arc_scores, sibling_scores, grandparent_scores, _lengths(lengths), single_root
    )


def sparsemap_trees(
    arc_scores: Tensor,
    lengths: Any = None,
    *,
    single_root: bool = True,
    projective: bool = False,
) -> Tensor:
    """Give the point of the polytope of trees that is nearest to the scores (SparseMAP).

    An average of few trees: most arcs get exactly 0 or 1. It is linear in pieces, and the backward
    pass is exact inside a piece. Layouts are those of :func:`log_partition`.

    Examples
    --------
    >>> sparsemap_trees(torch.tensor([[0.0, 9, 1], [0, 0, 3], [0, 1, 0]])).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    return _SparsemapTrees.apply(arc_scores, _lengths(lengths), single_root, projective)


def lp_sparsemap(
    graph: FactorGraph,
    scores: Tensor,
    extras: Tensor | None = None,
    *,
    max_iterations: int = 10_000,
    threshold: float = 1e-10,
) -> Tensor:
    """Give the relaxed best assignment of a factor graph less half its squared length.

    See :func:`turbotree.graphs.sparsemap`; the graph's own scores are not looked at.

    Parameters
    ----------
    graph : FactorGraph
        Its factors.
    scores : Tensor of shape (N,)
        One a variable.
    extras : Tensor, optional
        What factors score themselves, as :func:`turbotree.graphs.sparsemap.extras_of` lists them;
        by default, the graph's.
    max_iterations, threshold
        Those of the solver.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([0.0, 0.0]))
    >>> lp_sparsemap(graph, torch.tensor([0.3, 0.5])).tolist()  # sparsemax
    [0.4..., 0.6...]
    """
    own = torch.as_tensor(extras_of(graph)) if extras is None else extras
    return _LpSparsemap.apply(scores, own, graph, max_iterations, threshold)


class _LogPartition(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Any, single_root: bool, threads: int) -> Tensor:
        ctx.save_for_backward(scores)
        ctx.options = (lengths, single_root, threads)
        found = trees.log_partition(
            _array(scores), single_root=single_root, lengths=lengths, threads=threads
        )
        return _like(np.asarray(found), scores)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, ...]:
        (scores,) = ctx.saved_tensors
        chances = _Marginals.apply(scores, *ctx.options)
        return (gradients[0][..., None, None] * chances, None, None, None)


class _Marginals(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Any, single_root: bool, threads: int) -> Tensor:
        ctx.save_for_backward(scores)
        ctx.options = {"single_root": single_root, "lengths": lengths, "threads": threads}
        return _like(trees.marginals(_array(scores), **ctx.options), scores)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        (scores,) = ctx.saved_tensors
        moved = trees.marginal_derivative(_array(scores), _array(gradient), **ctx.options)
        return (_like(moved, scores), None, None, None)


class _BpMarginals(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        arcs: Tensor,
        siblings: Tensor | None,
        grandparents: Tensor | None,
        lengths: Any,
        single_root: bool,
    ) -> Tensor:
        given = {"arc": arcs, "sibling": siblings, "grandparent": grandparents}
        arrays = {name: None if own is None else _array(own) for name, own in given.items()}
        ctx.shape = TreeShape(single_root=single_root)
        ctx.problems = list(_problems(arrays, lengths))
        ctx.given = given
        found = np.zeros(arcs.shape)
        for at, parts, places, scores in ctx.problems:
            found[at][places["arc"]] = part_marginals(
                parts, 0, scores, ctx.shape, **_BP_OPTIONS
            ).arcs
        return _like(found, arcs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        incoming = _array(gradient)
        totals = {
            name: None if own is None else np.zeros(own.shape) for name, own in ctx.given.items()
        }
        for at, parts, places, scores in ctx.problems:
            direction = incoming[at][places["arc"]]
            answer = partial(_beliefs, parts, scores, direction, ctx.shape)
            moves = _difference(answer, direction, _SMALL_STEP)
            for name, total in totals.items():
                if total is not None:
                    there = places[name][0] >= 0
                    np.add.at(total[at], tuple(i[there] for i in places[name]), moves[name][there])
        found = [
            None if total is None else _like(total, ctx.given[name])
            for name, total in totals.items()
        ]
        return (*found, None, None)


class _SparsemapTrees(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, lengths: Any, single_root: bool, projective: bool
    ) -> Tensor:
        ctx.shape = TreeShape(single_root, projective)
        ctx.problems = [
            (at, parts, places["arc"], own["arc"])
            for at, parts, places, own in _problems({"arc": _array(scores)}, lengths)
        ]
        ctx.like = scores
        found = np.zeros(scores.shape)
        for at, parts, place, own in ctx.problems:
            found[at][place] = sparsemap(tree_of_arcs(parts, 0, own, ctx.shape)).point
        return _like(found, scores)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        incoming = _array(gradient)
        total = np.zeros(ctx.like.shape)
        for at, parts, place, own in ctx.problems:
            direction = incoming[at][place]
            answer = partial(_nearest, parts, own, direction, ctx.shape)
            moves = _difference(answer, direction, _LINEAR_STEP)
            total[at][place] = moves["arc"]
        return (_like(total, ctx.like), None, None, None)


class _LpSparsemap(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, extras: Tensor, graph: FactorGraph, rounds: int, threshold: float
    ) -> Tensor:
        ctx.solve = lambda s, e, start: sparsemap(
            with_scores(graph, s, e), max_iterations=rounds, threshold=threshold, start=start
        )
        ctx.arrays = (_array(scores), _array(extras))
        ctx.found = ctx.solve(*ctx.arrays, None)
        ctx.like = (scores, extras)
        return _like(ctx.found.point, scores)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        scores, extras = ctx.arrays
        direction = _array(gradient)

        def answer(step: float) -> dict[str, FloatArray]:
            found: Sparsemap = ctx.solve(scores + step * direction, extras, ctx.found)
            return {"scores": found.point, "extras": found.extras}

        moves = _difference(answer, direction, _LINEAR_STEP)
        like = ctx.like
        return (_like(moves["scores"], like[0]), _like(moves["extras"], like[1]), None, None, None)


def _beliefs(
    parts: PartSet,
    scores: dict[str, FloatArray],
    direction: FloatArray,
    shape: TreeShape,
    step: float,
) -> Any:
    moved = {**scores, "arc": scores["arc"] + step * direction}
    return part_marginals(parts, 0, moved, shape, every_part=True, **_BP_OPTIONS).parts


def _nearest(
    parts: PartSet, scores: FloatArray, direction: FloatArray, shape: TreeShape, step: float
) -> dict[str, FloatArray]:
    graph = tree_of_arcs(parts, 0, scores + step * direction, shape)
    return {"arc": sparsemap(graph).point}


def _difference(
    answer: Callable[[float], Any], direction: FloatArray, step: float
) -> dict[str, FloatArray]:
    """See how an answer moves along a direction, by looking a small step ahead and back."""
    size = float(np.abs(direction).max(initial=0.0))
    small = step / size if size > 0.0 else step
    ahead, back = answer(small), answer(-small)
    return {name: (ahead[name] - back[name]) / (2.0 * small) for name in ahead}


def _problems(
    arrays: dict[str, FloatArray | None], lengths: Any
) -> list[tuple[Any, PartSet, Places, dict[str, FloatArray]]]:
    """Give each sentence: where it is in the batch, its parts, their places and scores."""
    arcs = arrays["arc"]
    assert arcs is not None
    if arcs.ndim not in (2, 3) or arcs.shape[-1] != arcs.shape[-2]:
        raise InputError(
            f"scores: expected shape (n + 1, n + 1) or (b, n + 1, n + 1), got {tuple(arcs.shape)}"
        )
    for name, array in arrays.items():
        if name != "arc" and array is not None and array.shape != (*arcs.shape, arcs.shape[-1]):
            raise InputError(
                f"{name}_scores: expected shape {(*arcs.shape, arcs.shape[-1])}, got {array.shape}"
            )
    found = []
    for item in range(1 if arcs.ndim == 2 else len(arcs)):
        at: Any = ... if arcs.ndim == 2 else item
        size = arcs.shape[-1] - 1 if lengths is None else int(lengths[item])
        if size == 0:
            continue
        own = {name: None if array is None else array[at] for name, array in arrays.items()}
        second = own.get("grandparent") is not None
        parts, places = dense_parts(arcs[at], size, grandparents=second)
        if set(arrays) == {"arc"}:
            parts, places = PartSet(parts.lengths, parts.arcs), {"arc": places["arc"]}
        found.append((at, parts, places, part_scores(own, places)))
    return found


def _array(tensor: Tensor) -> FloatArray:
    return np.ascontiguousarray(tensor.detach().cpu().double().numpy())


def _like(array: FloatArray, tensor: Tensor) -> Tensor:
    return torch.from_numpy(np.asarray(array)).to(dtype=tensor.dtype, device=tensor.device)


def _lengths(lengths: Any) -> npt.NDArray[np.int64] | None:
    if lengths is None:
        return None
    if isinstance(lengths, torch.Tensor):
        lengths = lengths.detach().cpu().numpy()
    return np.asarray(lengths, dtype=np.int64)


def _threads(threads: int | None) -> int:
    return torch.get_num_threads() if threads is None else threads
