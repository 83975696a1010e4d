"""``turbotree select``: many templates in, a model with the best of them out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from turbotree.cli.inputs.reading import OnMistake, read_treebank
from turbotree.cli.models.tagger import column_names
from turbotree.cli.outputs.files import bytes_text, check_output
from turbotree.cli.outputs.progress import seconds_text
from turbotree.cli.train_tagger import read_labels
from turbotree.cli.training_choices import Scheme, Task, template_file
from turbotree.cli.training_run import train_and_save, training_output
from turbotree.display.selection_plot import check_plot
from turbotree.display.selection_report import SelectionReport
from turbotree.errors import InputError
from turbotree.files.outputs import check_outputs
from turbotree.labeling import TASKS, Tagger, TaggerOptions
from turbotree.labeling.selecting import select_tagger
from turbotree.learning.selection.selector import SelectionOptions, sorted_budgets
from turbotree.parsing import Parser, TrainingOptions
from turbotree.parsing.training.selecting import select_parser

_DEFAULTS = SelectionOptions()
#: What is selected from if nothing is said.
_TEMPLATES = {"parse": "arc684", "chunk": "chunk96", "entities": "entities452"}


class Method(str, Enum):
    """Ways to select."""

    GROUP_LASSO = "group-lasso"
    L1 = "l1"
    INFORMATION_GAIN = "information-gain"
    FREQUENCY = "frequency"


class Groups(str, Enum):
    """What lives and dies together."""

    TEMPLATE = "template"
    LABEL = "label"
    COARSE_TO_FINE = "coarse-to-fine"


class Costs(str, Enum):
    """What a template costs."""

    SIZE = "size"
    WORTH = "worth"


class Refit(str, Enum):
    """What the model may use."""

    SELECTED = "selected"
    TEMPLATES = "templates"


def select(
    train: Annotated[
        Path,
        typer.Argument(metavar="TRAIN", help="Annotated sentences, as for turbotree train."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    budget: Annotated[
        str,
        typer.Option(
            metavar="B[,B...]",
            help="How many templates may live; with --method l1 or frequency and with --groups "
            "label, how many features. Of several, MODEL gets the one that scores best on the dev "
            "file, or the last.",
        ),
    ],
    dev: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="More sentences, to compare the budgets on."),
    ] = None,
    task: Annotated[
        Task,
        typer.Option(
            help="parse: trees, arc by arc. tag: UPOS, XPOS and FEATS (templates of UPOS are "
            "selected). chunk, entities: spans of words."
        ),
    ] = Task.PARSE,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Templates to select from, one a line. If nothing is given, arc684 for trees, "
            "chunk96 for chunks, entities452 for entities, and those of train for tags.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option(
            help="group-lasso: learn with a penalty on whole groups, and keep the strongest. l1: "
            "the same for single features. information-gain: the templates that tell most of what "
            "is right, by counting. frequency: the features that right answers have most often."
        ),
    ] = Method(_DEFAULTS.method),
    groups: Annotated[
        Groups,
        typer.Option(
            help="Groups of group-lasso: all features of a template; a feature under all labels; "
            "or templates none of which is selected before coarser ones."
        ),
    ] = Groups(_DEFAULTS.groups),
    costs: Annotated[
        Costs | None,
        typer.Option(
            help="Of group-lasso: a template costs the more, the more features it has, or the less "
            "it turns out to be worth beside the others in a trial. If nothing is given, worth "
            "for trees, and size for labels.",
            show_default=False,
        ),
    ] = None,
    refit: Annotated[
        Refit,
        typer.Option(
            help="What the model may use in the end: the features that were selected, or any "
            "feature of templates that were."
        ),
    ] = Refit(_DEFAULTS.refit),
    rounds: Annotated[
        int,
        typer.Option(
            metavar="K",
            min=1,
            help="Sentences between two steps to the budget: the fewer, the less memory.",
        ),
    ] = _DEFAULTS.rounds_between,
    passes: Annotated[
        int, typer.Option(metavar="N", min=1, help="Passes over the data while selecting.")
    ] = _DEFAULTS.epochs,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of the model in the end: crf, softmax-margin, svm or perceptron; svm if nothing "
            "is given.",
            show_default=False,
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(metavar="B", help="Instead of --loss, with --gamma.", show_default=False),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(metavar="G", help="The weight of the cost of errors.", show_default=False),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Passes over the data to train the model.", show_default=False
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(metavar="C", help="Largest step, as for train.", show_default=False),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column to learn.", show_default=False),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Names of a file's columns.", show_default=False),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of a column file that is not UTF-8.", show_default=False
        ),
    ] = None,
    scheme: Annotated[
        Scheme, typer.Option(help="How spans are written inside a tagger: bioes or bio.")
    ] = Scheme.BIOES,
    threads: Annotated[
        int, typer.Option(metavar="N", min=1, help="Threads; the model is the same for any number.")
    ] = 1,
    seed: Annotated[int, typer.Option(metavar="S", help="Decides every random choice.")] = 1,
    licence: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Licence of the data; is kept in the model.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Picture of scores and sizes along the budgets: .svg, .png or .pdf (needs the "
            "extra plots).",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report as JSON, for programs.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where a killed run stood.")
    ] = False,
    on_error: Annotated[
        OnMistake,
        typer.Option(
            help="What to do about a malformed sentence: stop, or leave it out and count it."
        ),
    ] = OnMistake.RAISE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")] = False,
) -> None:
    """Choose the templates of a model while it learns, and train it on these alone.

    First all templates compete: every K sentences the weakest die, until as many live as the budget
    allows. What is left is trained again from zero, with any loss. The model is an ordinary one,
    smaller and faster. The report says which kinds of templates survived, and how size and accuracy
    change with the budget.
    """
    if task is Task.PIPELINE:
        raise InputError("a pipeline is trained as a whole; expected parse, tag, chunk or entities")
    options: dict[str, Any] = {
        "loss": loss,
        "beta": beta,
        "gamma": gamma,
        "seed": seed,
        "threads": threads,
        "licence": licence,
        **({"epochs": epochs} if epochs is not None else {}),
        **({"largest_step": step} if step is not None else {}),
    }
    options["templates"] = _templates(templates, task)
    how = SelectionOptions(
        method=method.value,
        groups=groups.value,
        costs=costs.value if costs is not None else None,
        epochs=passes,
        rounds_between=rounds,
        refit=refit.value,
        seed=seed,
    )
    budgets = _budgets(budget)
    read = [train, dev, templates]
    if plot is not None:
        check_output(plot, [*read])
        check_outputs([output, plot])
        check_plot(plot)
    names = column_names(columns)

    def run(**more: Any) -> _Selected:
        models: list[Tagger] | list[Parser]
        if task is Task.PARSE:
            trees = read_treebank(train, on_error)
            dev_trees = read_treebank(dev, on_error) if dev is not None else None
            models, report = select_parser(
                trees, budgets, selection=how, dev=dev_trees, **options, **more
            )
        else:
            sentences = read_labels(train, names, encoding, on_error)
            held_out = read_labels(dev, names, encoding, on_error) if dev is not None else None
            models, report = select_tagger(
                sentences, budgets, selection=how, dev=held_out, **options, **more
            )
        return _Selected(models[report.best], report)

    # Complain before the data are read.
    if task is Task.PARSE:
        if not (label is columns is encoding is None):
            raise InputError("--label, --columns and --encoding are for tag, chunk and entities")
        TrainingOptions(**options)
    else:
        options |= {"task": task.value, "label": label, "scheme": scheme.value}
        TaggerOptions(**options)
    with training_output(output, read):
        selected, seconds = train_and_save(run, output, resume=resume, quiet=quiet)
    if plot is not None:
        selected.report.plot(plot)
    if as_json:
        typer.echo(json.dumps(selected.report.to_dict(), indent=2, ensure_ascii=False))
    elif not quiet:
        typer.echo(_summary(selected.report, output, seconds))


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


def _templates(given: str | None, task: Task) -> dict[str, list[str]]:
    name = "arc" if task is Task.PARSE else TASKS[task.value][0]
    chosen = given or _TEMPLATES.get(task.value)
    return {} if chosen is None else {name: template_file(chosen)}


def _summary(report: SelectionReport, output: Path, seconds: float) -> str:
    best = report.outcomes[report.best]
    return (
        f"{report}\n\n{output}: budget {best.budget:,}, {bytes_text(output.stat().st_size)}, "
        f"{best.features:,} features of {len(best.templates)} templates\n"
        f"{report.instances:,} sentences, {seconds_text(seconds)}"
    )
