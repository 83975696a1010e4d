from __future__ import annotations

import math

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.learning import Checkpoint, Loss
from turbotree.learning.progress import Silent
from turbotree.parsing import Parser, TrainingOptions, TreeShape, train_parser
from turbotree.scoring import Batch
from turbotree.text import Sentence, treebank, write_conllu

QUICK = {"model": "arc", "epochs": 2, "pruner_epochs": 1}
DATA = list(treebank(12, seed=1))


def model_bytes(parser, folder):
    parser.save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def quick_bytes(tmp_path_factory):
    """The model of an undisturbed run."""
    return model_bytes(train_parser(DATA, dev=DATA[:3], **QUICK), tmp_path_factory.mktemp("quick"))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_same_seed_gives_the_same_file_with_any_number_of_threads(
    quick_bytes, tmp_path, threads
):
    parser = train_parser(DATA, dev=DATA[:3], threads=threads, **QUICK)
    assert model_bytes(parser, tmp_path) == quick_bytes


def test_another_seed_gives_another_file(quick_bytes, tmp_path):
    parser = train_parser(DATA, dev=DATA[:3], seed=2, **QUICK)
    assert model_bytes(parser, tmp_path) != quick_bytes


def test_a_file_and_its_sentences_train_the_same_parser(quick_bytes, tmp_path):
    write_conllu(DATA, tmp_path / "train.conllu")
    write_conllu(DATA[:3], tmp_path / "dev.conllu")
    parser = train_parser(tmp_path / "train.conllu", dev=str(tmp_path / "dev.conllu"), **QUICK)
    assert model_bytes(parser, tmp_path) == quick_bytes


class KillerError(Exception):
    """What ends a run."""


class Killer(Silent):
    """Stops a learner after some instances."""

    def __init__(self, name, instances):
        self.name = name
        self.left = instances

    def instance(self, name, done, record):
        if name == self.name:
            self.left -= 1
            if self.left == 0:
                raise KillerError


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("name", "instances"),
    [("pruner", 1), ("pruner", 7), ("parts", 5), ("parts", 13), ("labels", 20)],
)
def test_a_killed_run_goes_on_to_the_same_file(
    quick_bytes, tmp_path, monkeypatch, name, instances, threads
):
    monkeypatch.setattr(Checkpoint, "due", lambda self: True)
    options = {"dev": DATA[:3], "checkpoint": tmp_path / "states", "threads": threads, **QUICK}
    with pytest.raises(KillerError):
        train_parser(DATA, progress=Killer(name, instances), **options)
    monkeypatch.undo()
    parser = train_parser(DATA, resume=True, **options)
    assert model_bytes(parser, tmp_path) == quick_bytes


def test_a_run_that_is_not_resumed_starts_afresh(quick_bytes, tmp_path):
    options = {"checkpoint": tmp_path / "states", **QUICK}
    train_parser(DATA[:4], **options)
    parser = train_parser(DATA, dev=DATA[:3], **options)
    assert model_bytes(parser, tmp_path) == quick_bytes


def test_resuming_without_a_state_is_just_training(quick_bytes, tmp_path):
    parser = train_parser(DATA, dev=DATA[:3], checkpoint=tmp_path / "states", resume=True, **QUICK)
    assert model_bytes(parser, tmp_path) == quick_bytes


@pytest.mark.parametrize(
    "changes",
    [
        {"epochs": 3},
        {"pruner_epochs": 2},
        {"seed": 9},
        {"loss": "crf"},
        {"beta": 2.0, "gamma": 0.0},
        {"largest_step": 0.5},
        {"label_loss": "crf"},
        {"label_step": 0.5},
        {"features": "supported"},
        {"max_heads": 3},
        {"pruning_threshold": 0.1},
        {"single_root": False},
        {"templates": {"arc": ["h.upos m.upos dir"]}},
    ],
)
def test_a_run_is_not_resumed_with_other_options(tmp_path, changes):
    folder = tmp_path / "states"
    train_parser(DATA[:2], checkpoint=folder, **QUICK)
    with pytest.raises(InputError, match=next(iter(changes))):
        train_parser(DATA[:2], checkpoint=folder, resume=True, **{**QUICK, **changes})


def test_a_run_is_not_resumed_with_other_data(tmp_path):
    train_parser(DATA[:2], checkpoint=tmp_path, **QUICK)
    with pytest.raises(InputError, match="data"):
        train_parser(DATA[:3], checkpoint=tmp_path, resume=True, **QUICK)


def test_templates_given_as_any_sequence_can_be_resumed(tmp_path):
    options = {"templates": {"arc": ("dist", "h.upos m.upos")}, "checkpoint": tmp_path, **QUICK}
    first = train_parser(DATA[:2], **options)
    again = train_parser(DATA[:2], resume=True, **options)
    assert first.templates()["arc"] == again.templates()["arc"] == ["dist", "h.upos m.upos"]


