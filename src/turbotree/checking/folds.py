"""Opinions of a treebank by models that have not seen the sentence in question.

The treebank is cut into folds, whole documents each. For each fold a parser and a tagger learn from
the others, and are asked for their opinion of its annotation, and of a copy with injected errors,
from which the ranking learns. A finished fold is kept in a cache folder whose name is a checksum of
the treebank and the options, and appears there whole or not at all; training itself leaves
checkpoints there. So a run that was killed continues where it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from turbotree.arrays import LongArray
from turbotree.checking.findings import TAG_COLUMNS
from turbotree.checking.opinions import Opinions
from turbotree.errors import InputError
from turbotree.files.atomic import atomic_path
from turbotree.files.outputs import work_folder
from turbotree.interrupts import Threads
from turbotree.labeling import Tagger
from turbotree.learning.progress import PrefixedProgress, Progress, Silent
from turbotree.networks import NetworkOptions
from turbotree.parsing import Parser
from turbotree.pipeline.jackknife import fold_numbers
from turbotree.quantities import check_least
from turbotree.text import Sentence
from turbotree.text.sentence import fingerprint

#: The kinds of models that folds can have: ``"turbo"`` is more accurate, ``"network"`` takes a
#: third of the time. ``docs/checking.md`` has the figures.
FOLD_MODELS = ("turbo", "network")
#: Changes when what is cached means something else.
_FORMAT = 1
_NETWORK = {
    "turbo": NetworkOptions(hidden=64, arc_size=128, label_size=48, updates=1800, least_epochs=6),
    "network": NetworkOptions(hidden=64, arc_size=128, label_size=48, updates=1500, least_epochs=6),
}
_EPOCHS = 5
_HOLDS = ("fold*.npz", "fold*")


@dataclass(frozen=True, kw_only=True)
class FoldOptions:
    """How the models of folds are trained.

    Attributes
    ----------
    folds
        Into how many parts the treebank is cut.
    model
        One of ``FOLD_MODELS``.
    seed
        Decides every random choice.
    """

    folds: int = 5
    model: str = FOLD_MODELS[0]
    seed: int = 1

    def __post_init__(self) -> None:
        check_least("folds", self.folds, 2)
        if self.model not in FOLD_MODELS:
            raise InputError(f"fold model {self.model!r}; expected one of {', '.join(FOLD_MODELS)}")


def usual_cache() -> Path:
    """Return the folder in which finished folds are kept if nothing else is said."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "turbotree" / "check"


def fold_opinions(
    sentences: Sequence[Sentence],
    trial: Sequence[Sentence],
    options: FoldOptions,
    *,
    cache: Path,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Opinions, Opinions]:
    """Return what models of the other folds think of each sentence, and of its trial.

    Parameters
    ----------
    sentences
        The treebank; heads may be missing, but form trees.
    trial
        The same sentences with injected errors.
    options
        How models are trained.
    cache
        Folder for finished folds; it is made if it is not there.
    threads
        So many folds are worked at at once; the result does not depend on it.
    progress
        Told how training goes.
    """
    numbers = np.array(fold_numbers(sentences, options.folds))
    folder = cache / _key(sentences, trial, options)
    cache.mkdir(parents=True, exist_ok=True)
    shown = progress or Silent()
    lock = threading.Lock()

    def opinions_of(fold: int) -> tuple[Opinions, Opinions]:
        path = folder / f"fold{fold}.npz"
        found = _load(path)
        if found is None:
            prefixed = PrefixedProgress(shown, f"fold {fold + 1} of {options.folds}")
            inside: list[int] = np.flatnonzero(numbers == fold).tolist()
            others = [sentences[place] for place in np.flatnonzero(numbers != fold).tolist()]
            parser, tagger = _train(others, folder / f"fold{fold}", options, prefixed)
            found = (
                Opinions.of([sentences[place] for place in inside], parser, tagger),
                Opinions.of([trial[place] for place in inside], parser, tagger),
            )
            _save(path, *found)
            shutil.rmtree(folder / f"fold{fold}", ignore_errors=True)
            with lock:
                shown.note(f"fold {fold + 1} of {options.folds}: done")
        else:
            shown.note(f"fold {fold + 1} of {options.folds}: found in {folder}")
        return found

    with work_folder(folder, f"the cache {folder}", _HOLDS), Threads(threads) as pool:
        pairs = list(pool.map(opinions_of, range(options.folds)))
    order = _order(sentences, numbers)
    own = Opinions.joined([pair[0] for pair in pairs]).chosen(order)
    return own, Opinions.joined([pair[1] for pair in pairs]).chosen(order)


def _train(
    sentences: Sequence[Sentence], folder: Path, options: FoldOptions, progress: Progress
) -> tuple[Parser, Tagger | None]:
    folder.mkdir(exist_ok=True)
    path = folder / "parser.safetensors"
    if path.exists():
        parser = Parser.load(path)
    else:
        parser = Parser.train(
            sentences,
            model=options.model,
            epochs=_EPOCHS,
            network=replace(_NETWORK[options.model], seed=options.seed),
            seed=options.seed,
            checkpoint=folder / "parser",
            resume=True,
            progress=progress,
        )
        parser.save(path)
    columns = [name for name in TAG_COLUMNS if _is_filled(sentences, name)]
    if "upos" not in columns:
        return parser, None
    tagger = Tagger.train(
        sentences,
        task="tag",
        label=columns,
        seed=options.seed,
        checkpoint=folder / "tagger",
        resume=True,
        progress=progress,
    )
    return parser, tagger


def _is_filled(sentences: Sequence[Sentence], column: str) -> bool:
    return any(value != "_" for sentence in sentences for value in sentence.column(column))


def _order(sentences: Sequence[Sentence], numbers: LongArray) -> LongArray:
    """Return where each word of the treebank is if the folds stand one after another."""
    by_fold = np.repeat(numbers, [len(sentence) for sentence in sentences])
    order = np.empty(len(by_fold), dtype=np.int64)
    order[np.argsort(by_fold, kind="stable")] = np.arange(len(by_fold))
    return order


def _key(sentences: Sequence[Sentence], trial: Sequence[Sentence], options: FoldOptions) -> str:
    recipe = {
        "format": _FORMAT,
        "options": asdict(options),
        "network": _NETWORK[options.model].to_dict(),
        "epochs": _EPOCHS,
        "treebank": fingerprint(sentences),
        "trial": fingerprint(trial),
    }
    return hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:24]


def _save(path: Path, own: Opinions, trial: Opinions) -> None:
    arrays = {f"own/{name}": array for name, array in own.to_arrays().items()}
    arrays |= {f"trial/{name}": array for name, array in trial.to_arrays().items()}
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]


def _load(path: Path) -> tuple[Opinions, Opinions] | None:
    """Read a finished fold; None if there is none, or if the file is damaged."""
    try:
        # Opened here: numpy leaves a damaged file open.
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            own, trial = (
                Opinions.from_arrays(
                    {
                        name.partition("/")[2]: arrays[name]
                        for name in arrays.files
                        if name.startswith(f"{which}/")
                    }
                )
                for which in ("own", "trial")
            )
            return own, trial
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
