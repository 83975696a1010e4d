"""Whatever works with a parser works with one that has a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import turbotree as tt
from turbotree.cli.app import app
from turbotree.graphs import Status
from turbotree.learning import Checkpoint
from turbotree.learning.progress import Silent
from turbotree.networks import NetworkOptions, NetworkScorer, _core
from turbotree.parsing.mixture import mixture_of, network_pruner
from turbotree.scoring import sparse
from turbotree.text import read_conllu, treebank, write_conllu

SMALL = NetworkOptions(hidden=16, arc_size=16, label_size=8, updates=60, least_epochs=2)
QUICK: dict[str, Any] = {"model": "turbo", "network": SMALL, "epochs": 1, "pruner_epochs": 1}
TRAIN, DEV, TEST = (list(treebank(n, seed=n)) for n in (100, 30, 12))

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def parser() -> tt.Parser:
    return tt.Parser.train(TRAIN, dev=DEV, **QUICK)


@pytest.fixture(scope="module")
def files(parser: tt.Parser, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("turbo")
    parser.save(folder / "model")
    write_conllu(TEST, folder / "test.conllu")
    return folder / "model", folder / "test.conllu"


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize(
    "options",
    [
        *[("--decoder", name) for name in ("exact", "admm", "subgradient", "lp", "ilp", "bp")],
        ("--decoder", "admm", "--decomposition", "logic"),
        ("--projective",),
        ("--k", "3"),
        ("--samples", "3"),
        ("--marginals", "--certificates"),
        ("--keep-given",),
        ("--threads", "2"),
        ("--engine", "processes", "--workers", "2"),
    ],
    ids=" ".join,
)
def test_every_way_to_parse_gives_trees(
    files: tuple[Path, Path], tmp_path: Path, options: tuple[str, ...]
) -> None:
    run("parse", *files, *options, "-o", tmp_path / "out.conllu")
    found = list(read_conllu(tmp_path / "out.conllu"))
    assert len(found) >= len(TEST)
    for sentence in found:
        tt.text.check_tree(sentence)


def test_processes_give_the_trees_of_one(files: tuple[Path, Path], tmp_path: Path) -> None:
    alone, spread = tmp_path / "alone.conllu", tmp_path / "spread.conllu"
    run("parse", *files, "-o", alone)
    run("parse", *files, "-o", spread, "--engine", "processes", "--workers", "2")
    assert spread.read_bytes() == alone.read_bytes()


def test_it_is_traced_and_asked_for_suggestions(files: tuple[Path, Path]) -> None:
    assert "bound" in run("trace", *files).stdout
    assert run("suggest", *files, "--top", 2).stdout.count("# entropy") == 2
    assert run("suggest", *files, "--top", 2, "--words").stdout


def test_a_server_answers_with_it(parser: tt.Parser) -> None:
    serving = pytest.importorskip("turbotree.serving")
    question = serving.Question(tagged="the/DET dog/NOUN saw/VERB a/DET cat/NOUN", k=2, trace=True)
    (answer,) = serving.Engine(parser).answer(question)
    assert [len(tree["heads"]) for tree in answer["trees"]] == [5, 5]


def test_spawned_processes_get_it(parser: tt.Parser) -> None:
    with get_context("spawn").Pool(1) as pool:
        (found,) = pool.map(parser.parse, TEST[:1])
    assert found.heads == parser.parse(TEST[0]).heads


@pytest.mark.parametrize("kernels", _core.kernel_names())
def test_trees_are_the_same_by_all_instructions(parser: tt.Parser, kernels: str) -> None:
    assert parser.network is not None
    network = parser.network.with_kernels(kernels)
    weights = mixture_of(parser.parts, parser.labels)
    other = replace(
        parser,
        pruner=network_pruner(network, parser.pruner.options, parser.shape),
        parts=weights.parts(sparse(parser.parts), network),
        labels=weights.labels(parser.labels, network),
    )
    assert isinstance(other.pruner.scorer, NetworkScorer)
    for mine, theirs in zip(parser.parse_batch(TEST), other.parse_batch(TEST), strict=True):
        tie = abs(mine.score - theirs.score) <= 1e-4
        assert mine.heads == theirs.heads or tie
        assert theirs.certificate.status is Status.OPTIMAL


class KillerError(Exception):
    pass


class Killer(Silent):
    """Ends training in the middle of a stage."""

    def __init__(self, name: str, left: int) -> None:
        self.name, self.left = name, left

    def instance(self, name: str, done: int, record: Any) -> None:
        if name == self.name:
            self.left -= 1
            if self.left == 0:
                raise KillerError


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("stage", "left"), [("parts", 30), ("network", 1), ("network", 37)])
def test_a_killed_run_goes_on_to_the_same_bytes(
    parser: tt.Parser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage: str,
    left: int,
    threads: int,
) -> None:
    monkeypatch.setattr(Checkpoint, "due", lambda _: True)
    options = {"dev": DEV, "checkpoint": tmp_path / "states", "threads": threads, **QUICK}
    with pytest.raises(KillerError):
        tt.Parser.train(TRAIN, progress=Killer(stage, left), **options)
    monkeypatch.undo()
    again = tt.Parser.train(TRAIN, resume=True, **options)
    assert again.to_bytes() == parser.to_bytes()


def test_a_parser_that_is_trained_without_options_has_a_network() -> None:
    options = tt.parsing.TrainingOptions()
    assert options.network_options() == NetworkOptions()
    assert options.families() == ("arc", "sibling", "grandparent")


def test_the_command_line_says_the_default() -> None:
    (line,) = (
        line for line in run("train", "--help").stdout.splitlines() if "[default: turbo]" in line
    )
    assert line
