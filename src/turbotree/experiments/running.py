"""Working off experiments on treebanks, taking from the cache what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from turbotree import __version__
from turbotree.errors import InputError
from turbotree.experiments.cache import Cache
from turbotree.experiments.context import ExperimentContext, OpenProgress, silently
from turbotree.experiments.data import Dataset
from turbotree.experiments.records import Experiment, Measured, Shown
from turbotree.experiments.settings import Settings
from turbotree.naming import unknown


@dataclass(frozen=True)
class ExperimentResult:
    """One experiment, done.

    Attributes
    ----------
    experiment
        What was run.
    shown
        Its tables, figures and claims.
    datasets
        Names of the treebanks that it was measured on.
    cached
        How many treebanks were taken from the cache.
    seconds
        How long it took this time.
    """

    experiment: Experiment
    shown: Shown
    datasets: tuple[str, ...]
    cached: int
    seconds: float


def choose(
    experiments: Sequence[Experiment], what: str, only: Sequence[str] = ()
) -> list[Experiment]:
    """Return the experiments that are meant: ``"all"``, a paper, or one of them by its name.

    Parameters
    ----------
    experiments
        What there is.
    what
        A name, or the beginning of some.
    only
        Of these, the ones with one of these texts in their name.
    """
    chosen = [e for e in experiments if what == "all" or e.id == what or e.paper.key == what]
    if not chosen:
        known = dict.fromkeys(name for e in experiments for name in (e.paper.key, e.id))
        raise unknown("experiment", what, ["all", *known])
    if only:
        kept = [e for e in chosen if any(text in e.id for text in only)]
        if not kept:
            raise InputError(
                f"--only {','.join(only)} leaves nothing of {', '.join(e.id for e in chosen)}"
            )
        return kept
    return chosen


def _fitting(experiment: Experiment, datasets: Sequence[Dataset]) -> list[Dataset]:
    """Return the data of the kind that the experiment likes best, of those that are there."""
    for kind in experiment.kinds:
        if found := [dataset for dataset in datasets if dataset.kind == kind]:
            return found
    return []


def run_experiments(
    experiments: Sequence[Experiment],
    datasets: Sequence[Dataset],
    settings: Settings,
    cache: Cache,
    *,
    threads: int = 1,
    kept_only: bool = False,
    note: Callable[[str], None] = lambda text: None,
    progress: OpenProgress = silently,
) -> list[ExperimentResult]:
    """Run experiments one after another, each on all treebanks.

    Parameters
    ----------
    experiments, datasets
        What to run on what.
    settings
        How much work to do.
    cache
        Where results and models are kept. What is in it is not worked out again.
    threads
        For training.
    kept_only
        Whether to do no new work: what the cache does not hold is omitted.
    note, progress
        Told what goes on.
    """
    if not datasets:
        raise InputError("no treebanks to run experiments on")
    outcomes = []
    for number, experiment in enumerate(experiments, 1):
        note(f"[{number}/{len(experiments)}] {experiment.id}: {experiment.compares}")
        fitting = _fitting(experiment, datasets)
        if not fitting:
            note(f"omitted: no data of {' or '.join(experiment.kinds)}")
            continue
        started = perf_counter()
        measured: dict[str, Measured] = {}
        cached = 0
        for dataset in fitting:
            context = ExperimentContext(
                dataset,
                experiment.split,
                settings,
                Cache(cache.folder / "models"),
                threads,
                note,
                progress,
            )
            inputs = {
                "experiment": experiment.measurement or experiment.id,
                "experiment_version": experiment.version,
                "version": __version__,
                "settings": settings.to_record(),
                "train": dataset.fingerprint("train"),
                "measured_on": dataset.fingerprint(experiment.split),
            }
            if cache.load(inputs) is not None:
                note(f"{dataset.name}: kept from an earlier run")
                cached += 1
            elif kept_only:
                note(f"{dataset.name}: omitted, not measured yet")
                continue
            else:
                note(f"{dataset.name}: working")
            measured[dataset.name] = cache.get(inputs, partial(experiment.measure, context))
        if measured:
            shown = experiment.show(measured)
            seconds = perf_counter() - started
            outcomes.append(ExperimentResult(experiment, shown, tuple(measured), cached, seconds))
    if not outcomes and kept_only:
        raise InputError(f"{cache.folder}: nothing of what was asked for is kept there")
    if not outcomes:
        kinds = dict.fromkeys(kind for experiment in experiments for kind in experiment.kinds)
        raise InputError(f"no data for what was asked for; expected {' or '.join(kinds)}")
    return outcomes