class NeverStarted(Silent):
    def start(self, name, instances, epochs):
        raise AssertionError("training has begun")


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"epochs": 0}, "epochs"),
        ({"pruner_epochs": 0}, "epochs"),
        ({"loss": "hinge"}, "'hinge'"),
        ({"label_loss": "hinge"}, "'hinge'"),
        ({"beta": 1.0}, "together"),
        ({"gamma": 1.0}, "together"),
        ({"loss": "svm", "beta": 1.0, "gamma": 0.0}, "not both"),
        ({"beta": -1.0, "gamma": 0.0}, "beta"),
        ({"largest_step": 0.0}, "step"),
        ({"label_step": -1.0}, "step"),
        ({"features": "few"}, "'few'"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads"),
        ({"max_heads": 0}, "heads"),
        ({"pruning_threshold": 1.5}, "threshold"),
        ({"epochs": "3"}, "epochs is '3'; expected a whole number"),
        ({"seed": 1.5}, "seed is 1.5; expected a whole number"),
        ({"threads": None}, "threads is None; expected a whole number"),
        ({"label_step": "much"}, "label_step is 'much'; expected a number"),
        ({"beta": "1", "gamma": 0.0}, "beta is '1'; expected a number"),
        ({"model": "huge"}, "'huge'"),
        ({"parts": ["cousin"]}, "'cousin'"),
        ({"colour": "red"}, "colour"),
        ({"templates": {"arcs": ["dist"]}}, "'arcs'"),
        ({"templates": {"arc": ["h.bogus"]}}, "h.bogus"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_training(options, culprit):
    with pytest.raises(InputError, match=culprit):
        train_parser(DATA[:2], progress=NeverStarted(), **options)


@pytest.mark.parametrize(("heads", "reason"), [([2, 1], "cycle"), ([0, 5], "outside")])
def test_sentences_without_a_tree_are_refused_by_their_place(tmp_path, heads, reason):
    bad = Sentence.from_words(["a", "b"], heads=heads)
    write_conllu([DATA[0], bad], tmp_path / "train.conllu")
    with pytest.raises(InputError, match=rf"train\.conllu:\d+: .*{reason}"):
        train_parser(tmp_path / "train.conllu", **QUICK)
    with pytest.raises(InputError, match=reason):
        train_parser(DATA[:2], dev=[bad], **QUICK)


def test_what_is_no_sentence_is_an_error():
    with pytest.raises(InputError, match="training data: expected sentences, got int"):
        train_parser([1, 2])


@pytest.mark.parametrize("numbers", [(1e12, 1e12, 1e12), (float("inf"), 0.0, 1e12)])
def test_the_largest_numbers_that_are_allowed_do_no_harm(numbers):
    beta, gamma, step = numbers
    parser = train_parser(
        DATA[:10], beta=beta, gamma=gamma, largest_step=step, model="arc", epochs=3
    )
    assert np.isfinite([parse.score for parse in parser.pipe(DATA[:10])]).all()


def test_no_sentences_are_an_error_that_says_where(tmp_path):
    with pytest.raises(InputError, match="training data: no sentences"):
        train_parser([], model="arc")
    with pytest.raises(InputError, match="development data: no sentences"):
        train_parser(DATA[:1], dev=[], model="arc")
    (tmp_path / "empty.conllu").write_text("")
    with pytest.raises(InputError, match=r"empty\.conllu"):
        train_parser(tmp_path / "empty.conllu", model="arc")


def tiny(heads, labels=None, tag="NOUN"):
    words = len(heads)
    return Sentence.from_words(
        ["w"] * words, upos=[tag] * words, heads=heads, labels=labels or ["dep"] * words
    )


def test_single_roots_are_learnt_from_the_data_unless_told():
    one, two = tiny([0, 1]), tiny([0, 0])
    assert train_parser([one], **QUICK).shape == TreeShape(single_root=True)
    assert train_parser([one, two], **QUICK).shape == TreeShape(single_root=False)
    with pytest.raises(InputError, match="2 words under the root"):
        train_parser([one, two], single_root=True, **QUICK)
    assert not train_parser([one], single_root=False, **QUICK).shape.single_root


def test_sentences_of_one_word_can_be_learnt_from():
    parser = train_parser([tiny([0], ["root"])] * 3, **QUICK)
    assert parser.parse(tiny([0])).labels == ("root",)


def test_one_sentence_can_be_learnt_by_heart():
    sentence = tiny([2, 0, 2], ["left", "root", "right"])
    parser = train_parser([sentence], model="arc", epochs=20, pruner_epochs=5)
    parse = parser.parse(sentence)
    assert (parse.heads, parse.labels) == (sentence.heads, sentence.labels)


@pytest.mark.parametrize("loss", ["svm", "crf", "softmax-margin", "perceptron"])
@pytest.mark.parametrize("features", ["all", "supported"])
def test_training_beats_hanging_every_word_from_its_neighbour(loss, features):
    test = list(treebank(20, seed=7))
    parser = train_parser(
        treebank(40, seed=1), loss=loss, features=features, epochs=3, pruner_epochs=2, model="arc"
    )
    parses = parser.pipe(test)
    gold = np.concatenate([sentence.heads for sentence in test])
    found = np.concatenate([parse.heads for parse in parses])
    words = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in test])
    baseline = max(np.mean(gold == words - 1), np.mean(gold == words + 1))
    assert np.mean(found == gold) > baseline + 0.25


