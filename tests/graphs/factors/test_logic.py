"""Factors of logic over any number of links, against enumeration and a general QP solver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.factor_strategies import targets
from oracles.factor_suites import Case, HardFactorSuite
from oracles.factors import OneFactor
from oracles.polytopes import check_large_projection

from turbotree.graphs import Kind

Inequalities = list[tuple[NDArray[np.float64], float]]


def cases_of(
    kind: Kind, allows: Callable[[tuple[int, ...]], bool], links: st.SearchStrategy[int]
) -> st.SearchStrategy[Case]:
    """Factors of a kind that allows the assignments for which a condition holds."""
    return links.map(
        lambda count: (OneFactor(kind, count), lambda y: 0.0 if allows(y) else -np.inf)
    )


few = st.integers(1, 6)


class TestXor(HardFactorSuite):
    cases = cases_of(Kind.XOR, lambda y: sum(y) == 1, few)


class TestXorOut(HardFactorSuite):
    cases = cases_of(Kind.XOR_OUT, lambda y: y[-1] == sum(y[:-1]), few)


class TestAtMostOne(HardFactorSuite):
    cases = cases_of(Kind.AT_MOST_ONE, lambda y: sum(y) <= 1, few)


class TestOr(HardFactorSuite):
    cases = cases_of(Kind.OR, lambda y: any(y), few)


class TestOrOut(HardFactorSuite):
    cases = cases_of(Kind.OR_OUT, lambda y: y[-1] == any(y[:-1]), few)


class TestNand(HardFactorSuite):
    cases = cases_of(Kind.NAND, lambda y: not all(y), few)


class TestAndOut(HardFactorSuite):
    cases = cases_of(Kind.AND_OUT, lambda y: y[-1] == all(y[:-1]), few)


class TestImply(HardFactorSuite):
    cases = cases_of(Kind.IMPLY, lambda y: y[0] <= y[1], st.just(2))


def _inputs_less_output(links: int) -> NDArray[np.float64]:
    return np.append(np.ones(links - 1), -1.0)


#: The convex hull of what a kind allows, beside the cube.
HULLS: dict[Kind, Callable[[int], Inequalities]] = {
    Kind.XOR: lambda links: [(np.ones(links), 1.0), (-np.ones(links), -1.0)],
    Kind.XOR_OUT: lambda links: [
        (_inputs_less_output(links), 0.0),
        (-_inputs_less_output(links), 0.0),
    ],
    Kind.AT_MOST_ONE: lambda links: [(np.ones(links), 1.0)],
    Kind.OR: lambda links: [(-np.ones(links), -1.0)],
    Kind.OR_OUT: lambda links: [
        (-_inputs_less_output(links), 0.0),
        *((np.append(row, -1.0), 0.0) for row in np.eye(links - 1)),
    ],
}


@pytest.mark.parametrize("kind", HULLS, ids=lambda kind: kind.name)
@settings(max_examples=30)
@given(links=st.integers(7, 20), data=st.data())
def test_large_projection_is_the_nearest_point(kind: Kind, links: int, data: st.DataObject) -> None:
    check_large_projection(OneFactor(kind, links), data.draw(targets(links)), HULLS[kind](links))


@pytest.mark.parametrize(
    ("kind", "links", "message"),
    [
        (Kind.XOR, 0, "exactly one"),
        (Kind.XOR_OUT, 0, "exclusive or"),
        (Kind.AT_MOST_ONE, 0, "at most one"),
        (Kind.OR, 0, "at least one"),
        (Kind.OR_OUT, 0, "of an or"),
        (Kind.NAND, 0, "not all"),
        (Kind.AND_OUT, 0, "of an and"),
        (Kind.IMPLY, 0, "two variables"),
        (Kind.IMPLY, 1, "two variables"),
        (Kind.IMPLY, 3, "two variables"),
    ],
)
def test_a_factor_with_too_few_or_too_many_links_is_refused(
    kind: Kind, links: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        OneFactor(kind, links).graph()
