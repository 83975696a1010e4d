"""Martins et al. 2010, Table 2: losses, orders, and features that right trees do not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turbotree.experiments.catalogue.turbo2010.models import DATA, SECOND_ORDER
from turbotree.experiments.comparing import (
    beside,
    beside_paper,
    claim_uas,
    language_of,
    main_ordering,
    side_by_side,
    uas,
)
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.measuring import trained_right, words_of
from turbotree.experiments.records import TURBO_2010, Experiment, Measured, Shown, Table

_MODELS: dict[str, dict[str, Any]] = {
    "CRF, arcs": {"parts": ["arc"], "loss": "crf", "features": "supported"},
    "CRF, 2nd order": {"parts": SECOND_ORDER, "loss": "crf", "features": "supported"},
    "SVM, arcs": {"parts": ["arc"], "loss": "svm", "features": "supported"},
    "SVM, 2nd order": {"parts": SECOND_ORDER, "loss": "svm", "features": "supported"},
}
#: As in the paper: finite beta by the beliefs, infinite beta by the relaxation.
_DECODERS = {
    "CRF, arcs": "mbr",
    "CRF, 2nd order": "bp",
    "SVM, arcs": "mst",
    "SVM, 2nd order": "admm",
}
_COMPLETE: dict[str, dict[str, Any]] = {
    "+nonproj., supported": {"parts": [*SECOND_ORDER, "nonprojective"], "features": "supported"},
    "+nonproj., complete": {"parts": [*SECOND_ORDER, "nonprojective"], "features": "all"},
}

_PAPER = {
    "ar": [78.28, 79.12, 79.04, 79.42],
    "bg": [91.02, 91.78, 90.84, 92.30],
    "zh": [90.58, 90.87, 91.09, 91.77],
    "cs": [86.18, 87.72, 86.78, 88.52],
    "da": [89.58, 90.08, 89.78, 90.78],
    "nl": [82.91, 84.31, 82.73, 84.17],
    "de": [89.34, 90.58, 89.04, 91.19],
    "ja": [92.90, 93.22, 93.18, 93.38],
    "pt": [90.64, 91.00, 90.56, 91.50],
    "sl": [83.03, 83.17, 83.49, 84.35],
    "es": [83.83, 85.07, 84.19, 85.95],
    "sv": [87.81, 89.01, 88.55, 88.99],
    "tr": [76.86, 76.28, 74.79, 76.10],
    "en": [90.15, 91.08, 90.66, 91.79],
}
# UAS with the complete features, its difference to the supported ones, the ratio of features.
_PAPER_COMPLETE = {
    "ar": (80.02, -0.14, 2.8),
    "bg": (92.88, 0.34, 2.1),
    "zh": (91.89, 0.26, 2.1),
    "cs": (88.78, 0.44, 2.3),
    "da": (91.50, 0.68, 2.3),
    "nl": (84.91, -0.08, 2.1),
    "de": (91.49, 0.32, 2.5),
    "ja": (93.42, 0.32, 2.2),
    "pt": (91.87, -0.04, 2.1),
    "sl": (85.53, 0.80, 2.7),
    "es": (87.04, 0.50, 2.6),
    "sv": (89.80, 0.42, 2.8),
    "tr": (76.62, 0.62, 2.2),
    "en": (92.13, 0.12, 2.5),
}


def _measure_losses(context: ExperimentContext) -> Measured:
    systems = {
        name: trained_right(context, name, options, decoder=_DECODERS[name])
        for name, options in _MODELS.items()
    }
    return {"words": words_of(context.gold), "systems": systems}


def _show_losses(measured: Mapping[str, Measured]) -> Shown:
    table = side_by_side(
        "UAS without punctuation, %, with supported features",
        measured,
        uas,
        list(_MODELS),
        _PAPER,
        note="Second-order models have all pairs of siblings, and grandparents. CRFs of second "
        "order are trained by belief propagation, and trees are decoded by minimum Bayes risk from "
        "its beliefs; SVMs by the relaxation, which ADMM solves.",
    )
    claims = [
        claim_uas(
            f"{loss}: second order above arcs", measured, f"{loss}, arcs", f"{loss}, 2nd order"
        )
        for loss in ("CRF", "SVM")
    ]
    both = ("CRF, 2nd order", "SVM, 2nd order")
    claims.append(claim_uas("second order: SVM at least CRF", measured, *both, or_equal=True))
    return Shown((table,), (), tuple(main_ordering(claim) for claim in claims))


def _measure_complete(context: ExperimentContext) -> Measured:
    measured: Measured = {"words": words_of(context.gold), "systems": {}}
    for name, options in _COMPLETE.items():
        parser = context.parser(options)
        # Our parser would search where the relaxation is not tight, and for long with these parts.
        measured["systems"][name] = trained_right(context, name, options, decoder="admm")
        measured[f"{name} features"] = parser.record["parts"][-1]["features"]
        measured["supported"] = parser.record["supported features"]
    return measured


def _show_complete(measured: Mapping[str, Measured]) -> Shown:
    supported, complete = _COMPLETE
    rows = []
    for dataset, found in measured.items():
        features, known = found[f"{complete} features"], found["supported"]
        best = uas(found, complete)
        ours = (best, best - uas(found, supported), features / max(1, known))
        theirs = _PAPER_COMPLETE.get(language_of(dataset), (None, None, None))
        cells = beside(ours, theirs, ("{:.2f}", "{:+.2f}", "{:.2f}"))
        rows.append((dataset, f"{features:,}", *cells))
    names = beside_paper(("UAS", "difference to supported", "ratio to supported"))
    more = Table(
        "SVM, second order and non-projective arcs, complete features",
        ("treebank", "features", *names),
        tuple(rows),
        "Features are those instantiated while training. Decoded by the relaxation alone.",
    )
    claim = claim_uas("complete features above supported ones", measured, supported, complete)
    return Shown((more,), (), (claim,))


LOSSES = Experiment(
    "turbo2010-table2",
    TURBO_2010,
    "Table 2, left",
    "CRF and SVM losses with arc-factored and second-order models",
    "second order above arcs; in second order SVM at least CRF",
    DATA,
    "test",
    _measure_losses,
    _show_losses,
    version=4,
    preset="turbo2010-bp",
)
COMPLETE = Experiment(
    "turbo2010-table2-complete",
    TURBO_2010,
    "Table 2, right",
    "second-order models with non-projective arcs, with the features of right trees alone "
    "(supported) and with all that were met (complete)",
    "complete features mostly above supported ones, with about 2.5 times as many features",
    DATA,
    "test",
    _measure_complete,
    _show_complete,
    version=2,
)
