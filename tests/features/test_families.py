"""Kinds of templates."""

from __future__ import annotations

import pytest

from turbotree.features import (
    TEMPLATE_FAMILIES,
    PartKind,
    Template,
    family_counts,
    parse_templates,
    template_families,
)
from turbotree.labeling.templates import load_templates as label_templates
from turbotree.parsing.templates import load_templates as arc_templates

ARC, WORD = PartKind(("h", "m")), PartKind(("w",), {"prev": 1})


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("h.form m.lemma", {"bilexical"}),
        ("h.form m.upos dir", {"lexical-POS", "direction"}),
        ("m.form h.upos dir", {"POS-lexical", "direction"}),
        ("h.upos m.upos dist", {"POS-POS", "distance"}),
        ("h.upos h.form m.upos m.shape", {"lexical-POS", "shape"}),
        ("m.form", {"one word"}),
        ("h.shape", {"shape"}),
        ("h.upos m.upos b.upos", {"POS-POS", "middle POS"}),
        ("h-1.upos m+1.lower", {"POS context", "words around"}),
        ("b.lemma", {"words between"}),
        ("h.feat m.suffix3", {"morphology", "affixes"}),
        ("count(upos=VERB)", {"counts"}),
        ("dist", {"distance"}),
    ],
)
def test_templates_of_arcs_go_by_what_they_see_of_both_words(text, families):
    assert set(template_families(Template.parse(text, ARC))) == families


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("w-1.form w.lower", {"word n-grams"}),
        ("w.xpos", {"POS n-grams"}),
        ("prev w.pattern w.form", {"labels", "shape", "word n-grams"}),
        ("prev", {"labels"}),
    ],
)
def test_templates_of_words_go_by_what_they_see_around(text, families):
    assert set(template_families(Template.parse(text, WORD))) == families


def test_no_template_of_the_package_is_without_a_family():
    sets = [(arc_templates(name), ARC) for name in ("arc", "arc684", "pruner")]
    names = ("chunk", "chunk96", "entities", "entities452", "tag")
    sets += [(label_templates(name), WORD) for name in names]
    for texts, kind in sets:
        parsed = parse_templates(texts, kind)
        assert all(template_families(template) for template in parsed)
        assert set(family_counts(parsed)) <= set(TEMPLATE_FAMILIES)
    assert family_counts([]) == {}
