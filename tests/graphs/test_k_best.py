"""The k best assignments of random graphs of all kinds, against enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.graphs import graphs

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import FactorGraph, Status, k_best


def every_value(graph):
    size = len(graph)
    table = (np.arange(2**size)[:, np.newaxis] >> np.arange(size)) & 1
    values = graph.value(table)
    return sorted(values[values > -np.inf].tolist(), reverse=True)
