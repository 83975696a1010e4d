"""The linear programs of the papers, written for HiGHS with few rows.

Both have a column for each arc, part and flow. What they allow beyond trees is what the flows
allow: with several commodities nothing, as far as arcs alone are concerned, and then the program
is the relaxation that the logic graph (:mod:`turbotree.parsing.logic`) stands for; with a single
commodity (Martins et al. 2009) more than that, for fewer columns and rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import FloatArray
from turbotree.graphs import Solution, Status
from turbotree.graphs.linear_program import Model, Program, run_program
from turbotree.graphs.solvers.options import Limits
from turbotree.parsing.ancestry import (
    Ancestry,
    ancestry_scores,
    families_of_ancestry,
    renumbered,
)
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.commodities import Commodities, commodities
from turbotree.parsing.families import (
    ArcFamily,
    GrandSiblingFamily,
    SiblingFamily,
    TriSiblingFamily,
)
from turbotree.parsing.logic import (
    check_shape,
    heads_of_words,
    require_tree,
    sibling_steps,
    third_order_pairs,
)
from turbotree.parsing.parts import PartSet

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.int32]
_INF = np.inf


def solve_relaxation(
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    *,
    single_commodity: bool = False,
    exact: bool = False,
    time_limit_seconds: float | None = None,
    max_iterations: int | None = None,
) -> Solution:
    """Solve a sentence's linear program; the solution is about its arcs only.

    Parameters
    ----------
    parts, sentence, scores, shape
        As for :func:`turbotree.parsing.decoding.build_graph`; trees that have to be projective
        are refused.
    single_commodity
        Take the looser of the two relaxations.
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
    check_shape(shape)
    require_tree(parts, sentence, shape)
    program = write_program(parts, sentence, scores, shape, single_commodity)
    arcs = len(scores["arc"])
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
    parts: PartSet,
    sentence: int,
    scores: Mapping[str, FloatArray],
    shape: TreeShape,
    single_commodity: bool = False,
) -> Program:
    """Write a sentence's program; the first columns are its arcs."""
    at = parts.arcs.places(sentence)
    heads, modifiers = parts.arcs.rows[at].T
    words, arcs = int(parts.lengths[sentence]), len(heads)
    flows = None if single_commodity else commodities(words, heads, modifiers)
    siblings = parts.families.get("sibling")
    arc_scores, steps = scores["arc"].astype(np.float64), None
    if isinstance(siblings, SiblingFamily):
        steps = sibling_steps(siblings, sentence, arcs)
        # A step that is an arc brings its score to the arc.
        as_arc = ~steps.new
        np.add.at(arc_scores, steps.variables[as_arc], scores["sibling"][as_arc])
    ancestral = families_of_ancestry(parts.families)
    of_ancestry = np.zeros(arcs)
    if ancestral:
        of_ancestry = ancestry_scores(ancestral, sentence, scores, arcs)
        arc_scores += of_ancestry[:arcs]
    highest = np.ones(arcs)
    if flows is not None:
        highest[flows.hopeless] = 0.0
    model = Model()
    model.add_columns(arc_scores, 0.0, highest)
    _add_choices(model, np.arange(arcs), heads_of_words(modifiers, words))
    if shape.single_root:
        roots = np.flatnonzero(heads == 0)
        _add_choices(model, roots, np.array([0, len(roots)]))
    if steps is not None:
        model.add_columns(scores["sibling"][steps.new])
        _add_choices(model, steps.first, steps.first_offsets)
        _add_balance(
            model, steps.steps, steps.step_offsets, steps.of_arc, np.arange(len(steps.of_arc) + 1)
        )
    for name, family in parts.families.items():
        if isinstance(family, GrandSiblingFamily | TriSiblingFamily):
            assert steps is not None
            _add_pairs(model, third_order_pairs(family, sentence, steps), scores[name])
        elif name != "sibling" and isinstance(family, ArcFamily):
            own = family.parts.places(sentence)
            _add_pairs(model, family.arcs[own].astype(np.int64), scores[name])
    if ancestral:
        first = model.add_columns(of_ancestry[arcs:])
        _add_ancestry(model, next(iter(ancestral.values())).ancestry, sentence, arcs, first)
    if flows is None:
        _add_single_commodity(model, words, heads, modifiers)
    else:
        _add_commodities(model, flows)
    return model.finish()


