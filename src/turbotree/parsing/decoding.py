"""From the scores of parts to a tree: graphs and their solvers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Solution, Status
from turbotree.naming import unknown
from turbotree.parsing.ancestry import add_ancestry, families_of_ancestry
from turbotree.parsing.arcs import TreeShape, best_trees, only_allowed
from turbotree.parsing.automata import (
    IN_AUTOMATA,
    add_automata,
    add_chain_of_heads,
    add_pairs,
    add_tri_siblings,
    tree_of_arcs,
)
from turbotree.parsing.certificate import Certificate
from turbotree.parsing.families import ArcFamily, TriSiblingFamily
from turbotree.parsing.logic import check_shape, logic_graph
from turbotree.parsing.long_sentences import is_long, is_very_long, note_on, rounds_of
from turbotree.parsing.parts import PartSet
from turbotree.parsing.probabilities import Amend, part_marginals
from turbotree.parsing.relaxation import solve_relaxation

#: Solvers of graphs by the name of the decoder, with the options that suit parsing. Residuals are
#: only a way to stop: an optimal answer is proven by its bound.
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("branch_and_bound", {"max_rounds_per_node": 150, "max_nodes": 100}),
    "admm": ("admm", {"max_iterations": 500, "residual_threshold": 1e-4}),
    "exact": ("branch_and_bound", {"max_rounds_per_node": 150}),
    "subgradient": ("subgradient", {"max_iterations": 5000}),
    "lp": ("linear_program", {}),
    "lp-single": ("", {"single_commodity": True}),
    "ilp": ("linear_program", {"exact": True}),
}

#: Ways to write a sentence as a graph, or as a linear program: the first is that of most decoders,
#: the second that of linear programs.
DECOMPOSITIONS = ("structured", "logic")
_PROGRAMS = ("lp", "lp-single", "ilp")

#: What differs for graphs by logic: their many small factors agree later, after cheaper rounds.
_LOGIC_OPTIONS: dict[str, dict[str, Any]] = {
    "admm": {"max_iterations": 5000, "residual_threshold": 1e-5}
}

_PARTS_TIMES_NODES = 500_000

#: Rounds that find some tree and a bound after the time is over.
_QUICK_ROUNDS = 20


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
    graph = tree_of_arcs(parts, sentence, scores["arc"], shape)
    automata = "sibling" in parts.families
    for name, family in parts.families.items():
        if name == "sibling":
            add_automata(graph, sentence, scores, parts.families)
        elif automata and name in IN_AUTOMATA:
            continue
        elif isinstance(family, TriSiblingFamily):
            add_tri_siblings(graph, sentence, scores[name], family)
        elif name == "head_bigram":
            add_chain_of_heads(graph, parts, sentence, scores[name])
        elif isinstance(family, ArcFamily):
            add_pairs(graph, sentence, scores[name], family)
    ancestral = families_of_ancestry(parts.families)
    if ancestral:
        add_ancestry(graph, sentence, len(scores["arc"]), ancestral, scores)
    return graph


def heads_of(
    parts: PartSet, sentence: int, arc_scores: FloatArray, solution: Solution, shape: TreeShape
) -> IntArray:
    """Return the heads of a solution.

    A solver that found no assignment leaves a fractional one: the tree of allowed arcs that agrees
    most with it is taken.
    """
    arcs = parts.arcs
    rows = arcs.rows[arcs.places(sentence)]
    words = int(parts.lengths[sentence])
    if solution.values is not None:
        heads = np.zeros(words, dtype=np.int32)
        chosen = rows[solution.values[: len(rows)]]
        heads[chosen[:, 1] - 1] = chosen[:, 0]
        return heads
    if solution.relaxed is None:
        raise InfeasibleError(f"sentence {sentence} has no tree")
    one, lengths = parts.arcs_alone(sentence)
    return best_trees(lengths, one, only_allowed(solution.relaxed[: len(rows)], arc_scores), shape)


def tree_score(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], heads: IntArray
) -> float:
    """Return the score of a tree."""
    indicators = parts.indicators(sentence, heads)
    return sum(float(scores[name][has].sum()) for name, has in indicators.items())


def choose_decomposition(decoder: str, decomposition: str | None, shape: TreeShape) -> str:
    """Return the decomposition that a decoder uses if nothing is said, or check what is said.

    >>> [choose_decomposition(decoder, None, TreeShape()) for decoder in ("admm", "lp")]
    ['structured', 'logic']
    """
    if decomposition is not None and decomposition not in DECOMPOSITIONS:
        raise unknown("decomposition", decomposition, DECOMPOSITIONS)
    if decoder not in SOLVERS:
        if decomposition == "logic":
            raise InputError(f"decoder {decoder!r} has no decomposition by logic")
        return "structured"
    if decoder == "lp-single":
        if decomposition == "structured":
            raise InputError("decoder 'lp-single' has no structured decomposition")
        decomposition = "logic"
    if decomposition is None:
        decomposition = "logic" if decoder in _PROGRAMS and not shape.projective else "structured"
    if decomposition == "logic":
        check_shape(shape)
    return decomposition


def decode(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    decoder: str = "auto",
    *,
    decomposition: str | None = None,
    amend: Amend | None = None,
    time_limit_seconds: float | None = None,
    **options: Any,
) -> tuple[IntArray, float, Certificate]:
    """Return the heads of the best tree of a sentence, its score and what is known of it.

    Parameters
    ----------
    parts, sentence, scores, shape
        As for :func:`build_graph`.
    decoder
        One of `SOLVERS`, or ``"bp"``.
    decomposition
        ``"structured"``: trees and automata as factors. ``"logic"``: flows and simple factors, as
        in the papers; not for projective trees. For siblings without grandparents or bigrams both
        have the same relaxation; otherwise the first is tighter. With three siblings in a row
        either may be: their automata share arcs with the other automata, but not steps.
    amend
        Adds factors to the structured graph.
    time_limit_seconds
        When the solver stops with what it has.
    options
        Those of the solver.
    """
    words = int(parts.lengths[sentence])
    note = note_on(words, decoder, projective=shape.projective)
    if is_very_long(words) and decoder != "exact":
        decoder, decomposition = "auto", "structured"
    decomposition = choose_decomposition(decoder, decomposition, shape)
    if decoder == "bp":
        return _decode_by_risk(parts, sentence, scores, shape, time_limit_seconds)
    if len(scores["arc"]) == words and is_very_long(words):
        return _only_tree(parts, sentence, scores, shape, note)
    solver, defaults = SOLVERS[decoder]
    by_logic = _LOGIC_OPTIONS.get(decoder, {}) if decomposition == "logic" else {}
    if decoder == "auto":
        parts_in_all = sum(len(own) for own in scores.values())
        defaults = {**defaults, "max_nodes": _nodes_of_short_search(parts_in_all)}
        if is_long(words) and amend is None:
            solver, defaults = SOLVERS["admm"]
            defaults = {**defaults, "max_iterations": rounds_of(parts_in_all)}
    chosen = {**defaults, **by_logic, "time_limit_seconds": time_limit_seconds, **options}
    if decomposition == "logic" and decoder in _PROGRAMS:
        solution = solve_relaxation(parts, sentence, scores, shape, **chosen)
    else:
        write = logic_graph if decomposition == "logic" else build_graph
        graph = write(parts, sentence, scores, shape)
        if amend is not None:
            amend(graph)
        solution = graph.solve(solver, **chosen)
    knows_nothing = not np.isfinite(solution.upper_bound)  # there was no time for anything
    if knows_nothing and amend is None and solver != "admm":
        heads, score, known = quick_tree(parts, sentence, scores, shape)
        note = _with_time(note, known.status, solution.seconds, time_limit_seconds)
        return heads, score, replace(known, note=note)
    heads = heads_of(parts, sentence, scores["arc"], solution, shape)
    if solution.values is None:  # the tree was rounded from something else
        score = tree_score(parts, sentence, scores, heads)
    else:
        score = solution.value
    gap = max(0.0, solution.upper_bound - score)
    # A fractional solution, or one not written out in full, may still round to a best tree.
    optimal = solution.status is Status.OPTIMAL or gap <= solution.tolerance
    status = Status.OPTIMAL if optimal else solution.status
    gap = 0.0 if optimal else gap
    return (
        heads,
        score,
        Certificate(
            status,
            score + gap,
            gap,
            solution.iterations,
            solution.seconds,
            _with_time(note, status, solution.seconds, time_limit_seconds),
        ),
    )


def quick_tree(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], shape: TreeShape
) -> tuple[IntArray, float, Certificate]:
    """Return some good tree of a sentence whose time is over, with its score and a bound."""
    return decode(parts, sentence, scores, shape, "admm", max_iterations=_QUICK_ROUNDS)


def _with_time(note: str, status: Status, seconds: float, limit: float | None) -> str:
    """Add to a note that the time limit ended the search, if it did."""
    if limit is None or status is not Status.LIMIT or seconds < limit:
        return note
    return "; ".join([*([note] if note else []), out_of_time(limit)])


def out_of_time(limit: float) -> str:
    """Say that a time limit ended the search.

    >>> out_of_time(60.0)
    'stopped by the time limit of 60 seconds'
    """
    return f"stopped by the time limit of {limit:g} seconds"


def _only_tree(
    parts: PartSet, sentence: int, scores: Mapping[str, FloatArray], shape: TreeShape, note: str
) -> tuple[IntArray, float, Certificate]:
    """Return the tree of a sentence whose words have one candidate head each."""
    arcs, lengths = parts.arcs_alone(sentence)
    heads = best_trees(lengths, arcs, scores["arc"], shape)
    score = tree_score(parts, sentence, scores, heads)
    # The only candidate: of the trees that were not even looked at nothing is known.
    return heads, score, Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0, note)


def _nodes_of_short_search(parts: int) -> int:
    """Return how far to search a sentence: not for minutes, and alike on every machine.

    A node costs about as much as there are parts. Only sentences of more than about a hundred
    words get fewer nodes than others.
    """
    most: int = SOLVERS["auto"][1]["max_nodes"]
    return max(1, min(most, _PARTS_TIMES_NODES // max(1, parts)))


def _decode_by_risk(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    time_limit_seconds: float | None,
) -> tuple[IntArray, float, Certificate]:
    """Return the tree with most right arcs in expectation."""
    started = perf_counter()
    limited: dict[str, Any] = {"time_limit_seconds": time_limit_seconds} if parts.families else {}
    marginals = part_marginals(parts, sentence, scores, shape, **limited)
    arcs, lengths = parts.arcs_alone(sentence)
    heads = best_trees(lengths, arcs, only_allowed(marginals.arcs, scores["arc"]), shape)
    score = tree_score(parts, sentence, scores, heads)
    # The tree is the best of another kind: nothing is proven of its score.
    nothing = Certificate(Status.LIMIT, np.inf, np.inf, 0, perf_counter() - started)
    return heads, score, nothing
