"""From counts of sentences to percentages, cells of tables, and claims with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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


def along_rounds(
    words: Sequence[int], along: Mapping[str, Measured]
) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Return limits on the rounds, and the shares of right heads and of proofs with each."""
    total = max(1, sum(words))
    return (
        tuple(float(limit) for limit in along),
        tuple(100 * sum(own["right"]) / total for own in along.values()),
        tuple(float(100 * np.mean(own["proven"])) for own in along.values()),
    )


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


#: The columns that :func:`f1_cells` fills.
F1_COLUMNS = ("F1", "paper", "features", "paper")


def f1_cells(counts: Measured, paper: tuple[float, int] | None) -> list[str]:
    """Write the F1 and the features of a tagger of spans, each followed by the paper's."""
    ours = (f1(counts), counts["features"])
    return beside(ours, paper or (None, None), ("{:.2f}", "{:,}"))


def middle_budget(found: Measured) -> int:
    """Return the middle one of the budgets that something was selected for."""
    budgets: list[int] = found["budgets"]
    return budgets[len(budgets) // 2]


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
    figure: Callable[[Measured, str], float],
    systems: Sequence[str],
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
    figure, systems
        What is shown of which systems: :func:`uas`, :func:`proofs` or :func:`seconds`.
    paper
        By language, a value for each system.
    form
        How to write a number.
    """
    forms = [form] * len(systems)
    rows = []
    for dataset, measured in all_measured.items():
        theirs = paper.get(language_of(dataset), [None] * len(systems))
        ours = [figure(measured, system) for system in systems]
        rows.append((dataset, *beside(ours, theirs, forms)))
    if len(all_measured) > 1:
        means = [
            float(np.mean([figure(measured, system) for measured in all_measured.values()]))
            for system in systems
        ]
        theirs = [_mean(paper, place) for place in range(len(systems))]
        rows.append(("mean", *beside(means, theirs, forms)))
    return Table(title, ("treebank", *beside_paper(systems)), tuple(rows), note)


def beside_paper(names: Iterable[str]) -> list[str]:
    """Return the names of columns, each followed by one for the paper's values."""
    return [text for name in names for text in (name, "paper")]


def beside(
    ours: Sequence[float], theirs: Sequence[float | None], forms: Sequence[str]
) -> list[str]:
    """Write our values, each followed by the paper's.

    >>> beside([0.5, 1000], [None, 2000], ["{:.2f}", "{:,}"])
    ['0.50', '–', '1,000', '2,000']
    """
    both = zip(ours, theirs, forms, strict=True)
    return [cell(value, form) for mine, other, form in both for value in (mine, other)]


def cell(value: float | None, form: str = "{:.2f}") -> str:
    """Write a number, or a dash for none.

    >>> cell(1.5), cell(None)
    ('1.50', '–')
    """
    return "–" if value is None else form.format(value)


def _mean(paper: Mapping[str, Sequence[float | None]], column: int) -> float | None:
    known = [value for row in paper.values() if (value := row[column]) is not None]
    return sum(known) / len(known) if known else None


def _tested(tests: Sequence[Any]) -> Difference:
    return paired_difference(tests, _SAMPLES, seed=_SEED)
