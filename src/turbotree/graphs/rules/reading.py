"""From the text of a rule file to rules."""

from __future__ import annotations

import ast
import math
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

from turbotree.errors import InputError
from turbotree.graphs.rules import syntax

#: What a formula may be at most: so deep, and so many parts joined by "and" or "or". What works on
#: formulas calls itself for what is inside, some five calls a level.
MOST_NESTED, MOST_PARTS = 100, 1000
_NESTED = {"grouped", "not_", "and_", "or_", "implies", "iff", "quantified", "shifted", "call"}
_LONGEST_NUMBER = 12

_WORDS = {
    "LPAR": "'('",
    "RPAR": "')'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "COLON": "':'",
    "COMMA": "','",
    "NAME": "a name",
    "TEXT": "a text in quotes",
    "WHOLE": "a whole number",
    "SIGNED": "a number",
    "LEARN": "'?'",
    "OPERATOR": "'=', '<' or the like",
    "SIGN": "'+' or '-'",
    "_NEWLINE": "a new line",
    "$END": "the end",
    "__ANON_0": "'<->'",
    "__ANON_1": "'->'",
}


def read_rules(text: str, source: str = "<rules>", folder: Path | None = None) -> list[syntax.Rule]:
    """Read the rules of a text.

    Parameters
    ----------
    text
        What a rule file holds.
    source
        The file's name; errors begin with it.
    folder
        Where the files lie that rules take names from.

    Raises
    ------
    InputError
        With line and column, if this is no text of rules.

    Examples
    --------
    >>> rule, = read_rules("rule shy: [0.5] forall x, y: likes(x, y) -> not tells(x, y)")
    >>> rule.name, rule.weight
    ('shy', 0.5)
    >>> read_rules("forall x likes(x)", "rules.txt")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: rules.txt:1:10: expected ',', ':' or 'in', got 'likes'
    """
    text = text.removeprefix("\ufeff")  # a byte order mark
    reader = _Reader(source, folder or Path(), _indent(text))
    tree = _parsed(text.replace("\r\n", "\n"), reader)
    reader.check_size(tree)
    rules = [reader.rule(node, number) for number, node in enumerate(tree.children, 1)]
    seen: dict[str, syntax.Rule] = {}
    for rule in rules:
        if rule.name in seen:
            line = seen[rule.name].at.line
            reader.fail(rule.at, f"rule {rule.name} is there already, in line {line}")
        seen[rule.name] = rule
    return rules


@cache
def _grammar() -> Any:
    from lark import Lark

    text = resources.files("turbotree.graphs.rules").joinpath("grammar.lark").read_text("utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def _indent(text: str) -> int:
    """Return how far all lines are indented: a text in a program may be."""
    lines = [line for line in text.splitlines() if line.strip()]
    return min((len(line) - len(line.lstrip()) for line in lines), default=0)


def _parsed(text: str, reader: _Reader) -> Any:
    from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

    indent = reader.indent
    # Lines lose only what all have in common, so that columns differ by that much.
    lines = [line[indent:] if line.strip() else "" for line in text.split("\n")]
    try:
        return _grammar().parse("\n".join(lines))
    except UnexpectedCharacters as error:
        place = syntax.Place(error.line, error.column + indent)
        found = "a quotation mark without its fellow" if error.char in "'\"" else repr(error.char)
        reader.fail(place, f"expected {_listed(error.allowed)}, got {found}")
    except (UnexpectedToken, UnexpectedEOF) as error:
        token = getattr(error, "token", None)
        if token is None or token.type == "$END":
            last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=1)
            place, got = syntax.Place(last, len(lines[last - 1].rstrip()) + 1), "the end"
        else:
            place = syntax.Place(token.line, token.column)
            got = "a new line" if token.type == "_NEWLINE" else repr(str(token))
        place = syntax.Place(place.line, place.column + indent)
        wanted = getattr(error, "accepts", None) or error.expected
        reader.fail(place, f"expected {_listed(wanted)}, got {got}")


def _listed(terminals: Any) -> str:
    """Say which of the grammar's terminals may come."""
    wanted = set(terminals or ()) - {"_NEWLINE", "COMMENT", "BLANK"}
    if {"NOT", "LPAR", "FORALL"} <= wanted:
        return "a formula"
    if {"TEXT", "NAME", "WHOLE"} <= wanted:
        return "a term"
    names = sorted(_WORDS.get(name, f"'{name.lower()}'") for name in wanted)
    if not names:
        return "something else"
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


