"""Which inputs moved a network: gradient times input."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from turbotree.features import Parts
from turbotree.networks import _core
from turbotree.text import Sentence

if TYPE_CHECKING:
    from turbotree.networks.network import Network

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class InputShare:
    """What one kind of input of one word adds to the logarithm of an arc's probability.

    Attributes
    ----------
    word
        The word's number, from 1.
    kind
        ``"word"``, ``"letters"``, ``"tags"``, ``"lemma"``, ``"lower case"`` if forms stand for
        lemmas, or ``"vector"``.
    share
        The input times the gradient with respect to it: above 0, it speaks for the arc.
    """

    word: int
    kind: str
    share: float


@dataclass(frozen=True, slots=True)
class NetworkExplanation:
    """What a network says of an arc.

    Attributes
    ----------
    log_probability
        Of the head among all heads that the word could have.
    weight
        What the model multiplies it by: the product is the network's part of the arc's score.
    inputs
        What speaks for the arc and against it, largest first.
    """

    log_probability: float
    weight: float
    inputs: list[InputShare]


def input_shares(
    network: Network, sentence: Sentence, head: int, modifier: int
) -> tuple[float, list[InputShare]]:
    """Return the logarithm of an arc's probability, and what each input does for it.

    The shares tell how the logarithm would change, to first order, if all inputs faded. They need
    not add up to it: a network is not linear.
    """
    arc = Parts.of_one([[head, modifier]])
    log_probability = network.score(network.encode([sentence]), {"arc": arc})["arc"]
    arrays = network.inputs.arrays([sentence])
    matrices = dict(network.matrices())
    kinds = {
        "word": matrices["words"][arrays["words"]],
        "letters": _bags(matrices["surfaces"], arrays, "surface_starts", "surfaces", "forms"),
        "tags": _bags(matrices["tags"], arrays, "tag_starts", "tags", "bundles"),
        "lemma": matrices["lemmas"][arrays["lemmas"]],
    }
    if network.vectors is not None:
        given = network.vectors.table[arrays["vectors"]]
        kinds["vector"] = given @ matrices["projection"]
    training, tables = _network_of_one(network, kinds, matrices, head, modifier)
    training.accumulate(np.zeros(1, dtype=np.int32), False, 1)
    gradients = _split(training.gradient(), tables, kinds, len(sentence))
    names = {} if network.options.lemmas == "given" else {"lemma": "lower case"}
    shares = [
        InputShare(
            word, names.get(kind, kind), -float(gradients[kind][word - 1] @ values[word - 1])
        )
        for kind, values in kinds.items()
        for word in range(1, len(sentence) + 1)
    ]
    shares = [share for share in shares if share.share != 0.0]
    return float(log_probability[0]), sorted(shares, key=lambda share: -abs(share.share))


def _bags(
    table: _Floats, arrays: dict[str, npt.NDArray[np.int32]], starts: str, ids: str, of_words: str
) -> _Floats:
    """Return the sum of the rows in each word's bag, as the network's input has it."""
    ends = arrays[starts].tolist()
    bags = [table[arrays[ids][a:b]].sum(axis=0) / max(1, b - a) ** 0.5 for a, b in pairwise(ends)]
    return np.stack(bags)[arrays[of_words]]


def _network_of_one(
    network: Network,
    kinds: dict[str, _Floats],
    matrices: dict[str, _Floats],
    head: int,
    modifier: int,
) -> tuple[_core.Training, dict[str, _Floats]]:
    """Return the same network with tables of one row per word of a sentence.

    So the gradients of these rows are those of the inputs, and training does the rest. Projected
    vectors come right after lemmas in the input: one table holds both.
    """
    words = len(kinds["word"])
    lemmas = kinds["lemma"]
    if "vector" in kinds:
        lemmas = np.concatenate([lemmas, kinds["vector"]], axis=1)
    none = np.zeros((1, 1), dtype=np.float32)
    tables = {
        "words": np.pad(kinds["word"], ((1, 0), (0, 0))),  # row 0 is for unknown words
        "surfaces": kinds["letters"],
        "tags": kinds["tags"],
        "lemmas": np.pad(lemmas, ((1, 0), (0, 0))),
        "projection": none[:0, :0],
    }
    options = network.options
    sizes = _core.Sizes(
        words=words + 1,
        word_size=tables["words"].shape[1],
        surfaces=words,
        surface_size=tables["surfaces"].shape[1],
        tags=words,
        tag_size=tables["tags"].shape[1],
        lemmas=words + 1,
        lemma_size=tables["lemmas"].shape[1],
        vectors=0,
        vector_size=0,
        projected_size=0,
        layers=options.layers,
        hidden=options.hidden,
        arcs=options.arc_size,
        labels=max(1, len(network.labels)),
        label_size=options.label_size,
        columns=[len(labels) for labels in network.columns.values()],
        column_size=options.column_size if network.columns else 0,
    )
    numbers = np.arange(words, dtype=np.int32)
    starts = np.arange(words + 1, dtype=np.int32)
    heads = np.full(words, -1, dtype=np.int32)
    heads[modifier - 1] = head
    hidden = np.zeros(words + 1, dtype=np.float32)
    training = _core.Training(
        kernels=network.kernels,
        sizes=sizes,
        inputs=_core.Inputs(
            starts=np.array([0, words], dtype=np.int32),
            words=numbers + 1,
            lemmas=numbers + 1,
            vectors=numbers[:0],
            forms=numbers,
            surface_starts=starts,
            surfaces=numbers,
            bundles=numbers,
            tag_starts=starts,
            tags=numbers,
        ),
        heads=heads,
        labels=np.full(words, -1, dtype=np.int32),
        columns=np.full(words * len(network.columns), -1, dtype=np.int32),
        vectors=hidden[:0],
        word_shares=hidden,
        lemma_shares=hidden,
        group_share=0.0,
        lstm_share=0.0,
        perceptron_share=0.0,
        shared_dropout=True,
        trees=False,
        mean_decay=0.0,
        square_decay=0.0,
        epsilon=1.0,
        largest_norm=1.0,
        average_decay=0.0,
        shards=1,
        seed=0,
    )
    flat = np.concatenate(
        [np.ascontiguousarray(own).ravel() for own in (matrices | tables).values()]
    ).astype(np.float32)
    unused = np.zeros_like(flat)
    training.restore(flat, unused, unused, unused[:0], 0)
    return training, tables


def _split(
    gradient: _Floats, tables: dict[str, _Floats], kinds: dict[str, _Floats], words: int
) -> dict[str, _Floats]:
    """Return the gradient with respect to each kind of input, a row per word."""
    found, at = {}, 0
    for name, table in tables.items():
        found[name] = gradient[at : at + table.size].reshape(table.shape)[-words:]
        at += table.size
    lemma_size = kinds["lemma"].shape[1]
    return {
        "word": found["words"],
        "letters": found["surfaces"],
        "tags": found["tags"],
        "lemma": found["lemmas"][:, :lemma_size],
        "vector": found["lemmas"][:, lemma_size:],
    }
