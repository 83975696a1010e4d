"""The options of ``turbotree train`` and ``turbotree select``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from turbotree.cli.options import completion, shared
from turbotree.cli.options.declaring import (
    INPUT,
    MODEL,
    OUTPUT,
    PARSER,
    PIPELINE,
    SCALE,
    TAGGER,
    TRAINING,
    TREES,
    Options,
    argument,
    option,
)
from turbotree.labeling import TASKS
from turbotree.learning.selection.selector import SelectionOptions
from turbotree.networks.vectors import MAX_VECTORS
from turbotree.parsing import TrainingOptions
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.training.options import template_sets
from turbotree.presets import presets_for

_DEFAULTS = TrainingOptions()
_SELECTION = SelectionOptions()
_LABEL_SETS = [name for sets in TASKS.values() for name in sets]

_model = partial(option, panel=MODEL)
_of_trees = partial(_model, fits=TREES)
_training = partial(option, panel=TRAINING)


@dataclass(frozen=True, kw_only=True)
class LearningOptions(Options):
    """What ``train`` and ``select`` have in common."""

    train: Path = argument(
        "Annotated sentences: CoNLL-U or CoNLL-X; .gz is unpacked. For taggers also a column file, "
        "as in CoNLL-2000.",
        metavar="TRAIN",
        complete=completion.treebanks,
    )
    output: Path = shared.output(default=..., help="The model file to write.", metavar="MODEL")
    dev: Path | None = option(
        None,
        "Held-out sentences, to show scores during training and to calibrate the probabilities. "
        "Give them if you can.",
        metavar="FILE",
        complete=completion.treebanks,
    )
    task: Literal["parse", "tag", "chunk", "entities", "pipeline"] = option(
        "parse",
        "parse: trees. tag: UPOS, XPOS and FEATS. chunk, entities: spans of words. pipeline: "
        "everything from raw text to trees.",
    )

    columns: str | None = shared.columns(fits=(TAGGER,))
    encoding: str | None = shared.encoding(fits=(TAGGER,))
    on_error: shared.ErrorPolicy = shared.on_error()

    label: str | None = _model(
        None,
        "The column to learn, by name or number. Without it, the last one of a column file.",
        metavar="COLUMN",
        fits=(TAGGER,),
    )
    scheme: Literal["bioes", "bio", "auto"] = _model(
        "bioes",
        "How spans are encoded inside the model; the output is as in TRAIN. auto: whichever "
        "scores better on the dev file.",
        fits=(TAGGER,),
    )
    licence: str | None = _model(None, "Licence of the data, kept in the model.", metavar="TEXT")

    loss: str | None = _training(
        None, "crf, softmax-margin, svm or perceptron. Without it, svm.", metavar="NAME"
    )
    beta: float | None = _training(
        None,
        "Instead of --loss, with --gamma: the inverse temperature of the loss (crf 1, svm inf).",
        metavar="B",
    )
    gamma: float | None = _training(
        None, "With --beta: the weight of the cost of errors (crf 0, svm 1).", metavar="G"
    )
    epochs: int | None = _training(
        None,
        f"Passes over the data; {_DEFAULTS.epochs} for parsers. A network has a number of its own.",
        metavar="N",
        least=1,
    )
    step: float | None = _training(
        None,
        "The largest step: the smaller, the stronger the regularisation. "
        f"{_DEFAULTS.largest_step} for parsers.",
        metavar="C",
    )
    seed: int = option(_DEFAULTS.seed, "Decides every random choice.", metavar="S", panel=TRAINING)
    resume: bool = _training(
        False,
        "Resume a run that was interrupted; the model is the same as without the interruption.",
    )

    quiet: bool = shared.quiet()
    threads: int = shared.threads()

    @property
    def kind(self) -> str:
        """The kind of model that the task gives."""
        return {"parse": PARSER, "pipeline": PIPELINE}.get(self.task, TAGGER)

    @property
    def learning(self) -> dict[str, Any]:
        """What every kind of model takes of these options."""
        chosen: dict[str, Any] = {
            "loss": self.loss,
            "beta": self.beta,
            "gamma": self.gamma,
            "seed": self.seed,
            "threads": self.threads,
            "licence": self.licence,
        }
        if self.epochs is not None:
            chosen["epochs"] = self.epochs
        if self.step is not None:
            chosen["largest_step"] = self.step
        if self.kind == TAGGER:
            chosen |= {"task": self.task, "label": self.label, "scheme": self.scheme}
        return chosen


@dataclass(frozen=True, kw_only=True)
class TrainOptions(LearningOptions):
    """What ``turbotree train`` takes."""

    tags: Literal["given", "jackknife"] = option(
        "given",
        "Which tags and lemmas to learn from: those given in TRAIN; or jackknife, those predicted "
        "by models trained on the rest of TRAIN, for input whose tags will be predicted too. A "
        "pipeline always does the latter.",
        fits=TREES,
        panel=INPUT,
    )

    model: Literal["turbo", "network", "arc", "standard", "full", "third"] = _of_trees(
        _DEFAULTS.model,
        "turbo: a neural network beside the features of standard; most accurate. network: the "
        "network alone. Features alone: arc: each arc is scored by itself; fastest. standard: "
        "also consecutive siblings and grandparents. full: also all pairs of siblings, and the "
        "heads of neighbouring words. third: standard, the heads of neighbouring words, and "
        "siblings with their grandparent or in threes.",
    )
    preset: str | None = _model(
        None,
        f"Train as a paper does: {', '.join(presets_for('training'))}. docs/papers.md says what "
        "that sets; other options that are given count more.",
        metavar="NAME",
        fits=(PARSER,),
        clashes=("model",),
    )
    network: str | None = _model(
        None,
        "Size of a BiLSTM whose scores join those of the model: 200 is accurate, 128 is fast, or "
        "none. Without it, 200 for turbo and network, and none for the others and for taggers. In "
        "a pipeline, the tagger and the parser have one each.",
        metavar="N",
    )
    shared_network: bool = _model(
        False,
        "Let the tagger and the parser of a pipeline share one network: faster and smaller, less "
        "accurate.",
        fits=(PIPELINE,),
    )
    vectors: Path | None = _model(
        None,
        "Pretrained word vectors for the network of --model turbo or --network: text as word2vec, "
        "fastText and GloVe write it; .gz is unpacked.",
        metavar="FILE",
    )
    max_vectors: int | None = _model(
        None,
        "How many vectors the model keeps: those of words in TRAIN, then the most frequent. "
        f"Without it, {MAX_VECTORS:,}.",
        metavar="N",
        least=1,
        needs="vectors",
    )
    vectors_licence: str | None = _model(
        None, "Licence of the vectors, kept in the model.", metavar="TEXT", needs="vectors"
    )
    parts: str | None = _of_trees(
        None, f"Instead of --model, any of {', '.join(FAMILIES)}.", metavar="A,B,..."
    )
    single_root: bool | None = _of_trees(
        None,
        "One word under the root, or any number. Without it, as in TRAIN.",
        "--single-root/--multi-root",
    )
    rules: list[str] | None = _model(
        None,
        "A rule file: after training, learn the weights of its rules marked [?]. The model keeps "
        "them for parse --rules. docs/parsing/rules.md describes the language.",
        metavar="FILE",
        fits=(PARSER,),
    )
    trigrams: bool = _model(False, "Let labels see the two before them; slower.", fits=(TAGGER,))
    features: Literal["all", "supported"] = _model(
        "all", "Features of wrong answers too, or only those of correct ones."
    )
    templates: list[str] | None = _model(
        None,
        "Your own templates, one per line, for one of the sets "
        f"{', '.join(template_sets())}; for taggers {', '.join(_LABEL_SETS)}. FILE may be arc684, "
        "chunk96 or entities452. Can be repeated.",
        metavar="SET=FILE",
    )
    bits: int | None = _model(
        None,
        "Bits per weight of features: 32, or 16 for a model a third of the size. Without it, 16 "
        "for pipelines and 32 for the others. A network always has 8; with one, 8 means 16 here.",
        metavar="N",
    )
    trim: str | None = _model(
        None,
        "Omit weights up to T times the usual magnitude, for a smaller model. Parsers also per "
        "table: pruner=15,parts=1,labels=4; pipelines in addition tags=2.",
        metavar="T",
    )

    decoder: Literal["admm", "exact", "automata"] = _training(
        _DEFAULTS.decoder,
        "How svm and perceptron find the answer to learn from, beyond --model arc. admm: the "
        "relaxation, which may be fractional. exact: the best tree. automata: each head's best "
        "modifiers, tree or not; faster, for sibling and grandparent parts.",
        fits=TREES,
    )

    engine: shared.Engine | None = shared.engine(
        help="Train with several workers, processes on this machine or those of a Ray cluster: "
        "each has a shard of TRAIN, and their weights are mixed. docs/scale.md has the details.",
        fits=(PARSER,),
    )
    workers: int | None = shared.workers(
        help="Number of workers, and so of shards; 2 without it. The model depends on it."
    )
    address: str | None = shared.address()
    mixes: int | None = option(
        None,
        "How often per epoch the workers' weights are mixed. Without it, as often as there are "
        "workers, at most 4 times. More is closer to training without --engine, and slower.",
        metavar="N",
        least=1,
        needs="engine",
        panel=SCALE,
    )


@dataclass(frozen=True, kw_only=True)
class SelectOptions(LearningOptions):
    """What ``turbotree select`` takes."""

    budget: str = option(
        ...,
        "How many templates to keep; with --method l1 or frequency and with --groups label, how "
        "many features. Of several budgets, MODEL gets the one that scores best on the dev file, "
        "or the last.",
        metavar="B[,B...]",
    )
    task: Literal["parse", "tag", "chunk", "entities"] = option(
        "parse",
        "parse: trees, arc by arc. tag: UPOS, XPOS and FEATS (templates of UPOS are selected). "
        "chunk, entities: spans of words.",
    )

    templates: str | None = _model(
        None,
        "Templates to select from, one per line. Without it, arc684 for trees, chunk96 for "
        "chunks, entities452 for entities, and those of train for tags.",
        metavar="FILE",
    )
    refit: Literal["selected", "templates"] = _model(
        _SELECTION.refit,
        "What the final model may use: the features that were selected, or any feature of the "
        "templates that were.",
    )

    preset: str | None = _training(
        None,
        f"Select as a paper does: {', '.join(presets_for('selecting'))}. docs/papers.md says what "
        "that sets; other options that are given count more.",
        metavar="NAME",
    )
    method: Literal["group-lasso", "l1", "information-gain", "frequency"] = _training(
        _SELECTION.method,
        "group-lasso: learn with a penalty on whole groups, and keep the strongest. l1: the same "
        "for single features. information-gain: the templates that tell most about the answer, by "
        "counting. frequency: the most frequent features of correct answers.",
    )
    groups: Literal["template", "label", "coarse-to-fine"] = _training(
        _SELECTION.groups,
        "Groups of group-lasso: all features of a template; a feature under all labels; or "
        "templates none of which is selected before coarser ones.",
    )
    costs: Literal["size", "trial", "log2"] | None = _training(
        None,
        "What a template costs under group-lasso: more the more features it has, or less the more "
        "it adds to the others in a trial; log2, the paper's own costs by size. Without it, a "
        "trial for trees and size for labels.",
    )
    norm: Literal["l2", "max"] = _training(
        _SELECTION.norm,
        "How group-lasso measures the weights of a template: by their Euclidean length, or by the "
        "largest of them.",
    )
    pseudo_budgets: bool = _training(
        _SELECTION.pseudo_budgets,
        "With --groups coarse-to-fine: share the budget out among families of groups without "
        "overlap, as in the paper. Fewer templates than B may survive.",
    )
    rounds: int = _training(
        _SELECTION.rounds_between,
        "Sentences between two steps to the budget: the fewer, the less memory.",
        metavar="K",
        least=1,
    )
    passes: int = _training(
        _SELECTION.epochs, "Passes over the data while selecting.", metavar="N", least=1
    )

    plot: Path | None = option(
        None,
        "Plot scores and sizes by budget: .svg, .png or .pdf (needs the extra plots).",
        metavar="FILE",
        panel=OUTPUT,
    )
    as_json: bool = shared.as_json(help="Print the report as JSON, for programs.")
