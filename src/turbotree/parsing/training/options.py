"""How to train a parser: every option, checked before anything else happens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from turbotree.errors import InputError
from turbotree.learning import LearnerOptions, Loss
from turbotree.naming import unknown
from turbotree.networks import NetworkOptions
from turbotree.networks.model_options import ModelKeywords, ModelOptions
from turbotree.parsing.arcs import PruningOptions
from turbotree.parsing.parts import FAMILIES, families_of
from turbotree.parsing.training.part_task import DECODERS, check_decoder


def template_sets() -> tuple[str, ...]:
    """Return the names of all template sets, those of families registered later included."""
    return ("pruner", *FAMILIES, "label", "label_pair")


_TABLES = ("pruner", "parts", "labels")
_PRUNER_STEP = 0.1
_AVERAGE_FROM = 0.2
# Threshold and heads, for arcs alone and for parts of higher order.
_PRUNING = (1e-4, 20)
_STRICTER_PRUNING = (1e-3, 10)
# The threshold of a network beside features: on development data of English, Turkish and Basque it
# costs nothing and saves the features a fifth of their time.
_NETWORK_THRESHOLD = 3e-3
_NETWORK = 200
#: Model kinds that have a network if nothing is said.
_WITH_NETWORK = ("turbo", "network")


class TrainingKeywords(ModelKeywords, total=False):
    """The options of :class:`TrainingOptions` as keywords."""

    model: str
    parts: Sequence[str] | None
    decoder: str
    epochs: int
    largest_step: float
    single_root: bool | None
    pruning_threshold: float | None
    max_heads: int | None
    pruner_epochs: int
    label_loss: str
    label_step: float
    templates: dict[str, list[str]] | None
    trim: float | Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(ModelOptions):
    """How to train a parser.

    What is not listed is an option of :class:`~turbotree.networks.model_options.ModelOptions`.

    Attributes
    ----------
    model
        Kind of model: ``"arc"``, ``"standard"``, ``"full"``, ``"third"``; ``"turbo"``: the parts of
        ``"standard"``, beside a network; or ``"network"``: a network without any features.
    parts
        Instead of the model kind, the families of parts to score.
    loss, beta, gamma
        The loss of the arcs and the other parts.
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
    single_root
        Whether trees have one word under the root; None: as in the training data.
    pruning_threshold, max_heads, pruner_epochs
        How far the pruner prunes, and how long it trains. Parts of higher order grow with the
        square of the candidates, so models with such parts prune more if nothing is said.
    label_loss, label_step
        Loss and largest step of the labels.
    templates
        Template sets that replace the default ones, by name.
    trim
        How much is omitted from the finished model: weights up to this many times the usual
        magnitude, below which they hardly count. One number, or one for each of ``"pruner"``,
        ``"parts"`` and ``"labels"``.
    network
        Size of a BiLSTM whose scores join those of the features, or a network that is trained
        already. None: 200 for ``"turbo"`` and ``"network"``, none for other kinds.
    """

    model: str = "turbo"
    parts: Sequence[str] | None = None
    decoder: str = DECODERS[0]
    epochs: int = 10
    largest_step: float = 0.01
    single_root: bool | None = None
    pruning_threshold: float | None = None
    max_heads: int | None = None
    pruner_epochs: int = 3
    label_loss: str = "svm"
    label_step: float = 0.01
    templates: dict[str, list[str]] | None = None
    trim: float | Mapping[str, float] = 1.0

    def __post_init__(self) -> None:
        # Everything is looked at now: nobody wants to hear of a bad option after an hour.
        self.check_numbers(
            ("epochs", "max_heads", "pruner_epochs"),
            ("largest_step", "label_step", "pruning_threshold"),
        )
        for learner in (self.pruner_learner, self.arc_learner, self.label_learner):
            learner()
        self.pruning()
        check_decoder(self.decoder, self.families())
        if self.decoder == "automata" and self.chosen_loss().probabilistic:
            raise InputError(
                "decoder 'automata' goes with svm and perceptron, not with a finite beta"
            )
        self.check_network()
        self.trims()
        if not self.has_features:
            if self.network_options() is None:
                raise InputError("model 'network' without a network has nothing to score by")
            if self.templates:
                raise InputError("model 'network' has no templates; 'turbo' has")
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
        return self._learner(self.chosen_loss(), self.largest_step)

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
        if self.network is None and self.model in _WITH_NETWORK and self.parts is None:
            return NetworkOptions.chosen(_NETWORK, seed=self.seed)
        return super().network_options()

    @property
    def has_features(self) -> bool:
        """Whether sparse features score anything."""
        return self.model != "network" or self.parts is not None

    def families(self) -> tuple[str, ...]:
        """Return the families of parts that the model scores, arcs first."""
        return families_of(self.model, self.parts)

    def to_record(self) -> dict[str, Any]:
        """Return what the outcome depends on, as JSON-ready data."""
        loss, network = self.chosen_loss(), self.network_options()
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
