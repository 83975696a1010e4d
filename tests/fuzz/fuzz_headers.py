"""Load models whose headers were tampered with, checksum and all, for some time.

Usage: python tests/fuzz/fuzz_headers.py --seconds 300 [--seed 1]

The file is whole, so that `read_model` has nothing to say against it; but values of the header and
types and shapes of arrays are not what they were. Loading such a model may only raise
ModelFileError. What loads is used once: then every error is one of errors.py.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from turbotree import Parser, Pipeline, Tagger, load
from turbotree.errors import ModelFileError, TurbotreeError
from turbotree.modelfile import read_model, write_model
from turbotree.networks import NetworkOptions
from turbotree.text import Sentence, treebank

ODD: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 7, 63, 64, 65, 255, 2**31, 2**32, 2**63 - 1, 2**63, 2**64,
    -(2**31), 10**40, 1.5, -0.5, 1e-320, 1e308, "NaN", "Infinity", "", "a", "_", "nsubj", "1",
    "h.form", "h.form m.upos dist", "m.nothing", "h.form " * 40, "\0", "B-NP", "BIO", "upos",
    [], [0], [-1], ["a"], ["a", "a"], [[]], [None], {}, {"a": 1}, {"form": ["a"]}, ["x"] * 70_000,
]  # fmt: skip


def models(folder: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Train one small model of each kind; give kind, arrays and header of its file."""
    quick = {"epochs": 1}
    trees = list(treebank(30, seed=1))
    words = [
        Sentence.from_words(s.forms, upos=s.upos, misc=["O", *["B-NP"] * (len(s) - 1)])
        for s in trees
    ]
    fast = {"folds": 2, "fold_epochs": 1, "token_epochs": 1, "lemma_epochs": 1, "tagger": quick}
    arcs = {"model": "arc", "pruner_epochs": 1, **quick}
    tiny = NetworkOptions(
        **dict.fromkeys(("hidden", "arc_size", "label_size", "column_size", "word_size"), 4),
        surface_buckets=16,
        updates=2,
        least_epochs=1,
    )
    made: list[Parser | Tagger | Pipeline] = [
        Parser.train(trees, model="arc", pruner_epochs=1, **quick),
        Parser.train(trees, pruner_epochs=1, model="full", **quick),
        Tagger.train(trees, task="tag", **quick),
        Tagger.train(words, task="chunk", label="misc", trigrams=True, **quick),
        Pipeline.train(trees, parser=arcs, **fast),
        Pipeline.train(trees, parser={**arcs, "network": tiny}, shared_network=True, **fast),
    ]
    for number, model in enumerate(made):
        path = folder / f"{number}"
        model.save(path)
        file = read_model(path)
        yield file.kind, {name: array.copy() for name, array in file.arrays.items()}, file.header


def mutate(place: Any, chance: random.Random) -> None:
    """Change one value or key somewhere inside of a header."""
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = chance.choice(keys)
        inner = place[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.85:
            place = inner
            continue
        break
    action = chance.random()
    if action < 0.15:
        del place[key]
    elif action < 0.25 and isinstance(place, dict):
        place[str(chance.choice(ODD))] = place.pop(key)
    elif action < 0.35 and isinstance(place, list):
        place.append(copy.deepcopy(inner))
    elif action < 0.5 and isinstance(inner, int | float):
        place[key] = inner + chance.choice([-1, 1, 0.5, 100])
    elif action < 0.6 and isinstance(inner, str):
        at = chance.randint(0, len(inner))
        place[key] = inner[:at] + chance.choice(["", " ", "x", ".", "é"]) + inner[at + 1 :]
    else:
        place[key] = copy.deepcopy(chance.choice(ODD))


def mutate_array(arrays: dict[str, Any], chance: random.Random) -> None:
    """Change one array: its values, its type, its shape; or lose it."""
    name = chance.choice(sorted(arrays))
    array = arrays[name].copy()
    action = chance.randint(0, 6)
    if action == 0:
        del arrays[name]
        return
    if action == 1:
        kinds = [np.int8, np.uint16, np.int64, np.float16, np.float64]
        with np.errstate(all="ignore"):
            array = array.astype(chance.choice(kinds))
    elif action == 2:
        array = array[: chance.randint(0, len(array))]
    elif action == 3:
        array = np.concatenate([array, array[: chance.choice([1, 2, 8])]])
    elif action == 4 and array.size:
        array = array.reshape(chance.choice([(1, -1), (-1, 1), (len(array), 1, -1)]))
    elif not name.endswith("slots"):  # any bits there are weights
        flat = array.reshape(-1).view(np.uint8)
        for _ in range(chance.choice([1, 4, 64])):
            if len(flat):
                flat[chance.randrange(len(flat))] = chance.choice([0, 1, 127, 128, 255])
    arrays[name] = array


def use(model: Parser | Tagger | Pipeline, sentence: Sentence) -> None:
    """Find something with a model."""
    if isinstance(model, Parser):
        parse = model.parse(sentence)
        _ = parse.head_probabilities, parse.label_probabilities
    elif isinstance(model, Tagger):
        _ = model.tag(sentence).to_sentence()
    elif model.tokenizer is not None:
        model("The dogs slept. A girl sang.")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--seed", type=int, default=random.randrange(10**9))
    options = arguments.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    outcomes: Counter[str] = Counter()
    sentence = next(treebank(1, seed=3))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        originals = list(models(folder))
        path = folder / "mutant"
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            kind, arrays, header = chance.choice(originals)
            arrays, header = dict(arrays), copy.deepcopy(header)
            for _ in range(chance.choice([1, 1, 1, 2, 5])):
                if chance.random() < 0.25 and arrays:
                    mutate_array(arrays, chance)
                elif header:
                    mutate(header, chance)
            write_model(path, arrays, header, kind=kind)
            try:
                try:
                    model = load(path)
                except ModelFileError as error:
                    message = str(error)
                    outcomes["refused"] += 1
                    if "\n" in message:
                        raise AssertionError(message) from error
                    continue
                try:
                    use(model, sentence)
                    outcomes["used"] += 1
                except TurbotreeError:
                    outcomes["refused when used"] += 1
            except BaseException:
                keep = Path(tempfile.gettempdir()) / "fuzz_headers_failure"
                keep.write_bytes(path.read_bytes())
                print(f"seed {options.seed}: the failing file is kept as {keep}", file=sys.stderr)
                raise
    print(f"{sum(outcomes.values()):,} models:", dict(outcomes.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
