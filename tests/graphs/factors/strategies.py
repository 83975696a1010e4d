"""Scores and targets of one factor's links."""

from __future__ import annotations

from hypothesis import strategies as st

# Whole and half numbers make ties; the rest is anywhere.
_numbers = st.one_of(
    st.integers(-6, 6).map(lambda k: k / 2),
    st.floats(-10.0, 10.0, allow_nan=False).map(lambda x: round(x, 6)),
)
scales = st.sampled_from([0.1, 1.0, 7.0])


def scores(links: int) -> st.SearchStrategy[list[float]]:
    """One score a link."""
    return st.lists(_numbers, min_size=links, max_size=links)


def targets(links: int) -> st.SearchStrategy[list[list[float]]]:
    """Up to four targets that are projected one after the other."""
    target = st.lists(_numbers.map(lambda x: x / 3), min_size=links, max_size=links)
    return st.lists(target, min_size=1, max_size=4)