class _Reader:
    """Turns the grammar's trees into rules."""

    def __init__(self, source: str, folder: Path, indent: int) -> None:
        self.source = source
        self.folder = folder
        self.indent = indent

    def fail(self, at: syntax.Place, reason: str) -> NoReturn:
        raise InputError(f"{at.in_file(self.source)}: {reason}")

    def at(self, node: Any) -> syntax.Place:
        where = getattr(node, "meta", node)
        return syntax.Place(where.line, where.column + self.indent)

    def check_size(self, tree: Any) -> None:
        """Refuse formulas that are too deep or too long; without recursion, as it comes first."""
        todo = [(tree, 0)]
        while todo:
            node, depth = todo.pop()
            depth += node.data in _NESTED
            if depth > MOST_NESTED:
                self.fail(self.at(node), f"a formula is nested more than {MOST_NESTED} deep")
            if node.data in ("and_", "or_") and len(node.children) > MOST_PARTS:
                word = node.data.rstrip("_")
                self.fail(self.at(node), f"more than {MOST_PARTS} parts are joined by '{word}'")
            todo += [(child, depth) for child in node.children if hasattr(child, "data")]

    def rule(self, node: Any, number: int) -> syntax.Rule:
        name, weight, formula = node.children
        cost, learn = None, False
        if weight is not None:
            learn = weight.children[0] == "?"
            cost = 0.0 if learn else float(weight.children[0])
            if not math.isfinite(cost):
                self.fail(self.at(weight), "a weight is a finite number")
        read = self.formula(formula)
        return syntax.Rule(str(name) if name else f"rule{number}", cost, read, self.at(node), learn)

    def formula(self, node: Any) -> syntax.Formula:
        kind, children = node.data, node.children
        if kind in ("and_", "or_"):
            parts = tuple(self.formula(child) for child in children)
            return syntax.And(parts) if kind == "and_" else syntax.Or(parts)
        if kind == "grouped":
            return self.formula(children[0])
        if kind == "not_":
            return syntax.Not(self.formula(children[0]))
        if kind == "implies":
            left, right = (self.formula(child) for child in children)
            return syntax.Or((syntax.Not(left), right))
        if kind == "iff":
            left, right = (self.formula(child) for child in children)
            return syntax.And(
                (syntax.Or((syntax.Not(left), right)), syntax.Or((left, syntax.Not(right))))
            )
        if kind == "quantified":
            return self.quantified(node)
        if kind == "atom":
            return syntax.Atom(str(children[0]), self.arguments(children[1]), self.at(node))
        if kind == "compare":
            left_term, operator, right_term = children
            return syntax.Compare(
                str(operator), self.term(left_term), self.term(right_term), self.at(node)
            )
        if kind == "like":
            pattern = syntax.Constant(self.text(children[1]), self.at(children[1]))
            return syntax.Compare("like", self.term(children[0]), pattern, self.at(node))
        member = syntax.Member(self.term(children[0]), self.values(children[1]), self.at(node))
        return syntax.Not(member) if kind == "not_member" else member

    def quantified(self, node: Any) -> syntax.Quantified:
        quantifier, bindings, formula = node.children
        count = self.whole(quantifier.children[0]) if quantifier.children else 1
        least, most = {
            "forall": (None, None),
            "exists": (1, None),
            "exists_unique": (1, 1),
            "at_most": (None, count),
            "at_least": (count, None),
            "exactly": (count, count),
        }[quantifier.data]
        variables, sorts = [], []
        for binding in bindings.children:
            name, sort = binding.children
            variables.append(syntax.Variable(str(name), self.at(name)))
            sorts.append((str(sort),) if sort else ())
        return syntax.Quantified(
            least, most, tuple(variables), tuple(sorts), self.formula(formula), self.at(node)
        )

    def arguments(self, node: Any) -> tuple[syntax.Argument, ...]:
        if node is None:
            return ()
        return tuple(
            self.values(child) if child.data == "set" else self.term(child)
            for child in node.children
        )

    def term(self, node: Any) -> syntax.Term:
        kind, children, at = node.data, node.children, self.at(node)
        if kind == "name":
            return syntax.Variable(str(children[0]), at)
        if kind == "shifted":
            left, sign, right = children
            return syntax.Shifted(self.term(left), 1 if sign == "+" else -1, self.term(right), at)
        if kind == "call":
            return syntax.Call(str(children[0]), self.arguments(children[1]), at)
        return syntax.Constant(self.value(node), at)

    def value(self, node: Any) -> syntax.Value:
        token = node.children[0]
        if node.data == "text":
            return self.text(token)
        if not re.fullmatch(r"[+-]?\d+", token):
            self.fail(self.at(token), f"expected a whole number or a text in quotes, got {token}")
        return self.whole(token)

    def whole(self, token: Any) -> int:
        if len(token) > _LONGEST_NUMBER:
            self.fail(self.at(token), f"a number of more than {_LONGEST_NUMBER} digits")
        return int(token)

    def text(self, token: Any) -> str:
        try:
            return str(ast.literal_eval(str(token)))
        except (SyntaxError, ValueError):
            self.fail(self.at(token), f"cannot read the text {token}")

    def values(self, node: Any) -> syntax.Values:
        if node.data == "set":
            return syntax.Values(
                frozenset(self.value(child) for child in node.children), self.at(node)
            )
        name = self.text(node.children[0])
        path = self.folder / name
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            self.fail(self.at(node), f"cannot read {name!r}: not UTF-8")
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have
            reason = getattr(error, "strerror", None) or error
            self.fail(self.at(node), f"cannot read {name!r}: {reason}")
        names = {" ".join(line.split()) for line in lines if not line.lstrip().startswith("#")}
        return syntax.Values(frozenset(names - {""}), self.at(node), name)
