"""Graphs in words and as drawings."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.graphs import ALL_KINDS, graphs

from turbotree.graphs import FactorGraph, Kind

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def graph() -> FactorGraph:
    made = FactorGraph()
    a, b, c = made.variables([0.5, -1.0, 2.0], names=["a", 'b"<', "c"])
    made.exactly_one([a, ~b, c])
    made.define_and(a, [b, ~c])
    made.knapsack([a, b], [2, 3], 4)
    made.fix(~c)
    return made


def test_a_small_graph_is_told_factor_by_factor(graph):
    lines = str(graph).splitlines()
    assert lines[0] == "3 variables, 3 factors"
    assert 'variables: a 0.5, b"< -1, c 2 (fixed to 0)' in lines
    assert '  exactly_one(a, not b"<, c)' in lines
    assert '  define_and(a = b"< and not c)' in lines
    assert '  knapsack(2 a + 3 b"< <= 4)' in lines


def test_a_large_graph_is_summed_up():
    graph = FactorGraph()
    grid = graph.variables(np.zeros((30, 30)))
    graph.pair(grid[:, :-1], grid[:, 1:], 0.5)
    graph.fix(grid[0])
    assert str(graph).splitlines() == [
        "900 variables, 870 factors",
        "  870 pair (1740 links)",
        "  30 variables fixed",
    ]


def test_a_long_factor_is_cut_short():
    graph = FactorGraph()
    graph.exactly_one(graph.variables(np.zeros(30)))
    assert str(graph).endswith("x10, ... 19 more)")


@settings(max_examples=60, deadline=None)
@given(graphs(kinds=[*ALL_KINDS, Kind.CUSTOM]))
def test_every_kind_can_be_told_and_drawn(graph):
    links = sum(len(block.variables) for block in graph.blocks)
    negated = sum(int(block.negated.sum()) for block in graph.blocks)
    for block in graph.blocks:
        assert block.kind.method in str(graph)
    drawing = ET.fromstring(graph.to_svg())
    assert len(drawing.findall(f".//{SVG}path")) == links
    assert len(drawing.findall(f".//{SVG}circle")) == len(graph) + negated
    assert len(drawing.findall(f".//{SVG}rect")) == 1 + graph.factor_count
    dot = graph.to_dot()
    assert dot.count(" -- ") == links
    assert dot.count("style=dashed") == negated


def test_strange_names_are_escaped(graph):
    graph.variables([0.0], names=["\x00&"])
    titles = [title.text for title in ET.fromstring(graph.to_svg()).iter(f"{SVG}title")]
    assert 'exactly_one(a, not b"<, c)' in titles
    assert 'label="b\\"<\\n-1"' in graph.to_dot()


def test_the_drawing_stays_inside_its_frame(graph):
    drawing = ET.fromstring(graph.to_svg())
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    for circle in drawing.iter(f"{SVG}circle"):
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height


def test_an_empty_graph_has_pictures():
    graph = FactorGraph()
    assert str(graph) == "0 variables, 0 factors"
    ET.fromstring(graph.to_svg())
    assert graph.to_dot().startswith("graph factors {")
