from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.features import PartKind, parse_templates
from turbotree.learning.regularisers import (
    Groups,
    HasseDiagram,
    coarse_to_fine_groups,
    group_weights,
    label_groups,
    precedes,
    template_groups,
)

SIZE = 6
sets = st.sets(st.integers(0, SIZE - 1))
set_lists = st.lists(sets, max_size=7)


def groups_of(some):
    return Groups.of([sorted(members) for members in some], size=SIZE)


@given(set_lists)
def test_groups_are_nested_if_no_two_cross(some):
    crossing = any(a & b and not (a <= b or b <= a) for a, b in combinations(some, 2))
    assert groups_of(some).nested == (not crossing)
    assert groups_of(some).overlapping == any(a & b for a, b in combinations(some, 2))


@given(set_lists)
def test_the_parent_of_a_nested_group_is_the_smallest_around_it(some):
    parents = groups_of(some).parents
    if parents is None:
        return
    for inner, parent in enumerate(parents):
        around = [len(s) for g, s in enumerate(some) if some[inner] < s]
        if parent >= 0 and some[parent] != some[inner]:
            assert some[inner] < some[parent]
            assert len(some[parent]) == min(around)
        elif parent < 0 and some[inner]:
            assert not around


@given(set_lists)
def test_families_are_disjoint_and_hold_every_group_once(some):
    groups = groups_of(some)
    assert not any(family.overlapping for family in groups.families)
    assert sorted(name for family in groups.families for name in family.names) == sorted(
        groups.names
    )
    place = {name: f for f, family in enumerate(groups.families) for name in family.names}
    for a, b in combinations(range(len(some)), 2):
        small, large = sorted((a, b), key=lambda g: len(some[g]))
        if some[a] & some[b] and len(some[small]) < len(some[large]):
            assert place[groups.names[small]] < place[groups.names[large]]


@given(set_lists)
def test_a_cell_is_what_is_in_the_same_groups(some):
    cells = groups_of(some).cells
    for a, b in combinations(range(SIZE), 2):
        together = all((a in s) == (b in s) for s in some)
        assert (cells[a] == cells[b]) == together


@given(set_lists)
def test_a_hasse_diagram_has_an_arc_where_nothing_lies_between(some):
    diagram = HasseDiagram.of(groups_of(some))
    expected = {
        (a, b)
        for a, outer in enumerate(some)
        for b, inner in enumerate(some)
        if inner < outer and not any(inner < s < outer for s in some)
    }
    assert set(diagram.arcs) == expected
    assert all(diagram.layers[a] < diagram.layers[b] for a, b in diagram.arcs)


@given(set_lists)
def test_a_drawing_shows_every_group_and_arc(some):
    diagram = HasseDiagram.of(groups_of(some))
    svg = ElementTree.fromstring(diagram.to_svg())
    tags = [element.tag.rpartition("}")[2] for element in svg.iter()]
    assert tags.count("text") == len(some)
    assert tags.count("line") == len(diagram.arcs)
    assert diagram.to_dot().count("->") == len(diagram.arcs)


def test_names_are_escaped_and_dead_groups_pale():
    diagram = HasseDiagram.of(Groups.of([[0, 1], [0]], names=['<"a">', "b"]))
    svg = diagram.to_svg(alive=(True, False))
    assert "&lt;" in svg
    assert svg.count("#b0b0b0") == 1
    assert '\\"a\\"' in diagram.to_dot()


def test_weights_follow_the_rules():
    assert group_weights([1, 4, 9], "one").tolist() == [1.0, 1.0, 1.0]
    assert group_weights([1, 4, 9], "sqrt").tolist() == [1.0, 2.0, 3.0]
    assert group_weights([0, 1, 2, 1024], "log2").tolist() == [1.0, 1.0, 1.0, 10.0]


def test_features_are_grouped_by_template_and_by_what_they_are_without_label():
    def key(value, template, label):
        return value << 22 | (template + 1) << 12 | label

    keys = np.array([key(7, 0, 1), key(7, 2, 1), key(7, 0, 4), key(8, 0, 1)], dtype=np.uint64)
    by_template = template_groups(keys, templates=4, weights="sqrt")
    assert [by_template.of_group(g).tolist() for g in range(4)] == [[0, 2, 3], [], [1], []]
    assert by_template.weights.tolist() == pytest.approx([3**0.5, 0.0, 1.0, 0.0])
    by_feature = label_groups(keys)
    found = {tuple(by_feature.of_group(g).tolist()) for g in range(len(by_feature))}
    assert found == {(0, 2), (1,), (3,)}


def test_templates_are_ordered_as_in_the_paper():
    # Figure 1: at each place, nothing before the tag before the word.
    kind = PartKind(("t",))
    texts = ["t.upos", "t.form", "t.upos t+1.upos", "t.form t+1.upos", "t.form t+1.form"]
    templates = parse_templates(texts, kind)
    groups = coarse_to_fine_groups(templates)
    assert [groups.of_group(g).tolist() for g in range(5)] == [
        [0, 1, 2, 3, 4],
        [1, 3, 4],
        [2, 3, 4],
        [3, 4],
        [4],
    ]
    assert HasseDiagram.of(groups).arcs == ((0, 1), (0, 2), (1, 3), (2, 3), (3, 4))
    assert not groups.nested
    assert all(precedes(t, t) for t in templates)


def test_groups_hold_what_a_template_precedes():
    kind = PartKind(("h", "m"))
    texts = ["h.upos", "dist", "h.lemma m.upos", "h.form m.upos dist", "h-1.form dist", "h.shape"]
    templates = parse_templates(texts, kind)
    groups = coarse_to_fine_groups(templates)
    for number, coarse in enumerate(templates):
        expected = [n for n, fine in enumerate(templates) if precedes(coarse, fine)]
        assert groups.of_group(number).tolist() == expected


@pytest.mark.parametrize(
    ("call", "culprit"),
    [
        (lambda: Groups.of([[0, 0]]), "twice"),
        (lambda: Groups.of([[0.5]]), "list of coordinates"),
        (lambda: Groups.of([[3]], size=3), "from 0 to 2"),
        (lambda: Groups.of([[-1]]), "from 0"),
        (lambda: Groups.of([[0]], weights="cube"), "cube"),
        (lambda: Groups.of([[0]], weights=[-1.0]), "group weights"),
        (lambda: Groups.of([[0]], weights=[1.0, 2.0]), "expected 1"),
        (lambda: Groups.of([[0]], names=[]), "0 names for 1"),
        (lambda: Groups.of_assignment([-2]), "-1 for none"),
        (lambda: Groups.of_assignment([3], count=2), "group 3 of 2"),
        (lambda: coarse_to_fine_groups([]), "no templates"),
    ],
)
def test_groups_that_make_no_sense_are_refused(call, culprit):
    with pytest.raises(InputError, match=culprit):
        call()
