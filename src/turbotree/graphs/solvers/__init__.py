"""The solvers of factor graphs; :mod:`turbotree.graphs` exports them."""
