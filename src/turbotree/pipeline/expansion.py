"""Multiword tokens: which words a written form stands for, by rules learnt from examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_LONGEST_ENDING = 8


class Rule(NamedTuple):
    """How to take a form apart.

    Attributes
    ----------
    cut
        How many letters to take from its end.
    added
        What comes there instead; the first word is then complete.
    others
        The words after the first.
    """

    cut: int
    added: str
    others: tuple[str, ...]


def rule_of(form: str, words: Sequence[str]) -> Rule:
    """Return the rule that takes a form apart, both in lower case.

    >>> rule_of("don't", ["do", "n't"])
    Rule(cut=3, added='', others=("n't",))
    >>> rule_of("du", ["de", "le"])
    Rule(cut=1, added='e', others=('le',))
    """
    first = words[0]
    same = 0
    while same < min(len(form), len(first)) and form[same] == first[same]:
        same += 1
    return Rule(len(form) - same, first[same:], tuple(words[1:]))


def _applied(rule: Rule, form: str) -> list[str]:
    kept = form[: len(form) - rule.cut]
    tail = form[len(form) - rule.cut :]
    if not rule.added and "".join(rule.others) == tail.lower():
        # Nothing but a cut: what is written stays as it is written.
        words, at = [kept], 0
        for other in rule.others:
            words.append(tail[at : at + len(other)])
            at += len(other)
        return words
    words = [kept + rule.added, *rule.others]
    if len(form) > 1 and form.isupper():
        return [word.upper() for word in words]
    if form[:1].isupper():
        words[0] = words[0][:1].upper() + words[0][1:]
    return words


@dataclass(frozen=True)
class Expansion:
    """Takes multiword tokens apart: the longest ending that training knows decides.

    Attributes
    ----------
    rules
        By ending in lower case; whole forms begin with ``^``.
    usual
        For forms of which no ending is known; None if training had no multiword token.
    """

    rules: dict[str, Rule]
    usual: Rule | None

    @classmethod
    def learn(cls, examples: Iterable[tuple[str, Sequence[str]]]) -> Expansion:
        """Learn from forms and their words.

        >>> expansion = Expansion.learn([("don't", ["do", "n't"]), ("I'm", ["I", "'m"])])
        >>> expansion.words("Isn't"), expansion.words("you'm")
        (['Is', "n't"], ['you', "'m"])
        """
        counts: dict[str, Counter[Rule]] = {}
        total: Counter[Rule] = Counter()
        for form, words in examples:
            lower = form.lower()
            rule = rule_of(lower, [word.lower() for word in words])
            total[rule] += 1
            for ending in _endings(lower):
                counts.setdefault(ending, Counter())[rule] += 1
        rules: dict[str, Rule] = {}
        # Short endings first; a longer one is worth a rule if it says something else.
        for ending in sorted(counts, key=lambda e: (len(e), e)):
            best = _most(counts[ending])
            if _lookup(rules, ending[1:]) != best:
                rules[ending] = best
        return cls(rules, _most(total) if total else None)

    def words(self, form: str) -> list[str]:
        """Return the words that a form stands for; the form alone if nothing fits."""
        rule = _lookup(self.rules, "^" + form.lower()) or self.usual
        if rule is None or rule.cut >= len(form) + (1 if rule.added else 0):
            return [form]
        words = _applied(rule, form)
        return words if all(words) else [form]

    def to_list(self) -> list[Any]:
        """Return what a model file's header holds of it."""
        rows = [[ending, *rule] for ending, rule in sorted(self.rules.items())]
        return [rows, None if self.usual is None else list(self.usual)]

    @classmethod
    def from_list(cls, data: list[Any]) -> Expansion:
        """Undo :meth:`to_list`."""
        rows, usual = data
        rules = {str(ending): _checked(*rule) for ending, *rule in rows}
        return cls(rules, None if usual is None else _checked(*usual))


def _checked(cut: Any, added: Any, others: Any) -> Rule:
    if not isinstance(cut, int) or cut < 0 or not isinstance(added, str):
        raise ValueError(f"not a rule: {cut!r}, {added!r}")
    return Rule(cut, added, tuple(map(str, others)))


def _endings(form: str) -> list[str]:
    return [*(form[-n:] for n in range(1, min(len(form), _LONGEST_ENDING) + 1)), "^" + form]


def _lookup(rules: dict[str, Rule], form: str) -> Rule | None:
    """Find the rule of the longest known ending; whole forms begin with ``^``."""
    for start in range(len(form)):
        if (rule := rules.get(form[start:])) is not None:
            return rule
    return None


def _most(counts: Counter[Rule]) -> Rule:
    return min(counts, key=lambda rule: (-counts[rule], rule))
