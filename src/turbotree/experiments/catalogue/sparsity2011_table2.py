"""Martins et al. 2011b, Table 2: named entities with selected templates."""

from __future__ import annotations

from collections.abc import Mapping

from turbotree.experiments.comparing import (
    F1_COLUMNS,
    claim_f1,
    f1_cells,
    language_of,
    middle_budget,
)
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.data.entities import with_entities
from turbotree.experiments.records import SPARSITY_2011, Experiment, Measured, Shown, Table
from turbotree.experiments.spans import SpanBench
from turbotree.labeling.templates import load_templates

# F1 on test data and features: with all templates, of the lasso with C = 0.1, 0.5 and 1, of the
# group lasso with 100, 200 and 300 templates.
_PAPER_ALL = {"es": (74.09, 8_598_246), "nl": (71.54, 5_727_004), "en": (79.81, 8_376_901)}
_PAPER_LASSO = {
    "es": [(71.90, 68_565), (72.38, 1_017_769), (74.03, 1_555_683)],
    "nl": [(66.35, 164_960), (69.42, 565_704), (71.89, 953_668)],
    "en": [(76.95, 232_865), (78.84, 870_587), (79.35, 1_114_016)],
}
_PAPER_GROUPS = {
    "es": [(73.62, 83_036), (75.05, 354_872), (73.30, 600_646)],
    "nl": [(72.83, 128_320), (73.33, 447_193), (72.59, 889_660)],
    "en": [(80.26, 255_165), (81.47, 953_178), (80.91, 1_719_229)],
}


def _measure(context: ExperimentContext) -> Measured:
    train, gold = with_entities(context.dataset.train), with_entities(context.gold)
    templates = load_templates("entities452")
    bench = SpanBench(context, train, gold, "entities", "entity", templates)
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
    return {"systems": systems, "budgets": budgets}


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for dataset, found in measured.items():
        language, systems = language_of(dataset), found["systems"]
        cells = f1_cells(systems["all templates"], _PAPER_ALL.get(language))
        rows.append((dataset, "all templates", *cells))
        for method, paper in (("lasso", _PAPER_LASSO), ("group lasso", _PAPER_GROUPS)):
            theirs = paper.get(language, [])
            for place, budget in enumerate(found["budgets"]):
                name = f"{method} {budget}"
                shown = f"lasso, as many features as {budget}" if method == "lasso" else name
                other = theirs[place] if place < len(theirs) else None
                rows.append((dataset, shown, *f1_cells(systems[name], other)))
    table = Table(
        "F1 and number of features",
        ("data", "templates", *F1_COLUMNS),
        tuple(rows),
        "Ours and the paper's are on test data. The lasso of the paper has C = 0.1, 0.5 and 1 "
        "instead of a number of features, its group lasso 100, 200 and 300 templates. English in "
        "the paper is CoNLL-2003.",
    )
    lasso, whole = {}, {}
    for name, found in measured.items():
        # The paper's middle budget is its best, 200.
        middle, systems = middle_budget(found), found["systems"]
        lasso[name] = (systems[f"lasso {middle}"], systems[f"group lasso {middle}"])
        whole[name] = (systems["all templates"], systems[f"group lasso {middle}"])
    claims = (
        claim_f1("group lasso above the lasso with as many features (middle budget)", lasso),
        claim_f1(
            "group lasso as good as all templates, or better (middle budget)", whole, or_equal=True
        ),
    )
    return Shown((table,), (), claims)


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
    kinds=("entities", "trees"),
)
