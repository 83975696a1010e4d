"""Draw the pictures of the documentation: python docs/pictures/draw.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import graph_pictures as graphs
import learning_pictures as learning
import tree_pictures as trees
from gap_picture import gap
from pens import Picture
from speed_picture import speed
from workbench_picture import workbench

import turbotree as tt


class Telescope:
    """The picture of the README: a parse of the bundled model, as turbotree itself draws it."""

    def svg(self) -> str:
        (parse,) = tt.load("en")("I saw the man with a telescope.")
        sentence = parse.to_sentence()
        chances = parse.head_probabilities
        return tt.text.draw_svg(
            sentence.forms, parse.heads, parse.labels, chances, tags=sentence.upos
        )


PICTURES: dict[str, Callable[[], Picture | Telescope]] = {
    "telescope": Telescope,
    "parse": trees.parse,
    "spanning_trees": trees.spanning_trees,
    "projective_trees": trees.projective_trees,
    "matrix_tree": trees.matrix_tree,
    "dual_decomposition": graphs.dual_decomposition,
    "admm": graphs.admm,
    "belief_propagation": graphs.belief_propagation,
    "losses": learning.losses,
    "sparsity": learning.sparsity,
    "speed": speed,
    "gap": gap,
    "workbench": workbench,
}

if __name__ == "__main__":
    folder = Path(__file__).parent
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")
