"""Martins et al. 2011b, Figures 2 and 3 and Table 3: templates selected while learning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.experiments.comparing import claim_units, main_ordering, uas
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
from turbotree.experiments.workshop import PLAIN_LABELS, Workshop
from turbotree.learning import SelectionOptions
from turbotree.parsing import select_parser
from turbotree.parsing.templates import load_templates

_DATA = (
    "The paper uses six small CoNLL-X treebanks and 684 templates of arcs, of which 200 to 400 are "
    "kept; here the treebanks are others. With --small, the templates are the fewer ones that our "
    "parser has for arcs, and the budgets are smaller."
)
_METHODS = {
    "group lasso": {"method": "group-lasso"},
    "coarse to fine": {"method": "group-lasso", "groups": "coarse-to-fine"},
    "information gain": {"method": "information-gain"},
    "lasso": {"method": "l1"},
}

#: How the paper's Table 3 calls our families of templates, and where it found them.
_PAPER_KINDS = {
    "bilexical": "Bilexical: 3 of 6",
    "lexical-POS": "Lex. → POS: 2 of 6",
    "POS-lexical": "POS → Lex.: 5 of 6",
    "POS-POS": "POS → POS: 2 of 6",
    "middle POS": "Middle POS: 6 of 6, most",
    "shape": "Shape: 4 of 6, most",
    "direction": "Direction: 5 of 6",
    "distance": "Distance: 6 of 6",
}


def _measure(workshop: Workshop) -> Measured:
    settings = workshop.settings
    budgets = settings.selection_budgets
    texts = load_templates(settings.selection_templates)
    base = workshop.parser(parts=["arc"], templates={"arc": texts})
    systems = {"all templates": parse_right(base, workshop.gold)}
    found: dict[str, Measured] = {}
    features = list(budgets)
    for method, options in _METHODS.items():
        workshop.note(f"selecting from {len(texts)} templates by {method}")
        # The lasso gets as many features as the group lasso has, so that the two can be compared.
        wanted = sorted(set(features)) if method == "lasso" else list(budgets)
        how = SelectionOptions(
            **options,
            epochs=max(1, settings.epochs // 2),
            rounds_between=min(500, max(1, len(workshop.dataset.train) // 2)),
            seed=settings.seed,
        )
        with workshop.progress() as progress:
            parsers, report = select_parser(
                list(workshop.dataset.train),
                wanted,
                selection=how,
                templates={**PLAIN_LABELS, "arc": texts},
                epochs=settings.epochs,
                pruner_epochs=settings.pruner_epochs,
                seed=settings.seed,
                threads=workshop.threads,
                progress=progress,
            )
        if method == "group lasso":
            features = [outcome.features for outcome in report.outcomes]
        places = [wanted.index(count) for count in features] if method == "lasso" else None
        for number, budget in enumerate(budgets):
            place = number if places is None else places[number]
            outcome, name = report.outcomes[place], f"{method} {budget}"
            systems[name] = parse_right(parsers[place], workshop.gold)
            found[name] = {
                "features": outcome.features,
                "families": report.families(outcome.templates),
                "peak": outcome.peak_features,
                "trace": [list(point) for point in outcome.trace],
            }
        families = report.families()
    return {
        "words": words_of(workshop.gold),
        "systems": systems,
        "selected": found,
        "budgets": list(budgets),
        "families": families,
        "epoch_features": [record["features"] for record in base.record["parts"]],
        "instances": len(workshop.dataset.train),
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
        main_ordering(
            _claim("group lasso above information gain, on average", measured, "information gain")
        ),
        _claim("group lasso above coarse to fine, on average", measured, "coarse to fine"),
    )
    return Shown((table,), tuple(figures), claims)


def _uas(found: Measured, name: str) -> str:
    return f"{uas(found, name):.2f}"


def _claim(text: str, measured: Mapping[str, Measured], below: str) -> Claim:
    """Compare a method with the group lasso, over all budgets and treebanks."""
    tests = {}
    for dataset, found in measured.items():
        one, other = (
            np.mean([found["systems"][f"{m} {b}"]["right"] for b in found["budgets"]], axis=0)
            for m in (below, "group lasso")
        )
        tests[dataset] = (one, other, found["words"])
    return claim_units(text, "UAS, % (mean over budgets)", tests)


def _show_kinds(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    kinds = dict.fromkeys(kind for found in measured.values() for kind in found["families"])
    for kind in kinds:
        cells = [_marks(found, kind) for found in measured.values()]
        rows.append((kind, *cells, _PAPER_KINDS.get(kind, "–")))
    table = Table(
        "Kinds of templates that the group lasso kept, at the middle budget",
        ("kind", *measured, "paper, languages"),
        tuple(rows),
        "++ at least half of the templates of a kind, + some, – none; kept / there were. A "
        "template may be of several kinds.",
    )
    return Shown((table,), (), ())


def _marks(found: Measured, kind: str) -> str:
    middle = found["budgets"][len(found["budgets"]) // 2]
    total = found["families"].get(kind, 0)
    kept = found["selected"][f"group lasso {middle}"]["families"].get(kind, 0)
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
        peak = float(found["selected"][f"group lasso {middle}"]["peak"])
        whole = float(plain[-1])
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
