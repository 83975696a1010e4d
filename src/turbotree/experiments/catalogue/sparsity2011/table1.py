"""Martins et al. 2011b, Table 1 and Figure 2: chunking with selected templates."""

from __future__ import annotations

from collections.abc import Mapping

from turbotree.experiments.comparing import (
    F1_COLUMNS,
    claim_f1,
    claim_shares,
    f1_cells,
    middle_budget,
)
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.data.chunks import chunked
from turbotree.experiments.records import (
    SPARSITY_2011,
    Experiment,
    Figure,
    Measured,
    Shown,
    Table,
)
from turbotree.experiments.selections import memory_curves
from turbotree.experiments.spans import SpanBench
from turbotree.labeling.templates import load_templates

_PAPER = {
    "all templates": (93.10, 5_300_396),
    "10": (92.99, 71_075),
    "20": (93.28, 158_844),
    "30": (93.59, 389_065),
    "40": (93.42, 662_018),
    "50": (93.40, 891_378),
}


def _measure(context: ExperimentContext) -> Measured:
    train, gold = chunked(context.dataset.train), chunked(context.gold)
    bench = SpanBench(context, train, gold, "chunk", "chunk", load_templates("chunk96"))
    budgets = list(context.settings.chunk_budgets)
    systems = {"all templates": bench.whole()}
    counted, _ = bench.selected(budgets)
    systems |= {str(budget): counts for budget, counts in zip(budgets, counted, strict=True)}
    return {"systems": systems, "budgets": budgets, "instances": len(train)}


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for dataset, found in measured.items():
        for name, counts in found["systems"].items():
            rows.append((dataset, name, *f1_cells(counts, _PAPER.get(name))))
    table = Table("F1 and number of features", ("data", "budget", *F1_COLUMNS), tuple(rows))
    budgets = [name for name in next(iter(measured.values()))["systems"] if name.isdigit()]
    largest = budgets[-1]
    tests = {
        name: (found["systems"]["all templates"], found["systems"][largest])
        for name, found in measured.items()
    }
    claims = (claim_f1(f"{largest} templates as good as all 96, or better", tests, or_equal=True),)
    return Shown((table,), (), claims)


def _show_memory(measured: Mapping[str, Measured]) -> Shown:
    figures, rows, tests = [], [], {}
    for dataset, found in measured.items():
        middle = middle_budget(found)
        whole, selected = (found["systems"][name] for name in ("all templates", str(middle)))
        curves = memory_curves(whole["epoch_features"], selected["trace"], found["instances"])
        title = f"Features in memory, chunking, {dataset}"
        figures.append(Figure(title, "epochs", "features", curves))
        most = max(whole["epoch_features"])
        share = 100 * selected["peak"] / max(1, most)
        cells = (f"{most:,}", f"{selected['peak']:,}", f"{selected['features']:,}")
        rows.append((dataset, *cells, f"{share:.1f}", "below 7.5"))
        tests[dataset] = ([selected["peak"] / max(1, most)], [1.0])
    table = Table(
        "Features in memory",
        ("data", "all templates", "peak of selection", "in the end", "peak, %", "paper"),
        tuple(rows),
        "As in the paper's figure: chunking, with the middle budget (the paper's is 30).",
    )
    text = "selection needs less memory than training with all templates"
    return Shown((table,), tuple(figures), (claim_shares(text, "share of memory, %", tests),))


EXPERIMENT = Experiment(
    "sparsity2011-table1",
    SPARSITY_2011,
    "Table 1",
    "chunking with all 96 templates and with those that the group lasso selects",
    "20 to 50 templates as good as all, with a fraction of the features",
    "The paper uses CoNLL-2000, which --chunks takes. Of treebanks, the chunks are base noun "
    "phrases that we read off the trees, an easier task with one kind of chunk.",
    "test",
    _measure,
    _show,
    version=2,
    measurement="sparsity2011-chunks",
    kinds=("chunks", "trees"),
)
FIGURE_2 = Experiment(
    "sparsity2011-fig2-chunks",
    SPARSITY_2011,
    "Figure 2, chunking",
    "features in memory while templates of chunks are selected, against training with all of them",
    "selection needs a small share of the memory",
    EXPERIMENT.data,
    "test",
    _measure,
    _show_memory,
    version=2,
    measurement="sparsity2011-chunks",
    kinds=("chunks", "trees"),
)
