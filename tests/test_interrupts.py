"""Whatever takes long ends when nobody wants it any more."""

import threading
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from turbotree import chains, trees
from turbotree.graphs import FactorGraph, Status
from turbotree.interrupts import (
    OutOfTimeError,
    Stop,
    Threads,
    best_so_far,
    check,
    enough,
    obey,
    time_limit,
)
from turbotree.parsing import Parser
from turbotree.streaming import map_in_order
from turbotree.text import Sentence, treebank

_RNG = np.random.default_rng(1)


def ended(work: Callable[[], object]) -> bool:
    """Tell whether work in a thread that has been told to stop is broken off."""
    stop = Stop()
    stop.set()
    found: list[bool] = []

    def run() -> None:
        obey(stop)
        try:
            work()
        except KeyboardInterrupt:
            found.append(True)
        else:
            found.append(False)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def _matrix(words: int) -> np.ndarray:
    return _RNG.normal(size=(words + 1, words + 1))


def _labels() -> object:
    words, labels = 400, 40
    transitions = chains.Transitions(np.ones((labels, labels)))
    edges = np.zeros((words - 1) * labels**2)
    return transitions.marginals([words], np.zeros(words * labels), edges)


def _graph(side: int = 100) -> FactorGraph:
    graph = FactorGraph()
    pixels = graph.variables(_RNG.normal(size=(side, side)))
    graph.pair(pixels[:, :-1], pixels[:, 1:], _RNG.normal(size=(side, side - 1)))
    graph.pair(pixels[:-1], pixels[1:], _RNG.normal(size=(side - 1, side)))
    return graph


@cache
def _parser() -> Parser:
    return Parser.train(treebank(60, seed=1), model="standard", epochs=1, pruner_epochs=1)


@cache
def _sentence(words: int) -> Sentence:
    forms = [form for sentence in treebank(400, seed=3) for form in sentence.forms][:words]
    return Sentence.from_words(forms, upos=["NOUN"] * len(forms))


@pytest.mark.parametrize(
    "work",
    [
        lambda: trees.marginals(_matrix(600), single_root=False),
        lambda: trees.marginals(_matrix(120), projective=True, single_root=False),
        lambda: trees.maximum_spanning_tree(_matrix(700), single_root=False),
        lambda: trees.maximum_spanning_tree(_matrix(150), projective=True, single_root=False),
        lambda: trees.maximum_spanning_tree(
            np.stack([_matrix(700)] * 2), threads=2, single_root=False
        ),
        lambda: trees.k_best(_matrix(80), 50, single_root=False),
        lambda: trees.sample(_matrix(400), 10, single_root=False),
        _labels,
        lambda: _graph().solve("admm", max_iterations=10**6),
        lambda: _graph().solve("branch_and_bound"),
        lambda: _graph().solve("subgradient", max_iterations=10**6),
        lambda: _graph().solve("linear_program", exact=True),
        lambda: _graph().marginals("belief_propagation", max_iterations=10**6, tolerance=0.0),
        lambda: _parser().parse(_sentence(300)),
        lambda: _parser().k_best(_sentence(60), 20),
        lambda: _parser().sample(_sentence(60), 20),
        lambda: _parser().parse(_sentence(60)).marginals,
    ],
)
def test_unwanted_work_is_broken_off(work: Callable[[], object]) -> None:
    _parser()  # trained here, where nobody objects
    assert ended(work)


def test_wanted_work_is_not() -> None:
    obey(Stop())
    try:
        assert trees.maximum_spanning_tree(_matrix(700), single_root=False).shape == (700,)
    finally:
        obey(None)


def test_threads_end_with_their_block() -> None:
    begun = threading.Event()

    def work() -> None:
        begun.set()
        trees.marginals(_matrix(3000), single_root=False)  # takes minutes

    futures = []

    def fail() -> None:
        with Threads(1) as threads:
            futures.append(threads.submit(work))
            begun.wait()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert isinstance(futures[0].exception(), KeyboardInterrupt)


def test_threads_within_threads_end_too() -> None:
    begun = threading.Event()

    def inner() -> None:
        begun.set()
        trees.marginals(_matrix(3000), single_root=False)

    def outer() -> None:
        with Threads(1) as threads:
            threads.submit(inner).result()

    def fail() -> None:
        with Threads(1) as threads:
            threads.submit(outer)
            begun.wait()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()


def test_a_stream_that_nobody_reads_any_more_ends() -> None:
    begun = threading.Event()

    def work(number: int) -> int:
        if number:
            begun.set()
            trees.marginals(_matrix(3000), single_root=False)
        return number

    # Of five and more the first comes while the others are still at work.
    stream = map_in_order(work, [0, 1, 1, 1, 1, 1], threads=2)
    assert next(stream) == 0
    begun.wait()
    stream.close()  # type: ignore[attr-defined]


def test_a_time_limit_ends_work_in_the_core() -> None:
    with pytest.raises(OutOfTimeError), time_limit(0.0):
        trees.marginals(_matrix(600), single_root=False)
    check()


def test_the_shorter_of_two_time_limits_counts() -> None:
    with time_limit(0.0), time_limit(1e6), pytest.raises(OutOfTimeError):
        check()
    with time_limit(1e6), time_limit(None):
        check()


@pytest.mark.parametrize("solver", ["admm", "branch_and_bound", "subgradient"])
def test_solvers_give_the_best_so_far_when_that_is_enough(solver: str) -> None:
    graph = _graph(300)  # solvers are asked every 20 ms: smaller ones may be relaxed by then
    stop = Stop()
    stop.set()
    rounds = "max_nodes" if solver == "branch_and_bound" else "max_iterations"
    with best_so_far(stop):
        found = graph.solve(solver, **{rounds: 10**9})
    assert found.status is Status.LIMIT
    # All that any assignment could have.
    pairs = sum(np.maximum(block.scores, 0).sum() for block in graph.blocks)
    most = np.maximum(graph.scores, 0).sum() + pairs
    assert found.value <= found.upper_bound
    if found.values is not None:
        assert found.value == pytest.approx(graph.value(found.values))
        assert found.value <= most
    assert not enough()
