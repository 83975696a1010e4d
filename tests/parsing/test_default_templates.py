from __future__ import annotations

from itertools import combinations, product

import pytest

from turbotree.features import parse_templates
from turbotree.parsing.arcs import ARC
from turbotree.parsing.labels import NODE, pair_kind
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.templates import load_templates

KINDS = {"pruner": ARC, "arc684": ARC, **FAMILIES, "label": NODE, "label_pair": pair_kind(40)}


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


def test_the_684_templates_are_what_their_comment_says():
    views = ["", "upos", "lemma", "form", "shape", "upos lemma", "upos form", "upos shape"]
    plain = {("upos", "upos"), ("upos", ""), ("", "upos"), ("form", "form"), ("lemma", "lemma")}
    for view in ("form", "lemma", "shape"):
        plain |= {(view, "upos"), ("upos", view)}
    context = ["h-1.upos", "h+1.upos", "m-1.upos", "m+1.upos", "b.upos"]

    def atoms(head, modifier):
        sides = (("h", head), ("m", modifier))
        return {f"{slot}.{name}" for slot, view in sides for name in view.split()}

    bases = [atoms(*pair) for pair in product(views, repeat=2) if any(pair)]
    bases += [
        atoms(*pair) | set(tags)
        for pair in plain
        for count in (1, 2)
        for tags in combinations(context, count)
    ]
    expected = {frozenset(base | end) for base in bases for end in ({}.keys(), {"dir"}, {"dist"})}
    assert {frozenset(text.split()) for text in load_templates("arc684")} == expected
    assert len(load_templates("arc684")) == 684
