"""The words for factors over the arcs of dependency trees: trees and automata."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from turbotree.errors import InputError
from turbotree.graphs.arcs import check_arcs
from turbotree.graphs.blocks import NO_EXTRAS, PROJECTIVE, SINGLE_ROOT, Kind
from turbotree.graphs.literals import Links, read_links, read_per_factor, read_whole, side_by_side
from turbotree.graphs.matrices import read_boxes, read_sibling_scores, read_tri_sibling_scores
from turbotree.graphs.store import Store


class DependencyFactors(Store):
    """Each method adds one factor, or many by an additional first axis or by offsets."""

    def tree(
        self,
        heads: Any,
        modifiers: Any,
        xs: Any,
        *,
        words: Any = None,
        projective: bool = False,
        single_root: bool = False,
        offsets: Any = None,
    ) -> None:
        """The true arcs form a tree over words 1..n that hangs from the root 0 (TREE).

        Parameters
        ----------
        heads, modifiers : arrays of whole numbers
            The candidate arcs; ``heads[i]`` to ``modifiers[i]`` is chosen when ``xs[i]`` is true.
        xs : array of literals of the same shape
        words : int, optional
            The number of words; default: the largest modifier. One for each of many trees.
        projective : bool
            Only trees whose arcs do not cross.
        single_root : bool
            Exactly one word hangs from the root (default: at least one).
        offsets : array of shape (F + 1,), optional
            For many trees of different sizes, given flat.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([2.0, 1.0, 3.0, 3.0])
        >>> graph.tree([0, 0, 2, 1], [1, 2, 1, 2], arcs)
        >>> graph.value([1, 0, 0, 1]), graph.value([0, 0, 1, 1])
        (5.0, -inf)
        """
        links = read_links(xs, offsets, "tree")
        ends = [
            read_whole(values, f"tree: {name}")
            for values, name in ((heads, "heads"), (modifiers, "modifiers"))
        ]
        for values, name in zip(ends, ("heads", "modifiers"), strict=True):
            if values.shape != np.shape(xs):
                raise InputError(
                    f"tree: {name}: expected shape {np.shape(xs)} like xs, got {values.shape}"
                )
        flags = PROJECTIVE * bool(projective) + SINGLE_ROOT * bool(single_root)
        table = np.empty((len(links.literals) + 1, 2), dtype=np.int32)
        arcs = table[1:]
        arcs[:, 0], arcs[:, 1] = ends[0].reshape(-1), ends[1].reshape(-1)
        sizes = None
        if words is not None:
            sizes = read_per_factor(read_whole(words, "tree: words"), links.factors, "tree: words")
        sizes = check_arcs(arcs, links, sizes)
        if links.factors == 1:
            table[0] = sizes[0], flags
            self._append(Kind.TREE, links, 0, NO_EXTRAS, table.size, table.reshape(-1))
            return
        every = np.full(links.factors, flags)
        header = np.stack((sizes, every), axis=1).astype(np.int32).reshape(-1)
        shapes = side_by_side([(header, 2), (arcs.reshape(-1), links.lengths * 2)], links.factors)
        self._append(Kind.TREE, links, shape_lengths=links.lengths * 2 + 2, shapes=shapes)

    def siblings(self, xs: Any, scores: Any, *, offsets: Any = None) -> None:
        """Score consecutive modifiers of one head on one side (HEAD AUTOMATON).

        Parameters
        ----------
        xs : array of literals of shape (K,) or (F, K)
            The arcs to the candidate modifiers, outward from the head. Any set of them may be true.
        scores : array of shape (K + 1, K + 1) or (F, K + 1, K + 1)
            ``scores[i, j]``: after the i-th modifier (0: none yet) the next one is the (j + 1)-th;
            ``scores[i, K]``: no other follows. Only ``j >= i`` is read.
        offsets : array of shape (F + 1,), optional
            For factors of different sizes; the scores are then given flat too, one matrix
            after another.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([1.0, 1.0])
        >>> graph.siblings(arcs, [[0.1, 0.2, 0.4], [0, 0.8, 1.6], [0, 0, 3.2]])
        >>> graph.value([0, 0]), graph.value([1, 0]), graph.value([0, 1])  # start, arcs, stop
        (0.4, 2.7, 4.4)
        >>> round(graph.value([1, 1]), 6)
        6.1
        """
        links = read_links(xs, offsets, "siblings")
        flat = read_sibling_scores(scores, links, "siblings: scores", ragged=offsets is not None)
        self._append(Kind.HEAD_AUTOMATON, links, (links.lengths + 1) ** 2, flat)

    def tri_siblings(self, xs: Any, scores: Any, *, offsets: Any = None) -> None:
        """Score three consecutive modifiers of one head on one side (TRIPLE AUTOMATON).

        Parameters
        ----------
        xs : array of literals of shape (K,) or (F, K)
            The arcs to the candidate modifiers, outward from the head. Any set of them may be true.
        scores : array of shape (K, K, K) or (F, K, K, K)
            ``scores[i, j, k]``: the i-th, (j + 1)-th and (k + 2)-th modifier follow one another,
            where 0 is the start and K + 1 the stop. Only ``i <= j <= k`` is read. No modifier at
            all scores 0.
        offsets : array of shape (F + 1,), optional
            For factors of different sizes; the scores are then given flat too, one cube after
            another.

        Examples
        --------
        >>> import numpy as np
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([1.0, 1.0, 1.0])
        >>> scores = np.zeros((3, 3, 3))
        >>> scores[0, 0, 1], scores[1, 2, 2] = 0.5, 0.25  # start, 1, 3 and 1, 3, stop
        >>> graph.tri_siblings(arcs, scores)
        >>> graph.value([1, 0, 1]), graph.value([1, 1, 1]), graph.value([0, 0, 0])
        (2.75, 3.0, 0.0)
        """
        links = read_links(xs, offsets, "tri_siblings")
        flat = read_tri_sibling_scores(
            scores, links, "tri_siblings: scores", ragged=offsets is not None
        )
        self._append(Kind.TRIPLE_AUTOMATON, links, links.lengths**3, flat)

    def grandparent_siblings(
        self,
        grandparents: Any,
        modifiers: Any,
        sibling_scores: Any = None,
        grandparent_scores: Any = None,
        grandsibling_scores: Any = None,
        *,
        offsets: tuple[Any, Any] | None = None,
    ) -> None:
        """Score a head's modifiers on one side together with its own head.

        The GRANDPARENT-SIBLING AUTOMATON: exactly one of the G arcs into the head is true, any
        of the K arcs to its modifiers are.

        Parameters
        ----------
        grandparents : array of literals of shape (G,) or (F, G)
        modifiers : array of literals of shape (K,) or (F, K)
            Outward from the head, as in :meth:`siblings`.
        sibling_scores : array of shape (K + 1, K + 1), optional
            As in :meth:`siblings`.
        grandparent_scores : array of shape (G, K), optional
            For each true modifier, with the true arc into the head.
        grandsibling_scores : array of shape (G, K + 1, K + 1), optional
            As the sibling scores, for each arc into the head.
        offsets : two arrays of shape (F + 1,), optional
            Those of the grandparents and of the modifiers, for factors of different sizes; the
            scores are then given flat too. Otherwise many factors have one axis more in front.

        Examples
        --------
        >>> from turbotree.graphs import FactorGraph
        >>> graph = FactorGraph()
        >>> into = graph.variables([1.0, 2.0])
        >>> out = graph.variables([0.0])
        >>> graph.grandparent_siblings(into, out, grandparent_scores=[[5.0], [7.0]])
        >>> graph.value([1, 0, 1]), graph.value([0, 1, 0]), graph.value([1, 1, 0])
        (6.0, 2.0, -inf)
        """
        where = "grandparent_siblings"
        ragged = offsets is not None
        above_offsets, below_offsets = (None, None) if offsets is None else offsets
        above = read_links(grandparents, above_offsets, f"{where}: grandparents")
        below = read_links(modifiers, below_offsets, f"{where}: modifiers")
        if above.factors != below.factors:
            raise InputError(
                f"{where}: {above.factors} factors by the grandparents, "
                f"{below.factors} by the modifiers"
            )
        count = above.factors
        parts: list[tuple[NDArray[Any], Any]] = [
            (
                read_sibling_scores(
                    sibling_scores, below, f"{where}: sibling_scores", ragged=ragged
                ),
                (below.lengths + 1) ** 2,
            ),
            (
                read_boxes(
                    grandparent_scores,
                    count,
                    (above.lengths, below.lengths),
                    f"{where}: grandparent_scores",
                    ragged=ragged,
                ),
                above.lengths * below.lengths,
            ),
        ]
        if grandsibling_scores is not None:
            flat = read_sibling_scores(
                grandsibling_scores,
                below,
                f"{where}: grandsibling_scores",
                ragged=ragged,
                copies=above.lengths,
            )
            parts.append((flat, above.lengths * (below.lengths + 1) ** 2))
        literals = [(part.literals, part.lengths) for part in (above, below)]
        links = Links(count, above.lengths + below.lengths, side_by_side(literals, count))
        shapes = np.array(np.broadcast_to(above.lengths, (count,)), dtype=np.int32)
        extra_lengths = sum(length for _, length in parts)
        extras = side_by_side(parts, count)
        self._append(Kind.GRANDPARENT_AUTOMATON, links, extra_lengths, extras, 1, shapes)
