"""The k best trees of a sentence, and the best ones that differ enough."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from turbotree import trees
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Solution, Status, k_best
from turbotree.graphs.solvers.k_best import losses, values_of
from turbotree.parsing.decoding.certificate import Certificate, FoundTree
from turbotree.parsing.decoding.decode import SOLVERS, heads_of
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.reduced import reduced

#: Decoders that find the k best trees.
K_BEST_DECODERS = ("mst", "eisner", "auto", "exact")
#: Rounds that the relaxation of a part of the search space may take: parents leave good starts.
_ROUNDS = 30
#: Parts of the search space that `auto` looks at, for each tree asked for.
_NODES_PER_TREE = 100
#: Scores this near to each other, as a share, count as equal.
_SLACK = 1e-5


def k_best_trees(
    scored: ScoredSentence, k: int, *, diversity: int = 1, exact: bool
) -> list[FoundTree]:
    """Return the best trees of a sentence, best first.

    Parameters
    ----------
    scored
        The sentence.
    k
        How many trees; there may be fewer.
    diversity
        In how many arcs each tree differs from all before it, at least.
    exact
        Search until every tree is proven to be next best, however long that takes.
    """
    if diversity > 1:
        found = diverse_solutions(scored.graph(), len(scored.arcs), k, diversity)
        return [_tree(scored, solution) for solution in found]
    if not scored.parts.families and not scored.has_spans:
        return k_best_by_arcs(scored, k)
    return k_best_by_graph(scored, k, exact=exact)


def k_best_by_arcs(scored: ScoredSentence, k: int) -> list[FoundTree]:
    """Return the best trees of a sentence that has arcs only."""
    found = trees.k_best(
        scored.arc_matrix(scored.scores["arc"]),
        k,
        single_root=scored.shape.single_root,
        projective=scored.shape.projective,
    )
    return [
        FoundTree(
            tree.heads.astype(np.int32),
            tree.score,
            Certificate(Status.OPTIMAL, tree.score, 0.0, 1, 0.0),
        )
        for tree in found
    ]


def k_best_by_graph(scored: ScoredSentence, k: int, *, exact: bool) -> list[FoundTree]:
    """Search in two steps: the best tree, and all others over the few arcs that are left.

    Trees that differ from the best one in a head or two are soon scored, and the k-th best of them
    is no better than the k-th best of all. An arc whose bound, by the dual scores of the best
    tree, is below that is in none of the trees looked for.
    """
    graph = scored.graph()
    options = search_options(k, exact=exact)
    families, arcs = scored.parts.families, len(scored.arcs)
    reducible = all(family.reducible for family in families.values())
    if scored.has_spans or not reducible or len(graph) != arcs:
        found = k_best(graph, k, keys=arcs, same_size=True, **options)
        return [_tree(scored, solution) for solution in found]
    started = perf_counter()
    first = graph.solve(SOLVERS["auto"][0], **SOLVERS["auto"][1])
    floor = _floor(scored, graph, first, k)
    left = losses(graph, first)
    # What is nearly as good as the last one has to be found too: rounding must not decide.
    largest = max(float(np.abs(own).max(initial=0.0)) for own in scored.scores.values())
    floor -= _SLACK * max(abs(left.bound), largest)
    few = reduced(scored, left.bound - left.if_one >= floor)
    found = k_best(
        few.scored.graph(),
        k,
        keys=len(few.scored.arcs),
        same_size=True,
        floor=floor - few.score,
        **options,
    )
    seconds = perf_counter() - started
    best = []
    for solution in found:
        heads, score, certificate = _tree(few.scored, solution)
        certificate = replace(
            certificate,
            bound=certificate.bound + few.score,
            iterations=certificate.iterations + first.iterations,
            seconds=seconds,
        )
        best.append(FoundTree(heads, score + few.score, certificate))
    return best


def search_options(k: int, *, exact: bool) -> dict[str, Any]:
    """Return how :func:`turbotree.graphs.k_best` looks for trees."""
    options: dict[str, Any] = {"max_rounds_per_node": _ROUNDS}
    if not exact:
        options["max_nodes"] = _NODES_PER_TREE * (k + 1)
    return options


def _floor(scored: ScoredSentence, graph: FactorGraph, solution: Solution, k: int) -> float:
    """Return the k-th best score of a tree and its neighbours; -inf if they are fewer.

    Neighbours differ in one head, or in two of those that cost least by themselves.
    """
    best = solution.values
    if best is None:
        return -np.inf
    modifiers = scored.arcs[:, 1]
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


def _tree(scored: ScoredSentence, solution: Solution) -> FoundTree:
    certificate = Certificate(
        solution.status,
        solution.upper_bound,
        solution.gap,
        solution.iterations,
        solution.seconds,
    )
    return FoundTree(heads_of(scored, solution), solution.value, certificate)


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
