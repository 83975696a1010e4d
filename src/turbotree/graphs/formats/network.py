"""A network of multi-valued variables, read from a file, as a factor graph of binary ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from turbotree.arrays import BoolArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs.graph import FactorGraph
from turbotree.graphs.solution import Solution, Status

Measure = Literal["cost", "value", "log-probability", "score"]

#: Above this, whole numbers are no longer exact in floating point.
_EXACT = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A variable of a file, and the literals that stand for its values.

    Attributes
    ----------
    name : str
    values : tuple of str or int
        The names of its values; their numbers if they have none.
    literals : tuple of int
        For each value, the literal of the graph that is true when the variable has it; empty for
        a variable with one value, which needs none.
    """

    name: str
    values: Sequence[str | int]
    literals: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A file of another program: its graph, and how to read the graph's answers in its terms.

    Attributes
    ----------
    graph : FactorGraph
        Its score is to be maximised, whatever the file wants.
    variables : tuple of Variable
        Those of the file.
    measure : str
        What the file measures: ``"cost"`` (less is better), ``"value"`` (more is better) or
        ``"log-probability"``; ``"score"`` for a graph of turbotree's own.
    offset : float
        A constant that the scores of the graph do not contain.
    floor : float
        Assignments count only if their score with the offset is above this.
    whole : bool
        Whether all costs are whole numbers.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "coins.wcsp")
    >>> with open(path, "w") as file:
    ...     _ = file.write("coins 2 3 2 100  2 3  2 0 1 5 2  0 2 1  1 0 0  1 0 0 1  1 4")
    >>> from turbotree.graphs import read_network
    >>> network = read_network(path)
    >>> answer = network.answer(network.graph.solve("branch_and_bound"))
    >>> answer.value, answer.bound, answer.status.name
    (1.0, 1.0, 'OPTIMAL')
    >>> answer.assignment
    {'0': 0, '1': 2}
    """

    graph: FactorGraph
    variables: tuple[Variable, ...]
    measure: Measure
    offset: float = 0.0
    floor: float = -math.inf
    whole: bool = False

    @property
    def sign(self) -> int:
        """Whether the file's measure grows (1) or falls (-1) with the score."""
        return -1 if self.measure == "cost" else 1

    def in_file_terms(self, score: float) -> float:
        """Turn a score of the graph into what the file measures."""
        return self.sign * (score + self.offset) + 0.0  # no -0

    def assignment(self, values: BoolArray) -> dict[str, str | int]:
        """Turn the graph's values into an assignment of the file's variables."""
        found: dict[str, str | int] = {}
        for variable in self.variables:
            chosen = 0
            for place, literal in enumerate(variable.literals):
                if bool(values[literal]) if literal >= 0 else not values[~literal]:
                    chosen = place
                    break
            found[variable.name] = variable.values[chosen]
        return found

    def answer(self, solution: Solution) -> Answer:
        """Say in the file's terms what a solver has found.

        Raises
        ------
        InfeasibleError
            When it is proven that no assignment is within the limit of the file.
        """
        bound = solution.upper_bound + self.offset
        score = solution.value + self.offset
        status = solution.status
        if self.whole and abs(bound) < _EXACT:
            # No whole number lies between the bound and the one below it.
            lower = float(math.floor(bound + max(solution.tolerance, 1e-9 * max(1.0, abs(bound)))))
            bound = max(score, min(bound, lower))
            if bound == score:
                status = Status.OPTIMAL
        if bound <= self.floor or (status is Status.OPTIMAL and score <= self.floor):
            raise InfeasibleError(self._beyond("no assignment has"))
        found = solution.values is not None and score > self.floor
        return Answer(
            self.measure,
            None if not found or solution.values is None else self.assignment(solution.values),
            self.sign * score + 0.0 if found else self.sign * -math.inf,
            self.sign * bound + 0.0,
            status,
            solution.iterations,
            solution.seconds,
        )

    def _beyond(self, said: str) -> str:
        limit = f"{self.sign * self.floor + 0.0:.15g}"
        side = "below" if self.sign < 0 else "above"
        return f"{said} a {self.measure} {side} {limit}, the limit of the file"

    def fix(self, evidence: Mapping[int, int], path: str) -> None:
        """Fix variables of the file, by their numbers, to values, by theirs."""
        for number, value in evidence.items():
            if not 0 <= number < len(self.variables):
                raise InputError(
                    f"{path}: expected variables from 0 to {len(self.variables) - 1}, got {number}"
                )
            variable = self.variables[number]
            if not 0 <= value < len(variable.values):
                raise InputError(
                    f"{path}: variable {variable.name}: expected a value from 0 to "
                    f"{len(variable.values) - 1}, got {value}"
                )
            for place, literal in enumerate(variable.literals):
                if place == value or len(variable.literals) > 2:
                    self._pin(literal, place == value, variable.name)

    def _pin(self, literal: int, truth: bool, name: str) -> None:
        known = self.graph.evidence[literal if literal >= 0 else ~literal]
        wanted = truth == (literal >= 0)
        if known >= 0 and bool(known) != wanted:
            raise InfeasibleError(f"the evidence gives {name} a value that the file forbids")
        self.graph.fix(literal, truth)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a solver has found, in the terms of the file.

    Attributes
    ----------
    measure : str
        What `value` and `bound` are.
    assignment : dict, or None
        The value of each variable of the file; None if no assignment was found.
    value : float
        The cost, value or log-probability of the assignment.
    bound : float
        No assignment has a lower cost, or a higher value, than this.
    status : Status
    iterations : int
    seconds : float
    """

    measure: Measure
    assignment: dict[str, str | int] | None = field(repr=False)
    value: float
    bound: float
    status: Status
    iterations: int
    seconds: float

    @property
    def gap(self) -> float:
        """How much better another assignment could be, at most."""
        return 0.0 if self.value == self.bound else abs(self.bound - self.value)

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, with None for what is not finite."""
        plain = {
            name: number if math.isfinite(number) else None
            for name, number in (("value", self.value), ("bound", self.bound), ("gap", self.gap))
        }
        return {
            "status": self.status.value,
            "measure": self.measure,
            **plain,
            "assignment": self.assignment,
            "iterations": self.iterations,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        found = "no assignment found, " if self.assignment is None else ""
        return (
            f"{self.status.value}: {found}{self.measure} {number_text(self.value)}, "
            f"bound {number_text(self.bound)}, gap {self.gap:.3g}, {self.seconds:.3g} s"
        )


def number_text(number: float) -> str:
    """Write a number: a whole one in full, another with up to nine digits.

    >>> number_text(1234567890.0), number_text(-2.5), number_text(float("inf"))
    ('1234567890', '-2.5', 'inf')
    """
    if number.is_integer() and abs(number) < _EXACT:
        return str(int(number))
    return f"{number:.9g}"
