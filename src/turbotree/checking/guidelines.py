"""Rules that annotation has to obey: UD's guidelines, bundled, and rule files of one's own.

They are written in the language of ``docs/parsing/rules.md``. The comment above a rule becomes the
message where it is broken, and an address in it the link to the guideline.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from turbotree.checking.findings import BrokenRule
from turbotree.errors import InputError
from turbotree.graphs.rules import Rules
from turbotree.parsing import ParserRules, compile_rules
from turbotree.parsing.rules.groundings import TreeWorld
from turbotree.parsing.rules.lazy_grounding import broken_rules
from turbotree.parsing.rules.words import Words
from turbotree.text import Sentence

#: Variables that stand for governors and heads; a broken rule blames the other words.
_HEADS = ("g", "h")
_ADDRESS = re.compile(r"https?://\S+")


@dataclass(frozen=True)
class Guidelines:
    """Rules, with what to say where they are broken.

    Attributes
    ----------
    rules
        The rules, checked.
    notes
        For each rule by name, what is said of a word that breaks it.

    Examples
    --------
    >>> guidelines = Guidelines.of_text('''
    ... # Coordination goes from left to right.
    ... # https://universaldependencies.org/u/dep/conj.html
    ... rule conj: forall h, m: label(h, m, 'conj') -> h < m
    ... ''')
    >>> apples = ["Apples", "and", "pears"]
    >>> tree = Sentence.from_words(apples, heads=[3, 3, 0], labels=["conj", "cc", "root"])
    >>> broken = guidelines.broken(tree)
    >>> {word: [rule.message for rule in rules] for word, rules in broken.items()}
    {1: ['Coordination goes from left to right.']}
    """

    rules: ParserRules
    notes: dict[str, BrokenRule]

    @classmethod
    def of_text(cls, text: str, source: str = "<rules>", folder: Path | None = None) -> Guidelines:
        """Read rules from their text."""
        rules = compile_rules(Rules.from_text(text, source, folder))
        lines = text.split("\n")
        notes = {}
        for rule in rules.rules:
            message, address = _comment(lines, rule.at.line - 1)
            notes[rule.name] = BrokenRule(rule.name, message or f"breaks {rule.name}", address)
        return cls(rules, notes)

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Guidelines:
        """Read rules from a file."""
        Rules.from_file(path)  # says what is wrong with the file, if anything
        text = Path(path).read_text(encoding="utf-8-sig")
        return cls.of_text(text, os.fspath(path), Path(path).parent)

    @classmethod
    def bundled(cls) -> Guidelines:
        """Return the bundled rules of Universal Dependencies.

        >>> sorted(Guidelines.bundled().notes)[:3]
        ['gap_fixed', 'gap_goeswith', 'leaf_aux_cop']
        """
        file = resources.files("turbotree.checking").joinpath("rules", "ud.rules")
        return cls.of_text(file.read_text(encoding="utf-8"), "ud.rules")

    def joined(self, others: Sequence[Guidelines]) -> Guidelines:
        """Return these and others; no two rules may have the same name."""
        notes = dict(self.notes)
        rules, sources = list(self.rules.rules), [self.rules.source]
        for other in others:
            twice = notes.keys() & other.notes.keys()
            if twice:
                name = min(twice)
                raise InputError(f"{other.rules.source}: there is another rule {name!r}")
            notes |= other.notes
            rules += other.rules.rules
            sources.append(other.rules.source)
        return Guidelines(ParserRules(tuple(rules), ",".join(sources)), notes)

    def broken(self, sentence: Sentence) -> dict[int, tuple[BrokenRule, ...]]:
        """Return the rules that each word of a sentence with a whole tree breaks, if any."""
        heads = np.array(sentence.heads, dtype=np.int32)
        world = TreeWorld(Words(sentence), heads, sentence.labels)
        found: dict[int, list[BrokenRule]] = {}
        for name, bindings in broken_rules(self.rules.rules, world).items():
            columns = [own for variable, own in bindings.columns.items() if variable not in _HEADS]
            words = np.unique(np.concatenate(columns)).tolist() if columns else [1]
            for word in words:
                if word > 0:
                    found.setdefault(word, []).append(self.notes[name])
        return {word: tuple(found[word]) for word in sorted(found)}


def _comment(lines: Sequence[str], line: int) -> tuple[str, str]:
    """Return what the comment above a line says, and the address in it."""
    above = []
    while line > 0 and lines[line - 1].lstrip().startswith("#"):
        line -= 1
        above.append(lines[line].strip().lstrip("# "))
    text = " ".join(reversed(above))
    address = _ADDRESS.search(text)
    return " ".join(_ADDRESS.sub("", text).split()), address.group() if address else ""
