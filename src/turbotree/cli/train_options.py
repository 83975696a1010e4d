"""What ``turbotree train`` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from turbotree.cli import training_choices as choices
from turbotree.cli.inputs.reading import OnMistake
from turbotree.cli.models.corpus import EngineName
from turbotree.cli.training_choices import LABEL_SETS, FeatureSet, ModelKind, TrainingDecoder
from turbotree.parsing import TrainingOptions
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.training.options import TEMPLATE_SETS

DEFAULTS = TrainingOptions()

Train: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="TRAIN",
        help="The treebank: CoNLL-U or CoNLL-X; .gz is unpacked. For other tasks than parse "
        "also a column file, as of CoNLL-2000.",
    ),
]
Output: TypeAlias = Annotated[
    Path, typer.Option("--output", "-o", metavar="MODEL", help="The model file to write.")
]
Dev: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A second treebank: shows scores along the way and makes the probabilities "
        "honest (fits their temperature). Give one if you can.",
    ),
]
Task: TypeAlias = Annotated[
    choices.Task,
    typer.Option(
        help="parse: trees. tag: UPOS, XPOS and FEATS. chunk, entities: spans of words. "
        "pipeline: everything from raw text to trees."
    ),
]
Tags: TypeAlias = Annotated[
    choices.Tags,
    typer.Option(
        help="What a parser learns from: the tags and lemmas given in TRAIN; or jackknife: "
        "those that models without the part in question predict, for input whose tags will "
        "be predicted too. A pipeline always does the latter."
    ),
]
Bits: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Bits of a weight: 32, or 16 for a model of a third of the size; 16 for "
        "pipelines, else 32.",
        show_default=False,
    ),
]
Trim: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="T",
        help="Leave out of a parser weights up to T times the usual magnitude: smaller models. "
        "Also for each table: pruner=15,parts=1,labels=4.",
        show_default=False,
    ),
]
Label: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that a tagger learns, by name or number; without it, the last one of "
        "a column file.",
        show_default=False,
    ),
]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help="Names of the columns of a column file: form,upos,chunk for instance.",
        show_default=False,
    ),
]
Encoding: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Of a column file that is not UTF-8: latin-1.", show_default=False
    ),
]
Scheme: TypeAlias = Annotated[
    choices.Scheme,
    typer.Option(
        help="How spans are written inside a tagger; what it says is written as in TRAIN. "
        "auto: whatever scores better on the dev file."
    ),
]
Trigrams: TypeAlias = Annotated[
    bool,
    typer.Option("--trigrams", help="Let a tagger's labels see the two before them; slower."),
]
Model: TypeAlias = Annotated[
    ModelKind,
    typer.Option(
        help="arc: each arc is scored by itself; fastest. standard: also neighbouring "
        "modifiers of a head, and chains of two arcs. full: also all pairs of modifiers, and "
        "the heads of neighbouring words. third: standard, the heads of neighbouring "
        "words, neighbouring modifiers with the head of their head, and three neighbouring "
        "modifiers."
    ),
]
Parts: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="A,B,...",
        help=f"Instead of --model, any of {', '.join(FAMILIES)}.",
        show_default=False,
    ),
]
Loss: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="crf, softmax-margin, svm or perceptron; svm if nothing is given.",
        show_default=False,
    ),
]
Beta: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="B",
        help="Instead of --loss, with --gamma: the inverse temperature of the loss "
        "(crf 1, svm inf).",
        show_default=False,
    ),
]
Gamma: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="G",
        help="The weight of the cost of wrong arcs (crf 0, svm 1).",
        show_default=False,
    ),
]
Decoder: TypeAlias = Annotated[
    TrainingDecoder,
    typer.Option(
        help="How losses without probabilities (svm, perceptron) find the answer to learn "
        "from, beyond --model arc. admm: the relaxation, which may be fractional. exact: the "
        "best tree. automata: each head's best modifiers, tree or not; quicker, for sibling "
        "and grandparent parts."
    ),
]
Epochs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help=f"Passes over the data; {DEFAULTS.epochs} for trees.",
        min=1,
        show_default=False,
    ),
]
Step: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="C",
        help="Largest step; the smaller, the stronger it regularises. "
        f"{DEFAULTS.largest_step} for trees.",
        show_default=False,
    ),
]
Features: TypeAlias = Annotated[
    FeatureSet,
    typer.Option(help="Features of wrong trees too, or only those of the right ones."),
]
Templates: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SET=FILE",
        help="Templates of your own, one a line, for one of the sets "
        f"{', '.join(TEMPLATE_SETS)}; for other tasks {', '.join(LABEL_SETS)}. FILE may be "
        "arc684, chunk96 or entities452. May be given several times.",
        show_default=False,
    ),
]
Threads: TypeAlias = Annotated[
    int, typer.Option(metavar="N", help="Threads; the model is the same for any number.", min=1)
]
Seed: TypeAlias = Annotated[int, typer.Option(metavar="S", help="Decides every random choice.")]
Licence: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Licence of the data; is kept in the model."),
]
SingleRoot: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--single-root/--multi-root",
        help="One word under the root, or any number. Without it, as the data has it.",
        show_default=False,
    ),
]
Rules: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Learn the weights of rules that are written [?], after the rest; the model keeps "
        "them for parse --rules. docs/parsing/rules.md has the language.",
    ),
]
Engine: TypeAlias = Annotated[
    EngineName | None,
    typer.Option(
        help="Train a parser with several workers, processes of this machine or those of a Ray "
        "cluster: each has a shard of TRAIN, and their weights are mixed after each epoch. "
        "docs/scale.md has the details.",
        show_default=False,
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Workers of --engine, and so shards; 2 without it. The model depends on it.",
        min=1,
    ),
]
Address: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A", help="Of the Ray cluster; without it, Ray starts here."),
]
Mixes: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How often an epoch the workers' weights are mixed; without it as often as there are "
        "workers, at most 4 times. More is nearer to training without --engine, and slower.",
        min=1,
    ),
]
Resume: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--resume",
        help="Go on where a killed run stood; the model becomes the same as without the kill.",
    ),
]
OnError: TypeAlias = Annotated[
    OnMistake,
    typer.Option(help="What to do about a malformed sentence: stop, or leave it out and count it."),
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show only errors.")]
