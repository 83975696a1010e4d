"""The linear programs of the papers, written for HiGHS with few rows.

Both have a column for each arc, part and flow. What they allow beyond trees is what the flows
allow: with several commodities nothing, as far as arcs alone are concerned, and then the program
is the relaxation that the logic graph (:mod:`turbotree.parsing.decoding.logic`) stands for; with a
single commodity (Martins et al. 2009) more than that, for fewer columns and rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.arrays import LongArray as Ints
from turbotree.graphs import Solution, Status
from turbotree.graphs.linear_program import Model, Program, run_program
from turbotree.graphs.solvers.options import Limits
from turbotree.parsing.decoding.commodities import Commodities, commodities
from turbotree.parsing.decoding.flows import Flows, add_flows_to_program
from turbotree.parsing.decoding.logic import check_shape, heads_of_words, require_tree
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.parts.steps import Steps

_INF = np.inf


def solve_relaxation(
    scored: ScoredSentence,
    *,
    single_commodity: bool = False,
    paths_by_flows: bool = False,
    siblings_by_pairs: bool = False,
    exact: bool = False,
    time_limit_seconds: float | None = None,
    max_iterations: int | None = None,
) -> Solution:
    """Solve a sentence's linear program; the solution is about its arcs only.

    Parameters
    ----------
    scored
        The sentence; trees that have to be projective are refused.
    single_commodity
        Take the looser of the two relaxations.
    paths_by_flows
        Read paths and non-projective arcs off flows for all words, which is the tightest.
    siblings_by_pairs
        Write consecutive siblings as Martins et al. (2009) do, which is looser:
        :mod:`turbotree.parsing.parts.siblings_by_pairs`.
    exact
        Make the arcs whole numbers.
    time_limit_seconds, max_iterations
        As for :func:`turbotree.graphs.linear_program`.

    Returns
    -------
    Solution
        RELAXED, with `values` None: whether the relaxed arcs are a tree, and how good it is, is for
        the caller to say. If exact, they are whole.
    """
    limits = Limits(time_limit_seconds, max_iterations)
    check_shape(scored.shape)
    require_tree(scored)
    program = write_program(scored, single_commodity, paths_by_flows, siblings_by_pairs)
    arcs = len(scored.arcs)
    found = run_program(program, arcs if exact else 0, limits)
    status = Status.RELAXED if found.done else Status.LIMIT
    if found.columns is None:
        return Solution(None, -_INF, found.bound, status, found.iterations, limits.seconds)
    relaxed = np.clip(found.columns[:arcs], 0.0, 1.0)
    return Solution(
        None,
        -_INF,
        found.bound,
        status,
        found.iterations,
        limits.seconds,
        relaxed,
        tolerance=found.tolerance,
    )


def write_program(
    scored: ScoredSentence,
    single_commodity: bool = False,
    paths_by_flows: bool = False,
    siblings_by_pairs: bool = False,
) -> Program:
    """Write a sentence's program; the first columns are its arcs."""
    heads, modifiers = scored.arcs.T
    words, arcs = scored.words, len(heads)
    few = not single_commodity and not paths_by_flows
    flows = commodities(words, heads, modifiers) if few else None
    program = ProgramWriter(scored, paths_by_flows, siblings_by_pairs)
    families = scored.parts.families.values()
    for family in families:
        family.prepare_program(program)
    highest = np.ones(arcs)
    if flows is not None:
        highest[flows.hopeless] = 0.0
    program.model.add_columns(program.arc_scores, 0.0, highest)
    program.add_choices(np.arange(arcs), heads_of_words(modifiers, words))
    if scored.shape.single_root:
        roots = np.flatnonzero(heads == 0)
        program.add_choices(roots, np.array([0, len(roots)]))
    for family in families:
        family.add_to_program(program)
    if paths_by_flows:
        program.flows()
    elif flows is None:
        _add_single_commodity(program, words, heads, modifiers)
    else:
        _add_commodities(program, flows)
    return program.model.finish()


