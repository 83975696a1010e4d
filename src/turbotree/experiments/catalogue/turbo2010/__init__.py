"""Martins et al. 2010: turbo parsers."""

from turbotree.experiments.catalogue.turbo2010 import table2, table3, text

__all__ = ["table2", "table3", "text"]
