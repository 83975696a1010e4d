"""``turbotree select``: many templates in, a model with the best of them out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.inputs.reading import read_treebank
from turbotree.cli.options.declaring import PARSER, takes
from turbotree.cli.options.training import SelectOptions
from turbotree.cli.outputs.files import check_output
from turbotree.cli.outputs.progress import seconds_text
from turbotree.cli.training import (
    read_labels,
    template_file,
    train_and_save,
    training_output,
    with_preset,
)
from turbotree.display.selection_plot import check_plot
from turbotree.display.selection_report import SelectionReport
from turbotree.errors import InputError
from turbotree.files.outputs import check_outputs
from turbotree.files.sizes import bytes_text
from turbotree.labeling import TASKS, Tagger, TaggerOptions
from turbotree.labeling.selecting import select_tagger
from turbotree.learning.selection.selector import SelectionOptions, sorted_budgets
from turbotree.parsing import Parser, TrainingOptions
from turbotree.parsing.training.selecting import select_parser

#: What is selected from if nothing is said.
_TEMPLATES = {"parse": "arc684", "chunk": "chunk96", "entities": "entities452"}


@takes(SelectOptions)
def select(options: SelectOptions) -> None:
    """Choose the best templates and train a model on them.

    All templates compete while the model learns: every K sentences the weakest are dropped, until
    as many are left as the budget allows. Those are trained again from zero, with any loss. The
    model is an ordinary one, smaller and faster. The report says which kinds of templates survived,
    and how size and accuracy change with the budget.
    """
    options.check_fit(options.kind)
    dev, plot = options.dev, options.plot
    settings = options.learning | {"templates": _templates(options)}
    chosen: dict[str, Any] = {
        "method": options.method,
        "groups": options.groups,
        "costs": options.costs,
        "norm": options.norm,
        "pseudo_budgets": options.pseudo_budgets,
        "epochs": options.passes,
        "rounds_between": options.rounds,
        "refit": options.refit,
        "seed": options.seed,
    }
    if options.preset is not None:
        chosen = with_preset("selecting", options.preset, SelectionOptions, chosen)
        kind = TrainingOptions if options.kind == PARSER else TaggerOptions
        settings = with_preset("refitting", options.preset, kind, settings)
    how = SelectionOptions(**chosen)
    budgets = _budgets(options.budget)
    read = [options.train, dev, options.templates]
    if plot is not None:
        check_output(plot, [*read])
        check_outputs([options.output, plot])
        check_plot(plot)
    # Complain before the data are read.
    if options.kind == PARSER:
        TrainingOptions(**settings)
    else:
        TaggerOptions(**settings)

    def run(**more: Any) -> _Selected:
        models: list[Tagger] | list[Parser]
        if options.kind == PARSER:
            trees = read_treebank(options.train, options.on_error)
            held_out = read_treebank(dev, options.on_error) if dev is not None else None
            models, report = select_parser(
                trees, budgets, selection=how, dev=held_out, **settings, **more
            )
        else:
            sentences = read_labels(options.train, options)
            held_out = read_labels(dev, options) if dev is not None else None
            models, report = select_tagger(
                sentences, budgets, selection=how, dev=held_out, **settings, **more
            )
        return _Selected(models[report.best], report)

    with training_output(options.output, read):
        selected, seconds = train_and_save(run, options)
    if plot is not None:
        selected.report.plot(plot)
    if options.as_json:
        typer.echo(json.dumps(selected.report.to_dict(), indent=2, ensure_ascii=False))
    elif not options.quiet:
        typer.echo(_summary(selected.report, options.output, seconds))


@dataclass(frozen=True)
class _Selected:
    model: Tagger | Parser
    report: SelectionReport

    def save(self, path: Path) -> None:
        """Write the model."""
        self.model.save(path)


def _budgets(given: str) -> list[int]:
    try:
        numbers = [int(part) for part in given.split(",")]
    except ValueError:
        raise InputError(f"--budget {given}: expected whole numbers, such as 10,20,30") from None
    return sorted_budgets(numbers)


def _templates(options: SelectOptions) -> dict[str, list[str]]:
    name = "arc" if options.kind == PARSER else TASKS[options.task][0]
    chosen = options.templates or _TEMPLATES.get(options.task)
    return {} if chosen is None else {name: template_file(chosen)}


def _summary(report: SelectionReport, output: Path, seconds: float) -> str:
    best = report.outcomes[report.best]
    return (
        f"{report}\n\n{output}: budget {best.budget:,}, {bytes_text(output.stat().st_size)}, "
        f"{best.features:,} features of {len(best.templates)} templates\n"
        f"{report.instances:,} sentences, {seconds_text(seconds)}"
    )
