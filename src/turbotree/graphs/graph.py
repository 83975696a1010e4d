"""The factor graph: what users build and ask."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs import pictures, storage
from turbotree.graphs.dependencies import DependencyFactors
from turbotree.graphs.kinds import own_scores
from turbotree.graphs.logic import LogicFactors
from turbotree.graphs.solution import Marginals, Solution
from turbotree.graphs.solvers import check_options, find_marginal_solver, find_solver
from turbotree.graphs.structures import StructuredFactors


class FactorGraph(LogicFactors, StructuredFactors, DependencyFactors):
    """Binary variables with scores, and factors that tie them together.

    The score of an assignment is the sum of the scores of its true variables and of the
    factors' own scores; hard factors forbid assignments. Variables are plain integers: ``x``
    says "x is true" and ``~x`` "x is false", alone or as arrays, wherever a factor takes
    literals. Factors stand in arrays, one block a kind, so adding many at once is cheap.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> a, b, c, d = graph.variables([0.3, 0.8, -0.2, 1.1], names="abcd")
    >>> graph.exactly_one([a, b, ~c])
    >>> graph.implies(d, a)
    >>> graph.pair(a, d, 0.7)
    >>> graph
    <FactorGraph: 4 variables, 3 factors>
    >>> print(graph)
    4 variables, 3 factors
      1 exactly_one (3 links), 1 implies (2 links), 1 pair (2 links)
    variables: a 0.3, b 0.8, c -0.2, d 1.1
      exactly_one(a, b, not c)
      implies(d, a)
      pair(a, d): 0.7
    >>> print(graph.solve("brute_force").values)
    [ True False  True  True]
    """

    def value(self, values: Any) -> Any:
        """Score an assignment, or each of several.

        Parameters
        ----------
        values : array of shape (N,) or (B, N)
            0 or 1 (False or True) for each variable.

        Returns
        -------
        float, or array of shape (B,)
            ``-inf`` if a hard factor, the evidence or a score of ``-inf`` forbids the assignment.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> a, b = graph.variables([1.0, 2.5])
        >>> graph.not_all([a, b])
        >>> graph.value([0, 1])
        2.5
        >>> graph.value([[1, 0], [1, 1]])
        array([  1., -inf])
        """
        chosen = self._read_values(values)
        batch = chosen if chosen.ndim == 2 else chosen[np.newaxis]
        total = np.where(batch, self.scores, 0.0).sum(axis=1)
        evidence = self.evidence
        fixed = evidence >= 0
        total[(batch[:, fixed] != evidence[fixed].astype(bool)).any(axis=1)] = -np.inf
        for block in self.blocks:
            total += own_scores(block, batch).sum(axis=1)
        return float(total[0]) if chosen.ndim == 1 else total

    def violations(self, values: Any) -> list[str]:
        """Say in words what forbids an assignment; nothing if it is allowed.

        >>> graph = FactorGraph()
        >>> a, b = graph.variables([1.0, 2.5], names=["rain", "sun"])
        >>> graph.not_all([a, b])
        >>> graph.violations([1, 1])
        ['not_all(rain, sun)']
        >>> graph.violations([1, 0])
        []
        """
        chosen = self._read_values(values)
        if chosen.ndim != 1:
            raise InputError(f"violations: expected shape ({len(self)},), got {chosen.shape}")
        broken = []
        clash = (self.evidence >= 0) & (self.evidence != chosen)
        for variable in np.flatnonzero(clash).tolist():
            broken.append(f"{self.name(variable)} is fixed to {self.evidence[variable]}")
        for variable in np.flatnonzero(chosen & (self.scores == -np.inf)).tolist():
            broken.append(f"{self.name(variable)} is forbidden by a score of -inf")
        for block in self.blocks:
            own = own_scores(block, chosen[np.newaxis])[0]
            for index in np.flatnonzero(own == -np.inf).tolist():
                broken.append(pictures.factor_text(self, block, index))
        return broken

    def solve(self, solver: str = "admm", **options: Any) -> Solution:
        """Find the best assignment.

        Parameters
        ----------
        solver : str
            ``admm``, ``belief_propagation``, ``branch_and_bound``, ``brute_force``,
            ``linear_program`` or ``subgradient``.
        **options
            Those of the function of that name in :mod:`turbotree.graphs`.

        Raises
        ------
        InfeasibleError
            When the solver proves that no assignment is allowed.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> graph.exactly_one(graph.variables([1.0, 2.0]))
        >>> solution = graph.solve("linear_program")
        >>> solution.status.name, solution.value, solution.values.tolist()
        ('OPTIMAL', 2.0, [False, True])
        """
        function = find_solver(solver)
        check_options(function, options)
        return function(self, **options)

    def marginals(self, solver: str = "belief_propagation", **options: Any) -> Marginals:
        """Compute the probability of each variable when p(values) is proportional to exp(score).

        Parameters
        ----------
        solver : str
            ``belief_propagation`` or ``brute_force``.
        **options
            Those of the solver.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> graph.at_most_one(graph.variables([0.0, 0.0]))
        >>> graph.marginals("brute_force").probabilities
        array([0.33333333, 0.33333333])
        """
        function = find_marginal_solver(solver)
        check_options(function, options)
        return function(self, **options)

    def describe(self) -> str:
        """Describe the graph in text; a small one factor by factor."""
        return pictures.describe(self)

    def to_dot(self) -> str:
        """Draw the graph in the language of Graphviz.

        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> graph.to_dot().splitlines()[0]
        'graph factors {'
        """
        return pictures.to_dot(self)

    def to_svg(self) -> str:
        """Draw the graph as an SVG image: variables on the left, factors on the right.

        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> graph.to_svg()[:4]
        '<svg'
        """
        return pictures.to_svg(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file of NumPy arrays (``.npz``), whole or not at all.

        >>> import tempfile, os
        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.npz")
        >>> graph.save(path)
        >>> FactorGraph.load(path)
        <FactorGraph: 2 variables, 1 factor>
        """
        storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FactorGraph:
        """Read a graph that :meth:`save` wrote; everything in the file is checked.

        Raises
        ------
        InputError
            When the file is damaged, or no graph.
        """
        graph = cls()
        storage.load_into(graph, path)
        return graph

    def __repr__(self) -> str:
        return f"<FactorGraph: {pictures.counted(len(self), 'variable')}, " + (
            f"{pictures.counted(self.factor_count, 'factor')}>"
        )

    def __str__(self) -> str:
        return self.describe()

    def _read_values(self, values: Any) -> NDArray[np.bool_]:
        try:
            array = np.asarray(values)
        except (ValueError, TypeError) as error:
            raise InputError("values: expected an array of zeros and ones") from error
        if array.ndim not in (1, 2) or array.shape[-1] != len(self):
            raise InputError(
                f"values: expected shape ({len(self)},), or (B, {len(self)}) for several "
                f"assignments, got {array.shape}"
            )
        if array.dtype == bool:
            return array
        if not ((array == 0) | (array == 1)).all():
            raise InputError("values: expected zeros and ones")
        return array.astype(bool)
