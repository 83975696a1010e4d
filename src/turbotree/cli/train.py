"""``turbotree train``: a treebank in, a model out."""

from __future__ import annotations

import shutil
import time
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from turbotree.cli.failures import INTERRUPTED, say
from turbotree.cli.output import bytes_text, check_output
from turbotree.cli.reading import OnMistake, Skipped, read_trees
from turbotree.cli.showing import seconds_text, shown_progress
from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.features import read_templates
from turbotree.parsing import Parser, TrainingOptions
from turbotree.parsing.options import TEMPLATE_SETS
from turbotree.parsing.parts import FAMILIES
from turbotree.text import Sentence


class ModelKind(str, Enum):
    """Kinds of models."""

    ARC = "arc"
    STANDARD = "standard"
    FULL = "full"
    THIRD = "third"


class FeatureSet(str, Enum):
    """Which features a model has."""

    ALL = "all"
    SUPPORTED = "supported"


class TrainingDecoder(str, Enum):
    """How training finds answers."""

    ADMM = "admm"
    EXACT = "exact"
    AUTOMATA = "automata"


_DEFAULTS = TrainingOptions()


def train(
    train: Annotated[
        Path,
        typer.Argument(metavar="TRAIN", help="The treebank: CoNLL-U or CoNLL-X; .gz is unpacked."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
    ],
    dev: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A second treebank: shows scores along the way and makes the probabilities "
            "honest (fits their temperature). Give one if you can.",
        ),
    ] = None,
    model: Annotated[
        ModelKind,
        typer.Option(
            help="arc: each arc is scored by itself; fastest. standard: also neighbouring "
            "modifiers of a head, and chains of two arcs. full: also all pairs of modifiers, and "
            "the heads of neighbouring words. third: standard, the heads of neighbouring "
            "words, neighbouring modifiers with the head of their head, and three neighbouring "
            "modifiers."
        ),
    ] = ModelKind.ARC,
    parts: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help=f"Instead of --model, any of {', '.join(FAMILIES)}.",
            show_default=False,
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="crf, softmax-margin, svm or perceptron; svm if nothing is given.",
            show_default=False,
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            metavar="B",
            help="Instead of --loss, with --gamma: the inverse temperature of the loss "
            "(crf 1, svm inf).",
            show_default=False,
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            metavar="G",
            help="The weight of the cost of wrong arcs (crf 0, svm 1).",
            show_default=False,
        ),
    ] = None,
    decoder: Annotated[
        TrainingDecoder,
        typer.Option(
            help="How losses without probabilities (svm, perceptron) find the answer to learn "
            "from, beyond --model arc. admm: the relaxation, which may be fractional. exact: the "
            "best tree. automata: each head's best modifiers, tree or not; quicker, for sibling "
            "and grandparent parts."
        ),
    ] = TrainingDecoder(_DEFAULTS.decoder),
    epochs: Annotated[
        int, typer.Option(metavar="N", help="Passes over the data.", min=1)
    ] = _DEFAULTS.epochs,
    step: Annotated[
        float,
        typer.Option(metavar="C", help="Largest step; the smaller, the stronger it regularises."),
    ] = _DEFAULTS.largest_step,
    features: Annotated[
        FeatureSet,
        typer.Option(help="Features of wrong trees too, or only those of the right ones."),
    ] = FeatureSet(_DEFAULTS.features),
    templates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET=FILE",
            help="Templates of your own, one a line, for one of the sets "
            f"{', '.join(TEMPLATE_SETS)}. May be given several times.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int, typer.Option(metavar="N", help="Threads; the model is the same for any number.", min=1)
    ] = 1,
    seed: Annotated[
        int, typer.Option(metavar="S", help="Decides every random choice.")
    ] = _DEFAULTS.seed,
    licence: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Licence of the data; is kept in the model."),
    ] = None,
    single_root: Annotated[
        bool | None,
        typer.Option(
            "--single-root/--multi-root",
            help="One word under the root, or any number. Without it, as the data has it.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on where a killed run stood; the model becomes the same as without the kill.",
        ),
    ] = False,
    on_error: Annotated[
        OnMistake,
        typer.Option(
            help="What to do about a malformed sentence: stop, or leave it out and count it."
        ),
    ] = OnMistake.RAISE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")] = False,
) -> None:
    """Train a parser on a treebank.

    First a light pruner learns which heads are worth a look, then the arcs and the parts that they
    form are trained, and the labels (beside them, if there are two threads). While training runs,
    its state is kept in the folder MODEL.checkpoint; it goes when the model is written.
    """
    options: dict[str, Any] = {
        "model": model.value,
        "parts": [part.strip() for part in parts.split(",")] if parts is not None else None,
        "loss": loss,
        "beta": beta,
        "gamma": gamma,
        "decoder": decoder.value,
        "epochs": epochs,
        "largest_step": step,
        "features": features.value,
        "seed": seed,
        "threads": threads,
        "single_root": single_root,
        "templates": _templates(templates or []),
        "licence": licence,
    }
    check_output(output)
    TrainingOptions(**options)  # complains before the data are read
    checkpoint = output.with_name(f"{output.name}.checkpoint")
    _tell_about_earlier_run(checkpoint, resume)
    started = time.perf_counter()
    train_trees = _read(train, on_error)
    dev_trees = _read(dev, on_error) if dev is not None else None
    try:
        with shown_progress(quiet) as progress:
            parser = Parser.train(
                train_trees,
                dev=dev_trees,
                checkpoint=checkpoint,
                resume=resume,
                progress=progress,
                **options,
            )
            parser.save(output)
    except KeyboardInterrupt:
        on = "; --resume goes on from the last checkpoint" if checkpoint.exists() else ""
        say(f"interrupted{on}")
        raise typer.Exit(INTERRUPTED) from None
    shutil.rmtree(checkpoint, ignore_errors=True)
    if not quiet:
        typer.echo(_summary(parser, output, dev_trees, threads, time.perf_counter() - started))


