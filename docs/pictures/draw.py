"""Draw the pictures of the documentation anew: python docs/pictures/draw.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import graph_pictures as graphs
import learning_pictures as learning
import tree_pictures as trees
from pens import Picture
from speed_picture import speed

PICTURES: dict[str, Callable[[], Picture]] = {
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
}

if __name__ == "__main__":
    folder = Path(__file__).parent
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")
