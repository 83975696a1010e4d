"""The best tree that obeys rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph, Solution, Status
from turbotree.graphs.rules.circuit import FALSE, Circuit
from turbotree.graphs.rules.relations import Ints
from turbotree.graphs.rules.syntax import Rule
from turbotree.parsing.decoding import (
    SOLVERS,
    Certificate,
    FoundTree,
    heads_of,
    solver_of,
)
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.rules.groundings import ArcWorld, TreeWorld, matches
from turbotree.parsing.rules.lazy_grounding import LazyRules, broken_rules, cost_of
from turbotree.parsing.rules.words import Words

#: A search that has no tree after so many nodes is not likely to find one soon.
_NODES_BEFORE_A_TREE = 5

#: Labels that each arc may have: given head and modifier, their names.
LabelsOfArc = Callable[[int, int], Sequence[str]]


def search_tree(
    words: Words,
    scored: ScoredSentence,
    rules: Sequence[Rule],
    source: str,
    *,
    decoder: str = "auto",
    first: IntArray | None = None,
    known: IntArray | None = None,
    without: tuple[int, int] | None = None,
    thorough: bool = True,
    label_rules: Sequence[Rule] = (),
    labels_of: LabelsOfArc | None = None,
) -> FoundTree:
    """Find the best tree that obeys rules.

    Parameters
    ----------
    words, scored
        The sentence, and its parts with their scores.
    rules
        Those of the tree; they are added when an answer breaks them.
    source
        Where they came from, for messages.
    decoder
        ``"auto"``, ``"exact"`` or ``"ilp"``.
    first
        The best tree without rules, if there is one.
    known
        A tree that obeys the hard rules, if there is one: the answer where a short search finds
        no better one.
    without
        An arc that the tree must not have.
    thorough
        Whether to go on with HiGHS where a short search finds no tree.
    label_rules, labels_of
        Hard rules of labels, and which labels an arc may have: the tree has to be one that can
        be labelled as the rules want.

    Raises
    ------
    InfeasibleError
        When no tree of the candidate arcs obeys the rules, or, if not thorough, none was found.
    """
    started = perf_counter()
    ruled = RuledTrees(words, scored, rules, source, label_rules=label_rules, labels_of=labels_of)
    if without is not None:
        ruled.graph.fix(~np.flatnonzero((ruled.arcs == without).all(axis=1)))
    if first is not None:
        ruled.add_broken_by(first)
    rounds = 0
    while True:
        solution = solve(ruled.graph, decoder, scored, thorough=thorough)
        rounds += solution.iterations
        if solution.values is not None:
            heads = heads_of(scored, solution)
        elif known is not None:
            heads = known
        else:
            raise InfeasibleError("no tree was found that obeys the rules")
        if not ruled.add_broken_by(heads):
            break
    bound = solution.upper_bound + ruled.constant
    if solution.values is not None:
        score = solution.value + ruled.constant
    else:
        broken = broken_rules(rules, TreeWorld(words, heads))
        score = scored.score(heads) - cost_of(rules, broken)
    optimal = solution.status is Status.OPTIMAL
    bound = score if optimal else max(score, bound)
    gap = 0.0 if optimal else bound - score
    seconds = perf_counter() - started
    certificate = Certificate(solution.status, bound, gap, rounds, seconds)
    return FoundTree(heads, score, certificate)


class RuledTrees:
    """The trees of a sentence as a graph, to which rules are added as trees break them.

    Parameters are those of :func:`search_tree`.
    """

    def __init__(
        self,
        words: Words,
        scored: ScoredSentence,
        rules: Sequence[Rule],
        source: str,
        *,
        label_rules: Sequence[Rule] = (),
        labels_of: LabelsOfArc | None = None,
    ) -> None:
        self._words, self._rules = words, rules
        self.graph = scored.graph()
        self.arcs = scored.arcs
        circuit = Circuit()
        labels = None
        if label_rules and labels_of is not None:
            labels = ArcLabels(self.graph, circuit, self.arcs, label_rules, labels_of)
        world = ArcWorld(words, self.arcs, self.graph, circuit, labels)
        self._lazy = LazyRules(self.graph, circuit, world, [*rules, *label_rules], source)
        self._lazy.add_whole(label_rules)

    @property
    def constant(self) -> float:
        """What the graph's value lacks."""
        return self._lazy.constant

    def add_broken_by(self, heads: IntArray) -> bool:
        """Add the rules that a tree breaks; tell whether there was something to add."""
        return self._lazy.add(broken_rules(self._rules, TreeWorld(self._words, heads)))


def solve(
    graph: FactorGraph, decoder: str, scored: ScoredSentence | None = None, *, thorough: bool = True
) -> Solution:
    """Solve a graph with rules: of the trees of a sentence, or of labels.

    Rules may leave so little that a short search finds nothing, however long it goes on: then
    HiGHS has to find something, or to prove that there is nothing, if the search is to be
    thorough.
    """
    if decoder == "ilp":
        return graph.solve("linear_program", exact=True)
    decoder = "exact" if decoder == "exact" else "auto"
    solver, options = SOLVERS[decoder] if scored is None else solver_of(decoder, scored)
    if solver == "admm":  # of a long sentence; rules need a search
        solver, options = SOLVERS["auto"]
    solution = graph.solve(solver, **{**options, "max_nodes": _NODES_BEFORE_A_TREE})
    if solution.status is Status.OPTIMAL:
        return solution
    if solution.values is None:
        return graph.solve("linear_program", exact=True) if thorough else solution
    return graph.solve(solver, **options)


class ArcLabels:
    """Labels of arcs as far as rules tell them apart.

    Labels that the same patterns of the rules match are one class. An arc has exactly one class,
    and none if it is not there.
    """

    def __init__(
        self,
        graph: FactorGraph,
        circuit: Circuit,
        arcs: IntArray,
        rules: Sequence[Rule],
        labels_of: LabelsOfArc,
    ) -> None:
        from turbotree.parsing.rules.compiled import label_patterns

        self._circuit = circuit
        self._sets = sorted({patterns for rule in rules for patterns in label_patterns(rule)})
        self._classes: list[dict[tuple[bool, ...], int]] = []
        classes: dict[str, tuple[bool, ...]] = {}
        for arc, (head, modifier) in enumerate(arcs.tolist()):
            own: dict[tuple[bool, ...], int] = {}
            for label in labels_of(head, modifier):
                if label not in classes:
                    classes[label] = tuple(matches(label, one) for one in self._sets)
                own[classes[label]] = -1
            if len(own) == 1:
                own = dict.fromkeys(own, arc)
            elif own:
                variables = graph.variables(np.zeros(len(own)))
                graph.define_exactly_one(arc, variables)
                own = dict(zip(own, variables.tolist(), strict=True))
            self._classes.append(own)

    def __call__(self, patterns: tuple[str, ...]) -> Ints:
        """Return the truth value of "this arc has one of these labels" for each arc."""
        which = self._sets.index(patterns)
        found = np.full(len(self._classes), FALSE, dtype=np.int64)
        for arc, own in enumerate(self._classes):
            fitting = [variable for hits, variable in own.items() if hits[which]]
            if fitting:
                every = len(fitting) == len(own)
                found[arc] = arc if every else self._circuit.any_of(fitting)
        return found
