"""Several trees of a sentence: the best ones, the best ones that differ enough, random ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from turbotree import trees
from turbotree.arrays import FloatArray
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Solution, Status, k_best
from turbotree.graphs.solvers.k_best import losses, values_of
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.certificate import Certificate
from turbotree.parsing.decoding import SOLVERS, build_graph, heads_of
from turbotree.parsing.parts import PartSet
from turbotree.parsing.probabilities import Amend
from turbotree.parsing.reducing import REDUCIBLE, reduced
from turbotree.parsing.scored import FoundTree, Scored

#: Decoders that find several trees.
SEVERAL = ("mst", "eisner", "auto", "exact")
#: Rounds that the relaxation of a part of the search space may take: parents leave good starts.
_ROUNDS = 30
#: Parts of the search space that `auto` looks at, for each tree asked for.
_NODES_A_TREE = 100
#: Scores this near to each other, as a share, count as equal.
_SLACK = 1e-5


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
    """Search in two steps: the best tree, and all others over the few arcs that are left.

    Trees that differ from the best one in a head or two are soon scored, and the k-th best of them
    is no better than the k-th best of all. An arc whose bound, by the dual scores of the best
    tree, is below that is in none of the trees looked for.
    """
    graph = build_graph(parts, sentence, scores, shape)
    if amend is not None:
        amend(graph)
    options = search_options(k, exact=exact)
    arcs = len(scores["arc"])
    if amend is not None or not REDUCIBLE.issuperset(parts.families) or len(graph) != arcs:
        found = k_best(graph, k, keys=arcs, same_size=True, **options)
        return [_tree(parts, sentence, scores, solution, shape) for solution in found]
    started = perf_counter()
    first = graph.solve(SOLVERS["auto"][0], **SOLVERS["auto"][1])
    floor = _floor(parts, sentence, graph, first, k)
    left = losses(graph, first)
    # What is nearly as good as the last one has to be found too: rounding must not decide.
    largest = max(float(np.abs(own).max(initial=0.0)) for own in scores.values())
    floor -= _SLACK * max(abs(left.bound), largest)
    likely = left.bound - left.if_one >= floor
    few = reduced(parts, sentence, scores, likely)
    found = k_best(
        build_graph(few.parts, 0, few.scores, shape),
        k,
        keys=len(few.scores["arc"]),
        same_size=True,
        floor=floor - few.score,
        **options,
    )
    seconds = perf_counter() - started
    trees = []
    for solution in found:
        heads, score, certificate = _tree(few.parts, 0, few.scores, solution, shape)
        certificate = replace(
            certificate,
            bound=certificate.bound + few.score,
            iterations=certificate.iterations + first.iterations,
            seconds=seconds,
        )
        trees.append(FoundTree(heads, score + few.score, certificate))
    return trees


def search_options(k: int, *, exact: bool) -> dict[str, Any]:
    """Return how :func:`turbotree.graphs.k_best` looks for trees."""
    options: dict[str, Any] = {"max_rounds_per_node": _ROUNDS}
    if not exact:
        options["max_nodes"] = _NODES_A_TREE * (k + 1)
    return options


def _floor(parts: PartSet, sentence: int, graph: FactorGraph, solution: Solution, k: int) -> float:
    """Return the k-th best score of a tree and its neighbours; -inf if they are fewer.

    Neighbours differ in one head, or in two of those that cost least by themselves.
    """
    best = solution.values
    if best is None:
        return -np.inf
    modifiers = parts.arcs.rows[parts.arcs.places(sentence), 1]
    others = np.flatnonzero(~best)
    chosen = np.flatnonzero(best)[modifiers[others] - 1]  # arcs are sorted by modifier
    ones = np.repeat(best[np.newaxis], len(others) + 1, axis=0)
    at = np.arange(len(others))
    ones[at, others] = True
    ones[at, chosen] = False
    values = values_of(graph, ones)
    likely = np.argsort(-values[:-1], kind="stable")[: k + 1]
    first, second = likely[np.stack(np.triu_indices(len(likely), 1))]
    apart = modifiers[others[first]] != modifiers[others[second]]
    first, second = first[apart], second[apart]
    if len(first):
        both = ones[first]
        at = np.arange(len(first))
        both[at, others[second]] = True
        both[at, chosen[second]] = False
        values = np.concatenate([values, values_of(graph, both)])
    values = values[values > -np.inf]
    if len(values) < k:
        return -np.inf
    return float(np.partition(values, len(values) - k)[len(values) - k])


def _tree(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    solution: Solution,
    shape: TreeShape,
) -> FoundTree:
    heads = heads_of(parts, sentence, scores["arc"], solution, shape)
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
    graph = build_graph(parts, sentence, scores, shape)
    if amend is not None:
        amend(graph)
    found = diverse_solutions(graph, len(scores["arc"]), k, diversity)
    return [_tree(parts, sentence, scores, solution, shape) for solution in found]


def diverse_solutions(graph: FactorGraph, arcs: int, k: int, diversity: int) -> list[Solution]:
    """Find tree after tree, each with few arcs of any tree before it.

    The first variables of the graph are the arcs.
    """
    graph = graph.copy()
    found: list[Solution] = []
    solver, options = SOLVERS["exact"]
    while len(found) < k:
        try:
            solution = graph.solve(solver, **options)
        except InfeasibleError:
            if found:
                break
            raise
        found.append(solution)
        assert solution.values is not None
        chosen = np.flatnonzero(solution.values[:arcs])
        if len(chosen) < diversity:
            break
        graph.at_most(chosen, len(chosen) - diversity)
    return found
