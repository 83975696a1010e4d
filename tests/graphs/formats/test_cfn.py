"""CFN files: costs by enumeration, and one line about what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.cost_networks import Plain, assert_same, plain_networks

from turbotree.errors import InputError
from turbotree.graphs import read_network
from turbotree.graphs.formats import functions

COSTS = st.sampled_from([0.0, 0.5, -1.25, 3.0, 10.0, -20.0, 12.5])


def cfn_of(network: Plain, mustbe: str, draw: Any) -> dict[str, Any]:
    names = [f"v{number}" for number in range(len(network.sizes))]
    labels = [
        [f"{name}_{value}" for value in range(size)]
        for name, size in zip(names, network.sizes, strict=True)
    ]
    variables = {
        name: own if draw(st.booleans()) else len(own)
        for name, own in zip(names, labels, strict=True)
    }
    listed: dict[str, Any] = {}
    for number, (scope, table) in enumerate(network.functions):
        function: dict[str, Any] = {
            "scope": [names[v] if draw(st.booleans()) else v for v in scope]
        }
        if draw(st.booleans()) and scope:
            default = next(iter(table.values()))
            function["defaultcost"] = default
            function["costs"] = []
            for values, cost in table.items():
                if cost != default:
                    for v, value in zip(scope, values, strict=True):
                        named = isinstance(variables[names[v]], list) and draw(st.booleans())
                        function["costs"].append(labels[v][value] if named else value)
                    function["costs"].append(str(cost) if draw(st.booleans()) else cost)
        else:
            function["costs"] = list(table.values())
        listed[f"f{number}"] = function
    return {"problem": {"name": "t", "mustbe": mustbe}, "variables": variables, "functions": listed}


@given(st.data(), plain_networks(COSTS), st.sampled_from([5.0, 30.0, 1000.0]), st.booleans())
def test_least_costs_are_those_of_enumeration(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    network: Plain,
    limit: float,
    sparse: bool,
) -> None:
    path = tmp_path_factory.mktemp("cfn") / "a.cfn"
    path.write_text("# a comment\n" + json.dumps(cfn_of(network, f"<{limit}", data.draw)))
    with pytest.MonkeyPatch.context() as patch:
        if sparse:
            patch.setattr(functions, "LARGEST_TABLE", 1)
        found = read_network(path)
    assert found.measure == "cost"
    assert_same(found, network, limit)


@given(st.data(), plain_networks(COSTS), st.sampled_from([-5.0, 3.0, -1000.0]))
def test_largest_values_are_those_of_enumeration(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, network: Plain, limit: float
) -> None:
    path = tmp_path_factory.mktemp("cfn") / "a.cfn"
    path.write_text(json.dumps(cfn_of(network, f">{limit}", data.draw)))
    negated = Plain(
        network.sizes,
        [(scope, {k: -c for k, c in table.items()}) for scope, table in network.functions],
    )
    found = read_network(path)
    assert found.measure == "value"
    assert_same(found, negated, -limit)


def network_with(**changes: Any) -> dict[str, Any]:
    return {
        "problem": {"name": "t", "mustbe": "<10.0"},
        "variables": {"x": ["a", "b"], "y": 3},
        "functions": {"f": {"scope": ["x", "y"], "costs": [1, 2, 3, 4, 5, 6]}},
        **changes,
    }


def test_shared_functions_lists_without_names_and_formulas(tmp_path: Path) -> None:
    table = {(x, y): float(1 + 3 * x + y) for x in range(2) for y in range(3)}
    order = {(x, y): float(max(0, y - x)) for x in range(2) for y in range(3)}
    (tmp_path / "a.cfn").write_text(
        json.dumps(
            network_with(
                variables=[["a", "b"], 3, 2, "3"],
                functions=[
                    {"scope": [2, 3], "costs": "1"},
                    {"scope": [0, 1], "costs": [[1, 2, 3], [4, 5, 6]]},
                    {"scope": [0, 1], "type": ">=", "params": [0, 5]},
                ],
            )
        )
    )
    plain = Plain([2, 3, 2, 3], [((0, 1), table), ((2, 3), table), ((0, 1), order)])
    assert_same(read_network(tmp_path / "a.cfn"), plain, 10.0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "a.cfn:1: no JSON: expecting property name"),
        ('{"a": 1,\n"a": 2}', "a.cfn: 'a' stands twice in one object"),
        ("[1]", "a.cfn: expected a JSON object, got a list"),
        ('{"problem": NaN}', "a.cfn: expected a number, got NaN"),
        ("[" * 100_000, "nested too deeply"),
        ('{"problem": ' + "9" * 5000 + "}", "a.cfn: "),
        ({"problem": {}}, "a.cfn: expected 'variables'"),
        (network_with(problem={"mustbe": 3}), "a.cfn: problem: expected 'mustbe' with a text"),
        (network_with(problem={"mustbe": "=3"}), "a.cfn: problem.mustbe: expected < or >"),
        (network_with(variables=7), "a.cfn: variables: expected an object or a list, got 7"),
        (network_with(variables={"x": 0}), "a.cfn: variables.x: expected at least one value"),
        (network_with(variables={"x": -5}), "variables.x: variables with intervals"),
        (network_with(variables={"x": 10**9}), "variables.x: more than 4,194,304 values in all"),
        (network_with(variables={"x": ["a", "a"]}), "variables.x: two values have one name"),
        (network_with(variables={"x": ["a", 1]}), "variables.x: expected names of values"),
        (network_with(functions={"f": 1}), "functions.f: expected an object, got 1"),
        (network_with(functions={"f": {"scope": ["z"]}}), "functions.f.scope[0]: no variable 'z'"),
        (network_with(functions={"f": {"scope": [5]}}), "scope[0]: no variable has the number 5"),
        (network_with(functions={"f": {"scope": ["x", 0]}}), "scope[1]: the variable stands twice"),
        (network_with(functions={"f": {"scope": ["x"]}}), "functions.f: expected 'costs', a list"),
        (
            network_with(functions={"f": {"scope": ["x"], "costs": [1]}}),
            "a.cfn: functions.f.costs: expected 2 costs, got 1",
        ),
        (
            network_with(functions={"f": {"scope": ["x"], "costs": [1, "u"]}}),
            "functions.f.costs (cost 1): expected a number, got 'u'",
        ),
        (
            network_with(functions={"f": {"scope": ["x"], "defaultcost": 0, "costs": ["c", 1]}}),
            "functions.f.costs[0]: x has no value 'c'",
        ),
        (
            network_with(functions={"f": {"scope": ["x"], "defaultcost": 0, "costs": [2, 1]}}),
            "functions.f.costs[0]: expected a value of x, from 0 to 1, got 2",
        ),
        (
            network_with(functions={"f": {"scope": ["x"], "costs": "g"}}),
            "functions.f.costs: no function 'g' with costs",
        ),
        (
            network_with(functions={"f": {"scope": ["x", "y"], "type": "walldiff", "params": {}}}),
            "functions.f.type: global cost function 'walldiff' is not supported",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, content: Any, said: str) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    (tmp_path / "a.cfn").write_text(text)
    with pytest.raises(InputError) as caught:
        read_network(tmp_path / "a.cfn")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
