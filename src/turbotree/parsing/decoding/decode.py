"""From the scores of parts to a tree: the one function that everything decodes with."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Solution, Status
from turbotree.graphs.solvers.batch import solve_many
from turbotree.graphs.solvers.registry import prepare_for_many, prepare_solver
from turbotree.naming import unknown
from turbotree.parsing.arcs import TreeShape, is_long, is_very_long, note_on, only_allowed
from turbotree.parsing.decoding.beliefs import part_marginals
from turbotree.parsing.decoding.certificate import Certificate, FoundTree
from turbotree.parsing.decoding.linear_program import solve_relaxation
from turbotree.parsing.decoding.logic import check_shape, flow_graph, logic_graph
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.both_sides import heads_graph
from turbotree.quantities import read_time_limit

_Key = TypeVar("_Key", bound=Hashable)

#: Solvers of graphs by the name of the decoder, with the options that suit parsing. Residuals are
#: only a way to stop: an optimal answer is proven by its bound.
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "auto": ("branch_and_bound", {"max_rounds_per_node": 150, "max_nodes": 100}),
    "admm": ("admm", {"max_iterations": 500, "residual_threshold": 1e-4}),
    "exact": ("branch_and_bound", {"max_rounds_per_node": 150}),
    "subgradient": ("subgradient", {"max_iterations": 5000}),
    "lp": ("linear_program", {}),
    "lp-single": ("", {"single_commodity": True}),
    "lp2009": ("", {"siblings_by_pairs": True}),
    "lp2009-single": ("", {"siblings_by_pairs": True, "single_commodity": True}),
    "ilp": ("linear_program", {"exact": True}),
    "koo2010": ("koo2010", {}),
    "admm2011": ("admm2011", {}),
    "subgradient2011": ("subgradient2011", {}),
}

#: Decoders of arc-factored models; the first is what they use if nothing is said.
ARC_DECODERS = ("mst", "eisner", "mbr")
#: Decoders of all models; the first is what models with parts of higher order use.
GRAPH_DECODERS = (*SOLVERS, "bp")
DECODERS = (*ARC_DECODERS, *GRAPH_DECODERS)
#: Decoders whose every answer obeys what is said of spans; they are one and the same then.
DECODERS_OF_SPANS = ("mst", "eisner", "auto", "exact")

#: Ways to write a sentence as a graph.
_GRAPHS: dict[str, Callable[[ScoredSentence], FactorGraph]] = {
    "structured": ScoredSentence.graph,
    "logic": logic_graph,
    "heads": heads_graph,
    "flows": flow_graph,
}
DECOMPOSITIONS = tuple(_GRAPHS)
_PROGRAMS = ("lp", "lp-single", "lp2009", "lp2009-single", "ilp")
#: Those that no graph stands for.
_ONLY_PROGRAMS = ("lp-single", "lp2009", "lp2009-single")
#: Decoders whose solvers are in the core, which takes many graphs at once and heeds time limits.
BATCH_DECODERS = ("auto", "admm", "exact", "subgradient")
#: Those of simple factors, with flows; linear programs have them as well.
_BY_LOGIC = ("logic", "flows")
#: Which one a decoder uses if nothing is said, and it is not the first.
_USUAL = {**dict.fromkeys(_PROGRAMS, "logic"), "koo2010": "heads", "admm2011": "logic"}

#: What differs for graphs by logic: their many small factors agree later, after cheaper rounds.
_LOGIC_OPTIONS: dict[str, dict[str, Any]] = {
    "admm": {"max_iterations": 5000, "residual_threshold": 1e-5}
}

#: The work of a short search: parts times nodes. A node costs about as much as there are parts, so
#: that no sentence is searched for minutes, and all alike on every machine. Up to 200,000 parts,
#: sentences get all nodes: that is 55 words whose every arc is a candidate, or thousands of words
#: behind a pruner.
_PARTS_TIMES_NODES = 20_000_000
#: The same for the rounds of a relaxation that no search follows, and how many there are.
_PARTS_TIMES_ROUNDS = 30_000_000
_MOST_ROUNDS, _FEWEST_ROUNDS = 150, 20

#: Seconds that decoding one sentence may take if nothing is said.
USUAL_TIME_LIMIT = 60.0
#: Decoders that search until there is a proof; their time is limited only if that is said.
PATIENT = ("exact", "ilp")

#: Rounds that find some tree and a bound after the time is over.
_QUICK_ROUNDS = 20


def choose_decomposition(decoder: str, decomposition: str | None, shape: TreeShape) -> str:
    """Return the decomposition that a decoder uses if nothing is said, or check what is said.

    >>> [choose_decomposition(decoder, None, TreeShape()) for decoder in ("admm", "lp")]
    ['structured', 'logic']
    """
    if decomposition is not None and decomposition not in DECOMPOSITIONS:
        raise unknown("decomposition", decomposition, DECOMPOSITIONS)
    if decoder not in SOLVERS:
        if decomposition not in (None, "structured"):
            raise InputError(f"decoder {decoder!r} has no decomposition by {decomposition}")
        return "structured"
    if decoder in _ONLY_PROGRAMS:
        if decomposition not in (None, "logic"):
            raise InputError(f"decoder {decoder!r} has no {decomposition} decomposition")
        decomposition = "logic"
    if decomposition is None:
        decomposition = _USUAL.get(decoder, "structured")
        if shape.projective and decomposition == "logic":
            decomposition = "structured"
    if decomposition in _BY_LOGIC:
        check_shape(shape)
    return decomposition


def usual_time_limit(seconds: float | None, decoder: str) -> float | None:
    """Return the time limit of a decoder: what is given, or else the usual one; None is none.

    >>> usual_time_limit(None, "auto"), usual_time_limit(None, "exact"), usual_time_limit(2, "ilp")
    (60.0, None, 2.0)
    """
    if seconds is None:
        return None if decoder in PATIENT else USUAL_TIME_LIMIT
    limit = read_time_limit(seconds)
    return None if limit == math.inf else limit


def rounds_of(parts: int) -> int:
    """Return how many rounds a relaxation with so many parts gets.

    >>> rounds_of(10_000), rounds_of(600_000), rounds_of(10**8)
    (150, 50, 20)
    """
    return max(_FEWEST_ROUNDS, min(_MOST_ROUNDS, _PARTS_TIMES_ROUNDS // max(1, parts)))


def solver_of(decoder: str, scored: ScoredSentence) -> tuple[str, dict[str, Any]]:
    """Return the solver of a decoder, and its options for a sentence.

    This is the policy of ``"auto"``: dual decomposition, and a search where that leaves a gap, for
    as many nodes as suit the number of parts; no search in long sentences without spans.
    """
    solver, options = SOLVERS[decoder]
    if decoder != "auto":
        return solver, options
    if is_long(scored.words) and not scored.has_spans:
        solver, options = SOLVERS["admm"]
        return solver, {**options, "max_iterations": rounds_of(scored.part_count)}
    nodes = _PARTS_TIMES_NODES // max(1, scored.part_count)
    if nodes >= options["max_nodes"]:
        return solver, options
    return solver, {**options, "max_nodes": max(1, nodes)}


def decode(
    scored: ScoredSentence,
    decoder: str = "auto",
    *,
    decomposition: str | None = None,
    time_limit_seconds: float | None = None,
    **options: Any,
) -> FoundTree:
    """Return the best tree of a sentence, with what is known of it.

    Parameters
    ----------
    scored
        The sentence. If it has spans, it is searched until there is a proof.
    decoder
        One of `SOLVERS`, or ``"bp"``.
    decomposition
        ``"structured"``: trees and automata as factors. ``"logic"``: flows and simple factors, as
        in the papers; not for projective trees. For siblings without grandparents or bigrams both
        have the same relaxation; otherwise the first is tighter. With three siblings in a row
        either may be: their automata share arcs with the other automata, but not steps.
        ``"heads"``: as the first, but every head has one automaton, not one for each side.
        ``"flows"``: as the second, but paths and non-projective arcs are read off the flows, which
        is tighter.
    time_limit_seconds
        When the solver stops with what it has.
    options
        Those of the solver.
    """
    decomposition = choose_decomposition(decoder, decomposition, scored.shape)
    return decode_as(scored, decoder, decomposition, time_limit_seconds, **options)


def decode_as(
    scored: ScoredSentence,
    decoder: str,
    decomposition: str,
    time_limit_seconds: float | None,
    **options: Any,
) -> FoundTree:
    """Decode as :func:`decode` does, by a decomposition that suits the decoder."""
    if scored.has_spans:
        decoder, decomposition = "exact", "structured"
    note = ""
    if is_very_long(scored.words):
        note = note_on(scored.words, decoder, projective=scored.shape.projective)
        if decoder != "exact":
            decoder, decomposition = "auto", "structured"
        if len(scored.arcs) == scored.words:
            return _only_tree(scored, note)
    if decoder == "bp":
        return _decode_by_risk(scored, time_limit_seconds)
    solver, usual = solver_of(decoder, scored)
    by_logic = _LOGIC_OPTIONS.get(decoder, {}) if decomposition in _BY_LOGIC else {}
    chosen = {**usual, **by_logic, "time_limit_seconds": time_limit_seconds, **options}
    if decomposition in _BY_LOGIC and decoder in _PROGRAMS:
        solution = solve_relaxation(scored, paths_by_flows=decomposition == "flows", **chosen)
    else:
        solution = prepare_solver(solver, **chosen)(_GRAPHS[decomposition](scored))
    return _tree_of(scored, solution, solver, time_limit_seconds, note)


def _tree_of(
    scored: ScoredSentence,
    solution: Solution,
    solver: str,
    time_limit_seconds: float | None,
    note: str = "",
) -> FoundTree:
    """Return the tree of a solution, or a quick one; say so if the time ended the search."""
    knows_nothing = not np.isfinite(solution.upper_bound)  # there was no time for anything
    if knows_nothing and not scored.has_spans and solver != "admm":
        found = quick_tree(scored)
    else:
        found = read_solution(scored, solution)
    known, limit = found.certificate, time_limit_seconds
    if limit is not None and known.status is Status.LIMIT and solution.seconds >= limit:
        note = "; ".join([*([note] if note else []), out_of_time(limit)])
    return found._replace(certificate=replace(known, note=note)) if note else found


def decode_many(
    sentences: Iterable[tuple[_Key, ScoredSentence]],
    decoder: str = "auto",
    *,
    time_limit_seconds: float | None = None,
    threads: int = 1,
) -> Iterator[tuple[_Key, FoundTree]]:
    """Decode sentences that have a name each, those that one solver serves as a batch.

    The trees are those of :func:`decode`; they come in any order. The time limit is that of one
    sentence.
    """
    together: dict[tuple[Any, ...], list[tuple[_Key, ScoredSentence]]] = {}
    for key, scored in sentences:
        if decoder not in BATCH_DECODERS or scored.has_spans or is_very_long(scored.words):
            yield key, decode(scored, decoder, time_limit_seconds=time_limit_seconds)
            continue
        solver, options = solver_of(decoder, scored)
        together.setdefault((solver, *sorted(options.items())), []).append((key, scored))
    for (solver, *items), group in together.items():
        options = {**dict(items), "time_limit_seconds": time_limit_seconds}
        graphs = (scored.graph() for _, scored in group)
        solutions = (
            prepare_for_many(solver, **options)(graphs)
            if threads == 1
            else solve_many(graphs, solver, threads=threads, **options)
        )
        for (key, scored), solution in zip(group, solutions, strict=True):
            yield key, _tree_of(scored, solution, solver, time_limit_seconds)


def read_solution(scored: ScoredSentence, solution: Solution) -> FoundTree:
    """Return the tree of a solution of a sentence's graph, with what it proves."""
    heads = heads_of(scored, solution)
    rounded = solution.values is None  # from a fractional solution
    score = scored.score(heads) if rounded else solution.value
    bound = max(score, solution.upper_bound)
    # A fractional solution, or one not written out in full, may still round to a best tree.
    optimal = solution.status is Status.OPTIMAL or bound - score <= solution.tolerance
    if optimal:
        bound = score
    status = Status.OPTIMAL if optimal else solution.status
    gap = 0.0 if optimal else bound - score  # infinite where the tree has a forbidden part
    known = Certificate(status, bound, gap, solution.iterations, solution.seconds)
    return FoundTree(heads, score, known)


