"""The options of training that concern pretrained word vectors, of any model with a network."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

from turbotree.errors import InputError
from turbotree.networks.network import Network
from turbotree.networks.options import NetworkOptions
from turbotree.networks.vectors import MAX_VECTORS, MOST_VECTORS, WordVectors
from turbotree.text import Sentence

#: The names of the options.
VECTOR_OPTIONS = ("vectors", "max_vectors", "vectors_licence")


class VectorKeywords(TypedDict, total=False):
    """The options of :class:`VectorOptions` as keywords."""

    vectors: str | os.PathLike[str] | WordVectors | None
    max_vectors: int
    vectors_licence: str | None


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """Which pretrained word vectors the network of a model reads.

    Attributes
    ----------
    vectors
        Their file, as :meth:`WordVectors.read` takes it, or vectors that were read already.
    max_vectors
        How many vectors to take of a file: those of words in the training data, then the most
        frequent.
    vectors_licence
        Licence of the file, kept in the model. Vectors that were read already have their own.
    """

    vectors: str | os.PathLike[str] | WordVectors | None = None
    max_vectors: int = MAX_VECTORS
    vectors_licence: str | None = None

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


def vector_record(vectors: WordVectors | None) -> dict[str, Any]:
    """Return the entry that word vectors have in the record of a training run, if there are any.

    >>> vector_record(None)
    {}
    """
    return {} if vectors is None else {"vectors": vectors.to_record()}
