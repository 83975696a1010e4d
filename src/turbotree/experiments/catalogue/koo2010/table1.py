"""Koo et al. 2010, Table 1: arcs alone, siblings, grandparents and siblings."""

from __future__ import annotations

from collections.abc import Mapping

from turbotree.experiments.catalogue.koo2010.models import DATA, MODELS
from turbotree.experiments.comparing import (
    claim_uas,
    main_ordering,
    proofs,
    seconds,
    side_by_side,
    uas,
)
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.measuring import decode_cases, make_cases, trained_right, words_of
from turbotree.experiments.records import KOO_2010, Experiment, Measured, Shown

# UAS of MST, Sib, G+S; certificates and seconds per sentence of Sib and G+S.
_PAPER_UAS = {
    "da": [89.74, 91.08, 91.78],
    "nl": [82.33, 84.81, 85.81],
    "pt": [90.68, 92.57, 93.03],
    "sl": [82.39, 84.89, 86.21],
    "sv": [88.79, 90.10, 91.36],
    "tr": [75.66, 77.14, 77.55],
    "en": [90.10, 91.96, 92.46],
    "cs": [84.36, 86.44, 87.32],
}
_PAPER_PROOFS = {
    "da": [99.07, 98.45],
    "nl": [98.19, 97.93],
    "pt": [99.65, 99.31],
    "sl": [90.55, 95.27],
    "sv": [98.71, 98.97],
    "tr": [98.72, 99.04],
    "en": [98.89, 98.63],
    "cs": [96.67, 96.43],
}
_PAPER_SECONDS = {
    "da": [0.053, 0.169],
    "nl": [0.035, 0.120],
    "pt": [0.047, 0.257],
    "sl": [0.158, 0.295],
    "sv": [0.035, 0.141],
    "tr": [0.021, 0.047],
    "en": [0.062, 0.210],
    "cs": [0.063, 0.221],
}


def _measure(context: ExperimentContext) -> Measured:
    systems = {"MST": trained_right(context, "MST", MODELS["MST"])}
    for name in ("Sib", "G+S"):
        cases = make_cases(context.parser(MODELS[name]), context.gold)
        context.note(f"decoding {name} by dual decomposition")
        systems[name] = decode_cases(cases, "subgradient", max_iterations=context.settings.rounds)
    return {"words": words_of(context.gold), "systems": systems}


def _show(measured: Mapping[str, Measured]) -> Shown:
    both = ("Sib", "G+S")
    tables = (
        side_by_side(
            "UAS, %",
            measured,
            uas,
            list(MODELS),
            _PAPER_UAS,
            note="English in the paper is the Penn Treebank, section 23.",
        ),
        side_by_side("Trees proven best, %", measured, proofs, both, _PAPER_PROOFS),
        side_by_side(
            "Seconds per sentence to decode",
            measured,
            seconds,
            both,
            _PAPER_SECONDS,
            form="{:.4f}",
            note="Ours are CPU seconds of the decoder alone, on this machine; the paper's are of "
            "machines of 2010.",
        ),
    )
    claims = (
        main_ordering(claim_uas("Sib above MST", measured, "MST", "Sib")),
        main_ordering(claim_uas("G+S above Sib", measured, "Sib", "G+S")),
    )
    return Shown(tables, (), claims)


EXPERIMENT = Experiment(
    "koo2010-table1",
    KOO_2010,
    "Table 1",
    "an arc-factored model (MST), sibling automata (Sib), and grandparent/sibling automata (G+S), "
    "decoded by dual decomposition with subgradients",
    "UAS: G+S above Sib above MST; nearly all trees proven best",
    DATA,
    "test",
    _measure,
    _show,
)
