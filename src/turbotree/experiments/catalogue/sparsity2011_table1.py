"""Martins et al. 2011b, Table 1: chunking with selected templates."""

from __future__ import annotations

from collections.abc import Mapping

from turbotree.experiments.comparing import F1_COLUMNS, claim_f1, f1_cells
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.data.chunks import chunked
from turbotree.experiments.records import SPARSITY_2011, Experiment, Measured, Shown, Table
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
    return {"systems": systems}


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
    kinds=("chunks", "trees"),
)
