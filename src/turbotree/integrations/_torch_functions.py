"""The functions behind the layers: forward passes by turbotree, backward passes for torch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from turbotree import trees
from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.graphs import FactorGraph, Sparsemap, sparsemap
from turbotree.graphs.solvers.sparsemap import with_scores
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.arrays.parts import Places, dense_parts, part_scores
from turbotree.parsing.decoding import part_marginals
from turbotree.parsing.parts import PartSet, ScoredSentence

Tensor: TypeAlias = torch.Tensor

#: Belief propagation runs until messages move by less, so that differences of its answers count.
_BP_OPTIONS: dict[str, Any] = {"tolerance": 1e-12, "max_iterations": 5000}
#: How far scores move to see an answer change that is smooth, or one that is linear in pieces.
_SMALL_STEP, _LINEAR_STEP = 1e-4, 1e-5


class LogPartition(torch.autograd.Function):
    """The log partition of trees; its gradient is their marginals, which have one too."""

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
        chances = Marginals.apply(scores, *ctx.options)
        return (gradients[0][..., None, None] * chances, None, None, None)


class Marginals(torch.autograd.Function):
    """Exact marginals of trees."""

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


class BpMarginals(torch.autograd.Function):
    """Marginals of trees with parts of second order, by belief propagation."""

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
                ScoredSentence(parts, 0, scores, ctx.shape), **_BP_OPTIONS
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


class SparsemapTrees(torch.autograd.Function):
    """The nearest point of the polytope of trees."""

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
            found[at][place] = _nearest(parts, own, np.zeros(1), ctx.shape, 0.0)["arc"]
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


class LpSparsemap(torch.autograd.Function):
    """The relaxed best assignment of a graph, less half its squared length."""

    @staticmethod
    def forward(
        ctx: Any,
        scores: Tensor,
        factor_scores: Tensor,
        graph: FactorGraph,
        rounds: int,
        threshold: float,
    ) -> Tensor:
        ctx.solve = lambda s, e, start: sparsemap(
            with_scores(graph, s, e), max_iterations=rounds, threshold=threshold, start=start
        )
        ctx.arrays = (_array(scores), _array(factor_scores))
        ctx.found = ctx.solve(*ctx.arrays, None)
        ctx.like = (scores, factor_scores)
        return _like(ctx.found.point, scores)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Any, ...]:
        scores, factor_scores = ctx.arrays
        direction = _array(gradient)

        def answer(step: float) -> dict[str, FloatArray]:
            found: Sparsemap = ctx.solve(scores + step * direction, factor_scores, ctx.found)
            return {"scores": found.point, "factor_scores": found.factor_marginals}

        moves = _difference(answer, direction, _LINEAR_STEP)
        like = ctx.like
        return (
            _like(moves["scores"], like[0]),
            _like(moves["factor_scores"], like[1]),
            None,
            None,
            None,
        )


def _beliefs(
    parts: PartSet,
    scores: dict[str, FloatArray],
    direction: FloatArray,
    shape: TreeShape,
    step: float,
) -> Any:
    moved = {**scores, "arc": scores["arc"] + step * direction}
    scored = ScoredSentence(parts, 0, moved, shape)
    return part_marginals(scored, every_part=True, **_BP_OPTIONS).parts


def _nearest(
    parts: PartSet, scores: FloatArray, direction: FloatArray, shape: TreeShape, step: float
) -> dict[str, FloatArray]:
    moved = {"arc": scores + step * direction}
    arcs = PartSet(parts.lengths, parts.arcs)  # and nothing that they form
    return {"arc": sparsemap(ScoredSentence(arcs, 0, moved, shape).graph()).point}


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


# NumPy converts small arrays where it stands; torch would wake its threads for it.
_NUMPY_TYPES = {torch.float32: np.float32, torch.float64: np.float64}


def _array(tensor: Tensor) -> FloatArray:
    plain = tensor.detach().cpu()
    if plain.dtype not in _NUMPY_TYPES:
        plain = plain.double()
    return np.ascontiguousarray(plain.numpy(), dtype=np.float64)


def _like(array: FloatArray, tensor: Tensor) -> Tensor:
    found = torch.from_numpy(np.asarray(array, dtype=_NUMPY_TYPES.get(tensor.dtype, np.float64)))
    return found.to(dtype=tensor.dtype, device=tensor.device)
