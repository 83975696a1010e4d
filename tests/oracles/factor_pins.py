"""Scores and targets of factors some of whose links are fixed."""

from __future__ import annotations

from hypothesis import strategies as st

from oracles.factor_strategies import scores, targets
from oracles.factors import OneFactor, Own, allowed, check_functions
from oracles.polytopes import PINNED_SCORE, check_pinned_projection


@st.composite
def pins_of(draw: st.DrawFn, links: int, own: Own) -> list[int | None]:
    """Fix some links as one of the allowed assignments has them."""
    points, _ = allowed(links, own)
    row = points[draw(st.integers(0, len(points) - 1))]
    is_fixed = draw(st.lists(st.booleans(), min_size=links, max_size=links))
    return [int(value) if fixed else None for value, fixed in zip(row, is_fixed, strict=True)]


def draw_and_check_pinned_functions(data: st.DataObject, factor: OneFactor, own: Own) -> None:
    """Compare messages beside links that are pushed hard with enumeration."""
    pushes = {0: -PINNED_SCORE, 1: PINNED_SCORE}
    pins = data.draw(pins_of(factor.links, own))
    free = data.draw(scores(factor.links))
    pushed = [score if pin is None else pushes[pin] for pin, score in zip(pins, free, strict=True)]
    check_functions(factor, own, pushed)


def draw_and_check_pinned_projection(data: st.DataObject, factor: OneFactor, own: Own) -> None:
    """Compare the projection on the face where the pushed links are fixed with a general solver."""
    pins = data.draw(pins_of(factor.links, own))
    warm = data.draw(targets(factor.links))
    check_pinned_projection(factor, own, warm[1:], warm[0], pins)
