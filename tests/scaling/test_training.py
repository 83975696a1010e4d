"""Training in shards, by workers some of which die."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.networks import NetworkOptions
from turbotree.parsing.training.trainer import train_parser
from turbotree.scaling import deal, open_engine, open_worker_pool, train_in_shards
from turbotree.scaling.engines import WorkerLostError
from turbotree.scaling.worker_pool import ProcessWorkerPool
from turbotree.text import Sentence, treebank, write_conllu

DATA = list(treebank(24, seed=1))
DEV = list(treebank(4, seed=2))
QUICK = {"model": "arc", "epochs": 2, "pruner_epochs": 1}


class Here:
    """A pool in this process; it may forget what it has read, or be stopped."""

    def __init__(self, stop_after=None, forgetful=False):
        self.calls = 0
        self.stop_after = stop_after
        self.forgetful = forgetful

    def share(self, value):
        return value

    def run(self, function, calls):
        for number, (token, *arguments) in enumerate(calls):
            if self.calls == self.stop_after:
                raise KeyboardInterrupt
            self.calls += 1
            yield number, function(f"{token}{self.calls * self.forgetful}", *arguments)


def without_some_heads(sentence, keep):
    lines = []
    for line in sentence.to_text().splitlines(keepends=True):
        fields = line.split("\t")
        if len(fields) == 10 and int(fields[0]) % 4 == keep:
            fields[6:8] = "_", "_"
        lines.append("\t".join(fields))
    return "".join(lines)


def bytes_of(parser, folder):
    parser.save(folder / "model")
    return (folder / "model").read_bytes()


def test_a_network_is_trained_beside_the_shards(tmp_path):
    """One shard gives what serial training gives; the held-out sentences are in no shard."""
    network = NetworkOptions(hidden=8, arc_size=8, label_size=8, updates=4, least_epochs=1)
    trees = list(treebank(120, seed=1))
    options = {"epochs": 1, "pruner_epochs": 1, "model": "turbo", "network": network}
    serial = train_parser(trees, **options)
    assert serial.record["sentences"] == 108
    file = tmp_path / "train.conllu"
    write_conllu(trees, file)
    assert train_in_shards(file, Here(), 1, **options).to_bytes() == serial.to_bytes()
    mixed = train_in_shards(file, Here(), 2, **options)
    assert mixed.network is not None
    assert mixed.network.weights.tolist() == serial.network.weights.tolist()


@pytest.fixture(scope="module")
def two_shards(tmp_path_factory):
    """What two shards give."""
    parser = train_in_shards(DATA, Here(), 2, dev=DEV, **QUICK)
    return bytes_of(parser, tmp_path_factory.mktemp("two"))


@pytest.mark.parametrize(
    "options",
    [{}, {"model": "standard", "features": "supported"}, {"loss": "crf", "bits": 16, "threads": 2}],
    ids=["arc", "standard", "crf"],
)
def test_one_shard_gives_the_bytes_of_serial_training(options, tmp_path):
    serial = train_parser(DATA, dev=DEV, **{**QUICK, **options})
    mixed = train_in_shards(DATA, Here(), 1, dev=DEV, **{**QUICK, **options})
    assert bytes_of(mixed, tmp_path) == bytes_of(serial, tmp_path)


@pytest.mark.parametrize("forgetful", [False, True])
def test_one_shard_of_partial_trees_gives_the_bytes_of_serial_training(forgetful, tmp_path):
    file = tmp_path / "partial.conllu"
    file.write_text("".join(without_some_heads(s, i % 5) for i, s in enumerate(DATA)))
    serial = train_parser(file, **QUICK)
    assert serial.record["words without a head"] > 0
    mixed = train_in_shards(file, Here(forgetful=forgetful), 1, **QUICK)
    assert bytes_of(mixed, tmp_path) == bytes_of(serial, tmp_path)


def test_processes_give_what_one_process_does_from_files_too(two_shards, tmp_path):
    file = tmp_path / "train.conllu"
    write_conllu(DATA, file)
    with open_engine("processes", 2) as engine, open_worker_pool(engine, 2) as pool:
        parser = train_in_shards(file, pool, 2, dev=DEV, **QUICK)
    assert bytes_of(parser, tmp_path) == two_shards
    assert parser.record["mixing"] == {"shards": 2, "shares": "features", "times": 2}


def test_words_keep_the_tags_of_training_on_their_way_to_workers(tmp_path):
    options = {"templates": {"arc": ["h.tags m.tags", "h.upos m.upos dist"]}, **QUICK}
    serial = train_parser(DATA, dev=DEV, **options)
    with open_engine("processes", 1) as engine, open_worker_pool(engine, 1) as pool:
        mixed = train_in_shards(DATA, pool, 1, dev=DEV, **options)
    assert bytes_of(mixed, tmp_path) == bytes_of(serial, tmp_path)


def test_workers_that_forget_everything_give_the_same(two_shards, tmp_path):
    parser = train_in_shards(DATA, Here(forgetful=True), 2, dev=DEV, **QUICK)
    assert bytes_of(parser, tmp_path) == two_shards


@pytest.mark.parametrize("stop_after", [1, 5, 12, 14, 21])
def test_a_killed_run_goes_on_to_the_same_file(two_shards, stop_after, tmp_path):
    options = {"dev": DEV, "checkpoint": tmp_path / "states", **QUICK}
    with pytest.raises(KeyboardInterrupt):
        train_in_shards(DATA, Here(stop_after), 2, **options)
    again = Here()
    parser = train_in_shards(DATA, again, 2, resume=True, **options)
    assert bytes_of(parser, tmp_path) == two_shards
    # One epoch of the pruner, two of the parts, two of labels, each of two legs for two workers;
    # after the parts, the features that trees support are counted, again if need be.
    arcs, labels = min(stop_after, 12) // 4, max(0, stop_after - 14) // 4
    assert again.calls == 22 - 4 * (arcs + labels)


def test_a_run_is_not_resumed_with_another_number_of_shards(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train_in_shards(DATA, Here(5), 2, checkpoint=tmp_path, **QUICK)
    with pytest.raises(InputError, match=r"other settings \(mixing\)"):
        train_in_shards(DATA, Here(), 3, checkpoint=tmp_path, resume=True, **QUICK)


def test_packed_data_are_dealt_out_too(tmp_path):
    with gzip.open(tmp_path / "train.conllu.gz", "wt") as out:
        out.write("".join(s.to_text() for s in DATA))
    found = train_in_shards(tmp_path / "train.conllu.gz", Here(), 2, **QUICK)
    expected = train_in_shards(DATA, Here(), 2, **QUICK)
    assert bytes_of(found, tmp_path) == bytes_of(expected, tmp_path)


def test_data_that_change_meanwhile_are_noticed(tmp_path):
    file = tmp_path / "train.conllu"
    write_conllu(DATA, file)

    class Meddler(Here):
        def run(self, function, calls):
            text = file.read_bytes()
            # A line of one sentence becomes a blank one: two sentences, of the same bytes.
            cut = text.index(b"\n\n") + 2
            file.write_bytes(text[:cut] + b"\n" * (len(text) - cut))
            return super().run(function, calls)

    with pytest.raises(InputError, match=r"train\.conllu: no sentences|the workers read"):
        train_in_shards(file, Meddler(), 2, **QUICK)


def test_shards_hold_every_sentence_once(tmp_path):
    file = tmp_path / "train.conllu"
    write_conllu(DATA, file)
    shards = deal(file, 3)
    texts = [[s.to_text() for s in shard.trees()] for shard in shards]
    assert sorted(t for shard in texts for t in shard) == sorted(s.to_text() for s in DATA)
    assert {len(shard) for shard in texts} == {8}


@pytest.mark.parametrize(
    ("shards", "reason"), [(0, "at least 1"), (25, "25 shards, but 24 sentences")]
)
def test_numbers_of_shards_that_cannot_be_are_refused(shards, reason):
    with pytest.raises(InputError, match=reason):
        train_in_shards(DATA, Here(), shards, **QUICK)


def die_at_first(folder, number):
    mark = Path(folder, str(number))
    if number != 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.getpid(), number


def die():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def pool():
    made = ProcessWorkerPool(2)
    yield made
    made.stop()


def test_calls_of_dead_workers_are_made_again_by_a_new_one(pool, tmp_path):
    calls = [(str(tmp_path), number) for number in range(2)]
    first = dict(pool.run(die_at_first, calls))
    assert [first[number][1] for number in range(2)] == [0, 1]
    # From now on, each number keeps its worker.
    assert dict(pool.run(die_at_first, calls)) == first


def test_a_call_that_always_kills_its_worker_is_given_up(pool, monkeypatch):
    monkeypatch.setattr("turbotree.scaling.worker_pool.RETRIES", 0)
    with pytest.raises(WorkerLostError, match="shard 1 killed its worker"):
        list(pool.run(die, [()]))


def test_sentences_are_what_they_were_after_a_shard_has_read_them(tmp_path):
    file = tmp_path / "train.conllu"
    write_conllu(DATA, file)
    (shard,) = deal(file, 1)
    assert all(isinstance(s, Sentence) for s in shard.trees())
    assert shard.trees() == DATA
