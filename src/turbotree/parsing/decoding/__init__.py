"""From scores to trees: graphs, linear programs, probabilities, k best, samples."""

from turbotree.parsing.decoding.beliefs import PartMarginals, part_marginals
from turbotree.parsing.decoding.certificate import Certificate, FoundTree
from turbotree.parsing.decoding.decode import (
    SOLVERS,
    choose_decomposition,
    decode,
    heads_of,
    read_solution,
    solver_of,
)
from turbotree.parsing.decoding.linear_program import solve_relaxation
from turbotree.parsing.decoding.logic import logic_graph
from turbotree.parsing.decoding.relaxed import automata_alone, relaxed_parts

__all__ = [
    "SOLVERS",
    "Certificate",
    "FoundTree",
    "PartMarginals",
    "automata_alone",
    "choose_decomposition",
    "decode",
    "heads_of",
    "logic_graph",
    "part_marginals",
    "read_solution",
    "relaxed_parts",
    "solve_relaxation",
    "solver_of",
]