class ProgramWriter:
    """A linear program in the making.

    Attributes
    ----------
    model
        Columns and rows; the first columns are the arcs.
    scored
        The sentence.
    arc_scores
        What arcs score, with what families bring to them.
    steps
        The steps of siblings, as soon as these are laid out.
    has_flows
        Whether paths are read off flows.
    siblings_by_pairs
        Whether consecutive siblings are conjunctions of literals, not automata.
    """

    def __init__(
        self, scored: ScoredSentence, has_flows: bool = False, siblings_by_pairs: bool = False
    ) -> None:
        self.model = Model()
        self.scored = scored
        self.arc_scores: FloatArray = scored.scores["arc"].astype(np.float64)
        self.steps: Steps | None = None
        self.has_flows = has_flows
        self.siblings_by_pairs = siblings_by_pairs
        self._flows: Flows | None = None

    def flows(self) -> Flows:
        """Return the flows that paths are read off; they are written when first asked for."""
        if self._flows is None:
            self._flows = add_flows_to_program(self)
        return self._flows

    def add_choices(self, items: Ints, offsets: Ints) -> None:
        """Exactly one of each group: 1 row each."""
        self.model.add_rows(np.diff(offsets), items, np.ones(len(items)), 1.0, 1.0)

    def add_balance(
        self,
        left: Ints,
        left_offsets: Ints,
        right: Ints,
        right_offsets: Ints,
        constant: Any = 0,
    ) -> None:
        """The sum of each group on the left, less that on the right, is a constant: 1 row each."""
        left_sizes, right_sizes = np.diff(left_offsets), np.diff(right_offsets)
        row = np.concatenate(
            [np.repeat(np.arange(len(sizes)), sizes) for sizes in (left_sizes, right_sizes)]
        )
        order = np.argsort(row, kind="stable")
        items = np.concatenate([left, right])[order]
        signs = np.repeat([1.0, -1.0], [len(left), len(right)])[order]
        self.model.add_rows(left_sizes + right_sizes, items, signs, constant, constant)

    def add_pairs(self, pairs: Ints, scores: FloatArray) -> None:
        """Two columns at once: what is liked is at most either, what is not at least the rest."""
        liked, disliked = pairs[scores > 0], pairs[scores < 0]
        first = self.model.add_columns(scores[scores > 0])
        both = first + np.arange(len(liked))
        for end in (0, 1):
            self.add_at_most(both, liked[:, end])
        first = self.model.add_columns(scores[scores < 0])
        both = first + np.arange(len(disliked))
        columns = np.column_stack([disliked, both]).reshape(-1)
        signs = np.tile([1.0, 1.0, -1.0], len(disliked))
        self.model.add_rows(np.full(len(disliked), 3), columns, signs, -_INF, 1.0)

    def add_at_most(self, lower: Ints, upper: Ints, factor: float = 1.0) -> None:
        """Each of the first is at most the other, times a factor."""
        columns = np.column_stack([lower, upper]).reshape(-1)
        signs = np.tile([1.0, -factor], len(lower))
        self.model.add_rows(np.full(len(lower), 2), columns, signs, -_INF, 0.0)

    def add_literals(
        self, sizes: Ints, literals: Ints, signs: FloatArray, lower: float, upper: float
    ) -> None:
        """Rows over literals."""
        negated = literals < 0
        columns = np.where(negated, ~literals, literals)
        self.model.add_rows(sizes, columns, signs, lower, upper, negated)


def _add_commodities(program: ProgramWriter, found: Commodities) -> None:
    model = program.model
    shift = model.columns - found.arcs
    flows = model.add_columns(np.zeros(found.flows)) + np.arange(found.flows)
    program.add_at_most(flows[: len(found.along)], found.along)
    entering = flows[len(found.along) :]
    # An entering flow is at most the sum of the arcs that it may come by.
    starts = found.entry_offsets[:-1]
    sizes = np.diff(found.entry_offsets)
    model.add_rows(
        sizes + 1,
        np.insert(found.entries, starts, entering),
        np.insert(-np.ones(len(found.entries)), starts, 1.0),
        -_INF,
        0.0,
    )
    into, out = (np.where(i < found.arcs, i, i + shift) for i in (found.into, found.out))
    program.add_balance(into, found.into_offsets, out, found.out_offsets)


def _add_single_commodity(
    program: ProgramWriter, words: int, heads: IntArray, modifiers: IntArray
) -> None:
    """Every word keeps one unit of what comes to it, by chosen arcs, and passes on the rest."""
    arcs = np.arange(len(heads))
    flows = program.model.add_columns(np.zeros(len(arcs)), 0.0, float(words)) + arcs
    program.add_at_most(flows, arcs, float(words))
    passing = np.flatnonzero(heads > 0)
    passing = passing[np.argsort(heads[passing], kind="stable")]
    out_offsets = np.searchsorted(heads[passing], np.arange(1, words + 2))
    program.add_balance(
        flows, heads_of_words(modifiers, words), flows[passing], out_offsets, constant=1.0
    )
