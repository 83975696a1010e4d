"""``import turbotree as tt`` offers what it promises."""

from __future__ import annotations

import pytest

import turbotree as tt


@pytest.mark.parametrize("name", tt.__all__)
def test_a_promised_name_is_there(name: str) -> None:
    assert getattr(tt, name) is getattr(tt, name)
    assert name in dir(tt)


def test_names_are_those_of_their_packages() -> None:
    assert tt.Parser is tt.parsing.Parser
    assert tt.Sentence is tt.text.Sentence
    assert tt.InputError is tt.errors.InputError
    assert issubclass(tt.ModelFileError, tt.TurbotreeError)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Praser'"):
        tt.Praser  # noqa: B018
