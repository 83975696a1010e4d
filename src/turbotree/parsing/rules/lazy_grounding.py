"""Rules added to a graph one by one, when an answer breaks them.

Without a rule, or without what breaking it costs, answers can only score higher. So the best
answer without some rules is the best with them too if it breaks none of them, and its bound is a
bound with them. Only a rule whose weight is negative, so that breaking it pays, is added at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from turbotree.graphs import FactorGraph
from turbotree.graphs.rules.circuit import Circuit
from turbotree.graphs.rules.factors import Writer
from turbotree.graphs.rules.grounding import Grounder
from turbotree.graphs.rules.rules import write_instances
from turbotree.graphs.rules.syntax import Rule
from turbotree.graphs.rules.world import Bindings, World

#: A rule with more open instances than this is added instance by instance.
_MOST_AT_ONCE = 5000


def broken_rules(rules: Iterable[Rule], world: World) -> dict[str, Bindings]:
    """Return the instances that are broken where everything is known, by rule."""
    grounder = Grounder(world)
    found = {}
    for rule in rules:
        instances = grounder.instances(rule)
        if instances.size:
            found[rule.name] = instances
    return found


def rewards(rules: Iterable[Rule]) -> bool:
    """Tell whether breaking one of the rules pays: then an answer without them proves nothing."""
    return any(rule.weight is not None and rule.weight < 0 for rule in rules)


def cost_of(rules: Iterable[Rule], broken: dict[str, Bindings]) -> float:
    """Return what broken instances cost."""
    return sum(
        (rule.weight or 0.0) * broken[rule.name].size for rule in rules if rule.name in broken
    )


class LazyRules:
    """Rules of a graph, of which some are in it already.

    Parameters
    ----------
    graph, circuit, world
        What the rules are added to, what they are grounded with, and in.
    rules
        All of them.
    source
        Where they came from, for messages.
    """

    def __init__(
        self,
        graph: FactorGraph,
        circuit: Circuit,
        world: World,
        rules: Sequence[Rule],
        source: str,
    ) -> None:
        self._grounder = Grounder(world, circuit)
        self._writer = Writer(graph, circuit)
        self._rules = rules
        self._source = source
        self._whole: set[str] = set()
        self._instances: dict[str, set[tuple[int, ...]]] = {}
        self.add_whole(rule for rule in rules if rewards([rule]))

    @property
    def constant(self) -> float:
        """What the graph's value lacks."""
        return self._writer.constant

    def add_whole(self, rules: Iterable[Rule]) -> None:
        """Add all instances of rules."""
        for rule in rules:
            self._add(rule, self._grounder.instances(rule))
            self._whole.add(rule.name)

    def add(self, broken: dict[str, Bindings]) -> bool:
        """Add the rules that an answer breaks; tell whether there was something to add."""
        more = False
        for rule in self._rules:
            if rule.name not in broken or rule.name in self._whole:
                continue
            every = self._grounder.instances(rule)
            if every.size <= _MOST_AT_ONCE:
                self._add(rule, every)
                self._whole.add(rule.name)
                more = True
            else:
                more |= self._add_new(rule, broken[rule.name])
        return more

    def _add_new(self, rule: Rule, broken: Bindings) -> bool:
        known = self._instances.setdefault(rule.name, set())
        columns = list(broken.columns.values())
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        new = np.array([place for place, row in enumerate(rows) if row not in known], dtype=int)
        known.update(rows)
        if len(new):
            self._add(rule, self._grounder.again(rule, broken.chosen(new)))
        return bool(len(new))

    def _add(self, rule: Rule, instances: Bindings) -> None:
        write_instances(self._writer, rule, self._grounder.broken(instances), self._source)
