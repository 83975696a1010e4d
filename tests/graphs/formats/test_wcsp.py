"""WCSP files: costs by enumeration, and one line about what is wrong."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.cost_networks import Plain, assert_same, plain_networks

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import Kind, read_network
from turbotree.graphs.formats import functions

TOP = 40
COSTS = st.sampled_from([0, 0, 1, 2, 3, 7, 19, 39, 40, 99])


def wcsp_text(network: Plain, top: int, *, listed: bool = False) -> str:
    rows = [f"test {len(network.sizes)} 3 {len(network.functions)} {top}"]
    rows.append(" ".join(map(str, network.sizes)))
    for scope, table in network.functions:
        default = next(iter(table.values()))
        shown = {k: c for k, c in table.items() if c != default or listed} if scope else {}
        rows.append(f"{len(scope)} {' '.join(map(str, scope))} {default} {len(shown)}")
        rows += [" ".join(map(str, (*values, cost))) for values, cost in shown.items()]
    return "\n".join(rows) + "\n"


@given(plain_networks(COSTS), st.booleans(), st.booleans())
def test_costs_are_those_of_enumeration(
    tmp_path_factory: pytest.TempPathFactory, network: Plain, listed: bool, sparse: bool
) -> None:
    path = tmp_path_factory.mktemp("wcsp") / "a.wcsp"
    path.write_text(wcsp_text(network, TOP, listed=listed))
    with pytest.MonkeyPatch.context() as patch:
        if sparse:  # all functions as lists of exceptions
            patch.setattr(functions, "LARGEST_TABLE", 1)
        found = read_network(path)
    assert_same(found, network, TOP)


@given(plain_networks(st.sampled_from([0, 1, 10**6, 10**12])))
def test_large_costs_stay_exact(tmp_path_factory: pytest.TempPathFactory, network: Plain) -> None:
    path = tmp_path_factory.mktemp("wcsp") / "a.wcsp"
    path.write_text(wcsp_text(network, 10**15))
    found = read_network(path)
    best = min(network.cost(assignment) for assignment in network.assignments())
    assert found.answer(found.graph.solve("brute_force")).value == best


def written(tmp_path: Path, text: str, name: str = "a.wcsp") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_variables_become_binary_ones_or_groups(tmp_path: Path) -> None:
    found = read_network(
        written(tmp_path, "t 4 3 2 99\n2 3 1 2\n2 0 3 0 1\n1 1 5\n2 1 0 0 1\n2 1 7\n")
    )
    assert [len(variable.literals) for variable in found.variables] == [2, 3, 0, 2]
    assert len(found.graph) == 5
    assert {block.kind for block in found.graph.blocks} == {Kind.XOR, Kind.PAIR, Kind.DENSE}


def test_packed_files_are_read(tmp_path: Path) -> None:
    text = b"t 1 2 1 9\n2\n1 0 0 1\n0 4\n"
    (tmp_path / "a.wcsp.gz").write_bytes(gzip.compress(text))
    (tmp_path / "a.wcsp.xz").write_bytes(lzma.compress(text))
    for name in ("a.wcsp.gz", "a.wcsp.xz"):
        found = read_network(tmp_path / name)
        assert found.answer(found.graph.solve("brute_force")).assignment == {"0": 1}
    (tmp_path / "b.wcsp.xz").write_bytes(lzma.compress(text)[:-20])
    (tmp_path / "b.wcsp.gz").write_bytes(text)
    for name in ("b.wcsp.gz", "b.wcsp.xz"):
        with pytest.raises(InputError):
            read_network(tmp_path / name)


def test_functions_can_be_shared(tmp_path: Path) -> None:
    text = "t 3 2 2 99\n2 2 2\n-2 0 1 0 1\n0 0 5\n2 1 2 0 -1\n"
    table = {(0, 0): 5, (0, 1): 0, (1, 0): 0, (1, 1): 0}
    expected = Plain([2, 2, 2], [((0, 1), table), ((1, 2), table)])
    assert_same(read_network(written(tmp_path, text)), expected, 99)


@pytest.mark.parametrize("name", [">=", ">", "<=", "<", "="])
def test_soft_inequalities(tmp_path: Path, name: str) -> None:
    constant, most, top = 1, 2, 50
    text = f"t 2 4 1 {top}\n4 3\n2 0 1 -1 {name} {constant} {most}\n"
    table: dict[tuple[int, ...], float] = {}
    for x in range(4):
        for y in range(3):
            missing = {
                ">=": y + constant - x,
                ">": y + constant + 1 - x,
                "<=": x - constant - y,
                "<": x - constant + 1 - y,
                "=": abs(x - y - constant),
            }[name]
            table[x, y] = top if missing > most else max(0, missing)
    assert_same(read_network(written(tmp_path, text)), Plain([4, 3], [((0, 1), table)]), top)


def test_a_disjunction(tmp_path: Path) -> None:
    text = "t 2 4 1 50\n4 4\n2 0 1 -1 disj 2 1 7\n"
    table = {(x, y): 0.0 if x >= y + 1 or y >= x + 2 else 7.0 for x in range(4) for y in range(4)}
    assert_same(read_network(written(tmp_path, text)), Plain([4, 4], [((0, 1), table)]), 50)


def test_costs_at_the_upper_bound_do_not_count(tmp_path: Path) -> None:
    found = read_network(written(tmp_path, "t 2 2 2 5\n2 2\n1 0 3 0\n1 1 2 0\n"))
    with pytest.raises(InfeasibleError, match=r"no assignment has a cost below 5"):
        found.answer(found.graph.solve("brute_force"))


BROKEN = [
    ("", "a.wcsp:1: the file ends, expected the problem's name"),
    ("t x", "a.wcsp:1: expected a number of variables, got 'x'"),
    ("t 2 2 1 9\n2", "a.wcsp:2: the file ends, expected a number of values"),
    ("t 1 2 1 9\n0\n", "a.wcsp:2: expected a number of values from 1, got 0"),
    ("t 1 2 1 9\n-4\n", "a.wcsp:2: expected a number of values from 1, got -4"),
    ("t 1 2 1 9\n2\n1 1 0 0\n", "a.wcsp:3: expected a variable from 0 to 0, got 1"),
    ("t 2 2 1 9\n2 2\n2 1 1 0 0\n", "a.wcsp:3: variable 1 stands twice in one function"),
    ("t 1 2 1 9\n2\n1 0 0 1\n2 5\n", "a.wcsp:4: expected a value from 0 to 1, got 2"),
    ("t 1 2 1 9\n2\n1 0 0 1\n1 -5\n", "a.wcsp:4: expected a cost, a whole number from 0, got -5"),
    ("t 1 2 1 9\n2\n1 0 0 1\n1 1.5\n", "a cost, a whole number from 0, got 1.5"),
    ("t 1 2 1 9\n2\n1 0 0 1\n1 nan\n", "a.wcsp:4: expected a value or a cost, whole numbers, got"),
    ("t 1 2 1 9\n2\n1 0 0 2\n1 1\n1 2\n", "two costs for one combination of values"),
    ("t 1 2 1 9\n2\n1 0 0 9\n", "9 tuples, and there are 2 combinations"),
    ("t 1 2 1 9\n2\n1 0 0 0\nmore", "a.wcsp:4: expected the end of the file, got 'more'"),
    ("t 2 2 1 9\n2 2\n2 0 1 -1 salldiff var 3\n", "global cost function 'salldiff' is not"),
    ("t 2 2 1 9\n2 2\n2 0 1 0 -1\n", "function 1 of those to share; 0 have been defined"),
    ("t 9999999 2 1 9\n", "expected a number of variables from 0 to"),
    ("t 1 2 1 9\n99999999999\n", "more than 4,194,304 values of all variables together"),
    ("t 3 9 1 9\n9999 9999 9999\n2 0 1 -1 >= 0 0\n", "a table of 99,980,001 entries"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_network(written(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_ending_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"unknown ending '\.txt'; there are \.uai, \.wcsp"):
        read_network(written(tmp_path, "", "a.txt"))
    with pytest.raises(InputError, match="No such file"):
        read_network(tmp_path / "none.uai")
