"""Features as strings: what a template says of a part, read off the sentence itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, product

from turbotree.features import PartKind
from turbotree.text import Sentence

#: How often a value of an attribute has to occur to be known.
LEAST = {
    "form": 2,
    "lower": 2,
    "lemma": 2,
    "shape": 2,
    "pattern": 2,
    "prefix": 3,
    "suffix": 3,
}
#: The shortest distance of each bin, and the bins' names.
BIN_STARTS = (1, 2, 3, 4, 5, 6, 8, 11, 16, 26, 41)
BIN_NAMES = ("1", "2", "3", "4", "5", "6..7", "8..10", "11..15", "16..25", "26..40", "41..")

Values = tuple[str, ...]


def value(attribute: str, sentence: Sentence, word: int) -> str:
    """Give an attribute of word 1..n as a string."""
    token = sentence.words[word - 1]
    if attribute.startswith("prefix"):
        return token.form[: int(attribute[6:])].lower()
    if attribute.startswith("suffix"):
        return token.form[max(0, len(token.form) - int(attribute[6:])) :].lower()
    if attribute.startswith("feats:"):
        pairs = [entry.split("=", 1) for entry in token.feats.split("|") if "=" in entry]
        return dict(pairs).get(attribute.split(":")[1], "")
    return {
        "form": token.form,
        "lower": token.form.lower(),
        "lemma": token.form.lower() if token.lemma == "_" else token.lemma,
        "upos": token.upos,
        "xpos": token.upos if token.xpos == "_" else token.xpos,
        "feats": token.feats,
        "shape": shape(token.form),
        "pattern": pattern(token.form),
        "case": case(token.form),
        "digit": share(re.findall(r"\d", token.form), token.form),
        "punct": share([c for c in token.form if not c.isalnum()], token.form),
        "hyphen": "yes" if re.search(r".-.", token.form, re.DOTALL) else "no",
    }[attribute]


def pattern(form: str) -> str:
    """Give the first twelve runs of equal characters, letters and digits by their kind."""

    def kind(character: str) -> str:
        if character.isalpha():
            return "A" if character.isupper() else "a"
        return "0" if character.isdigit() else character

    runs = [(key, len(list(run))) for key, run in groupby(form, kind)]
    return "".join("0+" if key == "0" and long > 1 else key for key, long in runs[:12])


def case(form: str) -> str:
    """Name the way a word is capitalised."""
    letters = "".join("A" if c.isupper() else "a" for c in form if c.isalpha())
    for name, expression in (("none", ""), ("lower", "a+"), ("upper", "AA+"), ("title", "A.*")):
        if re.fullmatch(expression, letters):
            return name
    return "mixed"


def share(found: Sequence[str], form: str) -> str:
    """Tell whether none, some or all of a word's characters were found."""
    return "none" if not found else "all" if len(found) == len(form) else "some"


def shape(form: str) -> str:
    """Give the first eight runs of equal kinds of characters."""

    def kind(character: str) -> str:
        if character.isalpha():
            return "X" if character.isupper() else "x"
        return "d" if character.isdigit() else "."

    return "".join(key for key, _ in groupby(form, kind))[:8]


def feats_entries(sentence: Sentence, word: int) -> list[str]:
    """Give the FEATS of word 1..n one by one."""
    feats = sentence.words[word - 1].feats
    return [] if feats == "_" else feats.split("|")


def distance_bin(first: int, second: int) -> str:
    """Name the bin of a distance; the sign says on which side the second lies."""
    number = max(i for i, start in enumerate(BIN_STARTS) if start <= abs(second - first))
    return ("+" if second > first else "-") + BIN_NAMES[number]


