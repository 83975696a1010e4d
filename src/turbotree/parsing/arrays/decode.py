"""Trees from scores of your own: of arcs, of siblings and grandparents, of labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turbotree import trees
from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.naming import unknown
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.arrays.labels import reserve_root_label, take_labels
from turbotree.parsing.arrays.parts import dense_parts, part_scores
from turbotree.parsing.arrays.rules import ArrayRules
from turbotree.parsing.decoding import Certificate
from turbotree.parsing.decoding.decode import decode_many
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.rules.compiled import RulesLike
from turbotree.text import Sentence
from turbotree.trees._inputs import ArcScores, as_array, read_arc_scores

_DECODERS = ("auto", "exact")


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """The best trees under scores of your own; for a batch, everything has an axis more.

    Attributes
    ----------
    heads : int64 array of shape (n,) or (b, n)
        ``heads[m - 1]`` is the head of word ``m``; -1 after the last word of a shorter sentence.
    labels : int64 array of the same shape, or None
        The label of each arc, if there are scores of labels.
    score : float, or array of shape (b,)
    certificate : Certificate, or list of them
        Whether the tree is proven best.
    """

    heads: LongArray
    labels: LongArray | None
    score: Any
    certificate: Any


def decode(
    arc_scores: Any,
    *,
    sibling_scores: Any = None,
    grandparent_scores: Any = None,
    label_scores: Any = None,
    root_label: int | None = None,
    require: Any = None,
    forbid: Any = None,
    rules: RulesLike | None = None,
    sentences: Sentence | Sequence[Sentence] | None = None,
    single_root: bool = True,
    projective: bool = False,
    lengths: Any = None,
    decoder: str = "auto",
    threads: int = 1,
) -> Decoded:
    """Find the best tree, or that of each sentence of a padded batch, under any scores.

    Arcs alone are decoded by the algorithms of :mod:`turbotree.trees`; with siblings or
    grandparents, by dual decomposition and a search for the rest.

    Parameters
    ----------
    arc_scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``arc_scores[h, m]`` of word ``h`` as the head of word ``m``; words are 1..n, 0 is the
        root. ``-inf`` forbids an arc. Anything with ``__array__`` or ``__dlpack__`` will do.
    sibling_scores : array of shape (n + 1, n + 1, n + 1), or one axis more
        ``[h, m, s]``: ``s`` is the next modifier of ``h`` after ``m``, outward on the same side.
        ``[h, h, m]``: ``m`` is the first one there; ``[h, m, h]``: it is the last one.
    grandparent_scores : array of that shape
        ``[g, h, m]``: ``g`` is the head of ``h``, and ``h`` of ``m``.
    label_scores : array of shape (n + 1, n + 1, L), or one axis more
        ``[h, m, l]``: the arc has label ``l``, which is chosen together with the tree.
    root_label : int, optional
        The label that arcs from the root have, and no others: that of ``root`` in Universal
        Dependencies.
    require, forbid : arcs
        ``(head, modifier)`` pairs, or a boolean matrix; for a batch, one list of pairs for each
        sentence, or a boolean array. With `label_scores`, also ``(head, modifier, label)``.
    rules : str, path or compiled rules
        What trees have to obey, or pay for, as in ``docs/parsing/rules.md``. Rules of labels need
        a parser.
    sentences : Sentence, or one for each sentence of a batch
        The words that `rules` speak of; not needed for rules of arcs alone.
    single_root : bool
        Exactly one word hangs from the root.
    projective : bool
        No arc crosses another.
    lengths : array of shape (b,), optional
        Words of each sentence of a batch.
    decoder : str
        ``"auto"``: a short search where dual decomposition leaves a gap. ``"exact"``: as long as
        it takes.
    threads : int
        How many threads share a batch.

    Returns
    -------
    Decoded

    Examples
    --------
    >>> import numpy as np
    >>> arcs = np.array([[0, 9, 8], [0, 0, 7], [0, 1, 0.0]])
    >>> decode(arcs, single_root=False).heads
    array([0, 0])
    >>> grandparents = np.zeros((3, 3, 3))
    >>> grandparents[0, 1, 2] = 5.0
    >>> found = decode(arcs, grandparent_scores=grandparents, single_root=False)
    >>> found.heads, found.score, found.certificate.status.name
    (array([0, 1]), 21.0, 'OPTIMAL')
    """
    if decoder not in _DECODERS:
        raise unknown("decoder", decoder, _DECODERS)
    arcs = _numbers(arc_scores, "arc_scores")
    if arcs.ndim not in (2, 3) or arcs.shape[-1] != arcs.shape[-2] or arcs.shape[-1] < 1:
        raise InputError(
            f"arc_scores: expected shape (n + 1, n + 1) or (b, n + 1, n + 1), got {arcs.shape}"
        )
    padded = read_arc_scores(arcs, single_root, projective, None, None, lengths, threads).lengths
    arcs = _finite(arcs, padded, 2, "arc_scores")
    cube = (*arcs.shape, arcs.shape[-1])
    siblings = _shaped(sibling_scores, cube, padded, "sibling_scores")
    grandparents = _shaped(grandparent_scores, cube, padded, "grandparent_scores")
    best_label = None
    if label_scores is not None:
        labels = _numbers(label_scores, "label_scores").copy()
        if labels.shape[:-1] != arcs.shape or labels.shape[-1] < 1:
            raise InputError(
                f"label_scores: expected shape {arcs.shape} and an axis of labels, "
                f"got {labels.shape}"
            )
        labels = _finite(labels, padded, 2, "label_scores")
        if root_label is not None:
            reserve_root_label(labels, root_label)
        require, forbid = take_labels(labels, require, forbid, padded)
        best_label = labels.argmax(axis=-1)
        arcs = arcs + np.take_along_axis(labels, best_label[..., np.newaxis], -1)[..., 0]
    elif root_label is not None:
        raise InputError("root_label: expected scores of labels with it, got no label_scores")
    problem = read_arc_scores(arcs, single_root, projective, require, forbid, lengths, threads)
    # This also says what is wrong where there is no tree.
    heads = trees.maximum_spanning_tree(
        problem.scores,
        single_root=problem.single_root,
        projective=problem.projective,
        lengths=problem.lengths,
        threads=problem.threads,
    )
    batched = heads if problem.is_batch else heads[np.newaxis]
    sizes = _sizes(problem)
    if siblings is None and grandparents is None:
        scores, certificates = _of_arcs(problem, batched, sizes)
    else:
        batched = batched.copy()
        scores, certificates = _of_graphs(
            problem, siblings, grandparents, batched, sizes, decoder, threads
        )
    if rules is not None:
        batched = batched.copy()
        array_rules = ArrayRules.of(rules, sentences, sizes)
        for item, scored in _scored_sentences(problem, siblings, grandparents, sizes):
            first = batched[item, : sizes[item]]
            found = array_rules.obey(item, first, scored, decoder)
            if found is not None:
                batched[item, : sizes[item]] = found.heads
                scores[item], certificates[item] = found.score, found.certificate
    found_labels = None
    if best_label is not None:
        matrices = best_label if problem.is_batch else best_label[np.newaxis]
        words = np.arange(1, batched.shape[1] + 1)
        found_labels = np.take_along_axis(matrices[:, :, words], batched[:, np.newaxis], 1)[:, 0]
        found_labels[batched < 0] = -1
    if problem.is_batch:
        return Decoded(batched, found_labels, scores, certificates)
    return Decoded(
        batched[0],
        None if found_labels is None else found_labels[0],
        float(scores[0]),
        certificates[0],
    )


def _numbers(values: Any, name: str) -> FloatArray:
    array = as_array(values, name)
    if array.dtype.kind not in "fiu":
        raise InputError(f"{name}: expected real numbers, got dtype {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _finite(array: FloatArray, lengths: LongArray | None, axes: int, name: str) -> FloatArray:
    """Refuse NaN and infinity among scores of words; what pads a batch may be anything."""
    if (array < np.inf).all():
        return array
    if lengths is not None:
        array = array.copy()
        for item, length in enumerate(lengths.tolist()):
            for axis in range(axes):
                array[item][(slice(None),) * axis + (slice(length + 1, None),)] = 0.0
    if not (array < np.inf).all():
        raise InputError(f"{name}: expected finite numbers, or -inf to forbid; got NaN or infinity")
    return array


def _shaped(
    values: Any, shape: tuple[int, ...], lengths: LongArray | None, name: str
) -> FloatArray | None:
    if values is None:
        return None
    array = _numbers(values, name)
    if array.shape != shape:
        raise InputError(f"{name}: expected shape {shape}, got {array.shape}")
    return _finite(array, lengths, 3, name)


def _sizes(problem: ArcScores) -> list[int]:
    if problem.lengths is not None:
        return [int(length) for length in problem.lengths]
    return [problem.words] * (problem.scores.shape[0] if problem.is_batch else 1)


def _of_arcs(
    problem: ArcScores, heads: LongArray, sizes: list[int]
) -> tuple[FloatArray, list[Certificate]]:
    matrices = problem.scores if problem.is_batch else problem.scores[np.newaxis]
    scores = np.array(
        [
            matrix[own[:size], np.arange(1, size + 1)].sum()
            for matrix, own, size in zip(matrices, heads, sizes, strict=True)
        ]
    )
    return scores, [Certificate(Status.OPTIMAL, float(s), 0.0, 1, 0.0) for s in scores]


def _of_graphs(
    problem: ArcScores,
    siblings: FloatArray | None,
    grandparents: FloatArray | None,
    heads: LongArray,
    sizes: list[int],
    decoder: str,
    threads: int,
) -> tuple[FloatArray, list[Certificate]]:
    scores = np.zeros(len(sizes))
    certificates = [Certificate(Status.OPTIMAL, 0.0, 0.0, 1, 0.0)] * len(sizes)
    for item, tree in decode_many(
        _scored_sentences(problem, siblings, grandparents, sizes), decoder, threads=threads
    ):
        heads[item, : sizes[item]] = tree.heads
        scores[item], certificates[item] = tree.score, tree.certificate
    return scores, certificates


def _scored_sentences(
    problem: ArcScores,
    siblings: FloatArray | None,
    grandparents: FloatArray | None,
    sizes: list[int],
) -> Iterator[tuple[int, ScoredSentence]]:
    """Give each sentence that has words, with its number."""
    arrays = {"arc": problem.scores, "sibling": siblings, "grandparent": grandparents}
    shape = TreeShape(problem.single_root, problem.projective)
    for item, size in enumerate(sizes):
        if size == 0:
            continue
        at: Any = item if problem.is_batch else ...
        own = {name: None if array is None else array[at] for name, array in arrays.items()}
        parts, places = dense_parts(problem.scores[at], size, grandparents=grandparents is not None)
        yield item, ScoredSentence(parts, 0, part_scores(own, places), shape)
