"""From the scores of parts to a tree, and to probabilities: graphs and their solvers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from turbotree.errors import InfeasibleError
from turbotree.features import Parts
from turbotree.graphs import FactorGraph, Solution, Status
from turbotree.parsing.arcs import FloatArray, IntArray, TreeShape, arc_marginals, best_trees
from turbotree.parsing.beliefs import belief_graph, find_beliefs, part_probabilities
from turbotree.parsing.parts import GrandparentFamily, PartSet, SiblingFamily

#: Solvers of graphs by the name of the decoder, with the options that suit parsing. Residuals are
#: only a way to stop: an optimal answer is proven by its bound.
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("branch_and_bound", {"max_rounds_per_node": 150, "max_nodes": 100}),
    "admm": ("admm", {"max_iterations": 500, "residual_threshold": 1e-4}),
    "exact": ("branch_and_bound", {"max_rounds_per_node": 150}),
    "subgradient": ("subgradient", {"max_iterations": 5000}),
    "lp": ("linear_program", {}),
    "ilp": ("linear_program", {"exact": True}),
}


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known of a parse: whether no tree has a higher score.

    Attributes
    ----------
    status
        OPTIMAL is a proof.
    bound
        No tree has a higher score than this.
    gap
        By how much a better tree might be better; 0 if the parse is optimal.
    iterations
        Rounds of the solver.
    seconds
        Wall-clock time of the solver.
    """

    status: Status
    bound: float
    gap: float
    iterations: int
    seconds: float


def build_graph(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], shape: TreeShape
) -> FactorGraph:
    """Write a sentence's parts as a graph: a tree, automata, pairs and a chain.

    Parameters
    ----------
    parts
        The parts of a batch.
    sentence
        Which sentence of the batch.
    scores
        The scores of this sentence's parts, by family.
    shape
        Which trees are allowed.
    """
    offsets = parts.arcs.offsets
    rows = parts.arcs.rows[offsets[sentence] : offsets[sentence + 1]]
    words = int(parts.lengths[sentence])
    graph = FactorGraph()
    arcs = graph.variables(scores["arc"])
    graph.tree(
        rows[:, 0],
        rows[:, 1],
        arcs,
        words=words,
        single_root=shape.single_root,
        projective=shape.projective,
    )
    siblings, grandparents = (parts.families.get(name) for name in ("sibling", "grandparent"))
    together = siblings is not None and grandparents is not None
    for name, family in parts.families.items():
        if isinstance(family, SiblingFamily):
            above = grandparents if isinstance(grandparents, GrandparentFamily) else None
            _add_automata(graph, sentence, scores, family, above)
        elif name == "grandparent" and together:
            continue
        elif name == "head_bigram":
            _add_chain(graph, rows[:, 1], words, scores[name])
        else:
            at = slice(*family.parts.offsets[sentence : sentence + 2].tolist())
            matters = np.flatnonzero(scores[name])
            pairs = family.arcs[at][matters]
            graph.pair(pairs[:, 0], pairs[:, 1], scores[name][matters])
    return graph


def _add_automata(
    graph: FactorGraph,
    sentence: int,
    scores: Mapping[str, FloatArray],
    siblings: SiblingFamily,
    grandparents: GrandparentFamily | None,
) -> None:
    """Add the automata of siblings, with the grandparents where there are some."""
    links, offsets = siblings.automata(sentence)
    squares = siblings.squares(sentence, scores["sibling"])
    if grandparents is None:
        graph.siblings(links, squares, offsets=offsets)
        return
    above, above_offsets = siblings.arcs_above(sentence)
    # The root, whose automata come first, has nobody above it.
    roots = int(np.count_nonzero(above_offsets[1:] == 0))
    link, square = offsets[roots], int(((np.diff(offsets[: roots + 1]) + 1) ** 2).sum())
    if roots:
        graph.siblings(links[:link], squares[:square], offsets=offsets[: roots + 1])
    if roots < len(offsets) - 1:
        sizes = np.diff(offsets[roots:]) * np.diff(above_offsets[roots:])
        boxes = grandparents.boxes(sentence, scores["grandparent"], int(sizes.sum()))
        graph.grandparent_siblings(
            above,
            links[link:],
            squares[square:],
            boxes,
            offsets=(above_offsets[roots:], offsets[roots:] - link),
        )


def _add_chain(graph: FactorGraph, modifiers: IntArray, words: int, scores: FloatArray) -> None:
    """Add the heads of all words as a chain; arcs are sorted by modifier, bigrams accordingly."""
    if words < 2:
        return
    bounds = np.searchsorted(modifiers, np.arange(1, words + 2))
    states = [np.arange(bounds[w], bounds[w + 1]) for w in range(words)]
    sizes = np.diff(bounds)
    places = np.concatenate([[0], np.cumsum(sizes[:-1] * sizes[1:])])
    transitions = [
        scores[places[w] : places[w + 1]].reshape(sizes[w], sizes[w + 1]) for w in range(words - 1)
    ]
    graph.chain(states, transitions)


