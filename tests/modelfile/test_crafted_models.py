"""Models that somebody made up: the checksum fits, and nothing else has to."""

from __future__ import annotations

import copy
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from fuzz.fuzz_headers import models, mutate, mutate_array, use
from fuzz.fuzz_modelfile import seal

from turbotree import load
from turbotree.errors import ModelFileError
from turbotree.modelfile import write_model
from turbotree.text import treebank

SENTENCE = next(treebank(1, seed=3))


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return list(models(tmp_path_factory.mktemp("models")))


def original(originals: list[Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    found = next((arrays, header) for own, arrays, header in originals if own == kind)
    return dict(found[0]), copy.deepcopy(found[1])


def with_header(path: Path, text: str) -> None:
    """Give a file another header, as it stands, and a checksum that fits."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    table = json.loads(data[8 : 8 + length])
    table["__metadata__"]["header"] = text
    encoded = json.dumps(table, separators=(",", ":")).encode()
    encoded += b" " * (-(8 + len(encoded)) % 64)
    path.write_bytes(seal(len(encoded).to_bytes(8, "little") + encoded + data[8 + length :]))


@pytest.mark.parametrize("seed", range(4))
def test_a_header_that_was_tampered_with_is_refused_or_means_something(
    originals: list[Any], tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    path = tmp_path / "mutant"
    refused = 0
    for _ in range(40):
        kind, arrays, header = chance.choice(originals)
        arrays, header = dict(arrays), copy.deepcopy(header)
        mutate(header, chance)
        if chance.random() < 0.3:
            mutate_array(arrays, chance)
        write_model(path, arrays, header, kind=kind)
        try:
            model = load(path)
        except ModelFileError as error:
            refused += 1
            message = str(error)
            assert message.startswith(f"{path}: "), message
            assert "\n" not in message, message
            continue
        use(model, SENTENCE)
    assert refused


PLACES: dict[str, list[tuple[str, ...]]] = {
    "parser": [
        ("families",),
        ("templates", "pruner"),
        ("templates", "label"),
        ("weights", "labels.label_bits"),
        ("encoder", "attributes"),
        ("encoder", "vocabularies"),
        ("encoder", "vocabularies", "upos"),
        ("labels",),
        ("single_root",),
        ("pruning", "threshold"),
        ("pruning", "max_heads"),
        ("temperature", "arcs"),
        ("training",),
    ],
    "tagger": [
        ("encoder", "set_attributes"),
        ("stages", "0", "column"),
        ("stages", "0", "labels"),
        ("stages", "0", "templates"),
        ("stages", "0", "label_bits"),
        ("stages", "0", "temperature"),
        ("stages", "0", "scheme"),
    ],
    "pipeline": [
        ("tokenizer", "labels"),
        ("tokenizer", "unit"),
        ("tokenizer", "label_bits"),
        ("tokenizer", "expansion"),
        ("lemmatizer", "scripts"),
        ("lemmatizer", "exceptions"),
        ("parser", "pruning", "max_heads"),
        ("tagger",),
    ],
}
# None of them is what any of the places takes.
WRONG = [
    -1,
    math.nan,
    -math.inf,
    10**400,
    -(2**70),
    [[]],
    [None],
    [{"a": [1]}],
    "\0",
    ["x"] * 70_000,
]
SHOWN = ["-1", "NaN", "-Infinity", "huge", "negative", "[[]]", "[null]", "object", "text", "many"]


def place_of(header: Any, steps: tuple[str, ...]) -> Any:
    place = header
    for step in steps[:-1]:
        place = place[int(step)] if isinstance(place, list) else place[step]
    return place


@pytest.mark.parametrize("wrong", WRONG, ids=SHOWN)
@pytest.mark.parametrize("kind", PLACES)
def test_every_value_of_the_wrong_kind_is_a_model_file_error(
    originals: list[Any], tmp_path: Path, kind: str, wrong: Any
) -> None:
    arrays, header = original(originals, kind)
    path = tmp_path / "model"
    for steps in PLACES[kind]:
        changed = copy.deepcopy(header)
        place_of(changed, steps)[steps[-1]] = wrong
        write_model(path, arrays, {}, kind=kind)
        with_header(path, json.dumps(changed))
        with pytest.raises(ModelFileError) as error:
            load(path)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", PLACES)
def test_every_value_that_is_missing_is_a_model_file_error(
    originals: list[Any], tmp_path: Path, kind: str
) -> None:
    arrays, header = original(originals, kind)
    path = tmp_path / "model"
    for steps in PLACES[kind]:
        changed = copy.deepcopy(header)
        del place_of(changed, steps)[steps[-1]]
        write_model(path, arrays, changed, kind=kind)
        with pytest.raises(ModelFileError):
            load(path)


@pytest.mark.parametrize("kind", PLACES)
def test_json_without_end_is_a_model_file_error(
    originals: list[Any], tmp_path: Path, kind: str
) -> None:
    arrays, header = original(originals, kind)
    path = tmp_path / "model"
    write_model(path, arrays, header, kind=kind)
    for text in ("[" * 100_000, '{"encoder":' * 100_000, f'{{"a": {"9" * 5000}}}', "NaN", '"'):
        with_header(path, text)
        with pytest.raises(ModelFileError):
            load(path)
