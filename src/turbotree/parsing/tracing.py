"""Bound and value of one sentence along the rounds of dual decomposition, as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.graphs import Solution
from turbotree.parsing.decoding import SOLVERS
from turbotree.text import Sentence
from turbotree.text.drawing.common import printable

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 78, 118, 46, 52
_STYLE = """<style>
.trace { --ink: #1f2933; --soft: #8a94a3; --bound: #c2410c; --value: #1d4ed8; --gap: #64748b22; }
@media (prefers-color-scheme: dark) {
.trace { --ink: #e5e9f0; --soft: #8a94a3; --bound: #fb923c; --value: #7aa2ff; --gap: #94a3b833; }
}
.trace text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.trace .soft { fill: var(--soft); }
.trace .axis { stroke: var(--soft); fill: none; }
.trace .grid { stroke: var(--soft); stroke-opacity: .25; }
.trace .bound { stroke: var(--bound); fill: none; stroke-width: 2; }
.trace .value { stroke: var(--value); fill: none; stroke-width: 2; }
.trace .name-bound { fill: var(--bound); }
.trace .name-value { fill: var(--value); }
.trace .gap { fill: var(--gap); }
</style>"""


def trace_sentence(
    parser: Parser,
    sentence: Sentence,
    *,
    require: Iterable[Sequence[Any]] = (),
    forbid: Iterable[Sequence[Any]] = (),
    max_rounds: int = 500,
) -> Solution:
    """Solve the relaxation of a sentence by ADMM and record every round.

    Parameters
    ----------
    parser
        Any model kind.
    sentence
        What to parse.
    require, forbid
        As for :meth:`Parser.parse`.
    max_rounds
        When to stop at the latest.

    Returns
    -------
    Solution
        Its trace has the bound and the best value of each round.
    """
    _, shape = parser._decoding(None, None, None)
    constraints = parser._read(sentence, require, forbid, ())
    scored = next(parser._scored([sentence], shape, False, constraints, None))
    graph = scored.sentence(0).graph()
    options = {**SOLVERS["admm"][1], "max_iterations": max_rounds}
    return graph.solve("admm", trace=True, **options)


def draw_trace(solution: Solution, title: str = "") -> str:
    """Draw bound and value along the rounds as an SVG image.

    Examples
    --------
    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 3.0]))
    >>> draw_trace(graph.solve("admm", trace=True), "a choice")[:4]
    '<svg'
    """
    trace = solution.trace
    if trace is None or len(trace) == 0:
        raise InputError("the solution has no trace; solve with trace=True")
    rounds = trace.iteration.astype(np.float64)
    ticks = _ticks(*_range(trace.upper_bound, trace.value))
    low, high = ticks[0], ticks[-1]
    last = max(float(rounds[-1]), 2.0)

    def x(count: float) -> float:
        return _LEFT + (count - 1) / (last - 1) * (_WIDTH - _LEFT - _RIGHT)

    def y(number: float) -> float:
        return _TOP + (high - number) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    bound = [
        (x(r), y(min(b, 2 * high - low))) for r, b in zip(rounds, trace.upper_bound, strict=True)
    ]
    value = [(x(r), y(v)) for r, v in zip(rounds, trace.value, strict=True) if np.isfinite(v)]
    right, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="trace" width="{_WIDTH}" '
        f'height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        _STYLE,
        f'<clipPath id="inside"><rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT - _RIGHT}" '
        f'height="{_HEIGHT - _TOP - _BOTTOM}"/></clipPath>',
        f'<text x="{_LEFT}" y="22">{escape(_shortened(printable(title)))}</text>',
    ]
    for tick in ticks:
        at = y(tick)
        pieces.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{right}"/>')
        pieces.append(
            f'<text class="soft" x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>'
        )
    for count in _whole_ticks(int(last)):
        pieces.append(f'<path class="axis" d="M{x(count):.1f} {floor}v5"/>')
        pieces.append(
            f'<text class="soft" x="{x(count):.1f}" y="{floor + 20}" text-anchor="middle">'
            f"{count}</text>"
        )
    pieces.append(f'<path class="axis" d="M{_LEFT} {_TOP}V{floor}H{right}"/>')
    middle = (_LEFT + right) / 2
    pieces.append(f'<text x="{middle:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">rounds</text>')
    steps = _steps(value, right)
    if steps:
        upper = [point for point in bound if point[0] >= steps[0][0] - 1e-9]
        pieces.append(
            f'<path class="gap" clip-path="url(#inside)" d="{_path([*upper, *steps[::-1]])}Z"/>'
        )
        pieces.append(f'<path class="value" d="{_path(steps)}"/>')
    pieces.append(f'<path class="bound" clip-path="url(#inside)" d="{_path(bound)}"/>')
    proven = solution.gap <= solution.tolerance
    labels = [("bound", bound[-1][1])] + ([("value", steps[-1][1])] if steps else [])
    if proven:
        labels = [("bound = value", bound[-1][1])]
    elif len(labels) == 2 and labels[1][1] - labels[0][1] < 14:  # not on top of each other
        labels[1] = ("value", labels[0][1] + 14)
    for name, at in labels:
        pieces.append(
            f'<text x="{right + 8}" y="{at + 4:.1f}" class="name-{name[:5]}">{name}</text>'
        )
    found = "proven best" if proven else f"gap {solution.gap:.3g}"
    said = f"{found} after {solution.iterations} rounds"
    pieces.append(f'<text class="soft" x="{_LEFT}" y="38">{said}</text>')
    return "\n".join([*pieces, "</svg>\n"])


def _range(bounds: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Give the range worth a look: the first bounds are far off, and leave the picture."""
    found = np.flatnonzero(np.isfinite(values))
    first = int(found[0]) if len(found) else 0
    high = float(bounds[first // 2])
    low = float(min(values[found].min(initial=high), bounds.min()))
    pad = 0.08 * (high - low) or max(1e-3, 0.05 * abs(high))
    return low - pad, high + pad


def _ticks(low: float, high: float) -> list[float]:
    """Give about five round numbers that enclose a range."""
    rough = (high - low) / 4
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    return [round(step * count, 12) for count in range(first, last + 1)]


def _whole_ticks(last: int) -> list[int]:
    step = max(1, round(last / 6))
    return [1, *(count for count in range(step, last + 1, step) if count > max(1, step // 2))]


def _steps(points: Sequence[tuple[float, float]], right: float) -> list[tuple[float, float]]:
    """Give a line that stays where it is until the next point."""
    line: list[tuple[float, float]] = []
    for x, y in points:
        if line:
            line.append((x, line[-1][1]))
        line.append((x, y))
    if line:
        line.append((right, line[-1][1]))
    return line


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _shortened(text: str, most: int = 92) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
