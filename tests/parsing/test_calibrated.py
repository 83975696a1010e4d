"""Probabilities of parsers with networks are fitted on what the parser itself makes of dev."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import turbotree as tt
from turbotree.networks import NetworkOptions
from turbotree.text import Sentence, treebank

SMALL = NetworkOptions(hidden=16, arc_size=16, label_size=8, updates=40, least_epochs=1)


@pytest.fixture(scope="module")
def dev() -> list[Sentence]:
    return list(treebank(40, seed=5))


@pytest.fixture(scope="module", params=["turbo", "network"])
def parser(request: pytest.FixtureRequest, dev: list[Sentence]) -> tt.Parser:
    train = treebank(60, seed=1)
    return tt.Parser.train(
        train, dev=dev, model=request.param, network=SMALL, epochs=1, pruner_epochs=1
    )


def error(parser: tt.Parser, sentences: list[Sentence]) -> float:
    """Square the distance of each word's largest probability from whether that head is right."""
    total = 0.0
    for parse in parser.parse_batch(sentences):
        chances = parse.arc_probabilities[:, 1:]
        right = chances.argmax(axis=0) == np.array(parse.sentence.heads)
        total += float(((chances.max(axis=0) - right) ** 2).sum())
    return total


@pytest.mark.parametrize(("warmer", "smoother"), [(0.75, 0.0), (1.6, 0.0), (1.0, -0.1), (1.0, 0.1)])
def test_no_other_temperature_or_smoothing_fits_dev_better(
    parser: tt.Parser, dev: list[Sentence], warmer: float, smoother: float
) -> None:
    sure = replace(parser, lost_heads=0.0)  # fitted apart
    other = replace(
        sure,
        arc_temperature=min(4.0, max(0.4, warmer * sure.arc_temperature)),
        smoothing=min(0.4, max(0.0, sure.smoothing + smoother)),
    )
    # Between the numbers that are tried, others may fit a little better.
    assert error(sure, dev) <= 1.01 * error(other, dev)
