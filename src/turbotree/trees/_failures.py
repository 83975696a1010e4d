"""The core's status codes, told in the user's language."""

from __future__ import annotations

import numpy as np

from turbotree.arrays import BoolArray, FloatArray
from turbotree.errors import InfeasibleError, InputError
from turbotree.trees import _core
from turbotree.trees._inputs import ArcScores


def raise_failure(arcs: ArcScores, failure: tuple[int, int, int, int]) -> None:
    """Raise the error that fits ``(status, item, head, modifier)``."""
    status, item, head, modifier = failure
    where = f"matrix {item}: " if arcs.is_batch else ""
    if status == _core.OUT_OF_MEMORY:
        raise MemoryError("turbotree.trees: not enough memory for these scores")
    scores = arcs.scores[item] if arcs.is_batch else arcs.scores
    if status == _core.BAD_SCORE:
        raise InputError(
            f"{where}score of arc ({head}, {modifier}) is {scores[head, modifier]}; "
            "expected a finite number, or -inf to forbid the arc"
        )
    words = arcs.words if arcs.lengths is None else int(arcs.lengths[item])
    reason = _why_infeasible(scores[: words + 1, : words + 1], arcs.single_root)
    raise InfeasibleError(f"{where}no tree uses allowed arcs only: {reason}")


def _why_infeasible(scores: FloatArray, single_root: bool) -> str:
    allowed = scores > -np.inf
    np.fill_diagonal(allowed, False)
    headless = np.flatnonzero(~allowed[:, 1:].any(axis=0)) + 1
    if headless.size:
        return f"word {headless[0]} has no possible head"
    unreached = _unreached(allowed, 0)
    if unreached:
        return f"the root does not reach {_name_words(unreached)}"
    # From here on a tree exists, but not one of the kind asked for.
    if single_root:
        roots = np.flatnonzero(allowed[0])
        if all(set(_unreached(allowed, int(root))) - {0} for root in roots):
            return "every tree has more than one root, single_root allows one"
        return "every tree with a single root has crossing arcs"
    return "every tree has crossing arcs"


def _unreached(allowed: BoolArray, start: int) -> list[int]:
    reached = np.zeros(len(allowed), dtype=bool)
    frontier = [start]
    reached[start] = True
    while frontier:
        new = np.flatnonzero(allowed[frontier.pop()] & ~reached)
        new = new[new > 0]
        reached[new] = True
        frontier.extend(new.tolist())
    missing: list[int] = np.flatnonzero(~reached).tolist()
    return missing


def _name_words(words: list[int]) -> str:
    if len(words) == 1:
        return f"word {words[0]}"
    shown = ", ".join(map(str, words[:10]))
    return f"words {shown}" + (" and others" if len(words) > 10 else "")
