"""From counts of sentences to percentages, cells of tables, and claims with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from turbotree.evaluation import Difference, paired_difference
from turbotree.experiments.records import Claim, Measured, Table

_SAMPLES = 1000
_SEED = 1

#: The papers' language of a treebank, by how its name begins; the built-in one is English.
_LANGUAGES = {"built-in": "en", "esp": "es", "ned": "nl", "eng": "en"}


def language_of(dataset: str) -> str:
    """Return the code of a treebank's language.

    >>> language_of("nl_lassysmall"), language_of("built-in")
    ('nl', 'en')
    """
    return _LANGUAGES.get(dataset, dataset.split("_")[0])


def uas(measured: Measured, system: str) -> float:
    """Return the share of right heads, in per cent."""
    right = float(sum(measured["systems"][system]["right"]))
    return 100 * right / max(1, sum(measured["words"]))


def proofs(measured: Measured, system: str) -> float:
    """Return the share of trees that are proven best, in per cent."""
    return float(100 * np.mean(measured["systems"][system]["proven"]))


def seconds(measured: Measured, system: str) -> float:
    """Return the seconds per sentence."""
    return float(np.mean(measured["systems"][system]["seconds"]))


def claim_uas(
    text: str,
    all_measured: Mapping[str, Measured],
    below: str,
    above: str,
    *,
    or_equal: bool = False,
) -> Claim:
    """Compare the right heads of two systems, on all treebanks together."""
    tests = {
        name: (m["systems"][below]["right"], m["systems"][above]["right"], m["words"])
        for name, m in all_measured.items()
    }
    return claim_units(text, "UAS, %", tests, or_equal=or_equal)


def claim_proofs(
    text: str,
    all_measured: Mapping[str, Measured],
    below: str,
    above: str,
    *,
    or_equal: bool = False,
) -> Claim:
    """Compare how many trees two systems prove best, on all treebanks together."""
    tests = {
        name: (m["systems"][below]["proven"], m["systems"][above]["proven"])
        for name, m in all_measured.items()
    }
    return claim_shares(text, "proven best, %", tests, or_equal=or_equal)


def claim_shares(
    text: str,
    measure: str,
    tests: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    *,
    or_equal: bool = False,
) -> Claim:
    """Compare two rows of shares, one number per sentence, for each treebank."""
    units = {name: (below, above, np.ones(len(below))) for name, (below, above) in tests.items()}
    return claim_units(text, measure, units, or_equal=or_equal)


def claim_units(
    text: str, measure: str, tests: Mapping[str, Any], *, or_equal: bool = False
) -> Claim:
    """Compare what two systems got out of what there was, for each treebank."""
    each = tuple((name, _tested([test])) for name, test in tests.items())
    mean = each[0][1] if len(each) == 1 else _tested(list(tests.values()))
    return Claim(text, measure, mean, or_equal, each if len(each) > 1 else ())


def f1(counts: Measured) -> float:
    """Return the F1 of spans, in per cent.

    >>> f1({"right": [1, 2], "gold": [2, 2], "found": [1, 3]})
    75.0
    """
    return 200 * sum(counts["right"]) / max(1, sum(counts["gold"]) + sum(counts["found"]))


def main_ordering(claim: Claim) -> Claim:
    """Put a claim among those that the report begins with."""
    return replace(claim, main=True)


def claim_f1(
    text: str, tests: Mapping[str, tuple[Measured, Measured]], *, or_equal: bool = False
) -> Claim:
    """Compare the spans that two systems found, by their counts for each set of data."""
    units = {
        name: (
            *(2 * np.array(counts["right"]) for counts in both),
            *(np.array(counts["gold"]) + np.array(counts["found"]) for counts in both),
        )
        for name, both in tests.items()
    }
    return claim_units(text, "F1, %", units, or_equal=or_equal)


def side_by_side(
    title: str,
    all_measured: Mapping[str, Measured],
    columns: Mapping[str, Callable[[Measured], float]],
    paper: Mapping[str, Sequence[float | None]],
    *,
    form: str = "{:.2f}",
    note: str = "",
) -> Table:
    """Lay out one row per treebank: ours, and the paper's value for the same language.

    Parameters
    ----------
    title, note
        Of the table.
    all_measured
        By treebank.
    columns
        What each column shows.
    paper
        By language, a value for each column; ``"mean"`` for the row of means.
    form
        How to write a number.
    """
    names = [cell for name in columns for cell in (name, "paper")]
    rows = []
    for dataset, measured in all_measured.items():
        theirs = paper.get(language_of(dataset), [None] * len(columns))
        ours = [column(measured) for column in columns.values()]
        rows.append((dataset, *_pairs(ours, theirs, form)))
    if len(all_measured) > 1:
        means = [float(np.mean([c(m) for m in all_measured.values()])) for c in columns.values()]
        theirs = paper.get("mean") or [_mean(paper, i) for i in range(len(columns))]
        rows.append(("mean", *_pairs(means, theirs, form)))
    return Table(title, ("treebank", *names), tuple(rows), note)


def cell(value: float | None, form: str = "{:.2f}") -> str:
    """Write a number, or a dash for none.

    >>> cell(1.5), cell(None)
    ('1.50', '–')
    """
    return "–" if value is None else form.format(value)


def _pairs(ours: Sequence[float], theirs: Sequence[float | None], form: str) -> list[str]:
    both = zip(ours, theirs, strict=True)
    return [text for mine, other in both for text in (cell(mine, form), cell(other, form))]


def _mean(paper: Mapping[str, Sequence[float | None]], column: int) -> float | None:
    known = [value for row in paper.values() if (value := row[column]) is not None]
    return sum(known) / len(known) if known else None


def _tested(tests: Sequence[Any]) -> Difference:
    return paired_difference(tests, _SAMPLES, seed=_SEED)
