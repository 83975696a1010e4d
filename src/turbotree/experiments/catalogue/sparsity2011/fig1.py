"""Martins et al. 2011b, Figure 1: the Hasse diagrams of some regularisers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.records import SPARSITY_2011, Experiment, Measured, Shown, Table
from turbotree.features import PartKind, Template, parse_templates
from turbotree.learning.regularisers import Groups, HasseDiagram, coarse_to_fine_groups

_FEATURES = 4


def diagrams() -> dict[str, HasseDiagram]:
    """Return the diagrams of the figure: four over a few features, one over templates.

    >>> found = diagrams()
    >>> found["lasso"].arcs, found["elastic net"].arcs
    ((), ((0, 1), (0, 2), (0, 3), (0, 4)))
    """
    everything = list(range(_FEATURES))
    single = [[d] for d in everything]
    pairs = [[0, 1], [2, 3]]
    names = {
        "lasso": single,
        "group lasso": pairs,
        "elastic net": [everything, *single],
        "sparse group lasso": [*pairs, *single],
    }
    found = {
        name: HasseDiagram.of(
            Groups.of(groups, size=_FEATURES, names=[_set_of(group) for group in groups])
        )
        for name, groups in names.items()
    }
    groups = coarse_to_fine_groups(_templates())
    titles = [name.replace("w.upos", "p0").replace("w.form", "w0") for name in groups.names]
    titles = [name.replace("w+1.upos", "p1").replace("w+1.form", "w1") for name in titles]
    named = Groups.of([groups.of_group(g) for g in range(len(groups))], names=titles)
    found["coarse to fine"] = HasseDiagram.of(named)
    return found


def _set_of(group: list[int]) -> str:
    return "{" + ",".join(str(d + 1) for d in group) + "}"


def _templates() -> list[Template]:
    """Tags and words of one position or of two: tags come before words."""
    one = [["w.upos"], ["w.form"], ["w+1.upos"], ["w+1.form"]]
    two = [list(pair) for pair in product(("w.upos", "w.form"), ("w+1.upos", "w+1.form"))]
    return list(parse_templates([" ".join(atoms) for atoms in one + two], PartKind(("w",))))


def _measure(context: ExperimentContext) -> Measured:
    return {
        name: {
            "names": list(diagram.names),
            "arcs": [list(arc) for arc in diagram.arcs],
            "layers": int(np.max(diagram.layers)) + 1,
        }
        for name, diagram in diagrams().items()
    }


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for name, own in next(iter(measured.values())).items():
        arcs = ", ".join(f"{own['names'][a]} → {own['names'][b]}" for a, b in own["arcs"])
        rows.append((name, str(len(own["names"])), str(own["layers"]), arcs or "none"))
    table = Table(
        "Groups, and the arcs from each to those directly inside it",
        ("regulariser", "groups", "layers", "arcs"),
        tuple(rows),
        "Over four features, and over templates of tags (p) and words (w) of two positions, where "
        "tags come before words. A group is only selected if those above it are. It does not "
        "depend on the data.",
    )
    return Shown((table,), (), ())


EXPERIMENT = Experiment(
    "sparsity2011-fig1",
    SPARSITY_2011,
    "Figure 1",
    "the Hasse diagrams of the lasso, the group lasso, the elastic net, the sparse group lasso and "
    "a regulariser from coarse to fine",
    "trees for nested groups, a directed acyclic graph from coarse to fine",
    "No data.",
    "dev",
    _measure,
    _show,
)
