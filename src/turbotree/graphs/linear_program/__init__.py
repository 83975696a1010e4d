"""The relaxation, or the exact problem, written out as a linear program for HiGHS."""

from __future__ import annotations

from turbotree.graphs.linear_program.model import Model, Program
from turbotree.graphs.linear_program.solver import linear_program, run_program

__all__ = ["Model", "Program", "linear_program", "run_program"]
