from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.features import (
    PartKind,
    Template,
    attributes_of,
    parse_templates,
    read_templates,
)
from turbotree.features.attributes import ATTRIBUTES
from turbotree.features.templates import (
    ColumnAtom,
    CountAtom,
    PairAtom,
    WordAtom,
)

KIND = PartKind(("h", "m", "s"), {"prev": 4, "rank": 2})


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("h.form", WordAtom("h", 0, "form")),
        ("m-1.upos", WordAtom("m", -1, "upos")),
        ("s+12.suffix3", WordAtom("s", 12, "suffix3")),
        ("h.feat", WordAtom("h", 0, "feat")),
        ("h.feats:Case", WordAtom("h", 0, "feats:Case")),
        ("h.feats:Number[psor]", WordAtom("h", 0, "feats:Number[psor]")),
        ("b.upos", WordAtom("b", 0, "upos")),
        ("b+1.lower", WordAtom("b", 1, "lower")),
        ("dist", PairAtom("dist", "h", "m")),
        ("dist(m,s)", PairAtom("dist", "m", "s")),
        ("dir", PairAtom("dir", "h", "m")),
        ("dir(s,h)", PairAtom("dir", "s", "h")),
        ("count(upos=PUNCT)", CountAtom("upos", "PUNCT")),
        ("count(form=,)", CountAtom("form", ",")),
        ("count(form==)", CountAtom("form", "=")),
        ("prev", ColumnAtom("prev")),
        ("rank", ColumnAtom("rank")),
    ],
)
def test_every_kind_of_atom_is_read(text, atom):
    assert Template.parse(text, KIND).atoms == (atom,)


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ("h.form x.upos", "x.upos"),
        ("h.form m.nothing", "m.nothing"),
        ("h.prefix6", "h.prefix6"),
        ("m.form:Case", "m.form:Case"),
        ("b.feat", "b.feat"),
        ("dist(h,x)", "dist(h,x)"),
        ("dir(x,m)", "dir(x,m)"),
        ("dist(h)", "dist(h)"),
        ("count(feat=Case)", "count(feat=Case)"),
        ("count(colour=red)", "count(colour=red)"),
        ("count(upos)", "count(upos)"),
        ("next", "next"),
        ("h.", "h."),
        (".form", ".form"),
        ("h-.form", "h-.form"),
        ("H.form", "H.form"),
        ("h+99999999999999999999.form", "h+99999999999999999999.form"),
        ("m-1000.form", "m-1000.form"),
    ],
)
def test_an_atom_that_makes_no_sense_is_named(text, culprit):
    with pytest.raises(InputError) as caught:
        Template.parse(text, KIND)
    assert repr(culprit) in str(caught.value)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["dist", "dir", "b.upos", "count(upos=VERB)"])
def test_atoms_about_two_words_need_a_part_with_two_slots(text):
    with pytest.raises(InputError, match="two"):
        Template.parse(text, PartKind(("w",)))


@pytest.mark.parametrize("slots", [(), ("b", "m"), ("h", "h"), ("H", "m"), ("h1",)])
def test_slots_need_names_of_their_own_that_templates_can_write(slots):
    with pytest.raises(InputError, match="slot"):
        PartKind(slots)


@pytest.mark.parametrize("column", ["dist", "dir", "h.form", "a b", ""])
def test_columns_need_names_that_mean_nothing_else(column):
    with pytest.raises(InputError, match="column"):
        PartKind(("h", "m"), {column: 2})


def test_the_width_of_a_part_is_its_slots_and_columns():
    assert KIND.width == 5
    assert PartKind(("h",)).width == 1


@given(st.lists(st.sampled_from(["h.form", "m-1.upos", "dist", "prev", "b.xpos"]), max_size=4))
def test_a_template_keeps_the_order_and_the_doubles_of_its_atoms(atoms):
    template = Template.parse(" ".join(atoms), KIND)
    assert [Template.parse(atom, KIND).atoms[0] for atom in atoms] == list(template.atoms)


def test_comments_and_blanks_are_no_templates():
    lines = ["# all", "", "  h.form   m.form ", "dist # the arc", "\t"]
    assert read_templates(lines) == ["h.form m.form", "dist"]


def test_a_template_given_twice_is_an_error_that_names_its_line():
    with pytest.raises(InputError, match=r"'h\.form dist'.*line 3"):
        read_templates(["h.form dist", "", "h.form   dist"])


@given(st.lists(st.sampled_from([*ATTRIBUTES, "feats:Case", "feat"]), max_size=6))
def test_the_attributes_that_templates_need_are_listed_once_and_sorted(attributes):
    templates = parse_templates([f"h.{attribute} dist" for attribute in attributes], KIND)
    single, sets = attributes_of(templates)
    assert single == sorted(set(attributes) - {"feat"})
    assert sets == (["feat"] if "feat" in attributes else [])


def test_counted_attributes_are_needed_too():
    templates = parse_templates(["count(xpos=VB) h.upos"], KIND)
    assert attributes_of(templates) == (["upos", "xpos"], [])