def heads_of(scored: ScoredSentence, solution: Solution) -> IntArray:
    """Return the heads of a solution.

    A solver that found no assignment leaves a fractional one: the tree of allowed arcs that agrees
    most with it is taken.
    """
    rows = scored.arcs
    if solution.values is not None:
        heads = np.zeros(scored.words, dtype=np.int32)
        chosen = rows[solution.values[: len(rows)]]
        heads[chosen[:, 1] - 1] = chosen[:, 0]
        return heads
    if solution.relaxed is None:
        raise InfeasibleError(f"sentence {scored.sentence} has no tree")
    return scored.best_tree(only_allowed(solution.relaxed[: len(rows)], scored.scores["arc"]))


def quick_tree(scored: ScoredSentence) -> FoundTree:
    """Return some good tree of a sentence whose time is over, with its score and a bound."""
    return decode(scored, "admm", max_iterations=_QUICK_ROUNDS)


def out_of_time(limit: float) -> str:
    """Say that a time limit ended the search.

    >>> out_of_time(60.0)
    'stopped by the time limit of 60 seconds'
    """
    return f"stopped by the time limit of {limit:g} seconds"


def _only_tree(scored: ScoredSentence, note: str) -> FoundTree:
    """Return the tree of a sentence whose words have one candidate head each."""
    heads = scored.best_tree(scored.scores["arc"])
    # The only candidate: of the trees that were not even looked at nothing is known.
    nothing = Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0, note)
    return FoundTree(heads, scored.score(heads), nothing)


def _decode_by_risk(scored: ScoredSentence, time_limit_seconds: float | None) -> FoundTree:
    """Return the tree with most right arcs in expectation."""
    started = perf_counter()
    families = scored.parts.families
    limited: dict[str, Any] = {"time_limit_seconds": time_limit_seconds} if families else {}
    arcs: FloatArray = part_marginals(scored, **limited).arcs
    heads = scored.best_tree(only_allowed(arcs, scored.scores["arc"]))
    # The tree is the best of another kind: nothing is proven of its score.
    nothing = Certificate(Status.LIMIT, np.inf, np.inf, 0, perf_counter() - started)
    return FoundTree(heads, scored.score(heads), nothing)
