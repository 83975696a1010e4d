"""Training a parser: pruner, parts, labels."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from turbotree.evaluation import attachment_scores
from turbotree.features import FrozenWeights, Parts, Weights
from turbotree.learning import Loss, Run, Stage
from turbotree.learning.progress import Progress, Silent
from turbotree.learning.run import Learn, RunKeywords
from turbotree.learning.temperature import typical_temperature
from turbotree.naming import options_from
from turbotree.networks import Network, WordVectors
from turbotree.networks.model_options import vector_record
from turbotree.networks.training import NetworkTask, network_stage
from turbotree.networks.weighting import held_out
from turbotree.parsing.arcs import Pruner
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.mixture import MixtureWeights, network_pruner
from turbotree.parsing.parser import Parser
from turbotree.parsing.templates import load_templates
from turbotree.parsing.training.blueprint import Blueprint
from turbotree.parsing.training.development import (
    attachment,
    label_accuracy,
    label_temperature,
    lost_heads,
    part_calibration,
    part_temperature,
)
from turbotree.parsing.training.mixture import fit_mixture
from turbotree.parsing.training.options import TrainingKeywords, TrainingOptions
from turbotree.parsing.training.tasks import LocalTasks, ParserTasks
from turbotree.parsing.training.treebank import (
    TrainingSource,
    Treebank,
    pruning_record,
    read_trees,
)
from turbotree.presets import preset_for
from turbotree.scoring import SparseScorer, sparse
from turbotree.text import Sentence
from turbotree.text.sentence import fingerprint

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

#: The stages of a parser, in order.
STAGES = ("pruner", "parts", "labels", "network")

# Weights below these are omitted from the finished model: most features were met once or twice and
# hardly count. Two thirds of the table go, the scores on development data stay.
_NEGLIGIBLE = {"pruner": 0.01, "parts": 0.005, "labels": 0.003}


def train_parser(
    train: TrainingSource,
    *,
    dev: TrainingSource | None = None,
    preset: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Unpack[TrainingKeywords],
) -> Parser:
    """Train a parser.

    Parameters
    ----------
    train
        A treebank: a file, or sentences. Words without a head (``_``) are free: training takes
        what the model makes of them under the heads that are known.
    dev
        Another, to show scores along the way and to fit the temperature of the probabilities.
    preset
        What sets options as a paper has them, unless they are given: see
        :data:`turbotree.presets.PRESETS`.
    checkpoint
        Folder to keep the state of training in, so that it can be resumed.
    resume
        Go on from what the folder holds, if anything.
    progress
        Told how training goes.
    options
        Those of :class:`TrainingOptions`.
    """
    given: dict[str, Any] = dict(options)
    if preset is not None:
        given = {**preset_for("training", preset), **given}
    settings = options_from(TrainingOptions, "train", given, train_parser)
    data = TrainingData.read(train, dev, settings)
    return ParserTrainer(data, data.run(checkpoint, resume, progress)).train()


class TrainParserKeywords(TrainingKeywords, RunKeywords, total=False):
    """Everything that :func:`train_parser` takes beside the training data."""

    dev: TrainingSource | None
    preset: str | None


@dataclass(frozen=True)
class TrainingData:
    """What a parser is trained on.

    Attributes
    ----------
    blueprint
        What the parser will be like.
    train, dev
        The treebanks as integers.
    settings
        What the outcome depends on, as JSON-ready data.
    vectors
        Pretrained word vectors for the network.

    A network and features need data that neither was trained on, to count right beside each other:
    where there are no development data, some of the training data take their place.
    """

    blueprint: Blueprint
    train: Treebank
    dev: Treebank
    settings: dict[str, Any]
    vectors: WordVectors | None = None

    @classmethod
    def read(
        cls,
        train: TrainingSource,
        dev: TrainingSource | None,
        options: TrainingOptions,
        *,
        partial: bool = True,
    ) -> TrainingData:
        """Read treebanks; that for training may be partial."""
        return cls.of(
            read_trees(train, "training data", partial=partial),
            read_trees(dev, "development data") if dev is not None else [],
            options,
        )

    @classmethod
    def of(
        cls, train: list[Sentence], dev: list[Sentence], options: TrainingOptions
    ) -> TrainingData:
        """Make sentences ready."""
        vectors = options.word_vectors(train)
        if options.network_options() is not None and not dev:
            whole = [i for i, sentence in enumerate(train) if None not in sentence.heads]
            train, dev = held_out(train, whole)
        blueprint, treebank = Blueprint.of(train, options)
        settings = {
            **options.to_record(),
            "templates": blueprint.templates,
            "data": fingerprint(train),
            "development data": fingerprint(dev),
            **vector_record(vectors),
        }
        return cls(blueprint, treebank, blueprint.treebank(dev), settings, vectors)

    def run(
        self,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        *,
        stages: tuple[str, ...] = STAGES,
        learn: Learn | None = None,
        **settings: Any,
    ) -> Run:
        """Begin a run, or resume it; `settings` are what else the outcome depends on."""
        return Run(
            checkpoint,
            {**self.settings, **settings},
            resume,
            stages,
            progress or Silent(),
            self.blueprint.options.threads,
            learn,
        )


class TrainedPruner(NamedTuple):
    """A pruner, what it leaves of the development data, and how it was trained."""

    pruner: Pruner
    dev_candidates: list[Parts]
    record: dict[str, Any]


class ParserTrainer:
    """Trains everything that a parser has.

    Parameters
    ----------
    data
        What to learn from.
    run
        Does what is the same for all stages.
    tasks
        The training sets, if the trees are elsewhere.
    """

    def __init__(self, data: TrainingData, run: Run, tasks: ParserTasks | None = None) -> None:
        self.blueprint, self.dev = data.blueprint, data.dev
        self.options = data.blueprint.options
        self._train = data.train
        self._vectors = data.vectors
        self._run = run
        self.tasks = tasks or LocalTasks(self.blueprint, self._train, self.options.threads)

    def train(self) -> Parser:
        """Train everything; arcs and labels side by side if there are threads for it."""
        if not self._train.complete:
            free = self._train.words - self._train.known_heads
            self._run.progress.note(
                f"{free:,} of {self._train.words:,} words have no head: they are free"
            )
        if not self.options.has_features:
            return self._network_alone()
        if self.options.threads == 1 or self.tasks.one_at_a_time:
            (pruned, parts, part_record) = self.train_arcs()
            labels, label_record = self.train_labels()
        else:
            (pruned, parts, part_record), (labels, label_record) = self._run.both(
                self.train_arcs, self.train_labels
            )
        records = {**pruned.record, **part_record, **label_record}
        return self.parser(pruned.pruner, parts, labels, records)

    def train_arcs(self) -> tuple[TrainedPruner, SparseScorer, dict[str, Any]]:
        """Train the pruner, and the parts on what it leaves."""
        pruned = self.train_pruner()
        parts, record = self.train_parts("parts", self.blueprint.part_model(), pruned)
        return pruned, parts, record

    def train_pruner(self) -> TrainedPruner:
        """Train the pruner."""
        model = self.blueprint.pruner_model()

        def freeze(weights: Weights) -> Pruner:
            return self.blueprint.pruner(model.with_weights(self._frozen("pruner", weights)))

        task, learner = self.tasks.pruner(model), self.options.pruner_learner()
        result = self._run.train(Stage("pruner", task, learner, freeze))
        pruner, dev = result.model, self.dev
        self.tasks.prune(pruner)
        candidates = self._run.map(lambda i: pruner.candidates(dev.batch(i)), len(dev.encoded))
        record = {"pruner": result.to_record(), "pruning": self._pruning("pruner", candidates)}
        return TrainedPruner(pruner, candidates, record)

    def _pruning(self, name: str, candidates: list[Parts]) -> dict[str, float]:
        """Say what is left of the development data, and what is lost."""
        pruning = pruning_record(self.dev, candidates)
        if pruning:
            self._run.progress.note(
                f"{name:8} {pruning['heads_per_word']:.2f} heads per word on dev, "
                f"{pruning['gold_arcs_lost_percent']:.2f} % of the gold arcs lost"
            )
        return pruning

    def train_parts(
        self, name: str, model: SparseScorer, pruned: TrainedPruner, start: Weights | None = None
    ) -> tuple[SparseScorer, dict[str, Any]]:
        """Train the parts on what the pruner leaves; from given weights, if there are any."""
        negligible = self.negligible_part(model)

        def freeze(weights: Weights) -> SparseScorer:
            return model.with_weights(self._frozen("parts", weights, negligible))

        def score(frozen: SparseScorer) -> dict[str, float]:
            candidates, shape = pruned.dev_candidates, self.blueprint.shape
            right = attachment(frozen, self.dev, candidates, shape, self._run.map)
            return {"dev UAS": right}

        learner = self.options.arc_learner()
        task = self.tasks.parts(model)
        result = self._run.train(
            Stage(name, task, learner, freeze, score if self.dev.heads else None, start)
        )
        record = {
            "parts": result.to_record(),
            "supported features": self.tasks.count_supported(model),
        }
        self.tasks.complete(model, result.weights)
        return result.model, record

    def train_labels(self) -> tuple[LabelModel, dict[str, Any]]:
        """Train the labels of arcs."""
        model, labels = self.blueprint.label_model(), len(self.blueprint.names)

        def freeze(weights: Weights) -> LabelModel:
            return model.with_weights(self._frozen("labels", weights, labels=labels))

        def score(frozen: LabelModel) -> dict[str, float]:
            return {"dev label accuracy": label_accuracy(frozen, self.dev, self._run.map)}

        task, learner = self.tasks.labels(), self.options.label_learner()
        result = self._run.train(
            Stage("labels", task, learner, freeze, score if self.dev.heads else None)
        )
        return result.model, {"labels": result.to_record()}

    def parser(
        self, pruner: Pruner, parts: SparseScorer, labels: LabelModel, records: dict[str, Any]
    ) -> Parser:
        """Put a parser together and fit its temperatures."""
        options, shape = self.options, self.blueprint.shape
        of_arcs = typical_temperature(options.chosen_loss())
        of_labels = typical_temperature(Loss.named(options.label_loss))
        temperatures = (
            part_temperature(pruner, parts, self.dev, shape, of_arcs),
            label_temperature(labels, self.dev, of_labels),
        )
        record = self._record(records)
        parser = Parser(self.blueprint.encoder, pruner, parts, labels, shape, *temperatures, record)
        return parser if options.network_options() is None else self._mixed(parser)

    def _record(self, records: dict[str, Any]) -> dict[str, Any]:
        options, data = self.options, self._train
        return {
            "options": {**options.to_record(), "bits": options.bits, "trim": options.trims()},
            "sentences": len(data.heads),
            "words": data.words,
            "words without a head": data.words - data.known_heads,
            **records,
        }

    def _network_alone(self) -> Parser:
        """Train a network beside features of no templates, which score nothing."""
        blueprint = self.blueprint
        nothing = self._frozen("parts", Weights())
        no_labels = self._frozen("labels", Weights(), labels=len(blueprint.names))
        parser = Parser(
            blueprint.encoder,
            blueprint.pruner(blueprint.pruner_model().with_weights(nothing)),
            blueprint.part_model().with_weights(nothing),
            blueprint.label_model().with_weights(no_labels),
            blueprint.shape,
            1.0,
            1.0,
            self._record({}),
        )
        return self._mixed(parser)

    def _network(self) -> tuple[Network, dict[str, Any]]:
        """Return the network that was given, or train one; and how that went."""
        given, options = self.options.network, self.options.network_options()
        if isinstance(given, Network):
            return given, {}
        assert options is not None
        dev, threads, vectors = self.dev, self.options.threads, self._vectors
        train = list(self._train.sentences)
        task = NetworkTask(train, options, vectors=vectors, threads=threads)
        if vectors is not None:
            self._run.progress.note(vectors.coverage(train))

        def score(network: Network) -> dict[str, float]:
            scores = attachment_scores(dev.sentences, network.parse(dev.sentences, threads=threads))
            return {"dev UAS": scores.uas, "dev LAS": scores.las}

        result = self._run.train(network_stage(task, score if dev.heads else None))
        network = result.model.frozen()
        return network, {"network": result.to_record()}

    def _mixed(self, parser: Parser) -> Parser:
        """Let a network prune and score beside the features of a parser."""
        shape, dev = self.blueprint.shape, self.dev
        network, record = self._network()
        pruner = network_pruner(network, self.options.network_pruning(), shape)
        candidates = self._run.map(lambda i: pruner.candidates(dev.batch(i)), len(dev.encoded))
        pruning = self._pruning("network", candidates)
        features = sparse(parser.parts)
        temperatures = (parser.arc_temperature, parser.label_temperature)
        mixture = MixtureWeights()
        if self.options.has_features:
            mixture = fit_mixture(
                network, pruner, features, parser.labels, temperatures, dev, shape, self._run.map
            )
            self._run.progress.note(
                f"mixture  network {mixture.network:g} for arcs, "
                f"{mixture.label_network:g} for labels"
            )
        parts, labels = mixture.parts(features, network), mixture.labels(parser.labels, network)
        calibrated = part_calibration(parts, dev, candidates, shape)
        return replace(
            parser,
            pruner=pruner,
            parts=parts,
            labels=labels,
            arc_temperature=calibrated.temperature,
            smoothing=calibrated.smoothing,
            lost_heads=lost_heads(dev, candidates),
            label_temperature=label_temperature(labels, dev, 1.0),
            record={
                **parser.record,
                **vector_record(self._vectors),
                **record,
                "pruning": pruning,
            },
        )

    def negligible_part(self, model: SparseScorer) -> float:
        """Return the magnitude below which weights of parts are omitted.

        The more templates share what there is to tell, the smaller are their weights.
        """
        templates = sum(len(scorer.templates) for scorer in model.scorers.values())
        usual = sum(len(load_templates(name)) for name in self.options.families())
        return _NEGLIGIBLE["parts"] * min(1.0, usual / max(1, templates))

    def _frozen(
        self,
        table: str,
        weights: Weights,
        negligible: float | None = None,
        labels: int | None = None,
    ) -> FrozenWeights:
        """Freeze weights, those omitted that hardly count."""
        least = _NEGLIGIBLE[table] if negligible is None else negligible
        threshold = least * self.options.trims()[table]
        return weights.freeze(labels=labels, threshold=threshold, bits=self.options.table_bits)
