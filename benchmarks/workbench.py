"""Errors injected into treebanks: how many are found, by how much is reviewed.

    python benchmarks/workbench.py [--data ../shared] [--treebank tr_imst ...] [--record]

A share of the words of each treebank's training part is given errors as people make them: wrong
heads, labels and tags, and swapped attachments (turbotree.checking.injection). `turbotree check`
then ranks all words, without knowing where they are. Beside it stand rankings by probability alone
(of all that is annotated of a word, of its head and label, or by the largest log-odds of another
value of any column), by rules alone, by variation alone (both learnt as the whole is), and a random
one. Recall is that of wrong words among the first 1, 2, 5 and 10 % of the ranking.

Trained folds are kept in --cache: a run that was killed goes on where it was. Its CPU time is then
that of the last run only, and is not recorded.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np
from figures import record

from turbotree.arrays import FloatArray
from turbotree.checking.check import Trial, error_mask
from turbotree.checking.folds import FOLD_MODELS, FoldOptions
from turbotree.checking.guidelines import Guidelines
from turbotree.checking.injection import ERROR_KINDS, InjectedError, inject_errors
from turbotree.display.training_progress import Lines
from turbotree.text import Sentence, read_conllu

#: Shares of the words that are reviewed.
REVIEWED = (0.01, 0.02, 0.05, 0.1)
#: What is asked for: recall in the first 5 and 10 %, and points above probability alone.
BARS = {0.05: 60.0, 0.1: 75.0}
ABOVE_PROBABILITY = 10.0


def recall(scores: FloatArray, wrong: FloatArray, share: float) -> float:
    """Return the percentage of wrong words among a share of all, those with the highest scores.

    >>> recall(np.array([0.1, 0.9, 0.8, 0.2]), np.array([0.0, 1.0, 0.0, 1.0]), 0.5)
    50.0
    """
    count = int(np.ceil(share * len(scores)))
    first = np.argsort(-scores, kind="stable")[:count]
    return 100.0 * float(wrong[first].sum() / wrong.sum())


def rankings(trial: Trial, seed: int) -> dict[str, FloatArray]:
    """Return the scores of all words by each ranking; ties are broken at random."""
    noise = np.random.default_rng(seed).random(len(trial.wrong))
    evidence = trial.own.evidence

    def numbers(name: str) -> FloatArray:
        column: FloatArray = evidence.rows[:, evidence.names.index(f"probability: {name}")]
        return column

    found = {
        "turbotree check": trial.ranking(),
        "models, learnt": trial.ranking("probability"),
        "probability alone": trial.own.evidence.surprise,
        "probability of head and label": numbers("head surprise") + numbers("label surprise"),
        "largest log-odds": numbers("largest margin"),
        "rules alone": trial.ranking("rules"),
        "variation alone": trial.ranking("variation"),
        "random": noise,
    }
    return {name: scores + 1e-9 * noise for name, scores in found.items()}


def measure(treebank: str, options: argparse.Namespace) -> None:
    """Measure one treebank, and print and record its figures."""
    path = Path(options.data, "treebanks", f"{treebank}-ud-train.conllu")
    sentences = list(read_conllu(path))
    wrong_sentences, errors = inject_errors(sentences, options.share, seed=options.seed)
    wrong = error_mask(sentences, errors)
    cache = Path(options.cache)
    fresh = not cache.exists() or not any(cache.glob("*/fold*"))
    start = process_time()
    trial = Trial.of(
        wrong_sentences,
        FoldOptions(model=options.fold_model),
        Guidelines.bundled(),
        models=None,
        cache=cache,
        threads=options.threads,
        progress=Lines(),
    )
    scores = rankings(trial, options.seed)
    seconds = process_time() - start
    words = len(wrong)
    print(f"{treebank}: {words:,} words, {len(errors):,} wrong, {seconds:.0f} CPU s in this run")
    for name, own in scores.items():
        values = {f"recall {share:.0%}": recall(own, wrong, share) for share in REVIEWED}
        print(f"  {name:30}" + "".join(f"  {key} {value:5.1f}" for key, value in values.items()))
        if options.record:
            extra: dict[str, float] = (
                {"CPU s": round(seconds)} if name == "turbotree check" and fresh else {}
            )
            record(
                f"workbench/{treebank}/{name}",
                {key: round(value, 1) for key, value in values.items()} | extra,
                setting=f"train, {options.share:.0%} of {words:,} words wrong, 5 folds of "
                f"{options.fold_model} models, seed {options.seed}",
                script=__file__,
            )
    _by_kind(scores["turbotree check"], sentences, errors)
    for share, bar in BARS.items():
        reached, alone = (
            recall(scores[name], wrong, share) for name in ("turbotree check", "probability alone")
        )
        above = reached - alone
        print(
            f"  first {share:.0%}: {reached:.1f} (bar {bar:g}), {above:+.1f} above "
            f"probability alone (bar {ABOVE_PROBABILITY:g})"
        )


def _by_kind(
    scores: FloatArray, sentences: Sequence[Sentence], errors: Sequence[InjectedError]
) -> None:
    for kind in ERROR_KINDS:
        own = error_mask(sentences, [error for error in errors if error.kind == kind])
        values = "  ".join(f"{share:.0%} {recall(scores, own, share):5.1f}" for share in REVIEWED)
        print(f"  {kind:6} {int(own.sum()):5} wrong: {values}")


def main() -> None:
    """Measure the treebanks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default="../shared", help="folder with treebanks/")
    parser.add_argument("--treebank", nargs="+", default=["tr_imst", "en_ewt"])
    parser.add_argument("--share", type=float, default=0.02, help="of words that get errors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fold-model", choices=FOLD_MODELS, default=FOLD_MODELS[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cache", default="build/workbench", help="for trained folds")
    parser.add_argument("--record", action="store_true", help="write figures.json")
    options = parser.parse_args()
    for treebank in options.treebank:
        measure(treebank, options)


if __name__ == "__main__":
    main()
