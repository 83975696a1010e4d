"""Load networks, and parsers that have one, whose files were tampered with, for some time.

Usage: python tests/fuzz/fuzz_networks.py --seconds 300 [--seed 1]

As in fuzz_headers.py, the checksum fits what the file holds. Beside single values, the sizes of
whole networks are changed here, with arrays that fit them or not, and weights that are no numbers
or hardly any. What does not load is one ModelFileError, for which no large memory was asked; what
loads parses.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import random
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from turbotree import Parser, load
from turbotree.errors import ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.networks import Network, NetworkOptions, WordVectors, _core, train_network
from turbotree.text import Sentence, treebank

sys.path.insert(0, str(Path(__file__).parent))
from fuzz_headers import ODD, mutate, mutate_array

#: What loading and parsing may take beyond what the process has when it begins.
MEMORY = 2**30

SIZES = (
    *("layers", "hidden", "arc_size", "label_size", "word_size", "surface_size", "tag_size"),
    *("lemma_size", "vector_size", "surface_buckets"),
)
TABLES = ("words", "surfaces", "tags", "lemmas")
NUMBERS = [0.0, -0.0, 1e-45, -1e-30, 1.0, -1e4, 6e4, 1e20, -3e38, np.inf, -np.inf, np.nan]

Arrays = dict[str, Any]


def originals(folder: Path) -> list[tuple[str, Arrays, dict[str, Any]]]:
    """Train small models; give kind, arrays and header of their files."""
    trees = list(treebank(30, seed=1))
    words = sorted({form.lower() for tree in trees for form in tree.forms})
    values = np.random.default_rng(1).normal(size=(len(words), 3)).astype(np.float32)
    vectors = WordVectors(words, values)
    small = NetworkOptions(
        hidden=8,
        arc_size=5,
        label_size=4,
        word_size=3,
        surface_size=4,
        tag_size=3,
        lemma_size=2,
        vector_size=2,
        surface_buckets=30,
        updates=20,
        least_epochs=1,
    )
    quick: dict[str, Any] = {"network": small, "epochs": 1, "pruner_epochs": 1}
    with_vectors = train_network(trees, options=small, vectors=vectors)
    made = [
        with_vectors.frozen(bits=8),
        with_vectors.frozen(bits=16),
        train_network(trees, options=small).frozen(bits=8),
        Parser.train(trees, model="turbo", vectors=vectors, **quick),
        Parser.train(trees, model="arc", **quick),
    ]
    files = []
    for model in made:
        model.save(folder / "original")
        file = read_model(folder / "original")
        arrays = {name: array.copy() for name, array in file.arrays.items()}
        files.append((file.kind, arrays, file.header))
    return files


class Mutant:
    """A model's file, to be changed: the network in it, and what is around."""

    def __init__(self, kind: str, arrays: Arrays, header: dict[str, Any]) -> None:
        self.kind, self.header = kind, copy.deepcopy(header)
        self._prefix = "network." if kind == "parser" else ""
        self.network = self.header["network"] if kind == "parser" else self.header
        length = len(self._prefix)
        self.rest = {n: a for n, a in arrays.items() if not n.startswith(self._prefix)}
        self.own = {n[length:]: a for n, a in arrays.items() if n.startswith(self._prefix)}
        if not self._prefix:
            self.rest = {}

    def arrays(self) -> Arrays:
        return {**self.rest, **{self._prefix + name: array for name, array in self.own.items()}}


def change_header(mutant: Mutant, chance: random.Random) -> None:
    mutate(mutant.network, chance)


def change_mixture(mutant: Mutant, chance: random.Random) -> None:
    mutate(mutant.header, chance)


def change_array(mutant: Mutant, chance: random.Random) -> None:
    mutate_array(mutant.own, chance)


def lose_arrays(mutant: Mutant, chance: random.Random) -> None:
    for name in chance.sample(sorted(mutant.own), min(len(mutant.own), chance.choice([1, 2, 8]))):
        del mutant.own[name]


def change_numbers(mutant: Mutant, chance: random.Random) -> None:
    """Put in numbers that are hardly any, here and there or all over an array."""
    names = [n for n, a in mutant.own.items() if a.dtype.kind == "f" and a.size]
    for name in chance.sample(names, min(len(names), chance.choice([1, 2, 30]))):
        array = mutant.own[name].copy()
        with np.errstate(over="ignore"):
            if chance.random() < 0.3:
                array[...] = chance.choice(NUMBERS)
            for _ in range(chance.choice([1, 5])):
                array.reshape(-1)[chance.randrange(array.size)] = chance.choice(NUMBERS)
        mutant.own[name] = array


def change_names(mutant: Mutant, chance: random.Random) -> None:
    """Change the names of words, lemmas, tags or vectors; their number may still be right."""
    names = sorted(name for name in mutant.own if name.startswith("vocabulary."))
    if not names:
        return
    name = chance.choice(names)
    known = mutant.own[name].tobytes().split(b"\n")
    action = chance.randrange(6)
    if action == 0:
        known[chance.randrange(len(known))] = chance.choice(known)
    elif action == 1:
        known += [b"x%d" % i for i in range(chance.choice([1, 3, 100_000]))]
    elif action == 2:
        known = known[: chance.randrange(len(known) + 1)]
    elif action == 3:
        odd = [b"", b"\0", b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"u ", b"b", b"x" * 10**5]
        known[chance.randrange(len(known))] = chance.choice(odd)
    elif action == 4:
        chance.shuffle(known)
    else:
        known = known * 2
    mutant.own[name] = np.frombuffer(b"\n".join(known), np.uint8)


