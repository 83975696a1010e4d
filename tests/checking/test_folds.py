"""Opinions by folds: by models that have not seen the sentence, and not lost by a kill."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from turbotree.checking import folds
from turbotree.checking.folds import FoldOptions, fold_opinions
from turbotree.checking.opinions import Opinions
from turbotree.errors import InputError
from turbotree.networks import NetworkOptions
from turbotree.text import Sentence, treebank

TINY = NetworkOptions(hidden=4, arc_size=4, label_size=4, updates=1, least_epochs=1)
SENTENCES = list(treebank(30, seed=1))
OPTIONS = FoldOptions(folds=3, model="network")

# Runs the same, and dies as by kill -9 when so many folds are done.
_DIES = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import test_folds as own
from turbotree.checking import folds
from turbotree.learning.progress import Silent
folds._NETWORK = dict.fromkeys(folds.FOLD_MODELS, own.TINY)

class Dies(Silent):
    def note(self, text):
        if "fold 2 of 3: done" in text:
            os.kill(os.getpid(), signal.SIGKILL)

folds.fold_opinions(own.SENTENCES, own.SENTENCES, own.OPTIONS, cache=Path({cache!r}),
                    progress=Dies())
"""


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train next to nothing."""
    monkeypatch.setattr(folds, "_NETWORK", dict.fromkeys(folds.FOLD_MODELS, TINY))


class Trained:
    """Notes what models of folds were trained on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sets: list[set[Sentence]] = []
        original = folds._train

        def train(sentences, *more):
            self.sets.append(set(sentences))
            return original(sentences, *more)

        monkeypatch.setattr(folds, "_train", train)


def ask(cache: Path, threads: int = 1) -> Opinions:
    return fold_opinions(SENTENCES, SENTENCES, OPTIONS, cache=cache, threads=threads)[0]


def same(one: Opinions, other: Opinions) -> bool:
    first, second = one.to_arrays(), other.to_arrays()
    return first.keys() == second.keys() and all(
        np.array_equal(first[name], second[name]) for name in first
    )


def test_no_model_has_seen_what_it_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained, asked = Trained(monkeypatch), []
    original = Opinions.of

    def of(sentences, parser, tagger=None):
        asked.append(set(sentences))
        return original(sentences, parser, tagger)

    monkeypatch.setattr(Opinions, "of", of)
    opinions = ask(tmp_path)
    assert len(opinions) == sum(map(len, SENTENCES))
    assert len(trained.sets) == 3
    for number, seen in enumerate(trained.sets):
        unseen = asked[2 * number]
        assert not seen & unseen
        assert seen | unseen == set(SENTENCES)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "killed"
    script = _DIES.format(tests=str(Path(__file__).parent), cache=str(cache))
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert len(list(cache.glob("*/fold*.npz"))) == 2
    trained = Trained(monkeypatch)
    opinions = ask(cache)
    assert len(trained.sets) == 1
    assert same(opinions, ask(tmp_path / "whole", threads=2))
    trained.sets.clear()
    assert same(opinions, ask(cache))
    assert not trained.sets


def test_a_damaged_fold_is_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ask(tmp_path)
    (path,) = tmp_path.glob("*/fold1.npz")
    path.write_bytes(path.read_bytes()[:100])
    trained = Trained(monkeypatch)
    assert same(ask(tmp_path), before)
    assert len(trained.sets) == 1


def test_another_treebank_or_seed_has_its_own_cache(tmp_path: Path) -> None:
    keys = {
        folds._key(SENTENCES, SENTENCES, OPTIONS),
        folds._key(SENTENCES[1:], SENTENCES[1:], OPTIONS),
        folds._key(SENTENCES, SENTENCES, FoldOptions(folds=3, model="network", seed=2)),
        folds._key(SENTENCES, SENTENCES, FoldOptions(folds=4, model="network")),
    }
    assert len(keys) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds is 1; expected at least 2"),
        ({"model": "arc"}, "fold model 'arc'; expected one of turbo, network"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        FoldOptions(**options)  # type: ignore[arg-type]
