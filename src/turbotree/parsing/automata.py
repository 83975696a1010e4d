"""What the graphs of a sentence share: the tree, and automata that read a head's modifiers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.graphs import FactorGraph, Kind, Marginals
from turbotree.parsing.arcs import FloatArray, TreeShape
from turbotree.parsing.families import (
    Family,
    GrandparentFamily,
    GrandSiblingFamily,
    SiblingFamily,
    TriSiblingFamily,
)
from turbotree.parsing.parts import PartSet


def tree_of_arcs(
    parts: PartSet, sentence: int, scores: FloatArray, shape: TreeShape
) -> FactorGraph:
    """Begin a sentence's graph: a variable an arc, and the tree that they form."""
    offsets = parts.arcs.offsets
    rows = parts.arcs.rows[offsets[sentence] : offsets[sentence + 1]]
    words = int(parts.lengths[sentence])
    graph = FactorGraph()
    arcs = graph.variables(scores)
    graph.tree(
        rows[:, 0],
        rows[:, 1],
        arcs,
        words=words,
        single_root=shape.single_root,
        projective=shape.projective,
    )
    return graph


def add_automata(
    graph: FactorGraph,
    sentence: int,
    scores: Mapping[str, FloatArray],
    siblings: SiblingFamily,
    families: Mapping[str, Family],
) -> None:
    """Add the automata of siblings, with the grandparents where there are some."""
    grandparents, grand_siblings = (families.get(name) for name in ("grandparent", "grand_sibling"))
    links, offsets = siblings.automata(sentence)
    squares = siblings.squares(sentence, scores["sibling"])
    if not isinstance(grandparents, GrandparentFamily):
        graph.siblings(links, squares, offsets=offsets)
        return
    above, above_offsets = siblings.arcs_above(sentence)
    # The root, whose automata come first, has nobody above it.
    roots = int(np.count_nonzero(above_offsets[1:] == 0))
    link, square = offsets[roots], int(((np.diff(offsets[: roots + 1]) + 1) ** 2).sum())
    if roots:
        graph.siblings(links[:link], squares[:square], offsets=offsets[: roots + 1])
    if roots < len(offsets) - 1:
        columns, rows = np.diff(offsets[roots:]), np.diff(above_offsets[roots:])
        boxes = grandparents.boxes(sentence, scores["grandparent"], int((rows * columns).sum()))
        third = None
        if isinstance(grand_siblings, GrandSiblingFamily):
            size = int((rows * (columns + 1) ** 2).sum())
            third = grand_siblings.boxes(sentence, scores["grand_sibling"], size)
        graph.grandparent_siblings(
            above,
            links[link:],
            squares[square:],
            boxes,
            third,
            offsets=(above_offsets[roots:], offsets[roots:] - link),
        )


def add_tri_siblings(
    graph: FactorGraph,
    sentence: int,
    scores: FloatArray,
    family: TriSiblingFamily,
    *,
    every_one: bool = False,
) -> None:
    """Add the automata of three siblings: those that score something, or every one."""
    links, offsets = family.automata(sentence)
    cubes = family.cubes(sentence, scores)
    if not every_one and len(offsets) > 1:
        lengths = np.diff(offsets)
        sizes = lengths**3
        matters = np.logical_or.reduceat(cubes != 0.0, np.cumsum(sizes) - sizes)
        links, cubes = links[np.repeat(matters, lengths)], cubes[np.repeat(matters, sizes)]
        offsets = np.append(0, np.cumsum(lengths[matters]))
    graph.tri_siblings(links, cubes, offsets=offsets)


def automata_probabilities(
    graph: FactorGraph, marginals: Marginals, sentence: int, families: Mapping[str, Family]
) -> dict[str, FloatArray]:
    """Return the probabilities of the parts that automata with grandparents score, by family.

    Parameters
    ----------
    graph
        A graph whose automata are those of :func:`add_automata`, with all three families.
    marginals
        Its marginals, with those of the factors' own parts.
    sentence
        Which sentence of the batch.
    families
        The families of the batch.
    """
    assert marginals.extras is not None
    extras = {
        block.kind: found for block, found in zip(graph.blocks, marginals.extras, strict=True)
    }
    siblings = families["sibling"]
    assert isinstance(siblings, SiblingFamily)
    _, offsets = siblings.automata(sentence)
    _, above_offsets = siblings.arcs_above(sentence)
    columns, rows = np.diff(offsets), np.diff(above_offsets)
    inner = rows > 0  # the root has nobody above it
    columns, rows = columns[inner], rows[inner]
    sizes = np.stack([(columns + 1) ** 2, rows * columns, rows * (columns + 1) ** 2], axis=1)
    # One factor after the other, and in each of them the three one after the other.
    which = np.repeat(np.tile(np.arange(3), len(sizes)), sizes.reshape(-1))
    nothing = np.zeros(0)
    mixed = extras.get(Kind.GRANDPARENT_AUTOMATON, nothing)
    squares, boxes, third = (mixed[which == k] for k in range(3))
    laid_out = {
        "sibling": np.concatenate([extras.get(Kind.HEAD_AUTOMATON, nothing), squares]),
        "grandparent": boxes,
        "grand_sibling": third,
    }
    found = {}
    for name, values in laid_out.items():
        family = families[name]
        assert isinstance(family, SiblingFamily | GrandparentFamily | GrandSiblingFamily)
        at = family.parts.places(sentence)
        found[name] = values[family.cells[at]]
    return found