def _add_choices(model: Model, items: Ints, offsets: Ints) -> None:
    """Exactly one of each group: 1 row each."""
    model.add_rows(np.diff(offsets), items, np.ones(len(items)), 1.0, 1.0)


def _add_balance(
    model: Model,
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
    model.add_rows(left_sizes + right_sizes, items, signs, constant, constant)


def _add_pairs(model: Model, pairs: Ints, scores: FloatArray) -> None:
    """Two arcs at once: what is liked is at most either, what is disliked at least the rest."""
    liked, disliked = pairs[scores > 0], pairs[scores < 0]
    first = model.add_columns(scores[scores > 0])
    both = first + np.arange(len(liked))
    for end in (0, 1):
        _add_at_most(model, both, liked[:, end])
    first = model.add_columns(scores[scores < 0])
    both = first + np.arange(len(disliked))
    columns = np.column_stack([disliked, both]).reshape(-1)
    signs = np.tile([1.0, 1.0, -1.0], len(disliked))
    model.add_rows(np.full(len(disliked), 3), columns, signs, -_INF, 1.0)


def _add_at_most(model: Model, lower: Ints, upper: Ints, factor: float = 1.0) -> None:
    """Each of the first is at most the other, times a factor."""
    columns = np.column_stack([lower, upper]).reshape(-1)
    signs = np.tile([1.0, -factor], len(lower))
    model.add_rows(np.full(len(lower), 2), columns, signs, -_INF, 0.0)


def _add_literal_rows(
    model: Model, sizes: Ints, literals: Ints, signs: FloatArray, lower: float, upper: float
) -> None:
    """Rows over literals."""
    negated = literals < 0
    columns = np.where(negated, ~literals, literals)
    model.add_rows(sizes, columns, signs, lower, upper, negated)


def _add_ancestry(model: Model, ancestry: Ancestry, sentence: int, arcs: int, first: int) -> None:
    """What paths and non-projective arcs stand for; their columns begin at `first`."""
    ands = renumbered(ancestry.ands_of(sentence), arcs, first)
    for one in (1, 2):
        pairs = ands[:, [0, one]].reshape(-1)
        _add_literal_rows(
            model, np.full(len(ands), 2), pairs, np.tile([1.0, -1.0], len(ands)), -_INF, 0.0
        )
    _add_literal_rows(
        model,
        np.full(len(ands), 3),
        ands.reshape(-1),
        np.tile([-1.0, 1.0, 1.0], len(ands)),
        -_INF,
        1.0,
    )
    for groups, lower in ((ancestry.sums, 0.0), (ancestry.ors, -_INF)):
        outputs, inputs, offsets = groups.of(sentence)
        out, literals = (renumbered(part, arcs, first) for part in (outputs, inputs))
        starts, sizes = offsets[:-1], np.diff(offsets).astype(np.int64)
        _add_literal_rows(
            model,
            sizes + 1,
            np.insert(literals, starts, out),
            np.insert(-np.ones(len(literals)), starts, 1.0),
            lower,
            0.0,
        )
        if lower == 0.0:
            continue
        each = np.column_stack([literals, np.repeat(out, sizes)]).reshape(-1)
        _add_literal_rows(
            model, np.full(len(literals), 2), each, np.tile([1.0, -1.0], len(literals)), -_INF, 0.0
        )


def _add_commodities(model: Model, found: Commodities) -> None:
    shift = model.columns - found.arcs
    flows = model.add_columns(np.zeros(found.flows)) + np.arange(found.flows)
    _add_at_most(model, flows[: len(found.along)], found.along)
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
    _add_balance(model, into, found.into_offsets, out, found.out_offsets)


def _add_single_commodity(model: Model, words: int, heads: Words, modifiers: Words) -> None:
    """Every word keeps one unit of what comes to it, by chosen arcs, and passes on the rest."""
    arcs = np.arange(len(heads))
    flows = model.add_columns(np.zeros(len(arcs)), 0.0, float(words)) + arcs
    _add_at_most(model, flows, arcs, float(words))
    passing = np.flatnonzero(heads > 0)
    passing = passing[np.argsort(heads[passing], kind="stable")]
    out_offsets = np.searchsorted(heads[passing], np.arange(1, words + 2))
    _add_balance(
        model, flows, heads_of_words(modifiers, words), flows[passing], out_offsets, constant=1.0
    )
