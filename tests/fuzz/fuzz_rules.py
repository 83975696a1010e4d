"""Throw odd rules at the reader, at trees and at a parser for some time.

Usage: python tests/fuzz/fuzz_rules.py --seconds 300 [--seed 1]

Whatever a text of rules says, it is an InputError of one line, or it can be asked of a tree and
obeyed by a parser, unless no tree obeys it. Texts are drawn from the grammar, some of them damaged,
some of them far too deep or long. Prints the text that broke a rule and stops.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

import numpy as np

from turbotree import Parser
from turbotree.errors import InfeasibleError, InputError
from turbotree.parsing import compile_rules
from turbotree.parsing.rules.groundings import TreeWorld
from turbotree.parsing.rules.lazy_grounding import broken_rules
from turbotree.parsing.rules.words import Words
from turbotree.text import Sentence, treebank

VARIABLES = tuple("abcdefghxyz")
FUNCTIONS = ("form", "lemma", "upos", "xpos", "feats", "text")
PREDICATES = (
    *("arc", "arc", "arc", "label", "label", "path", "sibling", "nonprojective"),
    *("between", "quoted"),
)
TEXTS = ("'NOUN'", '"the"', "'nsubj'", "'*'", "'n*'", r"'\''", "''", "'\\ud800'", "'🐦 a'")
LABELS = ("'nsubj'", "'obj'", "'*'", "'n*'", "{'nsubj', 'obj'}")
NUMBERS = ("0", "1", "2", "3", "17", "999999999999", "9" * 13, "9" * 5000)
WEIGHTS = (*[""] * 6, *["[1] ", "[-0.5] ", "[0] "] * 2, "[1e300] ", "[?] ", "[1e999] ")
PIECES = [
    *("(", ")", "{", "}", "[", "]", ":", ",", "'", '"', "#", "\n", "\n  ", "\t", "\0", "\r\n"),
    *(" and ", " or ", " not ", " -> ", " <-> ", " in ", " like ", " file 'x'", "rule ", " = "),
    *("forall x: ", "exists unique ", "at most 1 ", "exactly 0 ", "+", "-", "<=", "é", "\u2028"),
]


class Writer:
    """Draws rules that are mostly in the grammar."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def rules(self) -> str:
        count = self.chance.choice([1, 1, 1, 2, 3])
        names = (f"rule r{self.chance.randint(0, 9)}: " for _ in range(count))
        return "\n".join(
            (name if self.chance.random() < 0.5 else "")
            + self.chance.choice(WEIGHTS)
            + self.formula(self.chance.randint(0, 4), [])
            for name in names
        )

    def formula(self, depth: int, bound: list[str]) -> str:
        chance = self.chance
        kind = chance.randint(0, 8) if depth else 9
        if kind <= 2 or (not bound and chance.random() < 0.9):
            names = chance.sample(VARIABLES, chance.choice([1, 1, 2, 3]))
            if chance.random() < 0.98:
                names = [name for name in names if name not in bound] or ["last"]
            odd = " in x" if chance.random() < 0.05 else ""
            sorts = (chance.choice(["", "", odd, " in word", " in head"]) for _ in names)
            number = chance.choice(NUMBERS) if chance.random() < 0.05 else chance.choice("012")
            quantifiers = (
                *("forall", "forall", "exists", "exists unique"),
                *(f"{words} {number}" for words in ("at most", "at least", "exactly")),
            )
            listed = ", ".join(name + sort for name, sort in zip(names, sorts, strict=True))
            inner = self.formula(max(depth - 1, 0), bound + names)
            return f"{chance.choice(quantifiers)} {listed}: {inner}"
        if kind <= 5:
            joint = chance.choice([" and ", " or ", " -> ", " <-> "])
            parts = [self.formula(depth - 1, bound) for _ in range(chance.choice([2, 2, 3]))]
            return f"({joint.join(parts[:2] if '>' in joint else parts)})"
        if kind <= 6:
            return f"not {self.formula(depth - 1, bound)}"
        return self.simple(bound)

    def simple(self, bound: list[str]) -> str:
        chance = self.chance
        kind = chance.randint(0, 5)
        if kind <= 2:
            name = chance.choice(PREDICATES)
            count = {"sibling": 3, "between": 3, "label": 2}.get(name, 2)
            arguments = [self.term(bound, 1) for _ in range(count + (chance.random() < 0.03))]
            if name == "label":
                odd = chance.random() < 0.05
                arguments.append(chance.choice([*TEXTS, "{1}"] if odd else LABELS))
            return f"{name}({', '.join(arguments)})"
        if kind == 3:
            odd = ("-1", "1.5", *NUMBERS) if chance.random() < 0.1 else ("1", "2")
            values = [chance.choice(TEXTS + odd) for _ in range(chance.choice([1, 2, 5]))]
            where = chance.choice([" in ", " not in "])
            return f"{self.term(bound, 2)}{where}{{{', '.join(values)}}}"
        if kind == 4:
            return f"{self.term(bound, 2)} like {chance.choice(TEXTS)}"
        operator = chance.choice(["=", "!=", "<", "<=", ">", ">="])
        return f"{self.term(bound, 2)} {operator} {self.term(bound, 2)}"

    def term(self, bound: list[str], depth: int) -> str:
        chance = self.chance
        kind = chance.randint(0, 9)
        if kind <= 4 or not depth:
            return chance.choice(bound or ["root"])
        if kind == 5:
            return chance.choice(TEXTS)
        if kind <= 7:
            number = chance.choice(NUMBERS) if chance.random() < 0.1 else chance.choice("0123")
            left = chance.choice(bound or ["root"])
            return number if kind == 6 else f"{left} {chance.choice('+-')} {number}"
        name = chance.choice(FUNCTIONS)
        second = {"feats": "'Number'", "text": self.term(bound, depth - 1)}.get(name)
        if name == "feats" and chance.random() < 0.1:
            second = "{'Number'}"
        arguments = [self.term(bound, depth - 1), *([second] if second else [])]
        return f"{name}({', '.join(arguments)})"


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice([1, 1, 2, 5])):
        at, until = sorted(chance.randint(0, len(text)) for _ in range(2))
        until = min(until, at + chance.choice([0, 1, 5, 20]))
        text = text[:at] + chance.choice(["", text[at:until] * 2, *PIECES]) + text[until:]
    return text


