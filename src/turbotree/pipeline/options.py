"""How to train a pipeline: every option, checked before anything else happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from turbotree.errors import InputError
from turbotree.labeling import TaggerOptions
from turbotree.naming import options_from, unknown
from turbotree.networks import NetworkOptions
from turbotree.networks.model_options import VECTOR_OPTIONS, SharedKeywords, SharedOptions
from turbotree.parsing import TrainingOptions
from turbotree.pipeline.atoms import UNITS

#: Options that are the same for all components.
_SHARED = ("bits", "seed", "threads", "licence")
#: The tagger's network is as large as the parser's, and at most so large.
_TAGGER_NETWORK = 200


class PipelineKeywords(SharedKeywords, total=False):
    """The options of :class:`PipelineOptions` as keywords."""

    folds: int
    fold_epochs: int
    unit: str | None
    token_epochs: int
    lemma_epochs: int
    shared_network: bool
    tagger: Mapping[str, Any]
    parser: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(SharedOptions):
    """How to train a pipeline.

    What is not listed is an option of :class:`~turbotree.networks.model_options.SharedOptions`. The
    file holds word vectors once for all networks.

    Attributes
    ----------
    folds
        Parts of the training data for jack-knifing: the parser learns from the tags and lemmas
        that models without the part in question give it.
    fold_epochs
        Passes over the data for those models: fewer than for the one that stays, as their errors
        need only be alike.
    unit
        What the tokenizer puts together: ``"runs"`` of letters, digits and marks, or
        ``"characters"``; None: whatever the training data ask for.
    token_epochs, lemma_epochs
        Passes over the data, for tokens and lemmas.
    shared_network
        Whether the tagger and the parser have one network, which reads forms alone: faster and
        smaller. Otherwise each has its own, and the parser's reads the tags that were found: on
        English that is worth 0.7 points of LAS.
    tagger, parser
        Further options of :class:`~turbotree.labeling.TaggerOptions` and
        :class:`~turbotree.parsing.TrainingOptions`. If the parser has a network, so has the
        tagger: one of the same size, 200 at most, unless its options say otherwise.
    """

    folds: int = 5
    fold_epochs: int = 3
    bits: int = 16
    unit: str | None = None
    token_epochs: int = 5
    lemma_epochs: int = 6
    shared_network: bool = False
    tagger: Mapping[str, Any] = field(default_factory=dict)
    parser: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        least = {"folds": 2, "fold_epochs": 1, "seed": 0, "threads": 1}
        for name, low in {**least, "token_epochs": 1, "lemma_epochs": 1}.items():
            value = getattr(self, name)
            if not isinstance(value, int) or value < low:
                raise InputError(f"{name} is {value!r}; expected a whole number from {low}")
        if self.unit is not None and self.unit not in UNITS:
            raise unknown("unit", self.unit, UNITS)
        if not isinstance(self.bits, int):
            raise InputError(f"bits is {self.bits!r}; expected a whole number")
        for name, options in (("tagger", self.tagger), ("parser", self.parser)):
            own = sorted({*_SHARED, *VECTOR_OPTIONS, "task"} & set(options))
            if own:
                raise InputError(f"{name}: {', '.join(own)} is the same for the whole pipeline")
        options_from(TrainingOptions, "parser", self.parser_options())
        options_from(TaggerOptions, "tagger", self.tagger_options())
        if self.shared_network and "network" in self.tagger:
            raise InputError("tagger: a network of its own, though it is to share the parser's")

    def _shared(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SHARED}

    def _vector_options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in VECTOR_OPTIONS}

    def parser_network(self) -> NetworkOptions | None:
        """Return how to train the parser's network; None if there is none."""
        return TrainingOptions(**self.parser_options()).network_options()

    def joint_network(self) -> NetworkOptions | None:
        """Return how to train the network that tagger and parser share; None if there is none."""
        options = self.parser_network() if self.shared_network else None
        return None if options is None else options.without_lemmas(tags=False)

    def tagger_options(self) -> dict[str, Any]:
        """Return how to train the tagger; a network that it shares is not among the options."""
        network = None if self.shared_network else self.parser_network()
        if network is not None:
            network = NetworkOptions.of_size(min(network.hidden, _TAGGER_NETWORK), seed=self.seed)
        given = {"network": network, **self.tagger}
        bits = self.table_bits if given["network"] is None else self.bits
        vectors = self._vector_options() if given["network"] else {}
        return {**self._shared(), **vectors, "bits": bits, **given, "task": "tag"}

    def fold_options(self) -> dict[str, Any]:
        """Return how to train taggers for jack-knifing: a network would only take time.

        Nothing is trimmed: without a network, the features have to tell all.
        """
        quick = {"epochs": self.fold_epochs, "network": None, "bits": self.table_bits, "trim": 1.0}
        usual = self.tagger_options().items()
        return {**{name: own for name, own in usual if name not in VECTOR_OPTIONS}, **quick}

    def parser_options(self) -> dict[str, Any]:
        """Return how to train the parser."""
        return {**self._shared(), **self._vector_options(), **self.parser}

    def to_record(self) -> dict[str, Any]:
        """Return what the outcome depends on, as JSON-ready data."""
        names = ("folds", "fold_epochs", "bits", "seed", "unit", "token_epochs", "lemma_epochs")
        return {name: getattr(self, name) for name in (*names, "shared_network", "licence")}
