"""The options of training that models with features and a network have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from turbotree.errors import InputError
from turbotree.features.weights import check_bits
from turbotree.learning import Loss
from turbotree.networks.network import Network
from turbotree.networks.options import NetworkOptions
from turbotree.networks.vectors import MAX_VECTORS, MOST_VECTORS, WordVectors
from turbotree.quantities import check_least
from turbotree.text import Sentence

#: The names of the options that concern pretrained word vectors.
VECTOR_OPTIONS = ("vectors", "max_vectors", "vectors_licence")


class SharedKeywords(TypedDict, total=False):
    """The options of :class:`SharedOptions` as keywords."""

    bits: int
    seed: int
    threads: int
    licence: str | None
    vectors: str | os.PathLike[str] | WordVectors | None
    max_vectors: int
    vectors_licence: str | None


class ModelKeywords(SharedKeywords, total=False):
    """The options of :class:`ModelOptions` as keywords."""

    loss: str | None
    beta: float | None
    gamma: float | None
    average_from: float | None
    features: str
    network: int | NetworkOptions | Network | None


@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """What parsers, taggers and pipelines take.

    Attributes
    ----------
    bits
        Bits of a feature's weight in the finished model: 32, or 16 for tables of a third of the
        size. The weights of a network always take 8; with a network, 8 means the same as 16.
    seed
        Decides every random choice.
    threads
        Threads to use; the model does not depend on it.
    licence
        Licence of the training data, kept in the model file.
    vectors
        Pretrained word vectors for the network: their file, as :meth:`WordVectors.read` takes it,
        or vectors that were read already.
    max_vectors
        How many vectors to take of a file: those of words in the training data, then the most
        frequent.
    vectors_licence
        Licence of the file, kept in the model. Vectors that were read already have their own.
    """

    bits: int = 32
    seed: int = 1
    threads: int = 1
    licence: str | None = None
    vectors: str | os.PathLike[str] | WordVectors | None = None
    max_vectors: int = MAX_VECTORS
    vectors_licence: str | None = None

    @property
    def table_bits(self) -> int:
        """Bits of a weight in the tables of sparse features."""
        return max(16, self.bits)

    def check_vectors(self, network: NetworkOptions | Network | None) -> None:
        """Refuse wrong options, and vectors where no network is to be trained that reads them."""
        vectors, most, licence = self.vectors, self.max_vectors, self.vectors_licence
        if type(most) is not int or not 1 <= most <= MOST_VECTORS:
            raise InputError(f"max_vectors is {most!r}; expected 1 to {MOST_VECTORS}")
        if licence is not None:
            if not isinstance(licence, str):
                raise InputError(f"vectors_licence is {licence!r}; expected text")
            if vectors is None or isinstance(vectors, WordVectors):
                raise InputError("vectors_licence is for a file of vectors, and none is given")
        if vectors is None:
            return
        if isinstance(network, Network):
            raise InputError("vectors are for a network to train, and a trained one is given")
        if network is None or not network.vector_size:
            raise InputError("vectors are for a network, and there is none: give its size")
        if isinstance(vectors, WordVectors):
            return
        if not isinstance(vectors, str | os.PathLike):
            raise InputError(f"vectors is {vectors!r}; expected a file, or WordVectors")
        if not os.path.exists(vectors):
            raise InputError(f"{os.fspath(vectors)}: no such file")

    def word_vectors(self, train: Iterable[Sentence]) -> WordVectors | None:
        """Read the word vectors, those of words to train on first; None if there are none."""
        if self.vectors is None or isinstance(self.vectors, WordVectors):
            return self.vectors
        forms = (form for sentence in train for form in sentence.forms)
        return WordVectors.read(
            self.vectors, keep=forms, limit=self.max_vectors, licence=self.vectors_licence
        )


@dataclass(frozen=True, kw_only=True)
class ModelOptions(SharedOptions):
    """What parsers and taggers take.

    Attributes
    ----------
    loss, beta, gamma
        The loss: a name, or the two numbers of the family.
    average_from
        Share of the rounds that the average of the weights omits, those of the first epochs.
    features
        ``"all"``, or ``"supported"``: those of the right answers alone.
    network
        Size of a BiLSTM whose scores join those of the features: 200 is accurate, 128 is fast, 0
        or None is none. A network that is trained already is taken as it is.
    """

    loss: str | None = None
    beta: float | None = None
    gamma: float | None = None
    average_from: float | None = None
    features: str = "all"
    network: int | NetworkOptions | Network | None = None

    def chosen_loss(self) -> Loss:
        """Return the loss."""
        return Loss.chosen(self.loss, self.beta, self.gamma)

    def network_options(self) -> NetworkOptions | None:
        """Return how to train the network; None if there is none."""
        if isinstance(self.network, Network):
            return self.network.options
        return NetworkOptions.chosen(self.network, seed=self.seed)

    def check_numbers(self, whole: Iterable[str], numbers: Iterable[str]) -> None:
        """Refuse what is no number; nothing will do where nothing is the default."""
        defaults = {field.name: field.default for field in fields(self)}

        def check(name: str, kind: type | tuple[type, ...], expected: str) -> None:
            value = getattr(self, name)
            absent = value is None and defaults[name] is None
            if not absent and not isinstance(value, kind):
                raise InputError(f"{name} is {value!r}; expected {expected}")

        for name in ("seed", "threads", *whole):
            check(name, int, "a whole number")
        for name in ("beta", "gamma", "average_from", *numbers):
            check(name, (float, int), "a number")
        check_least("threads", self.threads, 1)

    def check_network(self) -> None:
        """Refuse bits and word vectors that do not suit the network."""
        network = self.network_options()
        if self.bits != 8 or network is None:
            check_bits(self.bits)
        self.check_vectors(self.network if isinstance(self.network, Network) else network)


def vector_record(vectors: WordVectors | None) -> dict[str, Any]:
    """Return the entry that word vectors have in the record of a training run, if there are any.

    >>> vector_record(None)
    {}
    """
    return {} if vectors is None else {"vectors": vectors.to_record()}
