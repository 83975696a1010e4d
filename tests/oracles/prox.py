"""Proximity operators by a general solver of cone programs."""

from __future__ import annotations

from collections.abc import Sequence

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Vector = NDArray[np.float64]


def solved_prox(
    weights: Vector,
    step: float,
    *,
    groups: Sequence[Sequence[int]] = (),
    costs: Sequence[float] = (),
    lasso: float = 0.0,
    ridge: float = 0.0,
    largest: bool = False,
) -> Vector:
    """Minimise 1/2 |x - w|^2 + step * (sum of cost_g |x_g| + lasso |x|_1 + ridge / 2 |x|^2).

    Variables: x, one bound s_g for each group's norm, one bound a_i for each magnitude. With
    `largest`, the norm of a group is its largest magnitude.
    """
    size, count = len(weights), len(groups)
    total = size + count + size
    quadratic = sparse.diags(
        np.concatenate([np.full(size, 1.0 + step * ridge), np.zeros(count + size)]), format="csc"
    )
    linear = np.concatenate(
        [-weights, step * np.asarray(costs, dtype=float), np.full(size, step * lasso)]
    )
    # Each row is something that has to be in a cone: rows @ variables + slack = 0.
    rows: list[tuple[int, int, float]] = []
    cones = []
    at = 0
    for number, group in enumerate(groups):
        if largest:
            for i, member in enumerate(group):
                for sign in (1.0, -1.0):
                    row = at + 2 * i + (sign < 0)
                    rows += [(row, size + number, -1.0), (row, int(member), sign)]
            at += 2 * len(group)
            cones.append(clarabel.NonnegativeConeT(2 * len(group)))
            continue
        rows.append((at, size + number, -1.0))
        rows.extend((at + 1 + i, int(member), -1.0) for i, member in enumerate(group))
        at += 1 + len(group)
        cones.append(clarabel.SecondOrderConeT(1 + len(group)))
    for i in range(size):
        magnitude = size + count + i
        rows += [(at, magnitude, -1.0), (at, i, 1.0), (at + 1, magnitude, -1.0), (at + 1, i, -1.0)]
        at += 2
    cones.append(clarabel.NonnegativeConeT(2 * size))
    where, columns, values = zip(*rows, strict=True)
    matrix = sparse.csc_matrix((values, (where, columns)), shape=(at, total))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-14
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = 1e-11
    settings.reduced_tol_feas = 1e-11
    settings.max_iter = 200
    settings.static_regularization_constant = 1e-13
    settings.iterative_refinement_reltol = settings.iterative_refinement_abstol = 1e-16
    settings.iterative_refinement_max_iter = 50
    solver = clarabel.DefaultSolver(
        sparse.triu(quadratic, format="csc"), linear, matrix, np.zeros(at), cones, settings
    )
    return np.array(solver.solve().x[:size])
