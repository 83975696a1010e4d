"""Factor graphs: binary variables, soft and hard factors, and solvers that share one face.

>>> from turbotree.graphs import FactorGraph
>>> graph = FactorGraph()
>>> tea, coffee, milk = graph.variables([0.4, 0.6, -0.1], names=["tea", "coffee", "milk"])
>>> graph.exactly_one([tea, coffee])
>>> graph.pair(tea, milk, 0.5)
>>> solution = graph.solve("brute_force")
>>> [name for name, value in zip(graph.names, solution.values) if value]
['tea', 'milk']
"""

from __future__ import annotations

from turbotree.graphs.factors.blocks import Block, Kind
from turbotree.graphs.formats.network import Network
from turbotree.graphs.formats.reading import read_network
from turbotree.graphs.formats.writing import write_uai, write_wcsp
from turbotree.graphs.graph import FactorGraph
from turbotree.graphs.linear_program import linear_program
from turbotree.graphs.solution import Marginals, Solution, Status, Trace, WarmStart
from turbotree.graphs.solvers.admm import admm
from turbotree.graphs.solvers.batch import solve_many
from turbotree.graphs.solvers.belief_propagation import (
    belief_propagation,
    bethe_entropy,
    max_product,
    sum_product,
)
from turbotree.graphs.solvers.branch_and_bound import branch_and_bound
from turbotree.graphs.solvers.brute_force import brute_force, brute_force_marginals
from turbotree.graphs.solvers.k_best import k_best
from turbotree.graphs.solvers.registry import MARGINAL_SOLVERS, SOLVERS
from turbotree.graphs.solvers.sparsemap import Sparsemap, sparsemap
from turbotree.graphs.solvers.subgradient import subgradient
from turbotree.interrupts import best_on_interrupt

__all__ = [
    "MARGINAL_SOLVERS",
    "SOLVERS",
    "Block",
    "FactorGraph",
    "Kind",
    "Marginals",
    "Network",
    "Solution",
    "Sparsemap",
    "Status",
    "Trace",
    "WarmStart",
    "admm",
    "belief_propagation",
    "best_on_interrupt",
    "bethe_entropy",
    "branch_and_bound",
    "brute_force",
    "brute_force_marginals",
    "k_best",
    "linear_program",
    "max_product",
    "read_network",
    "solve_many",
    "sparsemap",
    "subgradient",
    "sum_product",
    "write_uai",
    "write_wcsp",
]
