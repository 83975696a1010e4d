"""UAI files: probabilities by enumeration, evidence, and one line about what is wrong."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.cost_networks import Plain, assert_same, plain_networks

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import read_network

#: As they stand in files; the last ones are no doubles.
ENTRIES = ["0", "0", "1", "0.5", "1e-9", "3e12", ".25", "1e-320", "1e-400", "2e+600"]
LOGARITHMS = {
    "1e-400": -400 * math.log(10),
    "1e-320": -320 * math.log(10),
    "2e+600": math.log(2) + 600 * math.log(10),
}


def uai_text(network: Plain, kind: str = "MARKOV") -> str:
    rows = [kind, str(len(network.sizes)), " ".join(map(str, network.sizes))]
    rows.append(str(len(network.functions)))
    rows += [f"{len(scope)} {' '.join(map(str, scope))}" for scope, _ in network.functions]
    for _, table in network.functions:
        rows += ["", str(len(table)), " ".join(map(str, table.values()))]
    return "\n".join(rows) + "\n"


def logarithm(entry: str) -> float:
    if entry in LOGARITHMS:
        return LOGARITHMS[entry]
    return math.log(float(entry)) if float(entry) else -math.inf


@given(plain_networks(st.sampled_from(ENTRIES)), st.sampled_from(["MARKOV", "BAYES"]))
def test_log_probabilities_are_those_of_enumeration(
    tmp_path_factory: pytest.TempPathFactory, network: Plain, kind: str
) -> None:
    path = tmp_path_factory.mktemp("uai") / "a.uai"
    path.write_text(uai_text(network, kind))
    costs = Plain(
        network.sizes,
        [
            (scope, {values: -logarithm(entry) for values, entry in table.items()})
            for scope, table in network.functions
        ],
    )
    assert_same(read_network(path), costs)


COIN = "BAYES\n2\n2 3\n2\n1 0\n2 0 1\n\n2\n0.4 0.6\n\n6\n0.9 0.1 0\n0.3 0.3 0.4\n"


@pytest.mark.parametrize(
    ("evidence", "expected", "chance"),
    [
        ("0", {"0": 0, "1": 0}, 0.36),
        ("1 0 1", {"0": 1, "1": 2}, 0.24),
        ("1\n1 0 1\n", {"0": 1, "1": 2}, 0.24),  # one sample, as in older files
        ("1 1 1", {"0": 1, "1": 1}, 0.18),
        ("2 0 0 1 1", {"0": 0, "1": 1}, 0.04),
    ],
)
def test_evidence(tmp_path: Path, evidence: str, expected: dict[str, int], chance: float) -> None:
    (tmp_path / "a.uai").write_text(COIN)
    (tmp_path / "a.uai.evid").write_text(evidence)
    found = read_network(tmp_path / "a.uai", evidence=tmp_path / "a.uai.evid")
    answer = found.answer(found.graph.solve("brute_force"))
    assert answer.assignment == expected
    assert answer.value == pytest.approx(math.log(chance))


def test_evidence_without_probability_is_infeasible(tmp_path: Path) -> None:
    (tmp_path / "a.uai").write_text(COIN)
    (tmp_path / "e").write_text("2 0 0 1 2")
    found = read_network(tmp_path / "a.uai", evidence=tmp_path / "e")
    with pytest.raises(InfeasibleError):
        found.graph.solve("brute_force")


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ("", "e:1: the file ends, expected a number of observed variables"),
        ("2 0 0", "expected 2 pairs of a variable and its value, got 2 numbers"),
        ("1 7 0", "expected variables from 0 to 1, got 7"),
        ("1 1 3", "variable 1: expected a value from 0 to 2, got 3"),
        ("2 1 1 1 2", "two values for variable 1"),
        ("1 1 x", "e:1: expected a variable or its value, got 'x'"),
    ],
)
def test_wrong_evidence(tmp_path: Path, evidence: str, said: str) -> None:
    (tmp_path / "a.uai").write_text(COIN)
    (tmp_path / "e").write_text(evidence)
    with pytest.raises(InputError) as caught:
        read_network(tmp_path / "a.uai", evidence=tmp_path / "e")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a.uai:1: the file ends, expected MARKOV or BAYES"),
        ("GAUSS 1", "a.uai:1: expected MARKOV or BAYES, got 'GAUSS'"),
        ("MARKOV\n1\n2\n1\n1 0\n3\n1 1 1", "a.uai:6: expected 2 entries, one per combination"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1\n-1", "a.uai:8: expected an entry of a table, a number from"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1\ninf", "a.uai:8: expected an entry of a table"),
        ("MARKOV\n1\n2\n1\n1 0\n2\nx 1\n", "a.uai:7: expected an entry of a table"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1\n", "a.uai:7: the file ends, expected an entry of a table"),
        ("MARKOV\n1\n2\n1\n1 0\n2\n1 1 1\n", "a.uai:7: expected the end of the file, got '1'"),
        ("MARKOV 3 4000 4000 4000 1 3 0 1 2 7", "a table of 64,000,000,000 entries"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.uai").write_text(text)
    with pytest.raises(InputError) as caught:
        read_network(tmp_path / "a.uai")
    assert said in str(caught.value)
