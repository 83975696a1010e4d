"""The engine of Ray."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.scaling import open_engine, parse_corpus
from turbotree.text import read_conllu, treebank, write_conllu

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def engine():
    with open_engine("ray", 2) as started:
        yield started


def test_a_corpus_comes_out_as_one_process_would_write_it(engine, tmp_path):
    model, corpus, out = (tmp_path / name for name in ("model", "in.conllu", "out.conllu"))
    Parser.train(treebank(40, seed=1), epochs=1, pruner_epochs=1).save(model)
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
