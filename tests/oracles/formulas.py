"""Random formulas as texts, each with a plain function that says whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

THINGS = ("a", "b", "c")
AGES = {"a": 1, "b": 2, "c": 2}
FRIENDS = {("a", "b"), ("b", "c"), ("c", "c")}

#: Given what is true and the values of variables, whether a formula holds.
Holds = Callable[[Mapping[Any, bool], Mapping[str, str]], bool]


def random_formula(
    rng: np.random.Generator, variables: tuple[str, ...] = (), depth: int = 3
) -> tuple[str, Holds]:
    """Draw a formula over p(x), q(x, y), the known friends(x, y) and the function age(x)."""
    kinds = ["atom"] * 2 + ["quantifier"] * 2 * (len(variables) < 2) + ["connective"] * 3
    kind = kinds[rng.integers(len(kinds))] if depth else "atom"
    if not variables:
        kind = "quantifier"
    if kind == "atom":
        return _atom(rng, variables)
    if kind == "quantifier":
        return _quantified(rng, variables, depth)
    one, left = random_formula(rng, variables, depth - 1)
    which = rng.integers(5)
    if which == 0:
        return f"not ({one})", lambda true, at: not left(true, at)
    other, right = random_formula(rng, variables, depth - 1)
    word = ["and", "or", "->", "<->"][which - 1]
    joined: list[Holds] = [
        lambda true, at: left(true, at) and right(true, at),
        lambda true, at: left(true, at) or right(true, at),
        lambda true, at: not left(true, at) or right(true, at),
        lambda true, at: left(true, at) == right(true, at),
    ]
    return f"({one}) {word} ({other})", joined[which - 1]


def _atom(rng: np.random.Generator, variables: tuple[str, ...]) -> tuple[str, Holds]:
    names = [*variables, *(f"'{thing}'" for thing in THINGS)]

    def draw() -> tuple[str, Callable[[Mapping[str, str]], str]]:
        name = names[rng.integers(len(variables) + (rng.random() < 0.2) * len(THINGS))]
        return name, lambda at: at[name] if name in at else name.strip("'")

    (x, get_x), (y, get_y) = draw(), draw()
    texts: list[tuple[str, Holds]] = [
        (f"p({x})", lambda true, at: true["p", get_x(at)]),
        (f"q({x}, {y})", lambda true, at: true["q", get_x(at), get_y(at)]),
        (f"q({x}, {y})", lambda true, at: true["q", get_x(at), get_y(at)]),
        (f"friends({x}, {y})", lambda true, at: (get_x(at), get_y(at)) in FRIENDS),
        (f"age({x}) < age({y})", lambda true, at: AGES[get_x(at)] < AGES[get_y(at)]),
        (f"age({x}) + 1 = 2", lambda true, at: AGES[get_x(at)] == 1),
        (f"{x} != {y}", lambda true, at: get_x(at) != get_y(at)),
        (f"{x} not in {{'a', 'c'}}", lambda true, at: get_x(at) == "b"),
    ]
    return texts[rng.integers(len(texts))]


def _quantified(
    rng: np.random.Generator, variables: tuple[str, ...], depth: int
) -> tuple[str, Holds]:
    new = tuple("xyz"[len(variables) :][: 1 + (rng.random() < 0.3 and len(variables) < 1)])
    inside, body = random_formula(rng, (*variables, *new), depth - 1)
    count = int(rng.integers(0, 4))
    words, test = [
        ("forall", lambda n, all_: n == all_),
        ("exists", lambda n, all_: n > 0),
        ("exists unique", lambda n, all_: n == 1),
        (f"at most {count}", lambda n, all_: n <= count),
        (f"at least {count}", lambda n, all_: n >= count),
        (f"exactly {count}", lambda n, all_: n == count),
    ][rng.integers(6)]

    def holds(true: Mapping[Any, bool], at: Mapping[str, str]) -> bool:
        values = list(product(THINGS, repeat=len(new)))
        hits = sum(body(true, {**at, **dict(zip(new, row, strict=True))}) for row in values)
        return bool(test(hits, len(values)))

    return f"{words} {', '.join(new)}: {inside}", holds
