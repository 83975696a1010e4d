"""Which words, lemmas and tags a network has embeddings for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from turbotree.text import Sentence

#: Words and bundles of tags seen less often are unknown.
_LEAST_COUNT = 2

_NONE = "_"


#: What stands for a word's lemma in a network's input: the one that it is given, if any, or its
#: form in lower case. Taggers work before there are lemmas.
Lemmas = Literal["given", "forms"]


def lemmas_of(sentence: Sentence, which: Lemmas) -> list[str]:
    """Return what stands for the lemmas of a sentence's words.

    >>> dogs = Sentence.from_words(["Old", "Dogs"], lemmas=["_", "dog"])
    >>> lemmas_of(dogs, "given"), lemmas_of(dogs, "forms")
    (['old', 'dog'], ['old', 'dogs'])
    """
    if which == "forms":
        return [form.lower() for form in sentence.forms]
    return [
        lemma if lemma != _NONE else form.lower()
        for lemma, form in zip(sentence.lemmas, sentence.forms, strict=True)
    ]


def tag_features(bundle: tuple[str, str, str]) -> list[str]:
    """Return the features of a word's UPOS, XPOS and FEATS.

    >>> tag_features(("NOUN", "_", "Case=Nom|Number=Sing"))
    ['u NOUN', 'f Case=Nom', 'f Number=Sing', 'b NOUN _ Case=Nom|Number=Sing']
    """
    upos, xpos, feats = bundle
    features = [f"u {upos}"] if upos != _NONE else []
    if xpos != _NONE:
        features.append(f"x {xpos}")
    if feats != _NONE:
        features += [f"f {entry}" for entry in feats.split("|")]
    return [*features, f"b {upos} {xpos} {feats}"] if features else []


@dataclass(frozen=True)
class Vocabulary:
    """The words, lemmas and features of tags that have rows of their own; row 0 is for all others.

    Attributes
    ----------
    words, lemmas, tags
        In the order of their rows; the first row of words and lemmas is for unknown ones.
    labels
        The relations; none if there are no trees.
    columns
        The labels of words by column, such as ``upos``.
    word_counts, lemma_counts
        How often each was seen in training; empty in a finished model.
    """

    words: list[str]
    lemmas: list[str]
    tags: list[str]
    labels: list[str]
    columns: dict[str, list[str]] = field(default_factory=dict)
    word_counts: list[int] = field(default_factory=list, compare=False)
    lemma_counts: list[int] = field(default_factory=list, compare=False)

    @classmethod
    def fit(
        cls,
        sentences: Iterable[Sentence],
        columns: Mapping[str, Sequence[str]] | None = None,
        *,
        trees: bool = True,
        lemmas: Lemmas | None = "given",
        tags: bool = True,
    ) -> Vocabulary:
        """Take what occurs often enough in some sentences.

        Parameters
        ----------
        sentences
            Annotated sentences.
        columns
            The labels of words by column, if there are to be such.
        trees
            Whether the sentences' trees are to be learnt.
        lemmas
            What stands for a word's lemma; None if there are no embeddings for it.
        tags
            Whether tags are read at all.

        >>> cat = Sentence.from_words(["a", "cat", "a"], upos=["DET", "NOUN", "DET"])
        >>> vocabulary = Vocabulary.fit([cat])
        >>> vocabulary.words, vocabulary.tags
        (['a'], ['b DET _ _', 'u DET', 'u NOUN'])
        """
        words: Counter[str] = Counter()
        forms: Counter[str] = Counter()  # by lemma
        bundles: Counter[tuple[str, str, str]] = Counter()
        labels: set[str] = set()
        for sentence in sentences:
            words.update(sentence.forms)
            if lemmas is not None:
                forms.update(lemmas_of(sentence, lemmas))
            if tags:
                bundles.update(zip(sentence.upos, sentence.xpos, sentence.feats, strict=True))
            if trees:
                labels.update(
                    label
                    for label, head in zip(sentence.labels, sentence.heads, strict=True)
                    if head is not None and label != _NONE
                )
        features = {
            feature
            for bundle, count in bundles.items()
            for feature in tag_features(bundle)
            if count >= _LEAST_COUNT or not feature.startswith("b ")
        }
        known_words, known_lemmas = _frequent(words), _frequent(forms)
        return cls(
            known_words,
            known_lemmas,
            sorted(features),
            sorted(labels),
            {name: list(own) for name, own in (columns or {}).items()},
            [words[word] for word in known_words],
            [forms[lemma] for lemma in known_lemmas],
        )

    @staticmethod
    def hidden_shares(counts: list[int], strength: float) -> npt.NDArray[np.float32]:
        """Return how often training hides the word of each row, rare ones more often.

        >>> Vocabulary.hidden_shares([1, 3], 1.0).tolist()
        [0.0, 0.5, 0.25]
        """
        shares = strength / (strength + np.array(counts)) if counts else np.zeros(0)
        return np.concatenate([[0.0], shares]).astype(np.float32)


def _frequent(counts: Counter[str]) -> list[str]:
    kept = [item for item in counts.items() if item[1] >= _LEAST_COUNT]
    return [word for word, _ in sorted(kept, key=lambda item: (-item[1], item[0]))]
