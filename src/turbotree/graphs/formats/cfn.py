"""CFN files, cost function networks in JSON: names, decimal costs, least or largest values."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.errors import InputError
from turbotree.graphs.formats.arithmetic import PARAMETERS, arithmetic, refuse
from turbotree.graphs.formats.encoding import encode
from turbotree.graphs.formats.functions import (
    MOST_VALUES,
    MOST_VARIABLES,
    Budget,
    Exceptions,
    Function,
    Table,
    by_exceptions,
)
from turbotree.graphs.formats.network import Network
from turbotree.graphs.formats.sources import whole

_MUSTBE = re.compile(r"([<>])\s*([+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)", re.ASCII)


def read_cfn(path: str) -> Network:
    """Read a network; the score of an assignment is its cost, negated unless it is maximised."""
    try:
        return _Reader(path).network()
    except (RecursionError, MemoryError):
        raise InputError(f"{path}: nested too deeply, or too large") from None


def _parsed(path: str) -> Any:
    """Read JSON in which lines that begin with # are comments."""
    try:
        text = whole(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason})") from None
    text = re.sub(r"(?m)^#.*$", "", text)
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise InputError.at(path, error.lineno, f"no JSON: {reason}") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except ValueError as error:  # a whole number of too many digits
        raise InputError(f"{path}: no JSON that can be read: {str(error)[:80]}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"{twice[:40]!r} stands twice in one object")
    return found


def _constant(name: str) -> float:
    raise InputError(f"expected a number, got {name}")


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.budget = Budget()
        self.places: dict[str, int] = {}
        self.names: list[str] = []
        self.values: list[list[str | int] | range] = []
        self.value_places: list[dict[str, int]] = []
        self.sign = -1.0

    def wrong(self, place: str, reason: str) -> InputError:
        return InputError(f"{self.path}: {place}: {reason}")

    def network(self) -> Network:
        root = _parsed(self.path)
        if not isinstance(root, dict):
            raise InputError(f"{self.path}: expected a JSON object, got {_said(root)}")
        for part in ("problem", "variables", "functions"):
            if part not in root:
                raise InputError(f"{self.path}: expected {part!r}")
        limit = self._read_problem(root["problem"])
        self._read_variables(root["variables"])
        functions = self._read_functions(root["functions"])
        return encode(
            self.names,
            self.values,
            functions,
            "cost" if self.sign < 0 else "value",
            floor=self.sign * limit,
        )

    def _read_problem(self, problem: Any) -> float:
        """Return the limit; the sign says whether it is an upper or a lower one."""
        if not isinstance(problem, dict) or not isinstance(problem.get("mustbe"), str):
            raise self.wrong("problem", "expected 'mustbe' with a text such as '<10.00'")
        found = _MUSTBE.fullmatch(problem["mustbe"].strip())
        if found is None or not math.isfinite(float(found[2])):
            said = problem["mustbe"][:40]
            raise self.wrong("problem.mustbe", f"expected < or > and a number, got {said!r}")
        self.sign = -1.0 if found[1] == "<" else 1.0
        return float(found[2])

    def _read_variables(self, variables: Any) -> None:
        left = MOST_VALUES
        for name, place, domain in self._items(variables, "variables"):
            own: list[str | int] | range
            if isinstance(domain, list):
                own = [value if isinstance(value, str) else "" for value in domain]
                if "" in own:
                    raise self.wrong(place, "expected names of values, which are texts")
                if len(set(own)) < len(own):
                    raise self.wrong(place, "two values have one name")
                size = len(own)
            else:
                size = self._whole(domain, place, "a number of values, or a list of their names")
                if size < 0:
                    raise self.wrong(place, "variables with intervals of values are not supported")
                own = range(min(size, MOST_VALUES))
            if size < 1:
                raise self.wrong(place, "expected at least one value")
            left -= size
            if left < 0 or len(self.names) == MOST_VARIABLES:
                raise self.wrong(place, f"more than {MOST_VALUES:,} values in all")
            self.places[name] = len(self.names)
            self.names.append(name)
            self.values.append(own)
            named = own if isinstance(own, list) else []
            self.value_places.append({str(value): at for at, value in enumerate(named)})

    def _items(self, items: Any, where: str) -> Iterable[tuple[str, str, Any]]:
        """Yield name, place and content of what stands in an object, or in a list without names."""
        if isinstance(items, dict):
            for name, content in items.items():
                yield name, f"{where}.{name[:40]}", content
        elif isinstance(items, list):
            for number, content in enumerate(items):
                yield str(number), f"{where}[{number}]", content
        else:
            raise self.wrong(where, f"expected an object or a list, got {_said(items)}")

    def _read_functions(self, functions: Any) -> list[Function]:
        found: dict[str, Function] = {}
        shared: list[tuple[str, str, tuple[int, ...], str]] = []
        for name, place, content in self._items(functions, "functions"):
            if not isinstance(content, dict):
                raise self.wrong(place, f"expected an object, got {_said(content)}")
            scope = self._scope(content.get("scope"), f"{place}.scope")
            if "type" in content:
                found[name] = self._formula(content, scope, place)
            elif isinstance(content.get("costs"), str):
                shared.append((name, place, scope, content["costs"]))
            elif isinstance(content.get("costs"), list):
                found[name] = self._table(content, scope, place)
            else:
                raise self.wrong(place, "expected 'costs', a list")
        again: dict[str, Function] = {}
        for name, place, scope, other in shared:
            if other not in found:
                raise self.wrong(f"{place}.costs", f"no function {other[:40]!r} with costs")
            again[name] = self._copied(found[other], scope, f"{place}.costs")
        return [*found.values(), *again.values()]

    def _copied(self, function: Function, scope: tuple[int, ...], place: str) -> Function:
        if self._sizes(function.scope) != self._sizes(scope):
            raise self.wrong(place, "the shared function has variables of other sizes")
        if isinstance(function, Table):
            return Table(scope, function.scores)
        return Exceptions(
            scope, function.default, function.tuples, function.scores, function.everywhere
        )

    def _sizes(self, scope: tuple[int, ...]) -> list[int]:
        return [len(self.values[v]) for v in scope]

    def _scope(self, names: Any, place: str) -> tuple[int, ...]:
        if not isinstance(names, list):
            raise self.wrong(place, f"expected a list of variables, got {_said(names)}")
        scope: dict[int, None] = {}
        for at, name in enumerate(names):
            if isinstance(name, str) and name in self.places:
                v = self.places[name]
            elif isinstance(name, int) and not isinstance(name, bool):
                v = name
            else:
                raise self.wrong(f"{place}[{at}]", f"no variable {_said(name)}")
            if not 0 <= v < len(self.names):
                raise self.wrong(f"{place}[{at}]", f"no variable has the number {v}"[:80])
            if v in scope:
                raise self.wrong(f"{place}[{at}]", "the variable stands twice")
            scope[v] = None
        return tuple(scope)

    def _table(self, content: dict[str, Any], scope: tuple[int, ...], place: str) -> Function:
        sizes = self._sizes(scope)
        costs: list[Any] = []
        for item in content["costs"]:  # tuples may be lists of their own
            costs.extend(item) if isinstance(item, list) else costs.append(item)
        try:
            if "defaultcost" not in content:
                entries = self.budget.spend(sizes)
                if len(costs) != entries:
                    raise InputError(f"expected {entries} costs, got {len(costs)}")
                return Table(scope, self.sign * self._costs(costs, place).reshape(sizes))
            default = self.sign * self._cost(content["defaultcost"], f"{place}.defaultcost")
            width = len(scope) + 1
            if len(costs) % width:
                raise InputError(
                    f"expected {len(scope)} values and a cost again and again, "
                    f"got {len(costs)} items"
                )
            self.budget.spend([len(costs)])
            tuples = np.array(
                [
                    [
                        self._value(v, costs[at + axis], f"{place}.costs[{at + axis}]")
                        for axis, v in enumerate(scope)
                    ]
                    for at in range(0, len(costs), width)
                ],
                dtype=np.int64,
            ).reshape(len(costs) // width, len(scope))
            scores = self.sign * self._costs(costs[width - 1 :: width], place)
            return by_exceptions(scope, sizes, default, tuples, scores, self.budget)
        except InputError as error:
            if str(error).startswith(self.path):
                raise
            raise self.wrong(f"{place}.costs", str(error)) from None

    def _value(self, v: int, value: Any, place: str) -> int:
        size = len(self.values[v])
        if isinstance(value, str):
            known = self.value_places[v].get(value)
            if known is not None:
                return known
            if not re.fullmatch("[0-9]{1,9}", value, re.ASCII):
                raise self.wrong(place, f"{self.names[v][:40]} has no value {value[:40]!r}")
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size:
            raise self.wrong(
                place,
                f"expected a value of {self.names[v][:40]}, from 0 to {size - 1}, "
                f"got {_said(value)}",
            )
        return value

    def _costs(self, costs: list[Any], place: str) -> FloatArray:
        return np.array(
            [self._cost(cost, f"{place}.costs", at) for at, cost in enumerate(costs)],
            dtype=np.float64,
        )

    def _cost(self, cost: Any, place: str, at: int | None = None) -> float:
        number = math.nan
        if isinstance(cost, (int, float, str)) and not isinstance(cost, bool):
            with contextlib.suppress(ValueError, OverflowError):
                number = float(cost)
        if not math.isfinite(number):
            where = place if at is None else f"{place} (cost {at})"
            raise self.wrong(where, f"expected a number, got {_said(cost)}")
        return number

    def _whole(self, number: Any, place: str, what: str) -> int:
        if isinstance(number, str) and re.fullmatch("-?[0-9]{1,9}", number, re.ASCII):
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int):
            raise self.wrong(place, f"expected {what}, got {_said(number)}")
        return number

    def _formula(self, content: dict[str, Any], scope: tuple[int, ...], place: str) -> Function:
        name = content["type"]
        if not isinstance(name, str):
            raise self.wrong(f"{place}.type", f"expected a name, got {_said(name)}")
        if name not in PARAMETERS or len(scope) != 2 or self.sign > 0:
            raise self.wrong(f"{place}.type", str(refuse(name)))
        parameters = content.get("params", content.get("parameters"))
        if not isinstance(parameters, list) or len(parameters) != PARAMETERS[name]:
            raise self.wrong(f"{place}.params", f"expected a list of {PARAMETERS[name]} numbers")
        numbers = [self._cost(number, f"{place}.params") for number in parameters]
        sizes = self._sizes(scope)
        try:
            self.budget.spend(sizes)
        except InputError as error:
            raise self.wrong(place, str(error)) from None
        return Table(scope, -arithmetic(name, (sizes[0], sizes[1]), numbers))


def _said(item: Any) -> str:
    """Show an item of JSON, shortened."""
    if item is None or isinstance(item, (bool, dict, list)):
        return {type(None): "nothing", bool: "true or false", dict: "an object", list: "a list"}[
            type(item)
        ]
    return repr(item)[:40] if not isinstance(item, int) or abs(item) < 10**40 else "a large number"
