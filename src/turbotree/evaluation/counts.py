"""Precision, recall and F1 from three counts, in per cent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Counts", "Tally", "counts_table", "percentage"]


def percentage(part: float, whole: float) -> float:
    """Give `part` of `whole` in per cent; of nothing, 0.

    >>> percentage(1, 4), percentage(0, 0)
    (25.0, 0.0)
    """
    return 100.0 * part / whole if whole else 0.0


@dataclass(frozen=True)
class Counts:
    """How many items the gold standard has, how many were predicted, how many of them are right.

    >>> counts = Counts(gold=4, predicted=5, right=2)
    >>> counts.precision, counts.recall, round(counts.f1, 2)
    (40.0, 50.0, 44.44)
    """

    gold: int
    predicted: int
    right: int

    @property
    def precision(self) -> float:
        """Share of the predicted items that are right."""
        return percentage(self.right, self.predicted)

    @property
    def recall(self) -> float:
        """Share of the gold items that were found."""
        return percentage(self.right, self.gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return percentage(2 * self.right, self.gold + self.predicted)

    def to_dict(self) -> dict[str, int | float]:
        """Give counts and figures, rounded to two places, for JSON."""
        return {
            "gold": self.gold,
            "predicted": self.predicted,
            "right": self.right,
            "precision": round(self.precision, 2),
            "recall": round(self.recall, 2),
            "F1": round(self.f1, 2),
        }


class Tally:
    """Counts by name, added up sentence by sentence.

    >>> tally = Tally()
    >>> tally.add(["LOC", "PER"], ["LOC"], ["LOC"])
    >>> tally.total, tally.counts["PER"]
    (Counts(gold=2, predicted=1, right=1), Counts(gold=1, predicted=0, right=0))
    """

    def __init__(self) -> None:
        self._gold: Counter[str] = Counter()
        self._predicted: Counter[str] = Counter()
        self._right: Counter[str] = Counter()

    def add(self, gold: Iterable[str], predicted: Iterable[str], right: Iterable[str]) -> None:
        """Count the names of gold items, of predicted ones, and of those that are right."""
        self._gold.update(gold)
        self._predicted.update(predicted)
        self._right.update(right)

    @property
    def total(self) -> Counts:
        """The counts of all names together."""
        return Counts(self._gold.total(), self._predicted.total(), self._right.total())

    @property
    def counts(self) -> dict[str, Counts]:
        """The counts of each name, in alphabetical order."""
        return {
            name: Counts(self._gold[name], self._predicted[name], self._right[name])
            for name in sorted(self._gold | self._predicted)
        }


def counts_table(title: str, rows: Mapping[str, Counts]) -> list[str]:
    """Lay out one line for each row, in the order of the rows.

    >>> print(*counts_table("type", {"PER": Counts(9, 9, 9), "LOC": Counts(4, 5, 2)}), sep="\\n")
    type   gold  predicted  precision  recall      F1
    PER       9          9     100.00  100.00  100.00
    LOC       4          5      40.00   50.00   44.44
    """
    width = max([len(title), *map(len, rows)])
    lines = [f"{title:{width}}  {'gold':>5}  predicted  precision  recall      F1"]
    for name, row in rows.items():
        lines.append(
            f"{name:{width}}  {row.gold:5}  {row.predicted:9}  {row.precision:9.2f}"
            f"  {row.recall:6.2f}  {row.f1:6.2f}"
        )
    return lines


def by_frequency(rows: Mapping[str, Counts]) -> dict[str, Counts]:
    """Put the most frequent in the gold standard first.

    >>> list(by_frequency({"LOC": Counts(4, 5, 2), "PER": Counts(9, 9, 9)}))
    ['PER', 'LOC']
    """
    return dict(sorted(rows.items(), key=lambda item: (-item[1].gold, item[0])))
