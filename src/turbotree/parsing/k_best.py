"""Several trees of a sentence: the best ones, the best ones that differ enough, random ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree import trees
from turbotree.errors import InfeasibleError
from turbotree.graphs import Solution, Status, k_best
from turbotree.parsing.arcs import FloatArray, TreeShape
from turbotree.parsing.decoding import SOLVERS, Amend, Certificate, build_graph, heads_of
from turbotree.parsing.parts import PartSet
from turbotree.parsing.scored import FoundTree, Scored

#: Decoders that find several trees.
SEVERAL = ("mst", "eisner", "auto", "exact")
#: Rounds that the relaxation of a part of the search space may take: parents leave good starts.
_ROUNDS = 60
#: Parts of the search space that `auto` looks at, for each tree asked for.
_NODES_A_TREE = 100


def k_best_trees(
    scored: Scored, sentence: int, k: int, *, diversity: int, exact: bool
) -> list[FoundTree]:
    """Return the best trees of a sentence, best first.

    Parameters
    ----------
    scored, sentence
        A batch, and which of its sentences.
    k
        How many trees; there may be fewer.
    diversity
        In how many arcs each tree differs from all before it, at least.
    exact
        Search until every tree is proven to be next best, however long that takes.
    """
    scores, amend = scored.scores_of(sentence), scored.amend(sentence)
    if diversity > 1:
        return _diverse(scored.parts, sentence, scores, scored.shape, amend, k, diversity)
    if not scored.parts.families and amend is None:
        return _of_arcs(scored.parts, sentence, scores["arc"], scored.shape, k)
    return _of_graph(scored.parts, sentence, scores, scored.shape, amend, k, exact=exact)


def arc_matrix(parts: PartSet, sentence: int, scores: FloatArray) -> FloatArray:
    """Return the scores of a sentence's arcs as a matrix, with -inf where there is no arc."""
    size = int(parts.lengths[sentence]) + 1
    matrix = np.full((size, size), -np.inf)
    matrix[tuple(parts.arcs.rows[parts.arcs.places(sentence)].T)] = scores
    return matrix


def _of_arcs(
    parts: PartSet, sentence: int, scores: FloatArray, shape: TreeShape, k: int
) -> list[FoundTree]:
    found = trees.k_best(
        arc_matrix(parts, sentence, scores),
        k,
        single_root=shape.single_root,
        projective=shape.projective,
    )
    return [
        FoundTree(
            tree.heads.astype(np.int32),
            tree.score,
            Certificate(Status.OPTIMAL, tree.score, 0.0, 1, 0.0),
        )
        for tree in found
    ]


def _of_graph(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    amend: Amend | None,
    k: int,
    *,
    exact: bool,
) -> list[FoundTree]:
    graph = build_graph(parts, sentence, scores, shape)
    if amend is not None:
        amend(graph)
    limit = {} if exact else {"max_nodes": _NODES_A_TREE * (k + 1)}
    solutions = k_best(
        graph, k, keys=len(scores["arc"]), same_size=True, max_rounds_per_node=_ROUNDS, **limit
    )
    return [_tree(parts, sentence, solution, shape) for solution in solutions]


def _tree(parts: PartSet, sentence: int, solution: Solution, shape: TreeShape) -> FoundTree:
    heads = heads_of(parts, sentence, solution, shape)
    certificate = Certificate(
        solution.status,
        solution.upper_bound,
        solution.gap,
        solution.iterations,
        solution.seconds,
    )
    return FoundTree(heads, solution.value, certificate)


def _diverse(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    amend: Amend | None,
    k: int,
    diversity: int,
) -> list[FoundTree]:
    """Find tree after tree, each with few arcs of any tree before it."""
    graph = build_graph(parts, sentence, scores, shape)
    if amend is not None:
        amend(graph)
    words = int(parts.lengths[sentence])
    found: list[FoundTree] = []
    solver, options = SOLVERS["exact"]
    while len(found) < k:
        try:
            solution = graph.solve(solver, **options)
        except InfeasibleError:
            if found:
                break
            raise
        found.append(_tree(parts, sentence, solution, shape))
        if words < diversity:
            break
        assert solution.values is not None
        graph.at_most(np.flatnonzero(solution.values[: len(scores["arc"])]), words - diversity)
    return found

