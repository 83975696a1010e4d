"""Martins et al. 2011b: structured sparsity."""

from turbotree.experiments.catalogue.sparsity2011 import fig1, selection, table1, table2

__all__ = ["fig1", "selection", "table1", "table2"]