def heads_of(parts: PartSet, sentence: int, solution: Solution, shape: TreeShape) -> IntArray:
    """Return the heads of a solution.

    A solver that found no assignment leaves a fractional one: the tree that agrees most with it
    is taken.
    """
    arcs = parts.arcs
    rows = arcs.rows[arcs.offsets[sentence] : arcs.offsets[sentence + 1]]
    words = int(parts.lengths[sentence])
    if solution.values is not None:
        heads = np.zeros(words, dtype=np.int32)
        chosen = rows[solution.values[: len(rows)]]
        heads[chosen[:, 1] - 1] = chosen[:, 0]
        return heads
    if solution.relaxed is None:
        raise InfeasibleError(f"sentence {sentence} has no tree")
    one, lengths = _alone(parts, sentence)
    return best_trees(lengths, one, solution.relaxed[: len(rows)], shape)


def tree_score(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], heads: IntArray
) -> float:
    """Return the score of a tree."""
    indicators = parts.indicators(sentence, heads)
    return sum(float(scores[name][has].sum()) for name, has in indicators.items())


def decode(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    decoder: str = "auto",
    **options: Any,
) -> tuple[IntArray, float, Certificate]:
    """Return the heads of the best tree of a sentence, its score and what is known of it."""
    if decoder == "bp":
        return _decode_by_risk(parts, sentence, scores, shape)
    solver, defaults = SOLVERS[decoder]
    graph = build_graph(parts, sentence, scores, shape)
    solution = graph.solve(solver, **{**defaults, **options})
    heads = heads_of(parts, sentence, solution, shape)
    score = tree_score(parts, sentence, scores, heads)
    optimal = solution.status is Status.OPTIMAL
    gap = 0.0 if optimal else max(0.0, solution.upper_bound - score)
    return (
        heads,
        score,
        Certificate(solution.status, score + gap, gap, solution.iterations, solution.seconds),
    )


@dataclass(frozen=True, slots=True)
class PartMarginals:
    """Probabilities of a sentence's candidate arcs, and of its other parts.

    Attributes
    ----------
    arcs
        One a candidate arc.
    log_partition
        Of the distribution over trees; the Bethe approximation if there are parts of higher order.
    converged
        Whether belief propagation came to rest; always true for arc-factored models.
    parts
        The probability of each part by family, if asked for.
    """

    arcs: FloatArray
    log_partition: float
    converged: bool
    parts: Mapping[str, FloatArray] | None = None


def part_marginals(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    *,
    every_part: bool = False,
    **options: Any,
) -> PartMarginals:
    """Return the probabilities of a sentence's arcs, or of every part.

    They are exact for arc-factored models, and otherwise those of loopy belief propagation with
    the tree as a factor (Turbo Parser #1); the options are those of the solver.
    """
    if not parts.families:
        arcs, lengths = _alone(parts, sentence)
        probabilities, logs = arc_marginals(lengths, arcs, scores["arc"], shape)
        of_parts = {"arc": probabilities} if every_part else None
        return PartMarginals(probabilities, float(logs[0]), True, of_parts)
    graph = belief_graph(parts, sentence, scores, shape)
    found = find_beliefs(graph, every_part=every_part, **options)
    of_parts = part_probabilities(parts, sentence, scores, graph, found) if every_part else None
    return PartMarginals(found.probabilities, found.log_partition, found.converged, of_parts)


def _decode_by_risk(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], shape: TreeShape
) -> tuple[IntArray, float, Certificate]:
    """Return the tree with most right arcs in expectation."""
    started = perf_counter()
    marginals = part_marginals(parts, sentence, scores, shape)
    arcs, lengths = _alone(parts, sentence)
    heads = best_trees(lengths, arcs, marginals.arcs, shape)
    score = tree_score(parts, sentence, scores, heads)
    # The tree is the best of another kind: nothing is proven of its score.
    nothing = Certificate(Status.LIMIT, np.inf, np.inf, 0, perf_counter() - started)
    return heads, score, nothing


def _alone(parts: PartSet, sentence: int) -> tuple[Parts, IntArray]:
    """Return the arcs of one sentence as a batch of one."""
    arcs = parts.arcs
    rows = arcs.rows[arcs.offsets[sentence] : arcs.offsets[sentence + 1]]
    return Parts.of_one(rows), parts.lengths[sentence : sentence + 1]