class FeatureOracle:
    """Enumerates the features of parts.

    Parameters
    ----------
    templates, kind
        What to look at.
    training
        The sentences whose values are known; all other values are the same rare one.
    """

    def __init__(
        self, templates: Sequence[str], kind: PartKind, training: Iterable[Sentence]
    ) -> None:
        self.templates = list(templates)
        self.kind = kind
        self.training = list(training)
        self._known: dict[str, set[str]] = {}

    def of_part(self, sentence: Sentence, row: Sequence[int]) -> list[tuple[int, Values]]:
        """List (template, values) of every feature of a part, doubles included."""
        return [
            (number, values)
            for number, template in enumerate(self.templates)
            for values in self._of_template(template, sentence, row)
        ]

    def _of_template(self, template: str, sentence: Sentence, row: Sequence[int]) -> list[Values]:
        atoms = template.split()
        between = self._between(row)
        # The atoms at "b" look at the same word, so they vary together.
        at_between = [i for i, atom in enumerate(atoms) if re.match(r"b[+-.]", atom)]
        together = {
            tuple(self._word_atom(atoms[i], sentence, word)[0] for i in at_between)
            for word in between
        }
        choices = [
            [("", "")] if i in at_between else self._alternatives(atom, sentence, row)
            for i, atom in enumerate(atoms)
        ]
        found = []
        for chosen in product(*choices):
            for joint in sorted(together) if at_between else [()]:
                values = ["".join(choice) for choice in chosen]
                for i, text in zip(at_between, joint, strict=True):
                    values[i] = text
                found.append(tuple(values))
        return found

    def _between(self, row: Sequence[int]) -> range:
        low, high = sorted(row[:2])
        return range(0) if low < 0 else range(low + 1, high)

    def _alternatives(self, atom: str, sentence: Sentence, row: Sequence[int]) -> list[Values]:
        slots = dict(zip(self.kind.slots, row, strict=False))
        columns = dict(zip(self.kind.columns, row[len(slots) :], strict=True))
        if atom in columns:
            return [(str(columns[atom]),)]
        if atom.startswith("count"):
            attribute, wanted = atom[6:-1].split("=", 1)
            found = [self._known_value(attribute, sentence, w) for w in self._between(row)]
            return [(str(min(3, found.count(wanted))),)]
        if atom.startswith(("dist", "dir")):
            names = atom[:-1].split("(")[1].split(",") if "(" in atom else self.kind.slots[:2]
            first, second = (slots[name] for name in names)
            if min(first, second) < 0:
                return [("<none>",)]
            if atom.startswith("dist"):
                return [(distance_bin(first, second),)]
            return [("right" if second > first else "left",)]
        slot = re.match("[a-z]+", atom)
        assert slot is not None
        return [(text,) for text in self._word_atom(atom, sentence, slots[slot[0]])]

    def _word_atom(self, atom: str, sentence: Sentence, slot_word: int) -> list[str]:
        match = re.fullmatch(r"[a-z]+([+-]\d+)?\.(.*)", atom)
        assert match is not None
        word, attribute = slot_word + int(match[1] or 0), match[2]
        inside = slot_word >= 0 and 0 <= word <= len(sentence)
        if attribute == "feat":
            if not inside or word == 0:
                return []
            known = self._values_of("feat")
            return [e if e in known else "<rare>" for e in feats_entries(sentence, word)]
        if slot_word < 0:
            return ["<none>"]
        if not inside:
            return ["<before>" if word < 0 else "<after>"]
        return [self._known_value(attribute, sentence, word)]

    def _known_value(self, attribute: str, sentence: Sentence, word: int) -> str:
        if word == 0:
            return "<root>"
        text = value(attribute, sentence, word)
        return text if text in self._values_of(attribute) else "<rare>"

    def _values_of(self, attribute: str) -> set[str]:
        if attribute not in self._known:
            counts: Counter[str] = Counter()
            for sentence in self.training:
                for word in range(1, len(sentence) + 1):
                    counts.update(
                        feats_entries(sentence, word)
                        if attribute == "feat"
                        else [value(attribute, sentence, word)]
                    )
            least = LEAST.get(attribute.rstrip("12345"), 1)
            self._known[attribute] = {text for text, n in counts.items() if n >= least}
        return self._known[attribute]
