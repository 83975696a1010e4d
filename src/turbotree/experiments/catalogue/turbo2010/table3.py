"""Martins et al. 2010, Table 3: losses between the CRF and the SVM."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from turbotree.experiments.catalogue.turbo2010.models import DATA, SECOND_ORDER
from turbotree.experiments.comparing import (
    beside,
    beside_paper,
    claim_uas,
    main_ordering,
    uas,
)
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.measuring import trained_right, words_of
from turbotree.experiments.records import TURBO_2010, Claim, Experiment, Measured, Shown, Table

# Beta and gamma, with the paper's UAS of arcs and of second order.
_LOSSES: dict[tuple[float, float], tuple[float, float]] = {
    (1.0, 0.0): (90.15, 91.08),
    (1.0, 1.0): (90.41, 91.85),
    (1.0, 3.0): (90.38, 91.89),
    (1.0, 5.0): (90.53, 91.51),
    (3.0, 1.0): (90.80, 92.04),
    (5.0, 1.0): (90.83, 91.98),
    (math.inf, 1.0): (90.66, 91.79),
}
_ORDERS = {"arcs": ["arc"], "2nd order": SECOND_ORDER}
#: With a finite beta and with an infinite one.
_DECODERS = {"arcs": ("mbr", "mst"), "2nd order": ("bp", "admm")}


def _name(order: str, loss: tuple[float, float]) -> str:
    return f"{order} beta {loss[0]:g} gamma {loss[1]:g}"


def _measure(context: ExperimentContext) -> Measured:
    systems = {}
    for order, parts in _ORDERS.items():
        for beta, gamma in _LOSSES:
            options = {"parts": parts, "beta": beta, "gamma": gamma, "features": "supported"}
            name = _name(order, (beta, gamma))
            decoder = _DECODERS[order][int(math.isinf(beta))]
            systems[name] = trained_right(context, name, options, decoder=decoder)
    return {"words": words_of(context.gold), "systems": systems}


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for dataset, found in measured.items():
        for (beta, gamma), theirs in _LOSSES.items():
            shown = {(1.0, 0.0): " (CRF)", (math.inf, 1.0): " (SVM)"}.get((beta, gamma), "")
            ours = [uas(found, _name(order, (beta, gamma))) for order in _ORDERS]
            cells = beside(ours, theirs, ["{:.2f}"] * len(_ORDERS))
            rows.append((dataset, f"{beta:g}", f"{gamma:g}{shown}", *cells))
    table = Table(
        "UAS without punctuation, %",
        ("treebank", "beta", "gamma", *beside_paper(_ORDERS)),
        tuple(rows),
    )
    return Shown(
        (table,), (), tuple(claim for order in _ORDERS for claim in _between(order, measured))
    )


def _between(order: str, measured: Mapping[str, Measured]) -> list[Claim]:
    """Compare the best loss between CRF and SVM with each of the two.

    Which one is best is chosen on the sentences that it is compared on, so that this flatters it;
    they are development sentences.
    """
    losses = list(_LOSSES)
    crf, svm, inner = losses[0], losses[-1], losses[1:-1]
    means = {
        loss: np.mean([uas(found, _name(order, loss)) for found in measured.values()])
        for loss in inner
    }
    best = max(inner, key=lambda loss: float(means[loss]))
    said = f"beta {best[0]:g}, gamma {best[1]:g}"
    return [
        main_ordering(
            claim_uas(
                f"{order}: the best loss between CRF and SVM ({said}) above {name}",
                measured,
                _name(order, end),
                _name(order, best),
            )
        )
        for name, end in (("CRF", crf), ("SVM", svm))
    ]


EXPERIMENT = Experiment(
    "turbo2010-table3",
    TURBO_2010,
    "Table 3",
    "losses between CRF and SVM, by beta and gamma",
    "the best losses lie between CRF and SVM",
    DATA + " The best loss is chosen on the same development sentences that it is compared on.",
    "dev",
    _measure,
    _show,
    version=2,
    preset="turbo2010-bp",
)
