"""A user's program is type-checked against the package, and misspelt options are errors."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="needs mypy, of the extra dev"
)

PROGRAM = '''
"""Train, parse, decode, solve: what a user of the package writes."""

import numpy as np
import turbotree as tt
from turbotree.graphs import FactorGraph, Solution, solve_many
from turbotree.text import treebank
from turbotree.trees import Trees


def parse() -> None:
    parser = tt.Parser.train(treebank(100, seed=1), epochs=2, seed=3)
    sentence = next(treebank(1, seed=2))
    best: tt.Parse = parser.parse(sentence, require=[(0, 1)], decoder="exact")
    heads: list[int] = list(best.heads)
    for other in parser.k_best(sentence, 3):
        print(heads, other.score, other.certificate.gap)
    for one in parser.pipe(treebank(10, seed=4), threads=2):
        print(one.to_sentence().to_text())
    parser.save("parser.safetensors")
    loaded = tt.load("parser.safetensors")
    if isinstance(loaded, tt.Parser):
        print(loaded.labels)


def tag() -> None:
    tagger = tt.Tagger.train(treebank(100, seed=1), task="tag", epochs=1)
    tagging: tt.Tagging = tagger.tag(next(treebank(1, seed=2)))
    print(tagging)


def run_pipeline() -> None:
    nlp = tt.Pipeline.train(treebank(100, seed=1))
    for one in nlp("Birds sing."):
        print(one)


def decode() -> None:
    scores = np.random.default_rng(1).normal(size=(4, 4))
    decoded: tt.Decoded = tt.decode(scores, require=[(0, 2)], single_root=True)
    print(decoded.heads)
    trees = Trees(scores, projective=True, forbid=[(1, 2)])
    print(trees.best().tolist(), trees.marginals().sum(), trees.entropy())
    print([tree.score for tree in trees.k_best(2)], trees.sample(3, seed=1).shape)
    print(tt.trees.marginals(scores, single_root=False).shape)


def solve(name: str) -> None:
    graph = FactorGraph()
    a, b, c = graph.variables([0.5, 1.0, -0.2], names="abc")
    graph.exactly_one([a, b])
    graph.implies(b, c)
    graph.pair(a, c, 0.7)
    first: Solution = graph.solve(max_iterations=500, time_limit_seconds=2.0)
    again = graph.solve("admm", warm_start=first, trace=True)
    exact = graph.solve("linear_program", exact=True)
    loose = graph.solve("belief_propagation", damping=0.5, schedule="residual")
    named = graph.solve(name, time_limit_seconds=1.0)
    print(again.value, exact.gap, loose.upper_bound, named.status.name)
    print(graph.marginals(factors=True).factor_marginals, graph.marginals("brute_force"))
    print([one.value for one in solve_many([graph], "subgradient", step="polyak", threads=2)])
'''

#: What mypy must complain of.
MISTAKES = {
    "a misspelt option of a solver": "FactorGraph().solve(max_iteration=5)",
    "another solver's option": 'FactorGraph().solve("brute_force", damping=0.5)',
    "a wrong type": 'FactorGraph().solve(max_iterations="many")',
    "of many graphs": 'solve_many([FactorGraph()], "admm", penaltie=1.0)',
    "of marginals": "FactorGraph().marginals(dampening=0.5)",
    "of trees": "Trees([[0.0]], single_rot=True)",
    "of a function of trees": "tt.trees.marginals([[0.0]], projectiv=True)",
    "of decode": "tt.decode([[0.0]], singleroot=True)",
    "of training a parser": "tt.Parser.train(treebank(9, seed=1), epoch=2)",
    "of training a tagger": 'tt.Tagger.train(treebank(9, seed=1), tasks="tag")',
    "of training a pipeline": "tt.Pipeline.train(treebank(9, seed=1), eposhs=2)",
}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What mypy says of the program, with the mistakes after it."""
    folder = tmp_path_factory.mktemp("typed")
    program = folder / "program.py"
    wrong = "\n".join(MISTAKES.values())
    program.write_text(PROGRAM + "\n\n" + wrong + "\n")
    source = Path(__file__).parent.parent / "src"
    options = ["--strict", "--no-error-summary", "--follow-imports=silent"]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", "cache", str(program)],
        cwd=folder,
        env={"MYPYPATH": str(source), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stderr == ""
    return [line for line in found.stdout.splitlines() if ": error: " in line]


def _errors_at(lines: list[str], first: int, last: int) -> list[str]:
    return [line for line in lines if first <= int(line.split(":")[1]) <= last]


def test_a_program_has_no_type_errors(checked: list[str]) -> None:
    assert _errors_at(checked, 1, PROGRAM.count("\n") + 1) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_an_error(mistake: str, checked: list[str]) -> None:
    line = PROGRAM.count("\n") + 3 + list(MISTAKES).index(mistake)
    assert _errors_at(checked, line, line), f"mypy accepts {MISTAKES[mistake]}"
