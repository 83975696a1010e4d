"""The best labels of a tree that obey rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InfeasibleError
from turbotree.graphs import FactorGraph
from turbotree.graphs.rules.circuit import Circuit
from turbotree.graphs.rules.syntax import Rule
from turbotree.parsing.labels import LabelScores
from turbotree.parsing.rules.groundings import LabelWorld, TreeWorld
from turbotree.parsing.rules.lazy_grounding import LazyRules, broken_rules, rewards
from turbotree.parsing.rules.searching import solve
from turbotree.parsing.rules.words import Words


class LabelGraph:
    """The labels of one tree as a graph: a chain for the modifiers of each head.

    Parameters
    ----------
    scores
        Those of the labels of this tree alone.
    names
        The names of all labels.

    Attributes
    ----------
    graph
        A variable for each label of each word.
    states
        For each word its labels, and the variable of each.
    """

    def __init__(self, scores: LabelScores, names: Sequence[str]) -> None:
        structure = scores.structure
        nodes = structure.nodes
        self.graph = FactorGraph()
        self.states: list[tuple[list[str], list[int]]] = [([], [])] * len(structure.words)
        chain: list[list[int]] = []
        steps: list[FloatArray] = []
        for node, word in enumerate(structure.words.tolist()):
            at = slice(nodes.label_offsets[node], nodes.label_offsets[node + 1])
            edges = slice(structure.edge_offsets[node], structure.edge_offsets[node + 1])
            variables = self.graph.variables(scores.node_scores[at]).tolist()
            labels = [names[label] for label in nodes.labels[at].tolist()]
            self.states[word] = labels, variables
            if edges.stop == edges.start:
                self._add_chain(chain, steps)
                chain, steps = [], []
            else:
                steps.append(scores.edge_scores[edges].reshape(len(chain[-1]), len(variables)))
            chain.append(variables)
        self._add_chain(chain, steps)

    def score(self, labels: Sequence[str]) -> float:
        """Return the score of labels, one per word."""
        values = np.zeros(len(self.graph), dtype=bool)
        for label, (own, variables) in zip(labels, self.states, strict=True):
            values[variables[own.index(label)]] = True
        return float(self.graph.value(values))

    def _add_chain(self, chain: list[list[int]], steps: list[FloatArray]) -> None:
        if chain:
            self.graph.chain([np.array(node) for node in chain], steps)


def search_labels(
    words: Words,
    heads: IntArray,
    labels: Sequence[str],
    scores: LabelScores,
    names: Sequence[str],
    rules: Sequence[Rule],
    source: str,
) -> list[str]:
    """Find the best labels of a tree that obey rules.

    Parameters
    ----------
    words, heads
        The sentence and its tree.
    labels
        The best labels without rules.
    scores, names
        The scores of the labels of this tree alone, and the names of all labels.
    rules, source
        Those that speak of labels, and where they came from.

    Raises
    ------
    InfeasibleError
        When no labels of this tree obey the rules.
    """
    found = list(labels)
    broken = broken_rules(rules, TreeWorld(words, heads, found))
    if not broken and not rewards(rules):
        return found
    written = LabelGraph(scores, names)
    circuit = Circuit()
    world = LabelWorld(words, heads, written.states, circuit)
    lazy = LazyRules(written.graph, circuit, world, rules, source)
    lazy.add(broken)
    while True:
        solution = solve(written.graph, "auto")
        if solution.values is None:
            raise InfeasibleError("no labels were found that obey the rules")
        found = [
            next(label for label, x in zip(*state, strict=True) if solution[x])
            for state in written.states
        ]
        if not lazy.add(broken_rules(rules, TreeWorld(words, heads, found))):
            return found
