"""The template sets that come with the package."""

from __future__ import annotations

from collections import Counter

import pytest

from turbotree.features import parse_templates
from turbotree.labeling.model import PAIR, split_templates
from turbotree.labeling.templates import load_templates


@pytest.mark.parametrize("name", ["chunk", "entities", "tag", "tag_given"])
def test_a_set_can_be_read(name: str) -> None:
    templates = load_templates(name)
    assert len(parse_templates(templates, PAIR)) == len(templates) > 20
    single, pairs = split_templates(templates)
    assert sorted(single + pairs) == sorted(templates)
    assert ("prev" in pairs) == (name != "tag_given")


def windows(name: str) -> Counter[tuple[str, int]]:
    """Count the templates of each attribute and length; all of them look at neighbours in a row."""
    found: Counter[tuple[str, int]] = Counter()
    single, pairs = split_templates(load_templates(name))
    assert pairs == ["prev"]
    for template in parse_templates(single, PAIR):
        attributes = {atom.attribute for atom in template.atoms}
        offsets = [atom.offset for atom in template.atoms]
        assert len(attributes) == 1
        assert offsets == list(range(offsets[0], offsets[0] + len(offsets)))
        found[attributes.pop(), len(offsets)] += 1
    return found


def expected(attribute: str, window: int, longest: int) -> dict[tuple[str, int], int]:
    """n-grams that overlap a window of k words to each side: 2k + n of length n."""
    return {(attribute, n): 2 * window + n for n in range(1, longest + 1)}


def test_the_sets_of_the_paper_have_their_numbers() -> None:
    chunk = {**expected("xpos", 5, 5), **expected("form", 3, 3), **expected("pattern", 1, 2)}
    assert windows("chunk96") == chunk
    assert sum(chunk.values()) == 96
    entities = {**expected("xpos", 5, 5), **expected("form", 3, 3), **expected("pattern", 3, 3)}
    for size in (1, 2, 3):
        entities |= expected(f"prefix{size}", 3, 3) | expected(f"suffix{size}", 3, 3)
    for indicator in ("case", "punct", "digit"):
        entities |= expected(indicator, 5, 5)
    assert windows("entities452") == entities
    assert sum(entities.values()) == 452
