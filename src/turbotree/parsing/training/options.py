"""How to train a parser: every option, checked before anything else happens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from turbotree.errors import InputError
from turbotree.features.weights import check_bits
from turbotree.learning import LearnerOptions, Loss
from turbotree.naming import unknown
from turbotree.networks import Network, NetworkOptions
from turbotree.networks.vector_options import VectorKeywords, VectorOptions
from turbotree.parsing.arcs import PruningOptions
from turbotree.parsing.parts import FAMILIES, families_of
from turbotree.parsing.training.part_task import DECODERS, check_decoder


def template_sets() -> tuple[str, ...]:
    """Return the names of all template sets, those of families registered later included."""
    return ("pruner", *FAMILIES, "label", "label_pair")


_TABLES = ("pruner", "parts", "labels")
_PRUNER_STEP = 0.1
_AVERAGE_FROM = 0.2
_OPTIONAL = ("average_from", "beta", "gamma", "pruning_threshold")
# Threshold and heads, for arcs alone and for parts of higher order.
_PRUNING = (1e-4, 20)
_STRICTER_PRUNING = (1e-3, 10)
# The threshold of a network beside features: on development data of English, Turkish and Basque it
# costs nothing and saves the features a fifth of their time.
_NETWORK_THRESHOLD = 3e-3
_NETWORK = 200
#: Model kinds that have a network if nothing is said.
_WITH_NETWORK = ("turbo", "network")


class TrainingKeywords(VectorKeywords, total=False):
    """The options of :class:`TrainingOptions` as keywords."""

    model: str
    parts: Sequence[str] | None
    loss: str | None
    beta: float | None
    gamma: float | None
    decoder: str
    epochs: int
    largest_step: float
    average_from: float | None
    features: str
    seed: int
    threads: int
    single_root: bool | None
    pruning_threshold: float | None
    max_heads: int | None
    pruner_epochs: int
    label_loss: str
    label_step: float
    templates: dict[str, list[str]] | None
    licence: str | None
    bits: int
    trim: float | Mapping[str, float]
    network: int | NetworkOptions | Network | None


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(VectorOptions):
    """How to train a parser.

    Attributes
    ----------
    model
        Kind of model: ``"arc"``, ``"standard"``, ``"full"``, ``"third"``; ``"turbo"``: the parts of
        ``"standard"``, beside a network; or ``"network"``: a network without any features.
    parts
        Instead of the model kind, the families of parts to score.
    loss, beta, gamma
        The loss of the arcs and the other parts: a name, or the two numbers of the family.
    decoder
        How training finds the best answer, if the loss asks for one and there are more parts than
        arcs: ``"admm"``, by the relaxation; ``"exact"``; or ``"automata"``, without the tree.
    epochs
        Passes over the data, for arcs and labels.
    largest_step
        The papers' 1 / (lambda m): the smaller, the stronger the L2 regularisation.
    average_from
        Share of the rounds that the average of the weights omits, for arcs and labels. None:
        a fifth of them, and none with the perceptron, whose steps do not get smaller.
    features
        ``"all"`` or ``"supported"``.
    seed
        Decides every random choice.
    threads
        Threads to use; the model does not depend on it.
    single_root
        Whether trees have one word under the root; None: as in the training data.
    pruning_threshold, max_heads, pruner_epochs
        How far the pruner prunes, and how long it trains. Parts of higher order grow with the
        square of the candidates, so models with such parts prune more if nothing is said.
    label_loss, label_step
        Loss and largest step of the labels.
    templates
        Template sets that replace the default ones, by name.
    licence
        Licence of the training data, kept in the model file.
    bits
        Bits of a feature's weight in the finished model: 32, or 16 for tables of a third of the
        size. The weights of a network always take 8; with a network, 8 means the same as 16.
    trim
        How much is omitted from the finished model: weights up to this many times the usual
        magnitude, below which they hardly count. One number, or one for each of ``"pruner"``,
        ``"parts"`` and ``"labels"``.
    network
        Size of a BiLSTM whose scores join those of the features: 200 is accurate, 128 is fast, 0
        is none. None: 200 for ``"turbo"`` and ``"network"``, none for other kinds. A network that
        is trained already is taken as it is, for instance that of a pipeline's tagger.
    vectors, max_vectors, vectors_licence
        Pretrained word vectors for the network, as
        :class:`~turbotree.networks.vector_options.VectorOptions` has them.
    """

    model: str = "turbo"
    parts: Sequence[str] | None = None
    loss: str | None = None
    beta: float | None = None
    gamma: float | None = None
    decoder: str = DECODERS[0]
    epochs: int = 10
    largest_step: float = 0.01
    average_from: float | None = None
    features: str = "all"
    seed: int = 1
    threads: int = 1
    single_root: bool | None = None
    pruning_threshold: float | None = None
    max_heads: int | None = None
    pruner_epochs: int = 3
    label_loss: str = "svm"
    label_step: float = 0.01
    templates: dict[str, list[str]] | None = None
    licence: str | None = None
    bits: int = 32
    trim: float | Mapping[str, float] = 1.0
    network: int | NetworkOptions | Network | None = None

    def __post_init__(self) -> None:
        # Everything is looked at now: nobody wants to hear of a bad option after an hour.
        for name in ("epochs", "seed", "threads", "max_heads", "pruner_epochs"):
            absent = name == "max_heads" and self.max_heads is None
            if not absent and not isinstance(value := getattr(self, name), int):
                raise InputError(f"{name} is {value!r}; expected a whole number")
        for name in ("largest_step", "label_step", *_OPTIONAL):
            absent = name in _OPTIONAL and getattr(self, name) is None
            if not absent and not isinstance(value := getattr(self, name), float | int):
                raise InputError(f"{name} is {value!r}; expected a number")
        for learner in (self.pruner_learner, self.arc_learner, self.label_learner):
            learner()
        self.pruning()
        check_decoder(self.decoder, self.families())
        if self.decoder == "automata" and self.arc_loss().probabilistic:
            raise InputError(
                "decoder 'automata' goes with svm and perceptron, not with a finite beta"
            )
        network = self.network_options()
        if self.bits != 8 or network is None:
            check_bits(self.bits)
        self.trims()
        if not self.has_features:
            if network is None:
                raise InputError("model 'network' without a network has nothing to score by")
            if self.templates:
                raise InputError("model 'network' has no templates; 'turbo' has")
        self.check_vectors(self.network if isinstance(self.network, Network) else network)
        if self.threads < 1:
            raise InputError(f"threads is {self.threads}; expected at least 1")
        for name in self.templates or {}:
            if name not in template_sets():
                raise unknown("template set", name, template_sets())

    def pruner_learner(self) -> LearnerOptions:
        """Return how to train the pruner."""
        return LearnerOptions(
            Loss.named("crf"), self.pruner_epochs, _PRUNER_STEP, self.features, self.seed
        )

    def arc_learner(self) -> LearnerOptions:
        """Return how to train the arcs."""
        return self._learner(self.arc_loss(), self.largest_step)

    def label_learner(self) -> LearnerOptions:
        """Return how to train the labels."""
        return self._learner(Loss.named(self.label_loss), self.label_step)

    def _learner(self, loss: Loss, step: float) -> LearnerOptions:
        average = self.average_from
        if average is None:
            average = _AVERAGE_FROM if loss.has_margin else 0.0
        return LearnerOptions(loss, self.epochs, step, self.features, self.seed, average)

    def pruning(self) -> PruningOptions:
        """Return how far to prune."""
        threshold, heads = _PRUNING if len(self.families()) == 1 else _STRICTER_PRUNING
        return PruningOptions(
            threshold if self.pruning_threshold is None else self.pruning_threshold,
            heads if self.max_heads is None else self.max_heads,
        )

    def network_pruning(self) -> PruningOptions:
        """Return how far a network prunes."""
        options = self.pruning()
        if self.pruning_threshold is not None or len(self.families()) == 1:
            return options
        return replace(options, threshold=_NETWORK_THRESHOLD)

    def trims(self) -> dict[str, float]:
        """Return how much is omitted from each table of weights."""
        given = (
            dict(self.trim) if isinstance(self.trim, Mapping) else dict.fromkeys(_TABLES, self.trim)
        )
        for name, value in given.items():
            if name not in _TABLES:
                raise InputError(f"trim of {name!r}; expected some of {', '.join(_TABLES)}")
            if not isinstance(value, float | int) or not 0 <= value < math.inf:
                raise InputError(f"trim is {value!r}; expected a number from 0")
        return {name: float(given.get(name, 1.0)) for name in _TABLES}

    def network_options(self) -> NetworkOptions | None:
        """Return how to train the network; None if there is none."""
        given = self.network
        if given is None and self.model in _WITH_NETWORK and self.parts is None:
            given = _NETWORK
        if isinstance(given, Network):
            return given.options
        return NetworkOptions.chosen(given, seed=self.seed)

    @property
    def has_features(self) -> bool:
        """Whether sparse features score anything."""
        return self.model != "network" or self.parts is not None

    @property
    def table_bits(self) -> int:
        """Bits of a weight in the tables of sparse features."""
        return max(16, self.bits)

    def families(self) -> tuple[str, ...]:
        """Return the families of parts that the model scores, arcs first."""
        return families_of(self.model, self.parts)

    def arc_loss(self) -> Loss:
        """Return the loss of the arcs."""
        return Loss.chosen(self.loss, self.beta, self.gamma)

    def to_record(self) -> dict[str, Any]:
        """Return what the outcome depends on, as JSON-ready data."""
        loss, network = self.arc_loss(), self.network_options()
        return {
            "loss": loss.name,
            "beta": str(loss.beta),
            "gamma": loss.gamma,
            "decoder": self.decoder,
            "epochs": self.epochs,
            "largest_step": self.largest_step,
            "average_from": self.arc_learner().average_from,
            "features": self.features,
            "seed": self.seed,
            "single_root": self.single_root,
            "parts": list(self.families()),
            "pruning_threshold": self.pruning().threshold,
            "max_heads": self.pruning().max_heads,
            "pruner_epochs": self.pruner_epochs,
            "label_loss": self.label_loss,
            "label_step": self.label_step,
            "licence": self.licence,
            **({} if network is None else {"network": network.to_dict()}),
        }
