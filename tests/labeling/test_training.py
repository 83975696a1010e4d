"""Training taggers: options, losses, checkpoints, data that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.evaluation import span_scores
from turbotree.features import Encoder, Weights
from turbotree.labeling import Tagger
from turbotree.labeling.model import ChainModel
from turbotree.labeling.tasks import ChainTask
from turbotree.labeling.templates import load_templates
from turbotree.learning import Checkpoint, EpochRecord
from turbotree.learning.progress import Silent
from turbotree.text import Sentence, column_layout, treebank, write_sentences


def model_bytes(tagger: Tagger, folder: Path) -> bytes:
    tagger.save(folder / "model")
    return (folder / "model").read_bytes()


class KillerError(Exception):
    """What ends a run."""


class Killer(Silent):
    """Stops training after some instances."""

    def __init__(self, instances: int) -> None:
        self.left = instances

    def instance(self, name: str, done: int, record: EpochRecord) -> None:
        self.left -= 1
        if not self.left:
            raise KillerError


@pytest.mark.parametrize("task", ["chunk", "tag"])
def test_a_killed_run_goes_on_to_the_same_model(
    training: list[Sentence], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    data = training if task == "chunk" else list(treebank(20, seed=1))
    options: dict[str, Any] = {"task": task, "epochs": 2, "dev": data[:5]}
    expected = model_bytes(Tagger.train(data, **options), tmp_path)
    monkeypatch.setattr(Checkpoint, "due", lambda self: True)
    folder = tmp_path / "state"
    for instances in (len(data) // 2, 2 * len(data)):
        with pytest.raises(KillerError):
            Tagger.train(
                data, checkpoint=folder, resume=True, progress=Killer(instances), **options
            )
        if task == "chunk":
            break
    tagger = Tagger.train(data, checkpoint=folder, resume=True, **options)
    assert model_bytes(tagger, tmp_path) == expected


def test_a_checkpoint_of_other_settings_is_refused_or_dropped(
    training: list[Sentence], tmp_path: Path
) -> None:
    Tagger.train(training, checkpoint=tmp_path, epochs=1)
    with pytest.raises(InputError, match="other settings"):
        Tagger.train(training, checkpoint=tmp_path, resume=True, epochs=2)
    assert Tagger.train(training, checkpoint=tmp_path, epochs=2).record["options"]["epochs"] == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_and_its_sentences_train_the_same_model(
    training: list[Sentence], tmp_path: Path, threads: int
) -> None:
    path = tmp_path / "train.txt"
    write_sentences(training, path)
    one = model_bytes(Tagger.train(training, epochs=1), tmp_path)
    assert model_bytes(Tagger.train(path, epochs=1, threads=threads), tmp_path) == one
    assert model_bytes(Tagger.train(path, epochs=1, seed=2), tmp_path) != one


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "crf", "largest_step": 0.1},
        {"loss": "crf", "largest_step": 0.1, "features": "supported"},
        {"loss": "softmax-margin", "largest_step": 0.1},
        {"loss": "svm"},
        {"loss": "perceptron"},
        {"beta": 5.0, "gamma": 0.5},
        {"scheme": "bio"},
        {"scheme": "auto"},
        {"task": "entities"},
        {"templates": {"chunk": load_templates("chunk96")}},
        {"templates": {"chunk": ["w.form", "w.xpos"]}},
        {"task": "entities", "templates": {"entities": load_templates("entities452")}},
    ],
    ids=str,
)
def test_every_loss_scheme_and_template_set_learns(
    training: list[Sentence], held_out: list[Sentence], options: dict[str, Any]
) -> None:
    tagger = Tagger.train(training[:30], dev=held_out[:5], epochs=2, **options)
    gold = [sentence.column("chunk") for sentence in held_out]
    found = [tagging.labels for tagging in tagger.pipe(held_out)]
    assert span_scores(gold, found).f1 > 75.0


def test_a_scheme_is_chosen_by_the_score_on_dev(
    training: list[Sentence], held_out: list[Sentence]
) -> None:
    def score(scheme: str) -> float:
        tagger = Tagger.train(training[:10], dev=held_out, epochs=1, scheme=scheme)
        found: float = tagger.record["stages"]["chunk"][-1]["scores"]["dev F1"]
        return found

    assert score("auto") == max(score("bio"), score("bioes"))


def test_templates_that_need_a_column_find_it(training: list[Sentence]) -> None:
    with pytest.raises(InputError, match="unknown attribute 'colour'"):
        Tagger.train(training, templates={"chunk": ["w.colour"]})
    with pytest.raises(InputError, match="unknown template set 'arc'"):
        Tagger.train(training, templates={"arc": ["w.form"]})
    with pytest.raises(InputError, match="the templates look at xpos"):
        Tagger.train(training, label="xpos")
    with pytest.raises(InputError, match="the templates look at upos"):
        Tagger.train(treebank(2, seed=1), task="tag", templates={"tag": ["w-1.upos"]})


@pytest.mark.parametrize("label", ["xpos", "upos,feats"])
def test_an_empty_column_is_nothing_to_learn(label: str) -> None:
    bare = [s.replace(xpos=["_"] * len(s), feats=["_"] * len(s)) for s in treebank(3, seed=1)]
    with pytest.raises(InputError, match=r"the column (xpos|feats) is empty, nothing to learn"):
        Tagger.train(bare, task="tag", label=label)


def test_rare_values_are_told_apart_if_wanted(training: list[Sentence]) -> None:
    rare = Sentence("Zanzibar NN B-NP\n\n", training[0].layout)
    for count in (1, 2):
        tagger = Tagger.train([*training, rare], epochs=1, least_count=count)
        assert ("zanzibar" in tagger.encoder.vocabularies["lower"]) == (count == 1)


def test_columns_are_chosen_by_name_or_number(training: list[Sentence], tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    write_sentences(training, path)
    for options in ({"label": "chunk"}, {"label": "3"}, {"columns": ["form", "xpos", "phrase"]}):
        tagger = Tagger.train(path, epochs=1, **options)
        assert tagger.stages[0].column == options.get("columns", ["chunk"])[-1]
    plain = Tagger.train(path, epochs=1, label="2", task="tag")
    assert plain.stages[0].scheme is None
    assert plain.tag(training[0]).labels == training[0].column("xpos")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "phrase"}, "no column 'phrase'"),
        ({"label": "9"}, "no column '9'"),
        ({"label": "xpos,chunk"}, "several columns are for task tag"),
        ({"label": ""}, "names of columns"),
        ({"columns": ["form", "chunk"]}, "2 names of columns"),
        ({"columns": ["a", "b", "c"]}, "called form"),
        ({"encoding": "klingon"}, "unknown encoding"),
        ({"encoding": "utf-16"}, "lines end in other bytes"),
        ({"task": "dance"}, "unknown task"),
        ({"scheme": "iob1"}, "unknown scheme"),
        ({"scheme": "auto"}, "development data"),
        ({"loss": "hinge"}, "unknown loss"),
        ({"loss": "crf", "beta": 1.0, "gamma": 1.0}, "not both"),
        ({"beta": 1.0}, "go together"),
        ({"epochs": 0}, "epochs is 0"),
        ({"epochs": 1.5}, "whole number"),
        ({"largest_step": "x"}, "expected a number"),
        ({"negligible": -1.0}, "negligible is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"least_count": 0}, "least_count is 0"),
        ({"speed": 3}, "train: unknown option 'speed'"),
    ],
    ids=str,
)
def test_odd_options_are_refused(
    training: list[Sentence], tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    path = tmp_path / "train.txt"
    write_sentences(training[:3], path)
    with pytest.raises(InputError, match=message):
        Tagger.train(path, **options)


def test_data_that_hold_nothing_to_learn_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="training data: no sentences"):
        Tagger.train([])
    with pytest.raises(InputError, match="expected sentences, got str"):
        Tagger.train(["no sentence"])
    with pytest.raises(InputError, match="only one column"):
        Tagger.train([Sentence("go\n\n", column_layout(("form",)))])
    with pytest.raises(InputError, match="name the column to learn"):
        Tagger.train(treebank(2, seed=1), task="chunk")
    with pytest.raises(InputError, match="upos is empty"):
        Tagger.train([Sentence.from_words(["go"])], task="tag")
    mixed = [Sentence("go O\n\n", column_layout(("form", name))) for name in ("chunk", "entity")]
    with pytest.raises(InputError, match="the first sentence has form, chunk"):
        Tagger.train(mixed)


def test_a_latin_1_file_says_so_or_is_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "esp.train"
    path.write_bytes("España NP B-LOC\n. Fp O\n\n".encode("latin-1") * 3)
    with pytest.raises(InputError, match=r"esp.train:1: not UTF-8: byte 0xf1 .*latin-1"):
        Tagger.train(path, task="entities")
    tagger = Tagger.train(path, task="entities", encoding="latin-1", epochs=2)
    assert "España" in tagger.encoder.vocabularies["form"]


@given(st.data())
def test_gradients_of_every_loss_point_where_the_loss_falls(data: st.DataObject) -> None:
    """Scores are linear in the weights: the derivative is what finite differences give."""
    from turbotree.learning import Loss

    sentence = Sentence("a X p\nb Y q\na Y p\n\n", column_layout())
    encoder = Encoder.fit([sentence], ["form", "xpos"], [])
    allowed = np.array([[1, 1], [1, 0]])
    model = ChainModel(["w.xpos", "prev", "prev w.xpos"], ["p", "q"], Transitions(allowed), encoder)
    task = ChainTask(model, [encoder.encode([sentence])], [np.array([0, 1, 0], np.int32)])
    problem = task.problem(0)
    real = st.floats(-2, 2)
    scores = np.array(
        data.draw(st.lists(real, min_size=len(problem.gold), max_size=len(problem.gold)))
    )
    loss = Loss(data.draw(st.floats(0.5, 3)), data.draw(st.floats(0, 2)))
    value, derivative = loss.evaluate(problem, scores)
    assert value >= 0.0
    for part in range(len(scores)):
        moved = scores.copy()
        moved[part] += 1e-6
        slope = (loss.evaluate(problem, moved)[0] - value) / 1e-6
        assert derivative[part] == pytest.approx(slope, abs=1e-4)
    weights = Weights()
    weights.add(problem.gradient(problem.gold), 1.0)
    assert problem.scores(weights) @ problem.gold > 0.0
