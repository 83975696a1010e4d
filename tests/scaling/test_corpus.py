"""Parsing corpora with several workers, some of which die."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from oracles.level_two import problems_of

from turbotree.errors import InfeasibleError, InputError
from turbotree.modelfile import read_model
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.scaling import cut, open_engine, parse_corpus
from turbotree.scaling.annotating import _loaded
from turbotree.scaling.engines import RETRIES, Processes, WorkerLostError
from turbotree.scaling.parsing import parse_piece
from turbotree.text import CONLLU, read_conllu, treebank, write_conllu

SMALL = 3000  # bytes per piece: a few sentences


class Here:
    """An engine without workers, for what does not depend on them."""

    def __init__(self, stop_after=None):
        self.calls = 0
        self.stop_after = stop_after

    def run(self, function, calls):
        for number, arguments in enumerate(calls):
            if self.calls == self.stop_after:
                raise KeyboardInterrupt
            self.calls += 1
            yield number, function(*arguments)


def die_at_first(folder, number):
    """Kill the worker the first time that it is called with a number divisible by three."""
    mark = Path(folder, str(number))
    if number % 3 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die(number):
    os.kill(os.getpid(), signal.SIGKILL)


def refuse(number):
    raise InputError(f"no {number}")


def test_files_come_out_as_one_process_would_write_them(model, corpus, expected, tmp_path):
    out = tmp_path / "out"
    told = []
    with open_engine("processes", 2) as engine:
        report = parse_corpus(
            model,
            corpus,
            out,
            engine,
            piece_bytes=SMALL,
            on_piece=lambda done, pieces, _: told.append((done, pieces)),
        )
    assert [(out / file.name).read_bytes() for file in corpus] == expected
    assert sorted(p.name for p in out.iterdir()) == [file.name for file in corpus]
    assert report.sentences == 43
    assert report.pieces > 5
    assert told == [(i, report.pieces) for i in range(1, report.pieces + 1)]


def test_calls_of_dead_workers_are_made_again(tmp_path):
    calls = [(str(tmp_path), number) for number in range(5)]
    found = dict(Processes(2).run(die_at_first, calls))
    assert found == {number: number**2 for number in range(5)}


def test_a_call_that_always_kills_its_worker_is_given_up():
    with pytest.raises(WorkerLostError, match=f"{RETRIES + 1} times"):
        list(Processes(1).run(die, [(0,)]))


def test_what_the_user_did_wrong_comes_through():
    with pytest.raises(InputError, match="no 7"):
        list(Processes(1).run(refuse, [(7,)]))


def test_an_interrupted_run_goes_on(model, corpus, expected, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        parse_corpus(model, corpus, out, Here(stop_after=3), piece_bytes=SMALL)
    second = Here()
    report = parse_corpus(model, corpus, out, second, piece_bytes=SMALL)
    assert report.resumed == 3
    assert second.calls == report.pieces - 3
    assert [(out / file.name).read_bytes() for file in corpus] == expected


def test_inputs_that_were_done_before_an_interruption_stay_done(model, corpus, expected, tmp_path):
    out = tmp_path / "out"
    pieces = [len(cut(file, SMALL)) for file in corpus]
    first = pieces[0] + 1  # all of the first input, and the second, which is a single piece
    assert pieces[1] == 1
    with pytest.raises(KeyboardInterrupt):
        parse_corpus(model, corpus, out, Here(stop_after=first), piece_bytes=SMALL)
    assert (out / corpus[0].name).read_bytes() == expected[0]
    second = Here()
    report = parse_corpus(model, corpus, out, second, piece_bytes=SMALL)
    assert report.resumed == first
    assert second.calls == sum(pieces) - first
    assert [(out / file.name).read_bytes() for file in corpus] == expected
    assert sorted(p.name for p in out.iterdir()) == [file.name for file in corpus]


@pytest.mark.parametrize("change", ["input", "options", "rules"])
def test_pieces_of_another_run_are_not_taken(model, corpus, tmp_path, change):
    out = tmp_path / "out.conllu"
    rules = tmp_path / "own.rules"
    rules.write_text("forall h: at most 30 m: arc(h, m)\n")
    options = {"rules": [str(rules)]}
    interrupted = Here(stop_after=2)
    with pytest.raises(KeyboardInterrupt):
        parse_corpus(model, corpus[:1], out, interrupted, piece_bytes=SMALL, options=options)
    if change == "input":
        corpus[0].write_bytes(corpus[0].read_bytes() + corpus[1].read_bytes())
    elif change == "rules":
        rules.write_text("forall h: at most 20 m: arc(h, m)\n")
    else:
        options = {"projective": True}
    report = parse_corpus(model, corpus[:1], out, Here(), piece_bytes=SMALL, options=options)
    assert report.resumed == 0


def test_pipelines_take_plain_text_in_pieces(tmp_path):
    quick = {
        "folds": 2,
        "fold_epochs": 1,
        "tagger": {"epochs": 1},
        "parser": {"model": "arc", "epochs": 1},
    }
    nlp = Pipeline.train(treebank(30, seed=1), **quick)
    nlp.save(tmp_path / "nlp")
    paragraphs = ["The dogs slept. A girl saw them.\n\n", "Birds sing.\n\n"] * 3
    (tmp_path / "in.txt").write_text("".join(paragraphs))
    out = tmp_path / "out.conllu"
    report = parse_corpus(tmp_path / "nlp", [tmp_path / "in.txt"], out, Here(), piece_bytes=20)
    assert report.pieces > 1
    found = [sentence.forms for sentence in read_conllu(out)]
    assert found == [p.sentence.forms for text in paragraphs for p in nlp(text)]
    # Pieces are counted each for itself; their sentences are told apart all the same.
    assert problems_of(out.read_text()) == []


def test_plain_text_needs_a_pipeline(model, tmp_path):
    (tmp_path / "in.txt").write_text("The dogs slept.\n\n")
    with pytest.raises(InputError, match=r"in\.txt: plain text needs a pipeline"):
        parse_corpus(model, [tmp_path / "in.txt"], tmp_path / "out", Here())


def test_one_input_becomes_one_file(model, corpus, expected, tmp_path):
    parse_corpus(model, corpus[:1], tmp_path / "out.conllu", Here())
    assert (tmp_path / "out.conllu").read_bytes() == expected[0]


def test_broken_sentences_stop_or_are_skipped(model, corpus, expected, tmp_path):
    broken = corpus[0].read_bytes() + b"1\tbroken\n\n"
    corpus[0].write_bytes(broken)
    with pytest.raises(InputError, match=r"0\.conllu:\d+: "):
        parse_corpus(model, corpus[:1], tmp_path / "a", Here())
    assert not (tmp_path / "a").exists()
    report = parse_corpus(model, corpus[:1], tmp_path / "b", Here(), skip_errors=True)
    assert len(report.skipped) == 1
    assert (tmp_path / "b").read_bytes() == expected[0]


def test_sentences_without_a_tree_stop_or_are_skipped(model, corpus, tmp_path):
    trees = list(read_conllu(corpus[0]))
    clash = trees[0].replace(head=[2, 1] + [None] * (len(trees[0]) - 2))
    write_conllu([*trees, clash], tmp_path / "in.conllu")
    options = {"options": {"keep_given": True}}
    with pytest.raises(InfeasibleError, match="cycle"):
        parse_corpus(model, [tmp_path / "in.conllu"], tmp_path / "a", Here(), **options)
    report = parse_corpus(
        model, [tmp_path / "in.conllu"], tmp_path / "b", Here(), skip_errors=True, **options
    )
    assert ["cycle" in said for said in report.skipped] == [True]
    assert [tree.heads for tree in read_conllu(tmp_path / "b")] == [tree.heads for tree in trees]


def test_a_piece_is_there_whole_or_not_at_all(model, corpus, tmp_path):
    corpus[0].write_bytes(corpus[0].read_bytes() + b"1\tbroken\n\n")
    piece = cut(corpus[0], 10**6)[0]
    checksum = read_model(model).checksum
    with pytest.raises(InputError):
        parse_piece(str(model), checksum, piece, CONLLU, {}, False, str(tmp_path / "piece"))
    assert not (tmp_path / "piece").exists()


def test_pieces_of_two_models_are_never_joined(model, corpus, tmp_path):
    own, out = tmp_path / "model", tmp_path / "out.conllu"
    shutil.copy(model, own)

    def replace_model(done, pieces, report):
        Parser.train(treebank(20, seed=7), model="arc", epochs=1, pruner_epochs=1).save(own)
        _loaded.cache_clear()  # as in a worker that has done nothing yet

    with pytest.raises(InputError, match="the model has changed since the run began"):
        parse_corpus(own, corpus[:1], out, Here(), piece_bytes=SMALL, on_piece=replace_model)
    assert not out.exists()


def test_nothing_is_left_beside_outputs(model, corpus, expected, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for number in (1, 3):
        parse_corpus(model, corpus[:number], out, Here(), piece_bytes=SMALL)
        assert sorted(os.listdir(out)) == [file.name for file in corpus[:number]]
    assert [(out / file.name).read_bytes() for file in corpus] == expected


@pytest.mark.parametrize(
    ("names", "output", "reason"),
    [
        ([], "out", "no input files"),
        (["missing.conllu"], "out", "no such file"),
        (["a/x.conllu", "b/x.conllu"], "out", "two inputs are called x.conllu"),
        (["a/x.conllu", "b/y.conllu"], "a/x.conllu", "is a file"),
        (["a/x.conllu", "a/y.conllu"], "a", "take the place of the input"),
    ],
)
def test_what_cannot_be_done_is_refused(model, corpus, tmp_path, names, output, reason):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for name in ("x", "y"):
            (tmp_path / folder / f"{name}.conllu").write_bytes(corpus[1].read_bytes())
    with pytest.raises(InputError, match=reason):
        parse_corpus(model, [tmp_path / name for name in names], tmp_path / output, Here())


@pytest.mark.parametrize(
    ("name", "workers", "address", "reason"),
    [
        ("spark", 1, None, "unknown engine 'spark'"),
        ("processes", 0, None, "at least 1"),
        ("processes", 1, "host:1", "for the engine 'ray'"),
    ],
)
def test_engines_that_there_are_not_are_refused(name, workers, address, reason):
    with pytest.raises(InputError, match=reason), open_engine(name, workers, address=address):
        pass
