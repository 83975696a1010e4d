"""Training: what it learns, and that one seed gives the same bytes however it is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_networks import SMALL, make_run

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.learning.epochs import EpochRecord
from turbotree.learning.progress import Silent
from turbotree.networks import NetworkOptions, WordVectors, _core, train_network
from turbotree.text import Sentence, treebank


class KilledError(Exception):
    pass


class KilledAfter(Silent):
    """Ends a run in the middle of an epoch."""

    def __init__(self, updates: int) -> None:
        self.left = updates

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        self.left -= 1
        if self.left == 0:
            raise KilledError


class Recorder(Silent):
    def __init__(self) -> None:
        self.records: list[EpochRecord] = []

    def epoch(self, name: str, record: EpochRecord) -> None:
        self.records.append(record)


def test_a_network_learns_a_grammar() -> None:
    train, test = list(treebank(300, seed=1)), list(treebank(60, seed=2))
    options = NetworkOptions(
        hidden=32,
        arc_size=32,
        label_size=16,
        word_size=24,
        surface_size=24,
        tag_size=24,
        lemma_size=16,
        surface_buckets=500,
        batch_words=200,
        updates=300,
        learning_rate=1e-2,
    )
    recorder = Recorder()
    network = train_network(train, test[:20], options, progress=recorder)
    scores = attachment_scores(test, network.parse(test))
    assert scores.las > 70
    assert recorder.records[-1].loss < 0.4 * recorder.records[0].loss
    assert set(recorder.records[-1].scores) == {"dev UAS", "dev LAS"}


@pytest.mark.parametrize("loss", ["heads", "trees"])
def test_threads_do_not_change_a_bit(sentences: list[Sentence], loss: str) -> None:
    options = replace(SMALL, loss=loss, shards=3)
    one, three = (train_network(sentences, options=options, threads=n) for n in (1, 3))
    assert one.weights.tobytes() == three.weights.tobytes()
    other = train_network(sentences, options=replace(options, seed=4))
    assert one.weights.tobytes() != other.weights.tobytes()


@pytest.mark.parametrize("updates", [1, 7, 15])
@pytest.mark.parametrize("average", [0.0, 0.9])
def test_a_killed_run_goes_on_to_the_same_bytes(
    sentences: list[Sentence], tmp_path: Path, updates: int, average: float
) -> None:
    options = replace(SMALL, average=average)
    whole = train_network(sentences, options=options)
    path = tmp_path / "network.checkpoint"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("turbotree.learning.checkpoint.Checkpoint.due", lambda self: True)
        with pytest.raises(KilledError):
            train_network(
                sentences, options=options, checkpoint=tmp_path, progress=KilledAfter(updates)
            )
    assert path.exists() == (updates > 1)
    resumed = train_network(sentences, options=options, checkpoint=tmp_path, resume=True)
    assert resumed.weights.tobytes() == whole.weights.tobytes()
    assert not path.exists()


def test_a_checkpoint_of_other_options_is_refused(
    sentences: list[Sentence], tmp_path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("turbotree.learning.checkpoint.Checkpoint.due", lambda self: True)
        with pytest.raises(KilledError):
            train_network(sentences, options=SMALL, checkpoint=tmp_path, progress=KilledAfter(3))
    other = replace(SMALL, seed=9)
    with pytest.raises(InputError, match="other settings"):
        train_network(sentences, options=other, checkpoint=tmp_path, resume=True)


def test_shards_sum_to_the_gradient_of_the_batch(sentences: list[Sentence]) -> None:
    batch = np.arange(20, dtype=np.int32)
    gradients = []
    for shards in (1, 4):
        run = make_run(sentences, replace(SMALL, shards=shards))
        run.training.accumulate(batch, False, 1)
        gradients.append(run.training.gradient())
    assert np.abs(gradients[0] - gradients[1]).max() < 1e-5


def test_a_long_gradient_is_cut(sentences: list[Sentence]) -> None:
    # Adam forgets the gradient's scale but for its first step's epsilon; the means do not.
    batch = np.arange(20, dtype=np.int32)
    means = []
    for norm in (1e9, 1e-3):
        run = make_run(sentences, replace(SMALL, largest_norm=norm))
        run.training.accumulate(batch, False, 1)
        run.training.update(1e-3, 1)
        means.append(np.linalg.norm(run.training.state()[1]))
        assert not run.training.gradient().any()
    assert means[1] == pytest.approx(1e-3 * 0.1, rel=1e-3)
    assert means[0] > 10 * means[1]


def test_batches_hold_every_sentence_once() -> None:
    lengths = np.random.default_rng(1).integers(1, 40, size=500).astype(np.int32)
    order, offsets = _core.draw_batches(lengths, 100, 7, 0)
    assert sorted(order.tolist()) == list(range(500))
    sums = np.add.reduceat(lengths[order], offsets[:-1])
    assert sums.max() <= 100
    assert sums.mean() > 75
    assert order.tolist() != _core.draw_batches(lengths, 100, 7, 1)[0].tolist()
    assert order.tolist() == _core.draw_batches(lengths, 100, 7, 0)[0].tolist()


def test_sentences_without_trees_teach_nothing(sentences: list[Sentence]) -> None:
    bare = [Sentence.from_words(one.forms) for one in sentences]
    with pytest.raises(InputError, match="no sentence"):
        train_network(bare, options=SMALL)


def test_pretrained_vectors_stay_as_they_are(
    sentences: list[Sentence], vectors: WordVectors
) -> None:
    before = vectors.table.copy()
    network = train_network(sentences, options=SMALL, vectors=vectors)
    assert (vectors.table == before).all()
    assert network.parse(sentences[:5])


@pytest.mark.parametrize(
    "wrong", [{"hidden": 0}, {"dropout": 1.0}, {"loss": "words"}, {"batch_words": 0}]
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        NetworkOptions(**wrong)  # type: ignore[arg-type]


def test_an_update_that_was_broken_off_leaves_no_trace(sentences: list[Sentence]) -> None:
    batch = np.arange(len(sentences), dtype=np.int32)
    clean, broken = make_run(sentences), make_run(sentences)

    def for_ever() -> None:
        while True:
            broken.training.accumulate(batch, True, 2)
            broken.training.update(0.0, 2)

    with pytest.raises(OutOfTimeError), time_limit(0.0):
        for_ever()
    *state, _ = clean.training.state()
    broken.training.restore(*state, 0)
    for run in (clean, broken):
        run.training.accumulate(batch, True, 1)
    assert clean.training.gradient().tobytes() == broken.training.gradient().tobytes()
