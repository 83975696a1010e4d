"""Martins et al. 2011b, Table 2: named entities with selected templates."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.experiments.comparing import (
    beside,
    beside_paper,
    claim_f1,
    claim_shares,
    f1,
    language_of,
    middle_budget,
)
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.data.entities import with_entities
from turbotree.experiments.records import SPARSITY_2011, Experiment, Measured, Shown, Table
from turbotree.experiments.spans import SpanBench
from turbotree.labeling.templates import load_templates

# F1 on development and test data, and features: with all templates, of the lasso with C = 0.1, 0.5
# and 1, of the group lasso with 100, 200 and 300 templates.
_Cells = tuple[float, float, int]
_PAPER_ALL: dict[str, _Cells] = {
    "es": (70.38, 74.09, 8_598_246),
    "nl": (69.15, 71.54, 5_727_004),
    "en": (83.95, 79.81, 8_376_901),
}
_PAPER_LASSO: dict[str, list[_Cells]] = {
    "es": [(69.19, 71.90, 68_565), (70.75, 72.38, 1_017_769), (71.70, 74.03, 1_555_683)],
    "nl": [(64.07, 66.35, 164_960), (66.82, 69.42, 565_704), (70.43, 71.89, 953_668)],
    "en": [(80.92, 76.95, 232_865), (82.58, 78.84, 870_587), (83.38, 79.35, 1_114_016)],
}
_PAPER_GROUPS: dict[str, list[_Cells]] = {
    "es": [(71.79, 73.62, 83_036), (72.08, 75.05, 354_872), (71.48, 73.30, 600_646)],
    "nl": [(69.48, 72.83, 128_320), (71.03, 73.33, 447_193), (71.20, 72.59, 889_660)],
    "en": [(85.62, 80.26, 255_165), (85.86, 81.47, 953_178), (85.03, 80.91, 1_719_229)],
}
#: The paper's C of the lasso.
_INVERSE_STRENGTHS = (0.1, 0.5, 1.0)


def _measure(context: ExperimentContext) -> Measured:
    train, gold = with_entities(context.dataset.train), with_entities(context.gold)
    dev = with_entities(context.dataset.dev)
    templates = load_templates("entities452")
    bench = SpanBench(context, train, gold, "entities", "entity", templates, dev)
    budgets = list(context.settings.entity_budgets)
    systems = {"all templates": bench.whole()}
    grouped, outcomes = bench.selected(budgets)
    # The lasso gets as many features as the group lasso has, so that the two can be compared.
    features = [max(1, outcome.features) for outcome in outcomes]
    wanted = sorted(set(features))
    single, _ = bench.selected(wanted, "l1")
    for place, budget in enumerate(budgets):
        systems[f"group lasso {budget}"] = grouped[place]
        systems[f"lasso {budget}"] = single[wanted.index(features[place])]
    for strength in _INVERSE_STRENGTHS:
        (found,), _ = bench.selected([1], "l1", strength)
        systems[f"lasso C = {strength:g}"] = found
    return {"systems": systems, "budgets": budgets}


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for dataset, found in measured.items():
        language = language_of(dataset)
        lasso, groups = (paper.get(language, []) for paper in (_PAPER_LASSO, _PAPER_GROUPS))
        shown: list[tuple[str, str, _Cells | None]] = [
            ("all templates", "all templates", _PAPER_ALL.get(language))
        ]
        for place, strength in enumerate(_INVERSE_STRENGTHS):
            name = f"lasso C = {strength:g}"
            shown.append((name, name, lasso[place] if lasso else None))
        for place, budget in enumerate(found["budgets"]):
            text = f"lasso, as many features as {budget}"
            shown.append((f"lasso {budget}", text, None))
            name = f"group lasso {budget}"
            shown.append((name, name, groups[place] if place < len(groups) else None))
        rows += [
            (dataset, text, *_cells(found["systems"][name], paper)) for name, text, paper in shown
        ]
    table = Table(
        "F1 and number of features",
        ("data", "templates", *beside_paper(("dev F1", "test F1", "features")), "ms per sentence"),
        tuple(rows),
        "The lasso of the paper has a C, which is 1 / (strength N), and no number of features; the "
        "rows with as many features as the group lasso are ours. English in the paper is "
        "CoNLL-2003. Times are CPU time for tagging test sentences one by one; the paper says, "
        "without numbers, that selected templates are faster than the lasso.",
    )
    lasso_tests, whole, times = {}, {}, {}
    for name, found in measured.items():
        # The paper's middle budget is its best, 200.
        middle, systems = middle_budget(found), found["systems"]
        group, single = systems[f"group lasso {middle}"], systems[f"lasso {middle}"]
        lasso_tests[name] = (single, group)
        whole[name] = (systems["all templates"], group)
        times[name] = (group["seconds"], single["seconds"])
    claims = (
        claim_f1("group lasso above the lasso with as many features (middle budget)", lasso_tests),
        claim_f1(
            "group lasso as good as all templates, or better (middle budget)", whole, or_equal=True
        ),
        claim_shares(
            "the lasso takes longer than the group lasso (middle budget)",
            "seconds a 100 sentences",
            times,
        ),
    )
    return Shown((table,), (), claims)


def _cells(counts: Measured, paper: _Cells | None) -> list[str]:
    """Write F1 on development and test data and features, each beside the paper's, and times."""
    ours = (f1(counts["dev"]), f1(counts), counts["features"])
    cells = beside(ours, paper or (None, None, None), ("{:.2f}", "{:.2f}", "{:,}"))
    return [*cells, f"{1000 * float(np.mean(counts['seconds'])):.2f}"]


EXPERIMENT = Experiment(
    "sparsity2011-table2",
    SPARSITY_2011,
    "Table 2",
    "named entities with all 452 templates, with features that the lasso selects, and with "
    "templates that the group lasso selects",
    "the group lasso above the lasso and above all templates, with a fraction of the features",
    "The paper uses CoNLL-2002 (Spanish, Dutch) and CoNLL-2003 (English); --entities takes files "
    "in that layout. Of treebanks, the entities are names that we read off the trees, an easier "
    "task with one kind of entity; their tag of proper nouns is taken away.",
    "test",
    _measure,
    _show,
    version=2,
    kinds=("entities", "trees"),
)
