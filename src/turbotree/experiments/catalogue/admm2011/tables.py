"""Martins et al. 2011a, Tables 2 and 3: what each kind of part brings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

from turbotree.experiments.catalogue.admm2011.models import DATA, MODELS
from turbotree.experiments.comparing import claim_uas, main_ordering, side_by_side, uas
from turbotree.experiments.measuring import trained_systems
from turbotree.experiments.records import ADMM_2011, Experiment, Measured, Shown

_BOTH = ("+G+CS", "Full")
_DECODER = "admm"  # as in the paper: the relaxation, without the search that our parser adds
_TABLE_2 = {
    "ar": [81.12, 81.10],
    "bg": [93.04, 93.50],
    "zh": [91.05, 90.62],
    "cs": [88.80, 89.46],
    "en": [92.45, 92.68],
    "da": [91.70, 91.86],
    "nl": [84.77, 85.53],
    "de": [91.29, 91.89],
    "ja": [93.62, 93.72],
    "pt": [92.05, 92.29],
    "sl": [86.09, 86.95],
    "es": [85.99, 86.74],
    "sv": [89.94, 90.16],
    "tr": [76.24, 76.64],
}
_TABLE_3 = {"en": [91.36, 92.19, 92.41, 92.50, 92.53]}


def _show_both(measured: Mapping[str, Measured]) -> Shown:
    table = side_by_side("UAS without punctuation, %", measured, uas, _BOTH, _TABLE_2)
    claims = (main_ordering(claim_uas("Full above G+CS, on average", measured, *_BOTH)),)
    return Shown((table,), (), claims)


def _show_ablation(measured: Mapping[str, Measured]) -> Shown:
    names = list(MODELS)
    table = side_by_side("UAS without punctuation, %", measured, uas, names, _TABLE_3)
    claims = [
        claim_uas(f"{above} above {below}", measured, below, above)
        for below, above in pairwise(names)
    ]
    claims.append(claim_uas("Full above AF", measured, "AF", "Full"))
    return Shown((table,), (), tuple(claims))


TABLE_2 = Experiment(
    "admm2011-table2",
    ADMM_2011,
    "Table 2",
    "grandparents and consecutive siblings (G+CS) against all parts of the paper (Full)",
    "Full above G+CS, for all but two of fifteen treebanks",
    DATA,
    "test",
    partial(trained_systems, models={name: MODELS[name] for name in _BOTH}, decoder=_DECODER),
    _show_both,
    version=2,
)
TABLE_3 = Experiment(
    "admm2011-table3",
    ADMM_2011,
    "Table 3",
    "models that grow: arcs (AF), with grandparents and consecutive siblings (+G+CS), all "
    "siblings (+AS), non-projective arcs (+NP), head bigrams and directed paths (Full)",
    "each above the one before",
    DATA,
    "test",
    partial(trained_systems, models=MODELS, decoder=_DECODER),
    _show_ablation,
    version=2,
)