def change_labels(mutant: Mutant, chance: random.Random) -> None:
    labels = mutant.network.get("labels")
    if isinstance(labels, list) and labels and chance.random() < 0.7:
        labels = chance.choice(
            [[], labels[:1], labels[:-1], labels * 2, [*labels, "new"], [labels[0]] * len(labels)]
        )
    else:
        labels = copy.deepcopy(chance.choice(ODD))
    mutant.network["labels"] = labels
    if chance.random() < 0.5:
        mutant.header["labels"] = copy.deepcopy(labels)


def change_sizes(mutant: Mutant, chance: random.Random) -> None:
    """Give the network other sizes, and mostly arrays of these sizes."""
    options = mutant.network.get("options")
    if not isinstance(options, dict):
        return
    for name in chance.sample(SIZES, chance.choice([1, 1, 2, 5])):
        options[name] = chance.choice([0, 1, 2, 3, 4, 7, 8, 9, 17, 33, 4096, 4097, 2**26, 2**31])
    if chance.random() < 0.8:
        fit_arrays(mutant, chance)


def fit_arrays(mutant: Mutant, chance: random.Random) -> None:
    """Make the weights fit options and vocabularies, as far as they are small."""
    options, labels = mutant.network["options"], mutant.network.get("labels")
    counts = {}
    for name in ("words", "lemmas", "tags"):
        joined = mutant.own.get(f"vocabulary.{name}", np.zeros(0, np.uint8)).tobytes()
        counts[name] = len(joined.split(b"\n")) if joined else 0
    vectors = mutant.own.get("vectors")
    vectors = vectors if vectors is not None and vectors.ndim == 2 else None
    try:
        blocks = _core.Sizes(
            words=counts["words"] + 1,
            lemmas=counts["lemmas"] + 1,
            tags=counts["tags"],
            surfaces=options["surface_buckets"],
            **{name: options[name] for name in SIZES[3:8]},
            vectors=0 if vectors is None else len(vectors) + 1,
            vector_size=0 if vectors is None else vectors.shape[1],
            projected_size=0 if vectors is None else options["vector_size"],
            layers=options["layers"],
            hidden=options["hidden"],
            arcs=options["arc_size"],
            labels=len(labels) if isinstance(labels, list) and labels else 1,
            columns=[],
            column_size=0,
        ).blocks()
    except (TypeError, ValueError, KeyError):
        return
    if sum(rows * columns for _, rows, columns in blocks) > 2**21:
        return
    numbers = np.random.default_rng(chance.randrange(2**32))
    for name, rows, columns in blocks:
        table = name in TABLES
        values = numbers.normal(size=(rows, columns)).astype(np.float32)
        if rows > 1 or table:
            if mutant.network.get("bits") == 8:
                values = (values * 30).astype(np.int8)
                scale = numbers.random(rows if table else columns).astype(np.float32)
                mutant.own[f"weights.{name}.scale"] = scale
            else:
                values = values.astype(np.float16)
        mutant.own[f"weights.{name}"] = values


MUTATIONS = (
    *(change_header, change_header, change_mixture, change_array, change_array, lose_arrays),
    *(change_numbers, change_numbers, change_names, change_labels, change_sizes, change_sizes),
)


def use(model: Parser | Network, sentences: list[Sentence]) -> None:
    """Parse; every word gets a head, and probabilities are some."""
    if isinstance(model, Network):
        trees = model.parse(sentences)
        assert all(None not in tree.heads for tree in trees)
        return
    for parse in model.parse_batch(sentences):
        assert len(parse.heads) == len(parse.sentence)
        assert np.isfinite(parse.score)
        assert not np.isnan(parse.label_probabilities).any()
        assert not np.isnan(parse.head_probabilities).any()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--seed", type=int, default=random.randrange(10**9))
    options = arguments.parse_args()
    print(f"seed {options.seed}", flush=True)
    faulthandler.enable()
    warnings.simplefilter("error")
    chance = random.Random(options.seed)
    outcomes: Counter[str] = Counter()
    strange = Sentence.from_words(["Zzyzx", "\N{SNOWMAN}", "a" * 300, "."])
    sentences = [next(treebank(1, seed=3)), strange, Sentence.from_words(["Go"])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = originals(folder)
        path = folder / "mutant"
        limit_memory()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            mutant = Mutant(*chance.choice(files))
            for _ in range(chance.choice([1, 1, 1, 2, 4])):
                chance.choice(MUTATIONS)(mutant, chance)
            write_model(path, mutant.arrays(), mutant.header, kind=mutant.kind)
            try:
                outcomes[outcome(mutant.kind, path, sentences)] += 1
            except BaseException:
                keep = Path(tempfile.gettempdir()) / "fuzz_networks_failure"
                keep.write_bytes(path.read_bytes())
                print(f"seed {options.seed}: the failing file is kept as {keep}", file=sys.stderr)
                raise
    print(f"{sum(outcomes.values()):,} models:", dict(outcomes.most_common()))
    return 0


def limit_memory() -> None:
    """Make large allocations fail."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def outcome(kind: str, path: Path, sentences: list[Sentence]) -> str:
    """Load a model and use it."""
    try:
        model = Network.load(path) if kind == "network" else load(path)
    except ModelFileError as error:
        if isinstance(error.__cause__, MemoryError) or "\n" in str(error):
            raise AssertionError(str(error)) from error
        return f"{kind} refused"
    assert isinstance(model, Network | Parser)
    use(model, sentences)
    return f"{kind} used"


if __name__ == "__main__":
    sys.exit(main())
