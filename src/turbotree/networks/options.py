"""How large a network is, and how it is trained."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from turbotree.errors import InputError
from turbotree.networks.vocabulary import Lemmas
from turbotree.quantities import check_least

#: Losses of arcs: each word's head by itself, or the tree as a whole.
ARC_LOSSES = ("heads", "trees")

#: The usual size of a BiLSTM layer per direction, and that from which perceptrons are the same: on
#: English, smaller ones cost a network of 128 a fifth of a point of LAS and save no time.
_ACCURATE = 200
_FAST = 128
_LARGEST = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkOptions:
    """Sizes of a network and the recipe of its training.

    Attributes
    ----------
    layers, hidden
        BiLSTM layers, and their size per direction: 200 is accurate, 128 is fast.
    arc_size, label_size
        Of the perceptrons before the biaffine scores.
    column_size
        Of the perceptron before the scores of words' labels, in networks of taggers.
    word_size, surface_size, tag_size, lemma_size, vector_size
        Of the input's embeddings; the last one is what pretrained vectors are projected to.
    lemmas
        What the embeddings of lemmas go by: "given", the sentence's lemmas, or forms in lower case
        where it has none; "forms", always the latter.
    surface_buckets
        How many rows the hashed features of forms share.
    updates, least_epochs
        Training takes as many epochs as make about this many updates, and at least so many: small
        treebanks need more epochs.
    batch_words
        Words per update. Batches of 1,000 words train no faster, and on English with 200,000 words
        they cost 1.5 points of LAS after as many epochs.
    learning_rate
        Of Adam; it decays to zero by a cosine.
    dropout, group_dropout, word_dropout
        Share of activations that are dropped; share of whole groups of inputs, such as all tags of
        a word; a word seen n times is hidden with probability word_dropout / (word_dropout + n).
    shared_dropout
        The same activations are dropped for all words of a sentence, not others for each.
    loss
        "heads": a softmax over the heads of each word; "trees": a distribution over trees.
    average
        Decay of an exponential moving average of the weights, which then is the result; 0: none.
        On development data of English with predicted tags, averages and 18 epochs instead of 12
        gained a network alone 0.9 points of LAS (one seed).
    shards
        Pieces of each batch, which up to so many threads work on. Their number changes the result
        by rounding, that of the threads does not.
    """

    layers: int = 2
    hidden: int = _ACCURATE
    arc_size: int = 192
    label_size: int = 64
    column_size: int = 128
    word_size: int = 96
    surface_size: int = 96
    tag_size: int = 64
    lemma_size: int = 64
    vector_size: int = 64
    lemmas: Lemmas = "given"
    surface_buckets: int = 16384
    updates: int = 3600
    least_epochs: int = 18
    batch_words: int = 500
    learning_rate: float = 3e-3
    mean_decay: float = 0.9
    square_decay: float = 0.95
    largest_norm: float = 5.0
    dropout: float = 0.33
    group_dropout: float = 0.2
    word_dropout: float = 0.25
    shared_dropout: bool = True
    loss: str = "heads"
    average: float = 0.999
    shards: int = 2
    seed: int = 1

    def __post_init__(self) -> None:
        for name in (
            *("hidden", "arc_size", "label_size", "column_size", "surface_buckets"),
            *("updates", "batch_words", "shards"),
        ):
            check_least(name, getattr(self, name), 1)
        for name in ("dropout", "group_dropout", "average", "mean_decay", "square_decay"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; expected 0 to below 1")
        for name, known in (("loss", ARC_LOSSES), ("lemmas", get_args(Lemmas))):
            if getattr(self, name) not in known:
                given = getattr(self, name)
                raise InputError(f"{name} is {given!r}; expected one of {', '.join(known)}")

    @classmethod
    def of_size(cls, hidden: int, *, seed: int = 1) -> NetworkOptions:
        """Return the options of a network of a size; small ones have smaller perceptrons.

        >>> NetworkOptions.of_size(200) == NetworkOptions()
        True
        >>> NetworkOptions.of_size(128).arc_size, NetworkOptions.of_size(64).arc_size
        (192, 128)
        """
        if hidden < _FAST:
            return cls(hidden=hidden, arc_size=128, label_size=48, seed=seed)
        return cls(hidden=hidden, seed=seed)

    @classmethod
    def chosen(cls, given: int | NetworkOptions | None, *, seed: int = 1) -> NetworkOptions | None:
        """Return the options of a network that is given by its size; None for 0 or nothing.

        >>> NetworkOptions.chosen(128, seed=5).hidden, NetworkOptions.chosen(0)
        (128, None)
        """
        if given is None or isinstance(given, NetworkOptions):
            return given
        if not isinstance(given, int):
            raise InputError(f"network is {given!r}; expected a whole number, 0 for none")
        if not 0 <= given <= _LARGEST:
            raise InputError(f"network is {given}; expected 0 to {_LARGEST}")
        return cls.of_size(given, seed=seed) if given else None

    def without_lemmas(self, *, tags: bool) -> NetworkOptions:
        """Return the options of a network that reads no lemmas and, unless told so, no tags.

        Forms in lower case stand for the lemmas.

        >>> NetworkOptions().without_lemmas(tags=False).tag_size
        0
        """
        return replace(self, lemmas="forms", tag_size=self.tag_size if tags else 0)

    def epochs(self, words: int) -> int:
        """Return how many epochs a treebank with so many words takes.

        >>> NetworkOptions().epochs(20_000), NetworkOptions().epochs(200_000)
        (90, 18)
        """
        per_epoch = max(1, words // self.batch_words)
        return max(self.least_epochs, round(self.updates / per_epoch))

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON-ready data."""
        return asdict(self)
