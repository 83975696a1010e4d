"""The engine of Ray."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.scaling import open_engine, parse_corpus, train_in_shards
from turbotree.scaling.worker_pool import RayWorkerPool
from turbotree.text import read_conllu, treebank, write_conllu

pytest.importorskip("ray")


class OneDies(RayWorkerPool):
    """A pool of which one worker is killed before the third round of calls."""

    rounds = deaths = 0

    def run(self, function, calls):
        self.rounds += 1
        if self.rounds == 3:
            ((_, pid),) = super().run(os.getpid, [()])
            os.kill(pid, signal.SIGKILL)
            self.deaths += 1
        return super().run(function, calls)


class InThisProcess:
    """A pool without workers."""

    def share(self, value):
        return value

    def run(self, function, calls):
        for number, arguments in enumerate(calls):
            yield number, function(*arguments)


@pytest.fixture(scope="module")
def engine():
    with open_engine("ray", 2) as started:
        yield started


def test_a_corpus_comes_out_as_one_process_would_write_it(engine, tmp_path):
    model, corpus, out = (tmp_path / name for name in ("model", "in.conllu", "out.conllu"))
    Parser.train(treebank(40, seed=1), model="arc", epochs=1, pruner_epochs=1).save(model)
    write_conllu(treebank(60, seed=2), corpus)
    report = parse_corpus(model, [corpus], out, engine, piece_bytes=10_000)
    expected = tmp_path / "expected.conllu"
    write_conllu((p.to_sentence() for p in Parser.load(model).pipe(read_conllu(corpus))), expected)
    assert out.read_bytes() == expected.read_bytes()
    assert report.sentences == 60


def test_calls_of_dead_workers_are_made_again(engine, tmp_path):
    def die_at_first(folder, number):
        mark = Path(folder, str(number))
        if number == 2 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number

    found = dict(engine.run(die_at_first, [(str(tmp_path), number) for number in range(5)]))
    assert found == {number: number**2 for number in range(5)}


def test_what_the_user_did_wrong_comes_through(engine):
    def refuse(number):
        raise InputError(f"no {number}")

    with pytest.raises(InputError, match="no 7"):
        list(engine.run(refuse, [(7,)]))


def test_training_in_shards_is_that_of_processes_and_survives_a_death(engine, tmp_path):
    data = list(treebank(20, seed=1))
    quick = {"model": "arc", "epochs": 2, "pruner_epochs": 1}
    pool = OneDies(2)
    try:
        found = train_in_shards(data, pool, 2, **quick)
    finally:
        pool.stop()
    assert pool.deaths == 1
    here = InThisProcess()
    expected = train_in_shards(data, here, 2, **quick)
    for parser, name in ((found, "found"), (expected, "expected")):
        parser.save(tmp_path / name)
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def test_more_workers_than_cores_are_refused(engine):
    with pytest.raises(InputError, match="3 workers, but the Ray cluster has 2 cores"):
        RayWorkerPool(3)
