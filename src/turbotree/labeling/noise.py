"""Words that are hidden now and then in training, so that their surroundings get weight too."""

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
    """Hides words, rare ones more often.

    A word that occurs c times in training is unknown with the probability a / (a + c), `a` being
    the strength: about as often as words like it are unknown in new text.

    Parameters
    ----------
    sentences
        The training data.
    encoder
        The tagger's encoder.
    strength
        How much is hidden.
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
        self, sentences: Sequence[Sentence], encoder: Encoder, *, strength: float, seed: int
    ) -> None:
        counts = Counter(form.lower() for sentence in sentences for form in sentence.forms)
        chance = {form: strength / (strength + count) for form, count in counts.items()}
        self._seed = seed
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
        """Return a training sentence with some of its words hidden; `turn` tells calls apart."""
        chances = self._chances[index]
        drawn = np.random.default_rng([self._seed, index, turn]).random(len(chances)) < chances
        if not drawn.any():
            return encoded
        ids: npt.NDArray[np.int32] = encoded.ids.copy()
        places = np.ix_(self._rows, np.flatnonzero(drawn))
        ids[places] = self._hidden[index][:, drawn]
        return replace(encoded, ids=ids)
