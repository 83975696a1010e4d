"""The tests that every kind of factor passes; a test class names the cases and inherits them."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracles.factor_pins import draw_and_check_pinned_functions, draw_and_check_pinned_projection
from oracles.factor_strategies import pushed, scales, scores, targets
from oracles.factors import (
    OneFactor,
    Own,
    Used,
    check_expectations,
    check_functions,
    check_projection,
)
from oracles.polytopes import check_hard_projection

#: A factor, and its score of each assignment by the definition.
Case = tuple[OneFactor, Own]

# The cases are all that the classes differ in, and each test draws from its own.
_inherited = settings(suppress_health_check=[HealthCheck.differing_executors])
_few = settings(_inherited, max_examples=40)


class HardFactorSuite:
    """Factors that allow or forbid, projected in closed form or by a method of their own."""

    cases: st.SearchStrategy[Case]

    @_inherited
    @given(data=st.data())
    def test_functions_equal_enumeration(self, data: st.DataObject) -> None:
        factor, own = data.draw(self.cases)
        check_functions(factor, own, data.draw(scores(factor.links)))

    @_few
    @given(data=st.data())
    def test_messages_are_exact_beside_pinned_scores(self, data: st.DataObject) -> None:
        draw_and_check_pinned_functions(data, *data.draw(self.cases))

    @_inherited
    @given(scale=scales, data=st.data())
    def test_projection_is_the_nearest_point(self, scale: float, data: st.DataObject) -> None:
        factor, own = data.draw(self.cases)
        check_hard_projection(factor, own, data.draw(targets(factor.links)), scale)

    @_few
    @given(data=st.data())
    def test_projection_keeps_fixed_links_at_their_values(self, data: st.DataObject) -> None:
        draw_and_check_pinned_projection(data, *data.draw(self.cases))


class ScoredFactorSuite:
    """Factors with factor scores, projected by the active-set method."""

    cases: st.SearchStrategy[Case]

    def used(self, factor: OneFactor) -> Used:
        """Give the places of the factor scores that an assignment adds up."""
        raise NotImplementedError

    @_inherited
    @given(data=st.data())
    def test_functions_equal_enumeration(self, data: st.DataObject) -> None:
        factor, own = data.draw(self.cases)
        check_functions(factor, own, data.draw(scores(factor.links)))

    @_few
    @given(data=st.data())
    def test_messages_are_exact_beside_a_score_of_a_fixed_link(self, data: st.DataObject) -> None:
        factor, own = data.draw(self.cases)
        check_functions(factor, own, data.draw(pushed(factor.links)))

    @_inherited
    @given(data=st.data())
    def test_expectations_equal_enumeration(self, data: st.DataObject) -> None:
        factor, own = data.draw(self.cases)
        values = data.draw(st.one_of(scores(factor.links), pushed(factor.links)))
        check_expectations(factor, own, self.used(factor), values)

    @_inherited
    @given(scale=scales, data=st.data())
    def test_projection_equals_a_general_solver(self, scale: float, data: st.DataObject) -> None:
        factor, own = data.draw(self.cases)
        check_projection(factor, own, data.draw(targets(factor.links)), scale)