def test_beta_and_gamma_are_the_loss():
    assert TrainingOptions(beta=3.0, gamma=0.5, model="arc").chosen_loss() == Loss(3.0, 0.5)
    assert TrainingOptions(loss="crf", model="arc").chosen_loss() == Loss(1.0, 0.0)
    assert TrainingOptions(model="arc").chosen_loss() == Loss(math.inf, 1.0)


def test_the_record_tells_how_training_went():
    parser = train_parser(DATA, dev=DATA[:3], licence="CC0", **QUICK)
    record = parser.record
    assert record["sentences"] == len(DATA)
    assert record["words"] == sum(map(len, DATA))
    assert record["options"]["licence"] == "CC0"
    assert [len(record[name]) for name in ("pruner", "parts", "labels")] == [1, 2, 2]
    assert 0.0 <= record["pruning"]["gold_arcs_lost_percent"] <= 100.0
    assert 0.0 <= record["parts"][1]["scores"]["dev UAS"] <= 100.0
    assert 0.0 <= record["labels"][1]["scores"]["dev label accuracy"] <= 100.0


def test_dev_scores_are_those_of_the_parser_on_gold_data():
    dev = list(treebank(10, seed=5))
    parser = train_parser(DATA, dev=dev, **QUICK)
    words = sum(map(len, dev))
    right = sum(
        sum(a == b for a, b in zip(parse.heads, parse.sentence.heads, strict=True))
        for parse in parser.pipe(dev)
    )
    assert parser.record["parts"][-1]["scores"]["dev UAS"] == pytest.approx(100.0 * right / words)
    heads = np.concatenate([sentence.heads for sentence in dev]).astype(np.int32)
    labels, _ = parser.labels.label(Batch(dev), heads).best()
    gold = [label for sentence in dev for label in sentence.labels]
    names = parser.labels.dictionary.names
    right = sum(names[a] == b for a, b in zip(labels.tolist(), gold, strict=True))
    accuracy = parser.record["labels"][-1]["scores"]["dev label accuracy"]
    assert accuracy == pytest.approx(100.0 * right / words)


def test_gold_answers_that_the_parser_cannot_give_do_not_spoil_the_temperatures():
    dev = list(treebank(10, seed=5))
    plain = train_parser(DATA, dev=dev, **QUICK)
    strange = [
        # A label nobody has seen, one that these tags never have, and a second root.
        dev[0].replace(deprel=["no:such"] * len(dev[0])),
        dev[1].replace(deprel=["punct"] * len(dev[1])),
        dev[2].replace(head=["0"] * len(dev[2])),
    ]
    assert plain.shape.single_root
    for sentence in strange[:2]:
        parser = train_parser(DATA, dev=[*dev, sentence], **QUICK)
        assert parser.label_temperature == plain.label_temperature
    parser = train_parser(DATA, dev=[*dev, strange[2]], **QUICK)
    assert parser.arc_temperature == plain.arc_temperature


def test_template_sets_can_be_replaced_even_by_none_at_all():
    templates = {"label_pair": [], "arc": ["h.xpos m.xpos dir"]}
    parser = train_parser(DATA, templates=templates, **QUICK)
    assert parser.templates()["label_pair"] == []
    assert parser.templates()["arc"] == ["h.xpos m.xpos dir"]
    assert len(parser.templates()["pruner"]) > 1
    assert len(parser.parse(DATA[0]).heads) == len(DATA[0])


def test_more_labels_than_fit_are_refused():
    names = [f"label{i}" for i in range(4097)]
    with pytest.raises(InputError, match="4097 labels"):
        train_parser([tiny([0] * len(names), names)], progress=NeverStarted(), model="arc")


def test_training_is_a_method_of_the_parser_too(quick_bytes, tmp_path):
    assert model_bytes(Parser.train(DATA, dev=DATA[:3], **QUICK), tmp_path) == quick_bytes
