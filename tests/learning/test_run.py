"""Training runs: what every stage shares, whatever it learns and however."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import numpy as np
import pytest
from oracles.labelling import LabellingTask, random_instances

from turbotree.errors import InputError
from turbotree.learning import EpochRecord, LearnerOptions, Loss, Run, Stage, learn
from turbotree.learning.epochs import TrainingState
from turbotree.learning.progress import Silent
from turbotree.learning.run import StoppedError

SVM = LearnerOptions(Loss.named("svm"), epochs=3)


@dataclass
class Noted(Silent):
    """Remembers what it was told."""

    told: list[tuple] = field(default_factory=list)
    kill_at: int = -1

    def start(self, name, instances, epochs):
        self.told.append((name, instances, epochs))

    def epoch(self, name, record):
        self.told.append((name, record.epoch, dict(record.scores)))

    def instance(self, name, done, record):
        self.kill_at -= 1
        if self.kill_at == 0:
            raise KeyboardInterrupt


@dataclass
class Total:
    """What a stage without features learns: the mean of some numbers."""

    values: np.ndarray

    def state(self):
        return {"values": self.values}

    @classmethod
    def restore(cls, arrays):
        return cls(arrays["values"].copy())


def learn_total(stage, *, checkpoint, on_instance, on_epoch):
    """Learn without any sparse learner, but with the same epochs and checkpoints."""
    state = TrainingState.begin(lambda: Total(np.zeros(2)), Total.restore, EpochRecord, checkpoint)

    def end_epoch(record):
        on_epoch(state.weights, record)

    for index, _, record in state.rounds(
        len(stage.task), stage.options.epochs, 1, on_instance=on_instance, end_epoch=end_epoch
    ):
        state.weights.values += [stage.task[index], 1.0]
        record.loss += 1.0
    return state.weights, state.records


def mean(total):
    return float(total.values[0] / total.values[1])


def network_like(name="mean"):
    score = lambda model: {"dev mean": model}  # noqa: E731
    return Stage(name, [1.0, 2.0, 6.0], SVM, mean, score, learn=learn_total)


def test_a_stage_learns_what_the_learner_does(tmp_path):
    task = LabellingTask(random_instances(10, 1))
    expected, _ = learn(task, SVM)
    result = Run(tmp_path).train(Stage("labels", task, SVM, len, lambda size: {"size": size}))
    assert result.model == len(expected)
    assert [r["scores"] for r in result.to_record()][-1] == {"size": len(expected)}
    for name, array in expected.state().items():
        np.testing.assert_array_equal(result.weights.state()[name], array)


def test_a_stage_may_learn_in_its_own_way_and_is_told_of_like_any_other():
    progress = Noted()
    result = Run(progress=progress).train(network_like())
    assert result.model == 3.0
    scores = [("mean", epoch, {"dev mean": 3.0}) for epoch in (1, 2, 3)]
    assert progress.told == [("mean", 3, 3), *scores]


@pytest.mark.parametrize("kill_at", [1, 3, 5, 9])
def test_a_killed_stage_of_any_kind_is_resumed(tmp_path, kill_at):
    expected = Run().train(network_like())
    with pytest.raises(KeyboardInterrupt):
        Run(tmp_path, {"seed": 1}, progress=Noted(kill_at=kill_at)).train(network_like())
    found = Run(tmp_path, {"seed": 1}, resume=True).train(network_like())
    assert (found.model, found.to_record()) == (expected.model, expected.to_record())
    with pytest.raises(InputError, match="other settings"):
        Run(tmp_path, {"seed": 2}, resume=True).train(network_like())


def test_what_an_earlier_run_left_is_deleted_for_the_stages_to_come(tmp_path):
    for name in ("one", "two"):
        Run(tmp_path).train(network_like(name))
    Run(tmp_path, resume=True, stages=["one", "two"])
    assert len(list(tmp_path.iterdir())) == 2
    Run(tmp_path, stages=["one", "three"])
    assert [path.name for path in tmp_path.iterdir()] == ["two.checkpoint"]


def test_what_fails_on_one_side_stops_the_other():
    begun = threading.Event()

    class Begun(Silent):
        def instance(self, name, done, record):
            begun.set()

    def fail():
        begun.wait(10)
        raise InputError("no good")

    run = Run(progress=Begun())
    forever = LearnerOptions(SVM.loss, epochs=10**7)
    endless = Stage("endless", [1.0] * 10, forever, mean, learn=learn_total)
    with pytest.raises(InputError, match="no good"):
        run.both(lambda: run.train(endless), fail)
    again = Run(progress=Begun())
    begun.clear()
    with pytest.raises(InputError, match="no good"):
        again.both(fail, lambda: again.train(endless))
    with pytest.raises(StoppedError):
        again.train(endless)


def test_both_sides_give_their_results():
    assert Run().both(lambda: 1, lambda: "b") == (1, "b")
    assert Run(threads=2).map(lambda i: i * i, 4) == [0, 1, 4, 9]
