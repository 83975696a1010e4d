"""Martins et al. 2011a: alternating directions."""

from turbotree.experiments.catalogue.admm2011 import examples, figures, tables

__all__ = ["examples", "figures", "tables"]
