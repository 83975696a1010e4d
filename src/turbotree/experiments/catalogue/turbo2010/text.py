"""Martins et al. 2010, what its text says: convergence, the perceptron, and the flow graph."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np

from turbotree.experiments.catalogue.turbo2010.models import DATA, SECOND_ORDER
from turbotree.experiments.comparing import claim_shares, claim_uas, side_by_side, uas
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.measuring import make_cases, trained_systems
from turbotree.experiments.records import TURBO_2010, Experiment, Measured, Shown, Table
from turbotree.graphs import FactorGraph, bethe_entropy, sum_product
from turbotree.parsing.decoding import part_marginals

#: The model of Turbo Parser #1: every pair of siblings, and grandparents.
_TURBO_1 = {
    "parts": SECOND_ORDER,
    "loss": "crf",
    "features": "supported",
    "largest_step": 0.001,
}
_LOSSES: dict[str, dict[str, Any]] = {
    "perceptron": {"parts": SECOND_ORDER, "loss": "perceptron", "features": "supported"},
    "SVM": {"parts": SECOND_ORDER, "loss": "svm", "features": "supported"},
}
#: What "nearly all" is held to be.
_NEARLY_ALL = 0.9


def _measure_convergence(context: ExperimentContext) -> Measured:
    cases = make_cases(context.parser(_TURBO_1), context.hard_gold)
    context.note("passing messages")
    return {"converged": [int(part_marginals(case.scored).converged) for case in cases]}


def _show_convergence(measured: Mapping[str, Measured]) -> Shown:
    rows = tuple(
        (name, f"{100 * np.mean(found['converged']):.2f}", str(len(found["converged"])))
        for name, found in measured.items()
    )
    table = Table(
        "Sentences for which belief propagation converges",
        ("treebank", "converged, %", "sentences"),
        rows,
        "The paper says: nearly all, with damping. Damping begins here where messages do not "
        "settle.",
    )
    tests = {
        name: ([_NEARLY_ALL] * len(found["converged"]), found["converged"])
        for name, found in measured.items()
    }
    text = "belief propagation converges for nearly all sentences (at least 90 %, our reading)"
    return Shown((table,), (), (claim_shares(text, "sentences, %", tests, or_equal=True),))


def _measure_losses(context: ExperimentContext) -> Measured:
    return trained_systems(context, _LOSSES)


def _show_losses(measured: Mapping[str, Measured]) -> Shown:
    table = side_by_side(
        "UAS without punctuation, %, second order, supported features",
        measured,
        uas,
        list(_LOSSES),
        {},
        note="The paper gives no numbers.",
    )
    claim = claim_uas("second order: SVM above the perceptron", measured, "perceptron", "SVM")
    return Shown((table,), (), (claim,))


def flow_graph_of_two_words() -> tuple[FactorGraph, list[float]]:
    """Make the graph of the paper's Figure 3 for two words, with no scores, and its marginals.

    Each of the three trees has the probability 1/3. Paths from the root and to a word itself are
    omitted, being certain, and so are flows that are arcs.

    >>> graph, marginals = flow_graph_of_two_words()
    >>> len(graph) == len(marginals) == 8
    True
    """
    graph = FactorGraph()
    third = 1 / 3
    # Arcs by head and modifier; flows by arc and commodity; paths p12 and p21.
    names = ["01", "02", "12", "21", "01:2", "02:1", "p12", "p21"]
    a01, a02, a12, a21, f01, f02, p12, p21 = graph.variables([0.0] * 8, names=names)
    graph.exactly_one([a01, a21])
    graph.exactly_one([a02, a12])
    for flow, arc in ((f01, a01), (f02, a02)):
        graph.implies(flow, arc)
    # What is for a word comes from the root by one arc, and comes to it by one.
    graph.exactly_one([f01, a02])
    graph.exactly_one([f02, a01])
    # The other word passes on what it gets: there is a path from it.
    for flow, path, arc in ((f01, p12, a12), (f02, p21, a21)):
        graph.exactly_one([flow, ~path])
        graph.exactly_one([arc, ~path])
    return graph, [2 * third, 2 * third, third, third, third, third, third, third]


def _measure_flows(context: ExperimentContext) -> Measured:
    graph, marginals = flow_graph_of_two_words()
    found = sum_product(graph)
    return {
        "bethe": bethe_entropy(graph, marginals),
        "true": log(3),
        "converged": bool(found.converged),
        "arcs": [float(x) for x in found.probabilities[:4]],
    }


def _show_flows(measured: Mapping[str, Measured]) -> Shown:
    found = next(iter(measured.values()))
    arcs = ", ".join(f"{x:.3f}" for x in found["arcs"])
    rows = (
        ("Bethe entropy at the true marginals", f"{found['bethe']:.4f}", "-0.3488"),
        ("true entropy", f"{found['true']:.4f}", f"{log(3):.4f}"),
        ("belief propagation converges", "yes" if found["converged"] else "no", "–"),
        ("beliefs of the arcs 0→1, 0→2, 1→2, 2→1", arcs, "0.667, 0.667, 0.333, 0.333 are true"),
    )
    table = Table(
        "The flow graph of two words without scores",
        ("what", "ours", "paper"),
        rows,
        "The paper's entropy is -4 H(1/3, 2/3) + 2 log 3. It does not depend on the data.",
    )
    return Shown((table,), (), ())


CONVERGENCE = Experiment(
    "turbo2010-convergence",
    TURBO_2010,
    "Section 6, text",
    "how often belief propagation converges in the second-order model trained by it",
    "for nearly all sentences",
    DATA,
    "dev",
    _measure_convergence,
    _show_convergence,
    preset="turbo2010-bp",
)
PERCEPTRON = Experiment(
    "turbo2010-footnote14",
    TURBO_2010,
    "Footnote 14",
    "the perceptron's loss instead of the SVM's, in second-order models",
    "SVM above the perceptron",
    DATA,
    "test",
    _measure_losses,
    _show_losses,
)
FLOWS = Experiment(
    "turbo2010-appendix-b",
    TURBO_2010,
    "Appendix B",
    "the Bethe entropy of the flow graph at the true marginals, against the true entropy",
    "the Bethe entropy is far off, and even negative",
    "No data: two words without scores.",
    "dev",
    _measure_flows,
    _show_flows,
)
