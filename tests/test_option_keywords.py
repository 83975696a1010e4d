"""Options as keywords, for editors and type checkers, are those of the dataclasses."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

import pytest

from turbotree.labeling.options import TaggerKeywords, TaggerOptions
from turbotree.parsing.training.options import TrainingKeywords, TrainingOptions
from turbotree.pipeline.options import PipelineKeywords, PipelineOptions


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        (TrainingKeywords, TrainingOptions),
        (TaggerKeywords, TaggerOptions),
        (PipelineKeywords, PipelineOptions),
    ],
)
def test_keywords_are_the_fields_of_the_options(keywords, options) -> None:
    assert list(keywords.__annotations__) == [field.name for field in fields(options)]
    assert get_type_hints(keywords) == get_type_hints(options)
    assert not keywords.__required_keys__
