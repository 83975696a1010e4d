"""What an experiment is, and what it shows: plain records, no code that measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from turbotree.evaluation import Difference

if TYPE_CHECKING:
    from turbotree.experiments.context import ExperimentContext

#: What was measured on one treebank: data that JSON can hold.
Measured = dict[str, Any]


@dataclass(frozen=True)
class Paper:
    """Where a table or figure stands."""

    key: str
    text: str


KOO_2010 = Paper(
    "koo2010",
    "Koo, Rush, Collins, Jaakkola, Sontag (2010): Dual Decomposition for Parsing with "
    "Non-Projective Head Automata",
)
TURBO_2010 = Paper(
    "turbo2010",
    "Martins, Smith, Xing, Aguiar, Figueiredo (2010): Turbo Parsers: Dependency Parsing by "
    "Approximate Variational Inference",
)
ADMM_2011 = Paper(
    "admm2011",
    "Martins, Smith, Aguiar, Figueiredo (2011): Dual Decomposition with Many Overlapping "
    "Components",
)
SPARSITY_2011 = Paper(
    "sparsity2011",
    "Martins, Smith, Aguiar, Figueiredo (2011): Structured Sparsity in Structured Prediction",
)


@dataclass(frozen=True)
class Table:
    """Cells as text; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Series:
    """Points of one line or cloud."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    dashed: bool = False


@dataclass(frozen=True)
class Figure:
    """A picture to be drawn."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    points: bool = False
    """Points instead of lines."""
    logarithmic: bool = False
    """Both axes."""
    diagonal: bool = False
    """Whether to draw the line where both are equal."""
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """One ordering that a paper found, and what came of it here.

    Attributes
    ----------
    text
        What is expected: ``"G+S above Sib"``.
    measure
        What the numbers are: ``"UAS"``.
    difference
        A is what should be below, B what should be above.
    or_equal
        Whether a tie keeps to the claim.
    each
        The same difference on each treebank by itself, if there are several.
    main
        Whether it is one of the papers' main findings, which the report begins with.
    """

    text: str
    measure: str
    difference: Difference
    or_equal: bool = False
    each: tuple[tuple[str, Difference], ...] = ()
    main: bool = False

    @property
    def holds(self) -> bool:
        """Whether the difference has the sign that the paper found."""
        found = self.difference.difference
        return found >= 0 if self.or_equal else found > 0

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval excludes zero."""
        return self.difference.low > 0 or self.difference.high < 0

    @property
    def verdict(self) -> str:
        """Say it plainly.

        >>> Claim("B above A", "UAS", Difference(80.0, 81.0, 1.0, -0.5, 2.5, 0.2)).verdict
        'holds, but within chance'
        """
        if self.holds:
            if self.difference.difference == 0:
                return "holds: no difference"
            return "holds" if self.beyond_chance else "holds, but within chance"
        return "DOES NOT HOLD" if self.beyond_chance else "does not hold, within chance"


@dataclass(frozen=True)
class Shown:
    """What the report shows of one experiment."""

    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """One table or figure of a paper.

    Attributes
    ----------
    id
        How the command line names it.
    paper, place
        Where it stands.
    compares
        What is compared with what.
    expected
        The ordering that the paper found, in words.
    data
        How our data differ from the paper's.
    split
        Whether ``"dev"`` or ``"test"`` is measured on: as in the paper, but never on test
        sentences where something is chosen by what comes out.
    measure
        Does the work on one treebank.
    show
        Makes tables and figures of what was measured on all of them.
    version
        Goes up when `measure` changes, so that cached results are not taken for new ones.
    measurement
        Name of what is measured, where several experiments show the same measurements; its own
        name if nothing is given.
    kinds
        The kinds of data that it can use; the first of them that is there is used.
    preset
        The preset by which it does as the paper does, if there is one:
        :data:`turbotree.presets.PRESETS`.
    """

    id: str
    paper: Paper
    place: str
    compares: str
    expected: str
    data: str
    split: str
    measure: Callable[[ExperimentContext], Measured] = field(repr=False)
    show: Callable[[Mapping[str, Measured]], Shown] = field(repr=False)
    version: int = 1
    measurement: str | None = None
    kinds: tuple[str, ...] = ("trees",)
    preset: str | None = None
