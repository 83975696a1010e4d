from __future__ import annotations

import pytest

from turbotree.features import parse_templates
from turbotree.parsing.arcs import ARC
from turbotree.parsing.labels import NODE, pair_kind
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates

KINDS = {"pruner": ARC, **FAMILIES, "label": NODE, "label_pair": pair_kind(40)}


@pytest.mark.parametrize("name", KINDS)
def test_every_template_that_comes_with_the_package_can_be_read(name):
    templates = parse_templates(load_templates(name), KINDS[name])
    assert templates
    assert all(template.atoms for template in templates)


def test_arcs_are_looked_at_closely():
    assert len(load_templates("arc")) >= 80


def test_neighbouring_labels_are_tied_by_every_pair_template():
    assert all("prev" in template.split() for template in load_templates("label_pair"))


def test_no_template_says_the_same_as_another():
    for name in KINDS:
        seen = [frozenset(template.split()) for template in load_templates(name)]
        assert len(set(seen)) == len(seen)
