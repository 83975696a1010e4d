"""``turbotree train``: annotated sentences in, a model out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from turbotree.cli.output import bytes_text, check_output
from turbotree.cli.reading import OnMistake, read_treebank
from turbotree.cli.showing import seconds_text
from turbotree.cli.train_pipeline import train_jackknifed, train_pipeline
from turbotree.cli.train_rules import with_rule_weights
from turbotree.cli.train_tagger import train_tagger
from turbotree.cli.training_choices import (
    LABEL_SETS,
    FeatureSet,
    ModelKind,
    Scheme,
    Tags,
    Task,
    TrainingDecoder,
    given_templates,
    given_trim,
)
from turbotree.cli.training_run import train_and_save
from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.parsing import Parser, TrainingOptions
from turbotree.parsing.options import TEMPLATE_SETS
from turbotree.parsing.parts import FAMILIES
from turbotree.text import Sentence

_DEFAULTS = TrainingOptions()


def train(
    train: Annotated[
        Path,
        typer.Argument(
            metavar="TRAIN",
            help="The treebank: CoNLL-U or CoNLL-X; .gz is unpacked. For other tasks than parse "
            "also a column file, as of CoNLL-2000.",
        ),
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
    task: Annotated[
        Task,
        typer.Option(
            help="parse: trees. tag: UPOS, XPOS and FEATS. chunk, entities: spans of words. "
            "pipeline: everything from raw text to trees."
        ),
    ] = Task.PARSE,
    tags: Annotated[
        Tags,
        typer.Option(
            help="What a parser learns from: the tags and lemmas given in TRAIN; or jackknife: "
            "those that models without the part in question predict, for input whose tags will "
            "be predicted too. A pipeline always does the latter."
        ),
    ] = Tags.GIVEN,
    bits: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Bits of a weight: 32, or 16 for a model of a third of the size; 16 for "
            "pipelines, else 32.",
            show_default=False,
        ),
    ] = None,
    trim: Annotated[
        str | None,
        typer.Option(
            metavar="T",
            help="Leave out of a parser weights up to T times the usual magnitude: smaller models. "
            "Also for each table: pruner=15,parts=1,labels=4.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that a tagger learns, by name or number; without it, the last one of "
            "a column file.",
            show_default=False,
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,...",
            help="Names of the columns of a column file: form,upos,chunk for instance.",
            show_default=False,
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Of a column file that is not UTF-8: latin-1.", show_default=False
        ),
    ] = None,
    scheme: Annotated[
        Scheme,
        typer.Option(
            help="How spans are written inside a tagger; what it says is written as in TRAIN. "
            "auto: whatever scores better on the dev file."
        ),
    ] = Scheme.BIOES,
    trigrams: Annotated[
        bool,
        typer.Option("--trigrams", help="Let a tagger's labels see the two before them; slower."),
    ] = False,
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
        int | None,
        typer.Option(
            metavar="N",
            help=f"Passes over the data; {_DEFAULTS.epochs} for trees.",
            min=1,
            show_default=False,
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(
            metavar="C",
            help="Largest step; the smaller, the stronger it regularises. "
            f"{_DEFAULTS.largest_step} for trees.",
            show_default=False,
        ),
    ] = None,
    features: Annotated[
        FeatureSet,
        typer.Option(help="Features of wrong trees too, or only those of the right ones."),
    ] = FeatureSet(_DEFAULTS.features),
    templates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SET=FILE",
            help="Templates of your own, one a line, for one of the sets "
            f"{', '.join(TEMPLATE_SETS)}; for other tasks {', '.join(LABEL_SETS)}. FILE may be "
            "arc684, chunk96 or entities452. May be given several times.",
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
    rules: Annotated[
        list[str] | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Learn the weights of rules that are written [?], after the rest; the model keeps "
            "them for parse --rules. docs/parsing/rules.md has the language.",
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
    """Train a parser on a treebank, or a tagger or a pipeline (--task).

    For a parser, first a light pruner learns which heads are worth a look, then the arcs and the
    parts that they form are trained, and the labels (beside them, if there are two threads). While
    training runs, its state is kept in the folder MODEL.checkpoint; it goes when the model is
    written.
    """
    options: dict[str, Any] = {
        "loss": loss,
        "beta": beta,
        "gamma": gamma,
        "features": features.value,
        "seed": seed,
        "threads": threads,
        "templates": given_templates(templates or [], task),
        "licence": licence,
    }
    if epochs is not None:
        options["epochs"] = epochs
    if step is not None:
        options["largest_step"] = step
    if bits is not None:
        options["bits"] = bits
    if task not in (Task.PARSE, Task.PIPELINE):
        of_trees = (model is not ModelKind.ARC, decoder is not TrainingDecoder.ADMM)
        given = (parts, single_root, trim)
        if any(of_trees) or any(x is not None for x in given) or tags is not Tags.GIVEN:
            raise InputError(
                "--model, --parts, --decoder, --tags, --trim and roots are for trees, "
                f"not for task {task.value}"
            )
        if rules:
            raise InputError(f"--rules are for trees, not for task {task.value}")
        options |= {"task": task.value, "label": label, "scheme": scheme.value}
        options["trigrams"] = trigrams
        train_tagger(
            train,
            output,
            dev,
            options,
            columns=columns,
            encoding=encoding,
            resume=resume,
            on_error=on_error,
            quiet=quiet,
        )
        return
    if trigrams or not (label is columns is encoding is None):
        raise InputError(
            "--label, --columns, --encoding and --trigrams are for --task tag, chunk or entities"
        )
    options |= {
        "model": model.value,
        "parts": [part.strip() for part in parts.split(",")] if parts is not None else None,
        "single_root": single_root,
        "decoder": decoder.value,
    }
    if trim is not None:
        options["trim"] = given_trim(trim)
    check_output(output)
    if task is Task.PIPELINE:
        if rules:
            raise InputError("--rules are for --task parse; a pipeline obeys hard rules")
        train_pipeline(train, output, dev, options, resume=resume, on_error=on_error, quiet=quiet)
        return
    TrainingOptions(**options)  # complains before the data are read
    train_trees = read_treebank(train, on_error, partial=True)
    dev_trees = read_treebank(dev, on_error) if dev is not None else None
    learn: Callable[..., Parser] = partial(Parser.train, train_trees)
    if tags is Tags.JACKKNIFE:
        learn = partial(train_jackknifed, train_trees)
    if rules:
        learn = with_rule_weights(learn, rules, train_trees)
    parser, seconds = train_and_save(
        learn,
        output,
        resume=resume,
        quiet=quiet,
        dev=dev_trees,
        **options,
    )
    if not quiet:
        typer.echo(_summary(parser, output, dev_trees, threads, seconds))


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
    if free := parser.record["words without a head"]:
        lines[-1] += f"; {free:,} of their {parser.record['words']:,} words had no head"
    if dev:
        parses = parser.pipe(dev, threads=threads)
        scores = attachment_scores(dev, (parse.to_sentence() for parse in parses))
        lines.append(f"dev: UAS {scores.uas:.2f}, LAS {scores.las:.2f}")
    else:
        lines.append("no --dev file: scores were not checked, probabilities are calibrated roughly")
    return "\n".join(lines)
