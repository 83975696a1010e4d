"""UAI files: Markov and Bayesian networks with tables of probabilities, and evidence."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation, localcontext

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.graphs.formats.encoding import encode
from turbotree.graphs.formats.functions import MOST_VALUES, MOST_VARIABLES, Budget, Table
from turbotree.graphs.formats.network import Network
from turbotree.graphs.formats.words import Words

_ENTRY = "an entry of a table, a number from 0"


def read_uai(path: str) -> Network:
    """Read a network; the score of an assignment is the logarithm of the product of its entries."""
    words = Words(path)
    kind = words.word("MARKOV or BAYES")
    if kind not in ("MARKOV", "BAYES"):
        raise words.wrong(f"expected MARKOV or BAYES, got {kind[:40]!r}")
    variables = words.count("a number of variables", 0, MOST_VARIABLES)
    sizes = read_sizes(words, variables)
    scopes = []
    for _ in range(words.count("a number of functions", 0, MOST_VARIABLES * 16)):
        arity = words.count("a number of variables of a function", 0, variables)
        scopes.append(read_scope(words, arity, variables))
    budget = Budget()
    functions = []
    for scope in scopes:
        shape = [sizes[v] for v in scope]
        said = words.whole("a number of entries")
        try:
            entries = budget.spend(shape)
        except InputError as error:
            raise words.wrong(str(error)) from None
        if said != entries:
            raise words.wrong(f"expected {entries} entries, one per combination, got {said}")
        functions.append(Table(scope, _logarithms(words, entries).reshape(shape)))
    words.end()
    names = [str(v) for v in range(variables)]
    return encode(names, [range(size) for size in sizes], functions, "log-probability")


def read_sizes(words: Words, variables: int) -> list[int]:
    """Read the number of values of each variable."""
    sizes = []
    left = MOST_VALUES
    for _ in range(variables):
        size = words.whole("a number of values")
        if size < 1:
            raise words.wrong(f"expected a number of values from 1, got {size}")
        left -= size
        if left < 0:
            raise words.wrong(f"more than {MOST_VALUES:,} values of all variables together")
        sizes.append(size)
    return sizes


def read_scope(words: Words, arity: int, variables: int) -> tuple[int, ...]:
    """Read the variables of a function."""
    scope: dict[int, None] = {}
    for _ in range(arity):
        v = words.count("a variable", 0, variables - 1)
        if v in scope:
            raise words.wrong(f"variable {v} stands twice in one function")
        scope[v] = None
    return tuple(scope)


def _logarithms(words: Words, size: int) -> FloatArray:
    """Read probabilities and give their logarithms, also of those that doubles cannot hold."""
    found = np.empty(size)
    done = 0
    for taken in words.take(size, _ENTRY):
        try:
            with np.errstate(over="ignore"):
                numbers = np.array(taken).astype(np.float64)
            usual = (numbers > 1e-300) & (numbers < np.inf)
        except ValueError:
            numbers, usual = np.zeros(len(taken)), np.zeros(len(taken), dtype=bool)
        own = np.log(numbers, where=usual, out=np.full(len(taken), -np.inf))
        for place in np.flatnonzero(~usual).tolist():
            own[place] = _logarithm(words, taken[place], len(taken) - place)
        found[done : done + len(taken)] = own
        done += len(taken)
    return found


def _logarithm(words: Words, word: bytes, back: int) -> float:
    text = word.decode("utf-8", "replace")
    try:
        if "_" in text:
            raise InvalidOperation
        number = Decimal(text)
    except InvalidOperation:
        raise words.wrong(f"expected {_ENTRY}, got {text[:40]!r}", back) from None
    if not number.is_finite() or number < 0:
        raise words.wrong(f"expected {_ENTRY}, got {text[:40]!r}", back)
    if number == 0:
        return -np.inf
    with localcontext() as context:
        context.prec = 25
        return float(number.ln())


def read_evidence(path: str) -> dict[int, int]:
    """Read which variables have which values: their number, then pairs of variable and value.

    The older form, with the number of samples in front, is read too if there is one sample.
    """
    words = Words(path)
    numbers = [words.count("a number of observed variables", 0, MOST_VARIABLES)]
    while not words.at_end():
        numbers.append(words.count("a variable or its value", 0, MOST_VALUES))
        if len(numbers) > 2 * MOST_VARIABLES + 2:
            raise words.wrong(f"more than {MOST_VARIABLES:,} observed variables")
    if len(numbers) == 1 + 2 * numbers[0]:
        pairs = numbers[1:]
    elif numbers[0] == 1 and len(numbers) > 1 and len(numbers) == 2 + 2 * numbers[1]:
        pairs = numbers[2:]
    else:
        raise InputError(
            f"{path}: expected {numbers[0]} pairs of a variable and its value, "
            f"got {len(numbers) - 1} numbers"
        )
    evidence: dict[int, int] = {}
    for v, value in zip(pairs[::2], pairs[1::2], strict=True):
        if evidence.setdefault(v, value) != value:
            raise InputError(f"{path}: two values for variable {v}")
    return evidence
