"""The questions to :class:`~turbotree.trees.Trees`, each as one function of the scores."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, TypedDict

from turbotree.arrays import FloatArray, LongArray
from turbotree.errors import InputError
from turbotree.naming import check_names
from turbotree.trees._constraints import Arcs
from turbotree.trees.distribution import TreeMarginals, Trees

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it


class ShapeOptions(TypedDict, total=False):
    """The keywords of functions that take no constraints on arcs."""

    single_root: bool
    lengths: Any
    threads: int


class TreeOptions(ShapeOptions, total=False):
    """The keywords of all other functions, as :class:`Trees` explains them."""

    projective: bool
    require: Arcs | None
    forbid: Arcs | None
    #: Earlier spellings of `require` and `forbid`.
    required: Arcs | None
    forbidden: Arcs | None


_RENAMED = {"required": "require", "forbidden": "forbid"}
_KNOWN = TreeOptions.__optional_keys__ - _RENAMED.keys()


def _trees(scores: Any, where: str, options: Any) -> Trees:
    try:  # names are only looked at when one is wrong: a call takes a few microseconds
        return Trees(scores, **options)
    except TypeError:
        if options.keys() <= _KNOWN:
            raise
    for old, new in _RENAMED.items():
        if old in options:
            if new in options:
                raise InputError(f"{where}: {old} is the earlier name of {new}: give one")
            warnings.warn(f"{where}: {old}= is called {new}= now", DeprecationWarning, stacklevel=3)
            options[new] = options.pop(old)
    check_names(where, options, _KNOWN)
    return Trees(scores, **options)


def maximum_spanning_tree(scores: Any, **options: Unpack[TreeOptions]) -> LongArray:
    """Find the tree with the largest sum of arc scores: :meth:`Trees.best`.

    The keywords ``single_root``, ``projective``, ``require``, ``forbid``, ``lengths`` and
    ``threads`` are those of :class:`Trees`.

    Parameters
    ----------
    scores : array of shape (n + 1, n + 1) or (b, n + 1, n + 1)
        ``scores[h, m]`` of word ``h`` as the head of word ``m``; ``-inf`` forbids the arc.

    Returns
    -------
    array of shape (n,) or (b, n)
        The head of each word; -1 after the last word of a shorter sentence.

    Raises
    ------
    InputError
        For NaN or +inf scores and arrays of a wrong shape.
    InfeasibleError
        When no tree keeps to the constraints.

    Examples
    --------
    >>> scores = [[0, 9, 8], [0, 0, 7], [0, 1, 0]]
    >>> maximum_spanning_tree(scores)
    array([0, 1])
    >>> maximum_spanning_tree(scores, single_root=False)
    array([0, 0])
    >>> maximum_spanning_tree(scores, require=[(2, 1)])
    array([2, 0])
    """
    return _trees(scores, "maximum_spanning_tree", options).best()


def k_best(scores: Any, k: int, **options: Unpack[TreeOptions]) -> Any:
    """Find the ``k`` trees with the largest scores, best first: :meth:`Trees.k_best`.

    Returns
    -------
    list of ScoredTree, or a list of such lists for a batch
        Fewer than ``k`` if there are fewer trees.

    Examples
    --------
    >>> for tree in k_best([[0, 9, 8], [0, 0, 7], [0, 1, 0]], 5, single_root=False):
    ...     print(tree.heads, tree.score)
    [0 0] 17.0
    [0 1] 16.0
    [2 0] 9.0
    """
    return _trees(scores, "k_best", options).k_best(k)


def sample(
    scores: Any, count: int = 1, *, seed: int = 0, **options: Unpack[TreeOptions]
) -> LongArray:
    """Draw trees, each with probability proportional to e^score: :meth:`Trees.sample`.

    Returns
    -------
    array of shape (count, n) or (b, count, n)
        One tree per row; -1 after the last word of a shorter sentence.

    Examples
    --------
    >>> import numpy as np
    >>> trees = sample(np.zeros((3, 3)), 3000, seed=1)
    >>> bool(abs((trees[:, 0] == 0).mean() - 1 / 2) < 0.03)
    True
    """
    return _trees(scores, "sample", options).sample(count, seed=seed)


def tree_marginals(scores: Any, **options: Unpack[TreeOptions]) -> TreeMarginals:
    """Compute arc probabilities, log partition and entropy: :meth:`Trees.tree_marginals`.

    Examples
    --------
    >>> import numpy as np
    >>> result = tree_marginals(np.zeros((3, 3)), single_root=False)  # three trees, equally likely
    >>> result.probabilities.round(3)
    array([[0.   , 0.667, 0.667],
           [0.   , 0.   , 0.333],
           [0.   , 0.333, 0.   ]])
    >>> round(result.log_partition, 6), round(result.entropy, 6)  # log 3
    (1.098612, 1.098612)
    """
    return _trees(scores, "tree_marginals", options).tree_marginals()


def marginals(scores: Any, **options: Unpack[TreeOptions]) -> FloatArray:
    """Compute the probability of every arc, in the scores' shape: :meth:`Trees.marginals`.

    Examples
    --------
    >>> import numpy as np
    >>> marginals(np.zeros((3, 3)))
    array([[0. , 0.5, 0.5],
           [0. , 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    return _trees(scores, "marginals", options).marginals()


def entropy(scores: Any, **options: Unpack[TreeOptions]) -> Any:
    """Compute the entropy of the distribution over trees, in nats: :meth:`Trees.entropy`.

    Returns
    -------
    float, or array of shape (b,) for a batch

    Examples
    --------
    >>> import numpy as np
    >>> round(entropy(np.zeros((3, 3))), 6)  # two trees, equally likely: log 2
    0.693147
    """
    return _trees(scores, "entropy", options).entropy()


def log_partition(scores: Any, **options: Unpack[TreeOptions]) -> Any:
    """Compute the log of the sum over all trees of e^score: :meth:`Trees.log_partition`.

    Returns
    -------
    float, or array of shape (b,) for a batch

    Examples
    --------
    >>> import math
    >>> import numpy as np
    >>> round(math.exp(log_partition(np.zeros((4, 4)))))  # n^(n - 1) trees
    9
    >>> round(math.exp(log_partition(np.zeros((4, 4)), single_root=False)))  # (n + 1)^(n - 1)
    16
    >>> round(math.exp(log_partition(np.zeros((4, 4)), projective=True)))
    7
    """
    return _trees(scores, "log_partition", options).log_partition()


def marginal_derivative(scores: Any, direction: Any, **options: Unpack[ShapeOptions]) -> FloatArray:
    """Compute how :func:`marginals` change with the scores: :meth:`Trees.marginal_derivative`.

    Examples
    --------
    Two words and three trees, equally likely: the head of word 1 is the root in two of them.

    >>> import numpy as np
    >>> more_root = np.zeros((3, 3))
    >>> more_root[0, 1] = 1.0
    >>> moved = marginal_derivative(np.zeros((3, 3)), more_root, single_root=False)
    >>> round(float(moved[0, 1]), 6)  # 2/3 times 1/3
    0.222222
    """
    check_names("marginal_derivative", options, ShapeOptions.__optional_keys__)
    return Trees(scores, **options).marginal_derivative(direction)


def tree_score(scores: Any, heads: Any, *, lengths: Any = None) -> Any:
    """Sum the scores of a tree's arcs: :meth:`Trees.score`.

    Returns
    -------
    float, or array of shape (b,) for a batch

    Examples
    --------
    >>> tree_score([[0, 9, 8], [0, 0, 7], [0, 1, 0]], [0, 1])
    16.0
    """
    return Trees(scores, lengths=lengths).score(heads)
