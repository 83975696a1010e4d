"""Koo et al. 2010, Table 3: projective against non-projective decoding."""

from __future__ import annotations

from collections.abc import Mapping

from turbotree.evaluation.shape import shape
from turbotree.experiments.catalogue.koo2010.models import DATA, MODELS
from turbotree.experiments.comparing import claim_uas, side_by_side, uas
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.measuring import parse_right, words_of
from turbotree.experiments.records import KOO_2010, Experiment, Measured, Shown, Table

_PAPER = {"en": [92.19, 92.34, 92.71, 92.70], "cs": [86.41, 85.67, 87.40, 86.43]}
_MANY = 1.0  # per cent; Czech has about 2, the Penn Treebank none
_SYSTEMS = ("Sib", "P-Sib", "G+S", "P-G+S")


def _measure(context: ExperimentContext) -> Measured:
    systems = {}
    for name in ("Sib", "G+S"):
        parser = context.parser(MODELS[name])
        context.note(f"parsing with {name}, projective and not")
        systems[name] = parse_right(parser, context.gold)
        systems[f"P-{name}"] = parse_right(parser, context.gold, projective=True)
    crossing = sum(len(shape(tree.heads).nonprojective) for tree in context.gold)
    total = sum(len(tree) for tree in context.gold)
    return {
        "words": words_of(context.gold),
        "systems": systems,
        "crossing": 100 * crossing / max(1, total),
    }


def _show(measured: Mapping[str, Measured]) -> Shown:
    table = side_by_side("UAS, %", measured, uas, _SYSTEMS, _PAPER)
    shares = Table(
        "Words with crossing arcs in the gold trees, %",
        ("treebank", "crossing"),
        tuple((name, f"{found['crossing']:.2f}") for name, found in measured.items()),
    )
    many = {name: found for name, found in measured.items() if found["crossing"] >= _MANY}
    names = ", ".join(many)
    claims = [
        claim_uas(
            f"{name}: non-projective decoding above projective, where at least {_MANY:g} % of the "
            f"words have crossing arcs ({names})",
            many,
            f"P-{name}",
            name,
        )
        for name in ("Sib", "G+S")
        if many
    ]
    return Shown((table, shares), (), tuple(claims))


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
