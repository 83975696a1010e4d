"""Koo et al. 2010, Table 3: projective against non-projective decoding."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from turbotree.experiments.catalogue.koo2010_models import DATA, MODELS
from turbotree.experiments.comparing import claim_uas, side_by_side, uas
from turbotree.experiments.measuring import parse_right, words_of
from turbotree.experiments.records import KOO_2010, Experiment, Measured, Shown
from turbotree.experiments.workshop import Workshop

_PAPER = {"en": [92.19, 92.34, 92.71, 92.70], "cs": [86.41, 85.67, 87.40, 86.43]}
_SYSTEMS = ("Sib", "P-Sib", "G+S", "P-G+S")


def _measure(workshop: Workshop) -> Measured:
    systems = {}
    for name in ("Sib", "G+S"):
        parser = workshop.parser(**MODELS[name])
        workshop.note(f"parsing with {name}, projective and not")
        systems[name] = parse_right(parser, workshop.gold)
        systems[f"P-{name}"] = parse_right(parser, workshop.gold, projective=True)
    return {"words": words_of(workshop.gold), "systems": systems}


def _show(measured: Mapping[str, Measured]) -> Shown:
    columns = {name: partial(uas, system=name) for name in _SYSTEMS}
    table = side_by_side("UAS, %", measured, columns, _PAPER)
    claims = tuple(
        claim_uas(
            f"{name}: non-projective decoding at least as good as projective",
            measured,
            f"P-{name}",
            name,
            or_equal=True,
        )
        for name in ("Sib", "G+S")
    )
    return Shown((table,), (), claims)


EXPERIMENT = Experiment(
    "koo2010-table3",
    KOO_2010,
    "Table 3",
    "trees that may have crossing arcs against projective ones (P-), by the same models",
    "non-projective decoding clearly better where crossing arcs are common (Czech), no difference "
    "where they are not (English)",
    DATA,
    "dev",
    _measure,
    _show,
)
