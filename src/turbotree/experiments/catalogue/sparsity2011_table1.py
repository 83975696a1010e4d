"""Martins et al. 2011b, Table 1: chunking with selected templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turbotree.experiments.chunks import chunked, count_chunks
from turbotree.experiments.comparing import claim_units
from turbotree.experiments.records import SPARSITY_2011, Experiment, Measured, Shown, Table
from turbotree.experiments.workshop import Workshop
from turbotree.labeling import select_tagger, train_tagger
from turbotree.labeling.templates import load_templates
from turbotree.learning import SelectionOptions

_PAPER = {
    "all templates": (93.10, 5_300_396),
    "10": (92.99, 71_075),
    "20": (93.28, 158_844),
    "30": (93.59, 389_065),
    "40": (93.42, 662_018),
    "50": (93.40, 891_378),
}


def _measure(workshop: Workshop) -> Measured:
    settings = workshop.settings
    train, gold = chunked(workshop.dataset.train), chunked(workshop.gold)
    templates = {"chunk": load_templates("chunk96")}
    budgets = list(settings.chunk_budgets)
    options: dict[str, Any] = {
        "task": "chunk",
        "label": "chunk",
        "templates": templates,
        "seed": settings.seed,
        "threads": workshop.threads,
    }
    workshop.note("training a chunker with all templates")
    # As many passes in all as selection and refit have together.
    passes = max(1, settings.epochs // 2)
    with workshop.progress() as progress:
        epochs = passes + settings.epochs
        whole = train_tagger(train, epochs=epochs, progress=progress, **options)
    weights = whole.stages[0].model.weights
    systems = {"all templates": {**count_chunks(whole, gold), "features": len(weights or ())}}
    workshop.note(f"selecting from {len(templates['chunk'])} templates")
    how = SelectionOptions(
        epochs=passes, rounds_between=min(500, max(1, len(train) // 2)), seed=settings.seed
    )
    with workshop.progress() as progress:
        taggers, report = select_tagger(
            train, budgets, selection=how, epochs=settings.epochs, progress=progress, **options
        )
    for budget, tagger, outcome in zip(budgets, taggers, report.outcomes, strict=True):
        counts = count_chunks(tagger, gold)
        systems[str(budget)] = {**counts, "features": outcome.features}
    return {"systems": systems}


def _f1(counts: Measured) -> float:
    right, total = sum(counts["right"]), sum(counts["gold"]) + sum(counts["found"])
    return 200 * right / max(1, total)


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = []
    for dataset, found in measured.items():
        for name, counts in found["systems"].items():
            theirs = _PAPER.get(name)
            paper = ("–", "–") if theirs is None else (f"{theirs[0]:.2f}", f"{theirs[1]:,}")
            ours = (f"{_f1(counts):.2f}", f"{counts['features']:,}")
            rows.append((dataset, name, ours[0], paper[0], ours[1], paper[1]))
    table = Table(
        "F1 and number of features",
        ("data", "budget", "F1", "paper", "features", "paper"),
        tuple(rows),
    )
    budgets = [name for name in next(iter(measured.values()))["systems"] if name.isdigit()]
    largest = budgets[-1]
    tests = {
        name: (
            found["systems"]["all templates"]["right"],
            found["systems"][largest]["right"],
            found["systems"][largest]["gold"],
        )
        for name, found in measured.items()
    }
    text = f"{largest} templates find as many chunks as all 96, or more"
    claims = (claim_units(text, "chunks found, %", tests, or_equal=True),)
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