def _templates(given: list[str]) -> dict[str, list[str]]:
    sets: dict[str, list[str]] = {}
    for item in given:
        name, equals, file = item.partition("=")
        if not equals or name not in TEMPLATE_SETS:
            raise InputError(
                f"--templates {item}: expected SET=FILE, SET being one of "
                f"{', '.join(TEMPLATE_SETS)}"
            )
        try:
            lines = read_templates(Path(file).read_text("utf-8").splitlines())
        except UnicodeDecodeError:
            raise InputError(f"{file}: not UTF-8 text") from None
        if not lines:
            raise InputError(f"{file}: no templates")
        sets[name] = lines
    return sets


def _tell_about_earlier_run(checkpoint: Path, resume: bool) -> None:
    if resume and not checkpoint.exists():
        say(f"nothing to resume: there is no {checkpoint}; starting from the beginning")
    elif not resume and checkpoint.exists():
        say(f"starting afresh; the earlier run's {checkpoint} is dropped")


def _read(path: Path, on_error: OnMistake) -> list[Sentence]:
    skipped = Skipped(on_error)
    sentences = list(read_trees(path, skipped))
    skipped.report()
    if not sentences:
        raise InputError(f"{path}: no sentences")
    return sentences


def _summary(
    parser: Parser, output: Path, dev: list[Sentence] | None, threads: int, seconds: float
) -> str:
    lines = [
        f"{output}: {bytes_text(output.stat().st_size)}, "
        f"{len(parser.parts.weights or ()):,} features of {', '.join(parser.parts.families)}; "
        f"{len(parser.labels.dictionary.names)} labels",
        f"{parser.record['parts'][-1]['features']:,} features met in training, "
        f"{parser.record['supported features']:,} occur in right trees",
        f"trained on {parser.record['sentences']:,} sentences in {seconds_text(seconds)}",
    ]
    if dev:
        parses = parser.pipe(dev, threads=threads)
        scores = attachment_scores(dev, (parse.to_sentence() for parse in parses))
        lines.append(f"dev: UAS {scores.uas:.2f}, LAS {scores.las:.2f}")
    else:
        lines.append("no --dev file: scores were not checked, probabilities are calibrated roughly")
    return "\n".join(lines)
