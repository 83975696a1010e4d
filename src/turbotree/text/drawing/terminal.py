"""A tree in the terminal: one word per line, arcs at the left.

Each word that has dependents gets a lane, a vertical line that begins and ends at the outermost
of them. From there an arrow leads to each dependent, and a line without arrow to the word
itself. An arc that passes another lane goes under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from turbotree.text.drawing.common import Drawing, checked, isolated, pad, width


class Lane(NamedTuple):
    """The line of one head: first and last row (from 1), and column, 0 being the leftmost."""

    first: int
    last: int
    column: int


def draw_text(
    forms: Sequence[str],
    heads: Sequence[int | None],
    labels: Sequence[str],
    probabilities: Sequence[float] | None = None,
    *,
    color: bool = False,
) -> str:
    """Draw a tree with one word per line: arcs, number, word, relation, head, probability.

    A word from right to left is isolated, so that a terminal that turns such words does not turn
    the columns about, too.

    Parameters
    ----------
    forms : sequence of str
        The words.
    heads : sequence of int or None
        The head of each word, 0 for roots, None for no head.
    labels : sequence of str
        The relation of each word to its head.
    probabilities : sequence of float, optional
        The probability of each word's arc.
    color : bool
        Use ANSI colours; what is doubtful becomes yellow or red.

    Returns
    -------
    str
        The drawing, without a line end after the last line.

    Examples
    --------
    >>> print(draw_text(["She", "saw", "a", "dog"], [2, 0, 4, 2], ["nsubj", "root", "det", "obj"]))
     ┌────► 1 She  nsubj  2
     ├───── 2 saw  root   0
     │ ┌──► 3 a    det    4
     └►┴─── 4 dog  obj    2
    """
    tree = checked(forms, heads, labels, probabilities)
    if not tree.forms:
        return ""
    lanes, columns = _lanes(tree)
    number_width = len(str(len(tree.forms)))
    form_width = max(map(width, tree.forms))
    label_width = max(map(width, tree.labels))
    lines = []
    for word, form in enumerate(tree.forms, 1):
        head = tree.heads[word - 1]
        chance = None if tree.probabilities is None else tree.probabilities[word - 1]
        label = pad(tree.labels[word - 1], label_width)
        head_text = ("_" if head is None else str(head)).rjust(number_width)
        parts = [
            _arcs(word, tree, lanes, columns),
            f"{word:>{number_width}} {_paint(pad(isolated(form), form_width), _BOLD, color)}",
            f" {_paint(label, _LABEL, color)}",
            f" {_paint(head_text, _FAINT, color)}",
        ]
        if chance is not None:
            parts.append(f" {_paint(f'{chance:6.1%}', _certainty(chance), color)}")
        lines.append(" ".join(parts).rstrip())
    return "\n".join(lines)


def _lanes(tree: Drawing) -> tuple[dict[int, Lane], int]:
    """Return the lane of each word with dependents; inner lanes stand nearer to the words."""
    spans: dict[int, tuple[int, int]] = {}
    for word, head in enumerate(tree.heads, 1):
        if head:
            first, last = spans.get(head, (head, head))
            spans[head] = min(first, word), max(last, word)
    # A head's lane stands outside those of its dependents, so an arrow always comes from the
    # left: take the deepest words first, and of these the shortest lanes.
    order = sorted(spans, key=lambda head: (-_depth(tree, head), spans[head][1] - spans[head][0]))
    distance: dict[int, int] = {}  # from the words
    for head in order:
        first, last = spans[head]
        inner = [
            distance[other]
            for other in distance
            if spans[other][0] <= last and first <= spans[other][1]
        ]
        distance[head] = 1 + max(inner, default=-1)
    columns = 1 + max(distance.values(), default=-1)
    lanes = {head: Lane(*spans[head], columns - 1 - distance[head]) for head in spans}
    return lanes, columns


def _depth(tree: Drawing, word: int) -> int:
    depth = 0
    head = tree.heads[word - 1]
    while head:
        head = tree.heads[head - 1]
        depth += 1
    return depth


def _arcs(word: int, tree: Drawing, lanes: dict[int, Lane], columns: int) -> str:
    """Draw one line of the arcs; a lane takes two characters."""
    cells = [" "] * (2 * columns + 2)
    passing = {2 * lane.column for lane in lanes.values() if lane.first <= word <= lane.last}
    for cell in passing:
        cells[cell] = "│"
    end = len(cells)
    own = lanes.get(word)
    head = tree.heads[word - 1]
    target = end if own is None else 2 * own.column
    if head:
        lane = lanes[head]
        _rule(cells, 2 * lane.column, target, passing)
        cells[2 * lane.column] = _corner(lane, word, "┌├└")
        cells[target - 1] = "►"
    if own is not None:
        _rule(cells, target, end, passing)
        cells[target] = _corner(own, word, "┬┼┴" if head else "┌├└")
    return " " + "".join(cells)


def _rule(cells: list[str], start: int, stop: int, passing: set[int]) -> None:
    for cell in range(start + 1, stop):
        if cell not in passing:
            cells[cell] = "─"


def _corner(lane: Lane, row: int, shapes: str) -> str:
    """Choose the shape for the lane's beginning, middle or end."""
    if row == lane.first:
        return shapes[0]
    return shapes[2] if row == lane.last else shapes[1]


_BOLD, _LABEL, _FAINT = "1", "36", "2"


def _certainty(chance: float) -> str:
    return "32" if chance >= 0.9 else "33" if chance >= 0.5 else "31"


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color else text
