"""Rules for any factor graph."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from turbotree.errors import InfeasibleError
from turbotree.files.reading import input_errors
from turbotree.graphs.rules.dictionary_world import DictionaryWorld
from turbotree.graphs.rules.factors import Writer
from turbotree.graphs.rules.grounding import Grounder
from turbotree.graphs.rules.reading import read_rules
from turbotree.graphs.rules.syntax import Rule, Value
from turbotree.graphs.rules.vocabulary import check

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph


@dataclass(frozen=True, slots=True)
class Applied:
    """What rules have become.

    Attributes
    ----------
    instances
        By rule, how many instances were not certain to hold.
    constant
        To be added to the graph's value: costs that no variable bears.
    """

    instances: Mapping[str, int]
    constant: float


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one text, read but not yet tied to anything.

    Attributes
    ----------
    rules
        One after another.
    source
        Where they came from; errors begin with it.

    Examples
    --------
    Nobody is liked by two, and to like without being liked costs something.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> people = ["ann", "bob", "cy"]
    >>> pairs = [(a, b) for a in people for b in people]
    >>> likes = {pair: graph.variable(1.0 - 0.1 * i) for i, pair in enumerate(pairs)}
    >>> rules = Rules.from_text('''
    ...     rule modest: forall x: not likes(x, x)
    ...     rule jealous: forall y: at most 1 x: likes(x, y)
    ...     rule shy: [0.8] forall x, y: likes(x, y) and x != y -> likes(y, x)
    ... ''')
    >>> rules.apply(graph, predicates={"likes": likes}).instances
    {'modest': 3, 'jealous': 3, 'shy': 6}
    >>> solution = graph.solve("branch_and_bound")
    >>> [pair for pair, variable in likes.items() if solution[variable]]
    [('ann', 'bob'), ('ann', 'cy'), ('bob', 'ann')]
    """

    rules: tuple[Rule, ...]
    source: str = "<rules>"

    @classmethod
    def from_text(
        cls, text: str, source: str = "<rules>", folder: str | os.PathLike[str] | None = None
    ) -> Rules:
        """Read rules; files that they name are looked for in the folder."""
        return cls(tuple(read_rules(text, source, Path(folder or "."))), source)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Rules:
        """Read a rule file; files that it names are looked for beside it."""
        file = Path(path)
        with input_errors(str(file)):
            text = file.read_text(encoding="utf-8-sig")
        return cls.from_text(text, os.fspath(path), file.parent)

    def apply(
        self,
        graph: FactorGraph,
        *,
        predicates: Mapping[str, Any],
        observed: Mapping[str, Any] | None = None,
        functions: Mapping[str, Mapping[Any, Value]] | None = None,
        domains: Mapping[str, Iterable[Value]] | None = None,
    ) -> Applied:
        """Add the rules to a graph.

        Parameters
        ----------
        graph
            Is given factors, evidence, and variables for what stands inside formulas.
        predicates
            What is to be found: by name, a dictionary from tuples of values to literals of the
            graph. What is not listed is false.
        observed
            What is known: by name, an iterable of the tuples for which it is true, or a
            dictionary from tuples to truth values.
        functions
            Known values: by name, a dictionary from tuples (or single values) to a value.
        domains
            By name, what variables range over. By default one: all values that occur.

        Raises
        ------
        InputError
            With line and column, if a rule speaks of what is not there.
        InfeasibleError
            With the name of a rule that cannot be satisfied, if that shows at once.
        """
        world = DictionaryWorld(len(graph), predicates, observed or {}, functions or {}, domains)
        checked = check(self.rules, world.vocabulary, self.source)
        grounder = Grounder(world)
        writer = Writer(graph, grounder.circuit)
        instances = {}
        for rule in checked:
            found = grounder.instances(rule)
            instances[rule.name] = found.size
            write_instances(writer, rule, grounder.broken(found), self.source)
        return Applied(instances, writer.constant)


def write_instances(writer: Writer, rule: Rule, broken: Iterable[int], source: str) -> None:
    """Add instances of a rule to a graph: forbid that they are broken, or score it."""
    for value in broken:
        if rule.weight is not None:
            writer.score(value, -rule.weight)
            continue
        try:
            writer.require(~value)
        except InfeasibleError as error:
            where = rule.at.in_file(source)
            raise InfeasibleError(f"{where}: rule {rule.name}: {error}") from None
