"""What rules can see of a sentence: its words, and nothing of its tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turbotree.graphs.rules.circuit import FALSE, TRUE
from turbotree.graphs.rules.dictionary_world import Codes
from turbotree.graphs.rules.relations import Ints, Relation
from turbotree.graphs.rules.syntax import Atom, Call, Constant, Member
from turbotree.graphs.rules.vocabulary import ANY, TEXT, Vocabulary
from turbotree.text import Sentence

#: Predicates that a parser finds, those of labels and the others, and what the words show.
LABELS = ("label",)
TREES = ("arc", "path", "sibling", "nonprojective")
VOCABULARY = Vocabulary(
    {
        "arc": ("head", "word"),
        "label": ("head", "word", TEXT),
        "path": ("head", "word"),
        "sibling": ("head", "word", "word"),
        "nonprojective": ("head", "word"),
        "between": (ANY, ANY, ANY),
        "quoted": ("word", "word"),
    },
    {
        "form": (ANY,),
        "lemma": (ANY,),
        "upos": (ANY,),
        "xpos": (ANY,),
        "feats": (ANY, TEXT),
        "text": ("word", "word"),
    },
    ("word", "head"),
    {"root": 0},
)

_OPENING = {"“": "”", "„": "“”", "«": "»", "»": "«", "``": "''", "‘": "’"}
_STRAIGHT = ('"', "''")
_NO_TEXTS: tuple[int, ...] = ()
_TEXTS = {"label": (2,), "feats": (1,)}


class Words(Codes):
    """The words of one sentence; the root is word 0 and has no form, lemma or tag.

    >>> words = Words(Sentence.from_words(["Birds", "sing"], upos=["NOUN", "VERB"]))
    >>> [words.decode(code) for code in words.column("upos")]
    ['', 'NOUN', 'VERB']
    """

    def __init__(self, sentence: Sentence) -> None:
        super().__init__()
        self.sentence = sentence
        self.size = len(sentence)
        self._columns: dict[str, Ints] = {}
        self._domains = {
            True: np.arange(1, self.size + 1),
            False: np.arange(self.size + 1),
        }
        self._quoted: Relation | None = None

    def domain(self, names: tuple[str, ...]) -> Ints:
        """Return the words; the root too if nothing speaks against it."""
        return self._domains["word" in names]

    def column(self, name: str, key: str = "") -> Ints:
        """Return the codes of an attribute of all words, the root first."""
        known = f"{name}.{key}"
        codes = self._columns.get(known)
        if codes is None:
            values = self.sentence.column(name)
            if key:
                values = tuple(_feature(value, key) for value in values)
            codes = np.array([self.code(value) for value in ("", *values)], dtype=np.int64)
            self._columns[known] = codes
        return codes

    def function(self, call: Call, columns: Sequence[Ints]) -> Ints:
        """Return the values of a function; outside the sentence it is the empty text."""
        if call.name == "text":
            forms = self.sentence.forms
            pairs = zip(columns[0].tolist(), columns[1].tolist(), strict=True)
            texts = [" ".join(forms[max(first - 1, 0) : last]) for first, last in pairs]
            return np.array([self.code(text) for text in texts], dtype=np.int64)
        key = ""
        if call.name == "feats":
            name = call.arguments[1]
            assert isinstance(name, Constant)
            key = str(name.value)
        values = self.column(call.name, key)
        words = columns[0]
        if not len(words) or (words.min() >= 0 and words.max() <= self.size):
            return values[words]
        inside = (words >= 0) & (words <= self.size)
        return np.where(inside, values[np.where(inside, words, 0)], self.code(""))

    def holds(self, atom: Atom, columns: Sequence[Ints]) -> Ints:
        """Tell which words are between two others."""
        assert atom.name == "between"
        word, one, other = columns
        inside = (np.minimum(one, other) < word) & (word < np.maximum(one, other))
        return np.where(inside, TRUE, FALSE)

    def members(self, member: Member) -> Relation | None:
        """Return the spans whose text is one of some names."""
        term = member.term
        if not isinstance(term, Call) or term.name != "text":
            return None
        names = {tuple(str(name).split(" ")) for name in member.values.values}
        longest = max(map(len, names), default=0)
        starts = {name[0] for name in names}
        forms = self.sentence.forms
        found = [
            (first + 1, last)
            for first, form in enumerate(forms)
            if form in starts
            for last in range(first + 1, min(first + longest, self.size) + 1)
            if forms[first:last] in names
        ]
        return Relation.of(found, columns=2)

    def texts(self, name: str) -> tuple[int, ...]:
        """Return the places of the arguments that are texts in quotes."""
        return _TEXTS.get(name, _NO_TEXTS)

    @property
    def quoted(self) -> Relation:
        """The pairs of quotation marks that belong together."""
        if self._quoted is None:
            self._quoted = Relation.of(quotations(self.sentence.forms), columns=2)
        return self._quoted


def quotations(forms: Sequence[str]) -> list[tuple[int, int]]:
    """Find pairs of quotation marks; marks without a fellow do not count.

    >>> quotations(["He", "said", '"', "go", '"', "."])
    [(3, 5)]
    """
    found = []
    open_marks: list[tuple[str, int]] = []
    for word, form in enumerate(forms, 1):
        closes = next(
            (
                place
                for place in range(len(open_marks) - 1, -1, -1)
                if form in _OPENING.get(open_marks[place][0], "")
                or (form == open_marks[place][0] and form in _STRAIGHT)
                or (open_marks[place][0] == "``" and form == "''")
            ),
            None,
        )
        if closes is not None:
            found.append((open_marks[closes][1], word))
            del open_marks[closes:]
        elif form in _OPENING or form in _STRAIGHT:
            open_marks.append((form, word))
    return sorted(found)


def _feature(values: str, key: str) -> str:
    """Return one of a word's features, or the empty text."""
    if key in values:
        for value in values.split("|"):
            name, _, own = value.partition("=")
            if name == key:
                return own
    return ""
