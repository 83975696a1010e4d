"""Martins et al. 2011b, Figures 2 and 3 and Table 3: templates selected while learning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from turbotree.experiments.comparing import claim_units, uas
from turbotree.experiments.measuring import parse_right, words_of
from turbotree.experiments.records import (
    SPARSITY_2011,
    Claim,
    Experiment,
    Figure,
    Measured,
    Series,
    Shown,
    Table,
)
from turbotree.experiments.selecting import Selected, TemplateSelection
from turbotree.experiments.workshop import Workshop

_DATA = (
    "The paper uses six small CoNLL-X treebanks and 684 templates of arcs, of which 200 to 400 are "
    "kept; here the templates are those that our parser has for arcs, the budgets are smaller "
    "accordingly, and the treebanks are others."
)
_METHODS = ("group lasso", "coarse to fine", "information gain", "lasso")

_WORD = r"(form|lemma|prefix\d|suffix\d)"
_TAG = r"(upos|xpos|feats?)"
#: Kinds of templates as in the paper's Table 3, by what their text holds.
_KINDS: dict[str, Callable[[str], bool]] = {
    "bilexical": lambda t: _has(t, "h", _WORD) and _has(t, "m", _WORD),
    "lexical head, POS modifier": lambda t: _has(t, "h", _WORD) and not _has(t, "m", _WORD),
    "POS head, lexical modifier": lambda t: not _has(t, "h", _WORD) and _has(t, "m", _WORD),
    "POS and POS": lambda t: _has(t, "h", _TAG) and _has(t, "m", _TAG) and not re.search(_WORD, t),
    "contextual POS": lambda t: re.search(rf"[hm][+-]\d\.{_TAG}", t) is not None,
    "shape": lambda t: "shape" in t,
    "direction": lambda t: "dir" in t.split(),
    "distance": lambda t: "dist" in t.split(),
}
_PAPER_KINDS = {  # Arabic, Danish, Japanese, Slovene, Spanish, Turkish: in how many it was chosen
    "bilexical": "3 of 6",
    "lexical head, POS modifier": "2 of 6",
    "POS head, lexical modifier": "5 of 6",
    "POS and POS": "2 of 6",
    "contextual POS": "6 of 6, most",
    "shape": "4 of 6, most",
    "direction": "5 of 6",
    "distance": "6 of 6",
}


def _has(text: str, slot: str, attribute: str) -> bool:
    return re.search(rf"\b{slot}\.{attribute}\b", text) is not None


def _measure(workshop: Workshop) -> Measured:
    selection = TemplateSelection(workshop)
    systems = {"all templates": parse_right(selection.base, workshop.gold)}
    base = selection.base.record["parts"]
    found: dict[str, Measured] = {}
    for budget in workshop.settings.selection_budgets:
        workshop.note(f"selecting {budget} of {len(selection.texts)} templates in four ways")
        grouped = selection.group_lasso(budget)
        made: dict[str, Selected] = {
            "group lasso": grouped,
            "coarse to fine": selection.group_lasso(budget, coarse_to_fine=True),
            "information gain": selection.information_gain(budget),
            # As many features as the group lasso has, so that the two can be compared.
            "lasso": selection.lasso(max(1, grouped.features)),
        }
        for method, chosen in made.items():
            name = f"{method} {budget}"
            systems[name] = parse_right(chosen.parser, workshop.gold)
            found[name] = {
                "features": chosen.features,
                "templates": [selection.texts[number] for number in chosen.templates],
                "trace": [list(point) for point in chosen.trace],
            }
    return {
        "words": words_of(workshop.gold),
        "systems": systems,
        "selected": found,
        "budgets": list(workshop.settings.selection_budgets),
        "texts": selection.texts,
        "epoch_features": [record["features"] for record in base],
        "instances": len(selection.task),
    }


def _show_accuracy(measured: Mapping[str, Measured]) -> Shown:
    figures, rows = [], []
    for dataset, found in measured.items():
        whole = found["epoch_features"][-1]
        rows.append((dataset, "all templates", "–", f"{whole:,}", _uas(found, "all templates")))
        lines = []
        for method in _METHODS:
            names = [f"{method} {budget}" for budget in found["budgets"]]
            features = [found["selected"][name]["features"] for name in names]
            points = sorted(zip(features, (uas(found, name) for name in names), strict=True))
            lines.append(
                Series(method, tuple(float(x) for x, _ in points), tuple(y for _, y in points))
            )
            rows += [
                (dataset, method, str(budget), f"{count:,}", _uas(found, name))
                for budget, count, name in zip(found["budgets"], features, names, strict=True)
            ]
        title = f"UAS against the number of features, {dataset}"
        figures.append(Figure(title, "features", "UAS, %", tuple(lines)))
    table = Table(
        "Selected templates",
        ("treebank", "method", "budget", "features", "UAS"),
        tuple(rows),
        "The lasso selects features, as many as the group lasso has at the same budget. What "
        "learning selects is trained again with the features that survived, as in the paper; "
        "information gain uses all features of its templates. The paper gives a figure, no "
        "numbers.",
    )
    claims = (
        _claim("group lasso above information gain, on average", measured, "information gain"),
        _claim("group lasso above coarse to fine, on average", measured, "coarse to fine"),
    )
    return Shown((table,), tuple(figures), claims)


def _uas(found: Measured, name: str) -> str:
    return f"{uas(found, name):.2f}"


def _claim(text: str, measured: Mapping[str, Measured], below: str) -> Claim:
    """Compare a method with the group lasso, over all budgets and treebanks."""
    tests = []
    for found in measured.values():
        one, other = (
            np.mean([found["systems"][f"{m} {b}"]["right"] for b in found["budgets"]], axis=0)
            for m in (below, "group lasso")
        )
        tests.append((one, other, found["words"]))
    return claim_units(text, "UAS, % (mean over budgets)", tests)


def _show_kinds(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for kind, belongs in _KINDS.items():
        cells = []
        for found in measured.values():
            middle = found["budgets"][len(found["budgets"]) // 2]
            chosen = found["selected"][f"group lasso {middle}"]["templates"]
            cells.append(_marks(found["texts"], chosen, belongs))
        rows.append((kind, *cells, _PAPER_KINDS[kind]))
    table = Table(
        "Kinds of templates that the group lasso kept, at the middle budget",
        ("kind", *measured, "paper, languages"),
        tuple(rows),
        "++ at least half of the templates of a kind, + some, – none; kept / there were.",
    )
    return Shown((table,), (), ())


def _marks(texts: Sequence[str], chosen: Sequence[str], belongs: Callable[[str], bool]) -> str:
    total = sum(belongs(text) for text in texts)
    kept = sum(belongs(text) for text in chosen)
    sign = "–" if not kept else "++" if 2 * kept >= total else "+"
    return f"{sign} {kept}/{total}"


def _show_memory(measured: Mapping[str, Measured]) -> Shown:
    figures, rows = [], []
    for dataset, found in measured.items():
        middle = found["budgets"][len(found["budgets"]) // 2]
        trace = found["selected"][f"group lasso {middle}"]["trace"]
        size = found["instances"]
        x = [float(at) / size for at, _, _ in trace for _ in (0, 1)]
        y = [float(count) for _, before, after in trace for count in (before, after)]
        plain = found["epoch_features"]
        epochs = tuple(float(number + 1) for number in range(len(plain)))
        figures.append(
            Figure(
                f"Features in memory, {dataset}",
                "epochs",
                "features",
                (
                    Series("all templates", epochs, tuple(float(count) for count in plain)),
                    Series(f"group lasso, budget {middle}", tuple(x), tuple(y)),
                ),
            )
        )
        peak, whole = max(y, default=0.0), float(plain[-1])
        kept = found["selected"][f"group lasso {middle}"]["features"]
        share = 100 * peak / max(1.0, whole)
        rows.append(
            (dataset, f"{whole:,.0f}", f"{peak:,.0f}", f"{kept:,}", f"{share:.1f}", "below 7.5")
        )
    table = Table(
        "Features in memory",
        ("treebank", "all templates", "peak of selection", "in the end", "peak, %", "paper"),
        tuple(rows),
        "The paper's figure is of text chunking; this one is of parsing.",
    )
    return Shown((table,), tuple(figures), ())


FIGURE_3 = Experiment(
    "sparsity2011-fig3",
    SPARSITY_2011,
    "Figure 3",
    "accuracy against the number of features, for templates chosen by the group lasso, by its "
    "coarse-to-fine variant and by information gain, and for features chosen by the lasso",
    "group lasso above information gain in all but one language, slightly above coarse to fine",
    _DATA,
    "test",
    _measure,
    _show_accuracy,
    measurement="sparsity2011",
)
TABLE_3 = Experiment(
    "sparsity2011-table3",
    SPARSITY_2011,
    "Table 3",
    "which kinds of templates survive in which language",
    "contextual POS tags and distance everywhere; lexical templates less with small data",
    _DATA,
    "test",
    _measure,
    _show_kinds,
    measurement="sparsity2011",
)
FIGURE_2 = Experiment(
    "sparsity2011-fig2",
    SPARSITY_2011,
    "Figure 2",
    "features in memory while selecting, against those of training with all templates",
    "selection needs a small share of the memory",
    _DATA,
    "test",
    _measure,
    _show_memory,
    measurement="sparsity2011",
)
