"""Models are objects like others: pickled, copied, sent to other processes."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import turbotree as tt
from turbotree.errors import ModelFileError
from turbotree.labeling import Tagger
from turbotree.modelfile import model_from_bytes, read_model
from turbotree.parsing import Parser
from turbotree.pipeline import Lemmatizer, Pipeline, Tokenizer
from turbotree.stored import Stored
from turbotree.text import Sentence, treebank

TEXT = "The dogs slept. A girl sang."
SENTENCES = list(treebank(3, seed=2))
KINDS = (Parser, Tagger, Tokenizer, Lemmatizer, Pipeline)

_CHANGING_FILE = """
import sys
import turbotree as tt
path, text = sys.argv[1:]
model = tt.load(path)
def said():
    return [parse.to_sentence().to_text() for parse in model(text)], model.to_bytes()
before = said()
with open(path, "r+b") as file:
    file.write(b"x" * len(before[1]))
assert said() == before
open(path, "wb").close()
assert said() == before
"""


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    fast: dict[str, Any] = {
        "fold_epochs": 1,
        "folds": 2,
        "token_epochs": 2,
        "tagger": {"epochs": 1},
        "parser": {"model": "arc", "epochs": 1, "pruner_epochs": 1},
    }
    return Pipeline.train(treebank(60, seed=1), **fast)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def model(request: pytest.FixtureRequest, pipeline: Pipeline) -> Stored:
    kind: type[Stored] = request.param
    found: Stored = pipeline if kind is Pipeline else getattr(pipeline, kind.kind)
    return found


def answers(model: Any) -> Any:
    """What a model says, probabilities included."""
    if isinstance(model, Parser):
        return [(p.heads, p.labels, p.probability) for p in model.parse_batch(SENTENCES)]
    if isinstance(model, Tagger):
        return [(t.columns, t.distributions, t.probability) for t in model.tag_batch(SENTENCES)]
    if isinstance(model, Tokenizer):
        return model.tokens(TEXT)
    if isinstance(model, Lemmatizer):
        return [model.lemmas(sentence) for sentence in SENTENCES]
    return [(p.to_sentence().to_text(), p.probability) for p in model(TEXT)]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_model_says_the_same(model: Stored, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(model, protocol))
    assert type(again) is type(model)
    assert answers(again) == answers(model)
    assert again.to_bytes() == model.to_bytes()


def test_a_deep_copy_is_another_object_and_says_the_same(model: Stored) -> None:
    again = copy.deepcopy(model)
    assert again is not model
    assert answers(again) == answers(model)
    assert copy.copy(model) is model


def test_a_model_goes_to_new_processes(pipeline: Pipeline) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        kinds = [pipeline.parser, pipeline.tagger, pipeline]
        assert list(pool.map(answers, kinds)) == [answers(kind) for kind in kinds]
        # What methods return comes back, and knows what it knew.
        parse = pool.submit(pipeline.parser.parse, SENTENCES[0]).result()
        assert parse == pipeline.parser.parse(SENTENCES[0])
        assert parse.label_probabilities == pipeline.parser.parse(SENTENCES[0]).label_probabilities
        tagging = pool.submit(pipeline.tagger.tag, SENTENCES[0]).result()
        assert tagging == pipeline.tagger.tag(SENTENCES[0])
        assert tagging.probabilities == pipeline.tagger.tag(SENTENCES[0]).probabilities


def test_a_pickled_tagging_does_not_carry_the_model(pipeline: Pipeline) -> None:
    tagging = pipeline.tagger.tag(Sentence.from_words(["Dogs", "sleep"]))
    assert len(pickle.dumps(tagging)) < len(pipeline.tagger.to_bytes()) / 2


def test_a_pickled_parse_does_not_carry_the_model(pipeline: Pipeline) -> None:
    parse = pipeline.parser.parse(Sentence.from_words(["Dogs", "sleep"], upos=["NOUN", "VERB"]))
    assert len(pickle.dumps(parse)) < len(pipeline.parser.to_bytes()) / 2


def test_joblib_keeps_models(model: Stored, tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    joblib.dump(model, tmp_path / "model.joblib", compress=3)
    assert answers(joblib.load(tmp_path / "model.joblib")) == answers(model)


def test_bytes_are_those_of_the_file(model: Stored, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == model.to_bytes()
    assert answers(type(model).load(tmp_path / "model")) == answers(model)


def test_a_pickle_needs_no_file(pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.save(tmp_path / "model")
    loaded = tt.load(tmp_path / "model")
    data = pickle.dumps(loaded)
    os.unlink(tmp_path / "model")
    assert answers(pickle.loads(data)) == answers(pipeline)


def test_damaged_bytes_are_refused(pipeline: Pipeline) -> None:
    data = bytearray(pipeline.parser.to_bytes())
    with pytest.raises(ModelFileError, match="<bytes>: is a 'parser' model, expected 'tagger'"):
        Tagger.from_bytes(bytes(data))
    with pytest.raises(ModelFileError, match="<bytes>: truncated"):
        Parser.from_bytes(bytes(data[:-1]))
    data[-1] ^= 1
    with pytest.raises(ModelFileError, match="<bytes>: damaged: the checksum"):
        Parser.from_bytes(bytes(data))
    with pytest.raises(ModelFileError, match="<bytes>: truncated: the file is empty"):
        Parser.from_bytes(b"")


@pytest.fixture
def changing_file(pipeline: Pipeline, tmp_path: Path) -> Path:
    pipeline.save(tmp_path / "model")
    return tmp_path / "model"


def test_a_file_may_be_overwritten_and_truncated_after_loading(changing_file: Path) -> None:
    # In a process of its own: a mapped file that is cut short would end this one.
    command = [sys.executable, "-c", _CHANGING_FILE, str(changing_file), TEXT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_arrays_are_a_copy_of_the_file(changing_file: Path) -> None:
    file = read_model(changing_file)
    before = {name: array.copy() for name, array in file.arrays.items()}
    with open(changing_file, "r+b") as stream:
        stream.write(b"x" * file.size)
    for name, array in file.arrays.items():
        assert array.tobytes() == before[name].tobytes()


def test_arrays_of_bytes_are_aligned_and_read_only(pipeline: Pipeline) -> None:
    arrays = model_from_bytes(pipeline.to_bytes()).arrays
    assert all(array.flags.aligned and not array.flags.writeable for array in arrays.values())
    assert all(array.ctypes.data % 64 == 0 for array in arrays.values() if array.nbytes % 64 == 0)