def enormous(chance: random.Random) -> str:
    """Make a rule that is deep or long, at sizes on both sides of what is taken."""
    size = chance.choice([20, 90, 100, 101, 400, 999, 1001, 3000, 5000])
    shape = chance.randint(0, 8)
    atom = "arc(x, y)"
    head = "forall x, y: "
    if shape == 0:
        return head + "(" * size + atom + ")" * size
    if shape == 1:
        return head + "not " * size + atom
    if shape in (2, 3):
        return head + (" and " if shape == 2 else " or ").join([atom] * size)
    if shape == 4:
        return head + " -> ".join([atom] * size)
    if shape == 5:
        return head + f"({atom} and (not {atom} or " * (size // 2) + atom + "))" * (size // 2)
    if shape == 6:
        return "".join(f"exists x{i}: " for i in range(size)) + "arc(x0, x1)"
    if shape == 7:
        return "forall x: x" + " + 1" * size + " > 0"
    return "forall x: " + "form(" * size + "x" + ")" * size + " = 'a'"


def check(text: str, parser: Parser, sentence: Sentence, *, parse: bool) -> str:
    """Ask a tree, and a parser, about rules; tell what came of it."""
    try:
        rules = compile_rules(text + "\n")
        heads = np.array(sentence.heads)
        broken_rules(rules.rules, TreeWorld(Words(sentence), heads, sentence.labels))
        if parse:
            parser.parse(sentence, rules=rules)
            return "obeyed"
    except (InputError, InfeasibleError) as error:
        message = str(error)
        refused = "refused" if isinstance(error, InputError) else "no tree obeys"
    else:
        return "asked"
    assert "\n" not in message, message
    return refused


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=random.randrange(10**9))
    options = arguments.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    writer = Writer(chance)
    parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    short = [sentence for sentence in treebank(60, seed=2) if len(sentence) <= 6]
    outcomes: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        kind = chance.random()
        text = enormous(chance) if kind < 0.01 else writer.rules()
        if kind > 0.8:
            text = damaged(text, chance)
        sentence = chance.choice(short)
        try:
            outcomes[check(text, parser, sentence, parse=chance.random() < 0.3)] += 1
        except BaseException:
            print(f"FAILED on {text!r}\nwith {sentence.forms}", file=sys.stderr, flush=True)
            raise
    print(f"{sum(outcomes.values()):,} texts:", dict(outcomes.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
