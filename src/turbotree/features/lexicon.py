"""What tags a word has had: the classes of ambiguity that the attribute ``tags`` stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from turbotree.features.attributes import Word, word_case
from turbotree.files.headers import texts

#: The attribute's name in templates.
TAGS = "tags"

# Rarer words are taken for unknown ones: their tags in training say too little, and too much of
# the sentence that they stand in. Tags that make up less than the share are noise, mostly.
_LEAST_COUNT = 3
_LEAST_SHARE = 0.05
_UNKNOWN_LETTERS = 2


def unknown_value(form: str) -> str:
    """Return what stands for the tags of a word that is not known.

    >>> unknown_value("Singing")
    '?title-ng'
    """
    return f"?{word_case(form)}-{form.lower()[-_UNKNOWN_LETTERS:]}"


def _tag(word: Word) -> str:
    upos, xpos = word[2], word[3]
    return upos if xpos == "_" else f"{upos}.{xpos}"


class Lexicon:
    """The tags of frequent words; unknown ones go by case and ending.

    A tag is UPOS together with XPOS; the case of a word's letters does not matter.

    Parameters
    ----------
    classes
        By word in lower case: its tags, in one string.

    Examples
    --------
    >>> words = [("run", "_", tag, "_", "_") for tag in ["VERB", "VERB", "NOUN"]]
    >>> lexicon = Lexicon.fit(Counter(words).items())
    >>> lexicon.value(words[0]), lexicon.value(("Jumps", "_", "_", "_", "_"))
    ('NOUN|VERB', '?title-ps')
    """

    def __init__(self, classes: dict[str, str]) -> None:
        self._classes = classes

    @classmethod
    def fit(cls, words: Iterable[tuple[Word, int]]) -> Lexicon:
        """Collect the tags of words that come with their counts."""
        counts: dict[str, Counter[str]] = {}
        for word, count in words:
            counts.setdefault(word[0].lower(), Counter())[_tag(word)] += count
        return cls(
            {
                form: "|".join(sorted(t for t, n in tags.items() if n >= _LEAST_SHARE * total))
                for form, tags in counts.items()
                if (total := tags.total()) >= _LEAST_COUNT
            }
        )

    def value(self, word: Word) -> str:
        """Return a word's tags; of an unknown word, its case and its last letters."""
        return self._classes.get(word[0].lower()) or unknown_value(word[0])

    def to_dict(self) -> dict[str, list[str]]:
        """Return what a model file's header holds: the words of each class."""
        words: dict[str, list[str]] = {}
        for form, tags in sorted(self._classes.items()):
            words.setdefault(tags, []).append(form)
        return words

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Lexicon:
        """Undo :meth:`to_dict`."""
        return cls({form: tags for tags, forms in data.items() for form in texts(forms, tags)})
