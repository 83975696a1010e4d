"""What is hidden now and then in training, so that nothing is relied on too much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from turbotree.features import Encoded, Encoder
from turbotree.features.encoder import RARE_ID
from turbotree.features.lexicon import TAGS, unknown_value
from turbotree.text import Sentence

# What says which word it is; endings, case and the like stay.
_NAMES = ("form", "lower", TAGS)


class WordNoise:
    """Hides words, rare ones more often, and single attributes of words.

    A word that occurs c times in training is unknown with the probability a / (a + c), `a` being
    the strength: about as often as words like it are unknown in new text. Each attribute of each
    word is hidden with the same probability, so that no feature can do all the work by itself.

    Parameters
    ----------
    sentences
        The training data.
    encoder
        The tagger's encoder.
    strength
        How often words are hidden.
    dropout
        The probability that an attribute is.
    seed
        Decides what is.

    Examples
    --------
    >>> sentence = Sentence.from_words(["Birds", "sing"])
    >>> encoder = Encoder.fit([sentence], ["form"], [], least_count=1)
    >>> noise = WordNoise([sentence], encoder, strength=1e9, seed=1)
    >>> encoder.encode([sentence]).ids.tolist(), noise.hide(0, 1, encoder.encode([sentence])).ids
    ([[3, 5, 6]], array([[3, 4, 4]], dtype=int32))
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        encoder: Encoder,
        *,
        strength: float,
        seed: int,
        dropout: float = 0.0,
    ) -> None:
        counts = Counter(form.lower() for sentence in sentences for form in sentence.forms)
        chance = {form: strength / (strength + count) for form, count in counts.items()}
        self._seed = seed
        self._dropout = dropout
        names = [name for name in _NAMES if name in encoder.attributes]
        self._rows = np.array([encoder.attributes.index(name) for name in names], dtype=np.intp)
        tagged = TAGS in encoder.attributes
        self._chances, self._hidden = [], []
        for sentence in sentences:
            chances = [0.0, *(chance[form.lower()] for form in sentence.forms)]
            self._chances.append(np.array(chances))
            hidden = np.full((len(self._rows), len(chances)), RARE_ID, dtype=np.int32)
            if tagged:
                ids = [encoder.id_of(TAGS, unknown_value(form)) for form in sentence.forms]
                hidden[-1, 1:] = ids
            self._hidden.append(hidden)

    def hide(self, index: int, turn: int, encoded: Encoded) -> Encoded:
        """Return a training sentence with some of it hidden; `turn` tells calls apart."""
        random = np.random.default_rng([self._seed, index, turn])
        chances = self._chances[index]
        words = random.random(len(chances)) < chances
        ids: npt.NDArray[np.int32] = encoded.ids.copy()
        ids[np.ix_(self._rows, np.flatnonzero(words))] = self._hidden[index][:, words]
        if self._dropout:
            attributes = random.random(ids.shape) < self._dropout
            attributes[:, 0] = False  # the root
            ids[attributes] = RARE_ID
        return replace(encoded, ids=ids)
