"""Scores and targets of one factor's links."""

from __future__ import annotations

import math

from hypothesis import strategies as st

# Whole and half numbers make ties; the rest is anywhere.
_numbers = st.one_of(
    st.integers(-6, 6).map(lambda k: k / 2),
    st.floats(-10.0, 10.0, allow_nan=False).map(lambda x: round(x, 6)),
)
scales = st.sampled_from([0.1, 1.0, 7.0])


def scores(links: int) -> st.SearchStrategy[list[float]]:
    """One score per link."""
    return st.lists(_numbers, min_size=links, max_size=links)


def targets(links: int) -> st.SearchStrategy[list[list[float]]]:
    """Up to four targets that are projected one after the other."""
    target = st.lists(_numbers.map(lambda x: x / 3), min_size=links, max_size=links)
    return st.lists(target, min_size=1, max_size=4)


def factor_scores(count: int) -> st.SearchStrategy[list[float]]:
    """Factor scores, of which some forbid what they are for."""
    number = st.one_of(_numbers, _numbers, _numbers, st.just(-math.inf))
    return st.lists(number, min_size=count, max_size=count)


@st.composite
def pushed(draw: st.DrawFn, links: int) -> list[float]:
    """Scores of which one is as large as that of a fixed variable."""
    values = draw(scores(links))
    values[draw(st.integers(0, links - 1))] = draw(st.sampled_from([1e5, -1e5]))
    return values
