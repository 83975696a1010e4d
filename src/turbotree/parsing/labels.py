"""The second stage: labels for a tree, the modifiers of each head labelled together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from turbotree import chains
from turbotree.arrays import FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import AnyWeights, Encoded, Encoder, LabelledParts, PartKind
from turbotree.parsing import _core
from turbotree.scoring import Batch, PartScorer, ScoredModel, SparseScorer, score_every

#: A modifier with its surroundings in the tree; see ``templates/label.txt``.
NODE = PartKind(("h", "m", "g", "p", "n", "l", "r"), {"left": 4, "right": 4, "rank": 4, "last": 2})

#: What is known of words' labels, by the words' places in the batch: the only labels that a word
#: may take (True), or those that it may not (False).
LabelLimits = dict[int, tuple[bool, set[int]]]


def pair_kind(labels: int) -> PartKind:
    """Return the kind of two neighbouring siblings; see ``templates/label_pair.txt``."""
    return PartKind(("h", "m", "p"), {"prev": labels})


@dataclass(frozen=True)
class LabelDictionary:
    """Which labels a modifier may take, by its tag and its head's, as seen in training.

    An unseen pair of tags falls back to all labels of the modifier's tag, an unseen tag to all
    labels.

    Attributes
    ----------
    names
        The labels.
    lists
        The number of a list of labels, by the tags of modifier and head.
    offsets, labels
        The lists: number ``i`` holds ``labels[offsets[i]:offsets[i + 1]]``.
    root
        The label that words under the root have, and no others; None if there is no such label.
        The lists obey it, see :mod:`turbotree.parsing.root_label`.
    """

    names: list[str]
    lists: IntArray
    offsets: IntArray
    labels: IntArray
    root: int | None = None

    def __post_init__(self) -> None:
        lists, offsets, labels = self.lists, self.offsets, self.labels
        well_formed = (
            all(isinstance(name, str) for name in self.names)
            and (lists.ndim, offsets.ndim, labels.ndim) == (2, 1, 1)
            and lists.shape[0] == lists.shape[1]
            and len(offsets) > 1
            and (offsets[0], offsets[-1]) == (0, len(labels))
            and bool((np.diff(offsets) > 0).all())
            and bool(((lists >= 0) & (lists < len(offsets) - 1)).all())
            and bool(((labels >= 0) & (labels < len(self.names))).all())
            and (self.root is None or 0 <= self.root < len(self.names))
        )
        if not well_formed:
            raise InputError("the label dictionary is not well formed")

    @classmethod
    def fit(
        cls,
        names: list[str],
        tags: int,
        seen: Iterable[tuple[int, int, int]],
    ) -> LabelDictionary:
        """Collect the dictionary from triples (modifier's tag, head's tag, label)."""
        by_pair: dict[tuple[int, int], set[int]] = {}
        by_tag: dict[int, set[int]] = {}
        for modifier, head, label in seen:
            by_pair.setdefault((modifier, head), set()).add(label)
            by_tag.setdefault(modifier, set()).add(label)
        sets: dict[tuple[int, ...], int] = {tuple(range(len(names))): 0}
        lists = np.zeros((tags, tags), dtype=np.int32)
        for tag, labels in sorted(by_tag.items()):
            lists[tag, :] = sets.setdefault(tuple(sorted(labels)), len(sets))
        for (modifier, head), labels in sorted(by_pair.items()):
            lists[modifier, head] = sets.setdefault(tuple(sorted(labels)), len(sets))
        return cls.of_sets(names, lists, list(sets))

    @classmethod
    def of_sets(
        cls, names: list[str], lists: IntArray, sets: Sequence[Sequence[int]]
    ) -> LabelDictionary:
        """Make a dictionary of lists of labels, and the number of a list for each two tags."""
        offsets = np.zeros(len(sets) + 1, dtype=np.int32)
        np.cumsum([len(labels) for labels in sets], out=offsets[1:])
        flat = np.array([label for labels in sets for label in labels], dtype=np.int32)
        return cls(names, lists, offsets, flat)

    def all_lists(self) -> list[list[int]]:
        """Return every list of labels."""
        return [part.tolist() for part in np.split(self.labels, self.offsets[1:-1])]

    def of(self, modifier: int, head: int) -> IntArray:
        """Return the labels of a modifier and a head, given by their tags."""
        number = self.lists[modifier, head]
        return self.labels[self.offsets[number] : self.offsets[number + 1]]


@dataclass(frozen=True)
class _Chains:
    """The parts of a labelled tree: a node per word, a block of edges per pair of siblings."""

    parts: dict[str, LabelledParts]
    nodes: LabelledParts
    pairs: LabelledParts
    words: IntArray
    edge_offsets: IntArray


def label_scorer(
    templates: Sequence[str],
    pair_templates: Sequence[str],
    dictionary: LabelDictionary,
    encoder: Encoder,
    weights: AnyWeights | None = None,
) -> SparseScorer:
    """Return what scores one modifier's label, and two neighbours' labels, by templates."""
    return SparseScorer(
        {"label": templates, "label_pair": pair_templates},
        {"label": NODE, "label_pair": pair_kind(len(dictionary.names))},
        encoder,
        weights,
    )


class LabelModel(ScoredModel):
    """Labels all modifiers of a head together.

    Parameters
    ----------
    scorer
        Scores the families ``"label"`` and ``"label_pair"``.
    dictionary
        The labels to choose from.
    encoder
        Knows the words' tags, by which the dictionary is asked.
    """

    def __init__(self, scorer: PartScorer, dictionary: LabelDictionary, encoder: Encoder) -> None:
        self.scorer = scorer
        self.dictionary = dictionary
        self.encoder = encoder
        self._tag_row = encoder.attributes.index("upos")
        tags = encoder.id_limit("upos")
        if len(dictionary.lists) != tags:
            raise InputError(
                f"the label dictionary is made for {len(dictionary.lists)} tags, "
                f"the encoder knows {tags}"
            )

    def label(
        self, batch: Batch, heads: IntArray, limits: LabelLimits | None = None
    ) -> LabelScores:
        """Score the labels of a batch of trees, given by the heads of all words."""
        structure = self.chains(batch.of(self.encoder), heads, limits)
        scores = score_every(self.scorer, batch, structure.parts)
        return LabelScores(structure, scores["label"], scores["label_pair"])

    def chains(
        self, encoded: Encoded, heads: IntArray, limits: LabelLimits | None = None
    ) -> _Chains:
        """Lay out the parts of a batch of trees."""
        dictionary, tags = self.dictionary, encoded.ids[self._tag_row]
        if limits:
            dictionary, tags = _limited(dictionary, tags, encoded, limits)
        built = _core.label_chains(
            encoded.lengths,
            heads,
            tags,
            dictionary.lists,
            dictionary.offsets,
            dictionary.labels,
        )
        nodes = LabelledParts(built.nodes, built.node_offsets, built.label_offsets, built.labels)
        pairs = LabelledParts(
            built.pairs, built.pair_offsets, built.pair_label_offsets, built.pair_labels
        )
        parts = {"label": nodes, "label_pair": pairs}
        return _Chains(parts, nodes, pairs, built.words, built.edge_offsets)


def _limited(
    dictionary: LabelDictionary, tags: IntArray, encoded: Encoded, limits: LabelLimits
) -> tuple[LabelDictionary, IntArray]:
    """Give each limited word a tag of its own, and that tag its own lists of labels."""
    columns = np.delete(np.arange(len(tags)), encoded.starts[:-1])  # of words
    size, every = len(dictionary.lists), range(len(dictionary.names))
    lists = np.zeros((size + len(limits),) * 2, dtype=np.int32)
    lists[:size, :size] = dictionary.lists
    words = columns[list(limits)]
    # As heads these words are what they were.
    lists[:, size:] = lists[:, tags[words]]
    found = dictionary.all_lists()
    for row, (only, labels), tag in zip(
        range(size, len(lists)), limits.values(), tags[words].tolist(), strict=True
    ):
        if only:
            lists[row] = len(found)
            found.append(sorted(labels))
            continue
        others = [label for label in every if label not in labels and label != dictionary.root]
        own = np.append(dictionary.lists[tag], dictionary.lists[tag, tags[words]])
        for old in np.unique(own).tolist():
            lists[row, own == old] = len(found)
            rest = [label for label in found[old] if label not in labels]
            # Arcs of which no label is left are no candidates: their lists are never asked for.
            found.append(rest or others or found[old])
    changed = tags.copy()
    changed[words] = np.arange(size, len(lists))
    return LabelDictionary.of_sets(dictionary.names, lists, found), changed


@dataclass(frozen=True)
class LabelScores:
    """Scores of a batch's labels and label pairs, ready to be decoded."""

    structure: _Chains
    node_scores: FloatArray
    edge_scores: FloatArray

    def best(self) -> tuple[IntArray, float]:
        """Return the best label of each word of the batch, and their score."""
        nodes = self.structure.nodes
        best = chains.best_states(
            self.node_scores, nodes.label_offsets, self.edge_scores, self.structure.edge_offsets
        )
        labels = np.empty(len(self.structure.words), dtype=np.int32)
        labels[self.structure.words] = nodes.labels[nodes.label_offsets[:-1] + best.states]
        return labels, best.value

    def distributions(self, temperature: float = 1.0) -> list[dict[int, float]]:
        """Return each word's labels with their probabilities, given the tree."""
        nodes = self.structure.nodes
        result = chains.marginals(
            self.node_scores / temperature,
            nodes.label_offsets,
            self.edge_scores / temperature,
            self.structure.edge_offsets,
        )
        distributions: list[dict[int, float]] = [{} for _ in self.structure.words]
        for node, word in enumerate(self.structure.words.tolist()):
            at = slice(nodes.label_offsets[node], nodes.label_offsets[node + 1])
            distributions[word] = dict(
                zip(nodes.labels[at].tolist(), result.node_probabilities[at].tolist(), strict=True)
            )
        return distributions
