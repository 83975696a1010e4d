"""Koo et al. 2010: dual decomposition."""

from turbotree.experiments.catalogue.koo2010 import figures, table1, table2, table3

__all__ = ["figures", "table1", "table2", "table3"]
