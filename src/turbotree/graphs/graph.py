"""The factor graph: what users build and ask."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from turbotree.arrays import BoolArray, FloatArray, IntArray, LongArray
from turbotree.errors import InputError
from turbotree.graphs import files, pictures
from turbotree.graphs.factors.automata import (
    read_grandparent_siblings,
    read_siblings,
    read_tri_siblings,
)
from turbotree.graphs.factors.blocks import (
    NO_SCORES,
    NO_SHAPES,
    Block,
    Chunk,
    Kind,
    Lengths,
    chunk_of,
    join,
)
from turbotree.graphs.factors.literals import (
    Factors,
    Links,
    read_links,
    read_literals,
    read_scores,
    resolve,
    with_output,
)
from turbotree.graphs.factors.logic import read_budgets, read_knapsack, read_pairs, read_two
from turbotree.graphs.factors.scores import factor_scores
from turbotree.graphs.factors.tables import Oracle, read_chains, read_custom, read_tables
from turbotree.graphs.factors.trees import read_trees
from turbotree.graphs.solution import Marginals, Solution
from turbotree.graphs.solvers.options import (
    AdmmOptions,
    BranchAndBoundOptions,
    BruteForceMarginalsOptions,
    BruteForceOptions,
    LimitOptions,
    LinearProgramOptions,
    MaxProductOptions,
    SubgradientOptions,
    SumProductOptions,
    Toulbar2Options,
)
from turbotree.graphs.solvers.registry import check_options, find_marginal_solver, solver_with

if TYPE_CHECKING:
    from typing import Self, Unpack  # Python 3.10 lacks them

#: The most variables that the blocks' 32-bit numbers can name.
_MOST_VARIABLES = 2**31 - 1


class FactorGraph:
    """Binary variables with scores, and factors that tie them together.

    The score of an assignment is the sum of the scores of its true variables and of the
    factor scores; hard factors forbid assignments. Variables are plain integers: ``x``
    says "x is true" and ``~x`` "x is false", alone or as arrays, wherever a factor takes
    literals. Factors stand in arrays, one block per kind, so adding many at once is cheap.

    Each method that adds a factor adds many as well: ``xs`` of shape ``(K,)`` is one factor, of
    shape ``(F, K)`` it is F factors; factors of different sizes are given flat with ``offsets``,
    where factor ``f`` owns ``xs[offsets[f]:offsets[f + 1]]``.

    Examples
    --------
    >>> graph = FactorGraph()
    >>> a, b, c, d = graph.variables([0.3, 0.8, -0.2, 1.1], names="abcd")
    >>> graph.exactly_one([a, b, ~c])
    >>> graph.implies(d, a)
    >>> graph.pair(a, d, 0.7)
    >>> graph
    <FactorGraph: 4 variables, 3 factors>
    >>> print(graph)
    4 variables, 3 factors
      1 exactly_one (3 links), 1 implies (2 links), 1 pair (2 links)
    variables: a 0.3, b 0.8, c -0.2, d 1.1
      exactly_one(a, b, not c)
      implies(d, a)
      pair(a, d): 0.7
    >>> print(graph.solve("brute_force").values)
    [ True False  True  True]
    """

    def __init__(self) -> None:
        self._size = 0
        self._score_chunks: list[FloatArray] = []
        self._evidence: NDArray[np.int8] | None = None  # made by the first `fix`
        self._names: dict[int, str] = {}
        self._chunks: dict[Kind, list[Chunk]] = {}
        self._blocks: tuple[Block, ...] | None = None

    # Variables

    def variables(self, scores: Any, names: Iterable[str] | None = None) -> LongArray:
        """Add variables and give their handles, in the shape of the scores.

        Parameters
        ----------
        scores : array
            What each variable adds when it is 1; ``-inf`` forbids 1.
        names : iterable of str, optional
            One name per variable, for pictures and messages.

        Returns
        -------
        int64 array
            The handles: ``x`` says that the variable is 1, ``~x`` that it is 0.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> a, b = graph.variables([0.3, -1.0], names=["a", "b"])
        >>> graph.exactly_one([a, ~b])
        """
        new = read_scores(scores, "variables")
        if new.ndim == 0:
            raise InputError(
                "variables: expected an array of scores, got one number; "
                "use variable(score) to add one variable"
            )
        first = self._size
        if first + new.size > _MOST_VARIABLES:
            raise InputError(f"variables: a graph holds at most {_MOST_VARIABLES} variables")
        if names is not None:
            self._add_names(first, list(names), new.size)
        self._score_chunks.append(new.reshape(-1))
        if self._evidence is not None:
            self._evidence = np.append(self._evidence, np.full(new.size, -1, dtype=np.int8))
        self._size += new.size
        return np.arange(first, self._size, dtype=np.int64).reshape(new.shape)

    def variable(self, score: float = 0.0, name: str | None = None) -> int:
        """Add one variable and give its handle.

        Examples
        --------
        >>> FactorGraph().variable(0.5, name="rain")
        0
        """
        return int(self.variables([score], None if name is None else [name])[0])

    def _add_names(self, first: int, names: list[str], count: int) -> None:
        if len(names) != count:
            raise InputError(f"variables: expected {count} names, got {len(names)}")
        if not all(isinstance(name, str) for name in names):
            raise InputError("variables: expected names that are strings")
        self._names.update(enumerate(names, first))

    def __len__(self) -> int:
        return self._size

    @property
    def scores(self) -> FloatArray:
        """The score of each variable (read-only; see :meth:`set_scores`)."""
        view = self._joined_scores().view()
        view.setflags(write=False)
        return view

    def _joined_scores(self) -> FloatArray:
        if len(self._score_chunks) != 1:
            chunks = self._score_chunks or [np.zeros(0)]
            self._score_chunks = [np.concatenate(chunks)]
        return self._score_chunks[0]

    @property
    def evidence(self) -> NDArray[np.int8]:
        """What each variable is fixed to: 0, 1, or -1 where it is free (read-only)."""
        if self._evidence is None:
            view = np.full(self._size, -1, dtype=np.int8)
        else:
            view = self._evidence.view()
        view.setflags(write=False)
        return view

    @property
    def names(self) -> list[str]:
        """The name of each variable: the user's, or ``x`` and its number."""
        return [self.name(variable) for variable in range(self._size)]

    def name(self, literal: int) -> str:
        """Name one literal.

        >>> graph = FactorGraph()
        >>> a = graph.variable(name="a")
        >>> graph.name(~a)
        'not a'
        """
        if literal < 0:
            return "not " + self.name(~literal)
        return self._names.get(literal, f"x{literal}")

    def set_scores(self, scores: Any, variables: Any = None) -> None:
        """Give variables new scores: all of them, or those named.

        >>> graph = FactorGraph()
        >>> a, b = graph.variables([0.0, 0.0])
        >>> graph.set_scores([1.0, 2.0])
        >>> graph.set_scores(5.0, variables=b)
        >>> graph.scores
        array([1., 5.])
        """
        new = read_scores(scores, "set_scores")
        if variables is None:
            if new.shape != (self._size,):
                raise InputError(f"set_scores: expected shape ({self._size},), got {new.shape}")
            self._score_chunks = [new]
            return
        chosen = self._existing(variables, "set_scores")
        if chosen.size and chosen.min() < 0:
            raise InputError("set_scores: expected variables, got a negated one")
        if new.ndim and new.shape != chosen.shape:
            raise InputError(
                f"set_scores: expected one score, or shape {chosen.shape}, got {new.shape}"
            )
        changed = self.scores.copy()
        changed[chosen] = new
        self._score_chunks = [changed]

    def fix(self, x: Any, value: Any = True) -> None:
        """Fix literals to a value (evidence); fixing again replaces the earlier value.

        Parameters
        ----------
        x : literal or array of literals
            ``fix(~a)`` and ``fix(a, False)`` say the same.
        value : bool or array of bool
            One value, or one for each literal.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> a, b, c = graph.variables([1.0, 1.0, 1.0])
        >>> graph.fix([a, ~c])
        >>> graph.evidence
        array([ 1, -1,  0], dtype=int8)
        """
        literals = self._existing(x, "fix").reshape(-1)
        try:
            values = np.asarray(value)
            wanted = np.broadcast_to(values, np.shape(x)).reshape(-1)
        except ValueError:
            raise InputError(
                f"fix: expected one value, or shape {np.shape(x)}, got {np.shape(value)}"
            ) from None
        if values.dtype.kind not in "biu" or not np.isin(values, (0, 1)).all():
            raise InputError(f"fix: expected True or False (1 or 0), got {value!r}")
        indices = literals ^ (literals >> 63)
        pinned = (wanted.astype(bool) ^ (literals < 0)).astype(np.int8)
        evidence = self.evidence.copy()
        evidence[indices] = pinned
        if (evidence[indices] != pinned).any():
            clash = int(indices[evidence[indices] != pinned][0])
            raise InputError(f"fix: {self.name(clash)} is fixed both to 0 and to 1")
        self._evidence = evidence

    def unfix(self, x: Any = None) -> None:
        """Free variables again: all of them, or those named (a negation counts as the variable).

        >>> graph = FactorGraph()
        >>> a = graph.variable()
        >>> graph.fix(a); graph.unfix(a); graph.evidence
        array([-1], dtype=int8)
        """
        if x is None:
            self._evidence = None
            return
        literals = self._existing(x, "unfix").reshape(-1)
        evidence = self.evidence.copy()
        evidence[literals ^ (literals >> 63)] = -1
        self._evidence = evidence

    def _existing(self, x: Any, where: str) -> LongArray:
        literals = read_literals(x, where)
        resolve(Links(literals.size, 1, literals.reshape(-1)), self._size, where)
        return literals

    # Factors of logic, and scores of pairs

    def exactly_one(self, xs: Any, *, offsets: Any = None) -> None:
        """Exactly one of the literals is true (XOR).

        >>> graph = FactorGraph()
        >>> a, b, c = graph.variables([1.0, 2.0, 0.5])
        >>> graph.exactly_one([a, b, c])
        >>> graph.value([0, 1, 0]), graph.value([1, 1, 0])
        (2.0, -inf)
        """
        self._add(Kind.XOR, Factors(read_links(xs, offsets, "exactly_one")))

    def define_exactly_one(self, y: Any, xs: Any, *, offsets: Any = None) -> None:
        """At most one of ``xs`` is true, and ``y`` says whether one is (XOR-OUT).

        >>> graph = FactorGraph()
        >>> y, a, b = graph.variables([0.0, 2.0, 1.0])
        >>> graph.define_exactly_one(y, [a, b])
        >>> graph.value([[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1]])
        array([ 0.,  2., -inf, -inf])
        """
        links = with_output(read_links(xs, offsets, "define_exactly_one"), y, "define_exactly_one")
        self._add(Kind.XOR_OUT, Factors(links))

    def at_most_one(self, xs: Any, *, offsets: Any = None) -> None:
        """At most one of the literals is true.

        >>> graph = FactorGraph()
        >>> graph.at_most_one(graph.variables([1.0, 2.0]))
        >>> graph.value([0, 0]), graph.value([1, 1])
        (0.0, -inf)
        """
        self._add(Kind.AT_MOST_ONE, Factors(read_links(xs, offsets, "at_most_one")))

    def at_least_one(self, xs: Any, *, offsets: Any = None) -> None:
        """At least one of the literals is true (OR).

        >>> graph = FactorGraph()
        >>> graph.at_least_one(graph.variables([-1.0, -2.0]))
        >>> graph.value([0, 0]), graph.value([1, 0])
        (-inf, -1.0)
        """
        self._add(Kind.OR, Factors(read_links(xs, offsets, "at_least_one")))

    def define_or(self, y: Any, xs: Any, *, offsets: Any = None) -> None:
        """``y`` is true exactly when one or more of ``xs`` are (OR-OUT).

        >>> graph = FactorGraph()
        >>> y, a, b = graph.variables([0.0, 2.0, 1.0])
        >>> graph.define_or(y, [a, b])
        >>> graph.value([1, 1, 1]), graph.value([1, 0, 0])
        (3.0, -inf)
        """
        links = with_output(read_links(xs, offsets, "define_or"), y, "define_or")
        self._add(Kind.OR_OUT, Factors(links))

    def not_all(self, xs: Any, *, offsets: Any = None) -> None:
        """At least one of the literals is false (NAND).

        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> graph.value([1, 1]), graph.value([0, 1])
        (-inf, 2.0)
        """
        self._add(Kind.NAND, Factors(read_links(xs, offsets, "not_all")))

    def implies(self, a: Any, b: Any) -> None:
        """If ``a`` is true then ``b`` is (IMPLY).

        Parameters
        ----------
        a, b : literals, or arrays of literals of one shape
            Arrays give one factor for each place; a single literal goes with all of the other.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> a, b, c = graph.variables([1.0, -2.0, 0.0])
        >>> graph.implies(a, [b, ~c])
        >>> graph.value([1, 1, 0]), graph.value([1, 0, 0])
        (-1.0, -inf)
        """
        self._add(Kind.IMPLY, Factors(read_two(a, b, "implies")))

    def define_and(self, y: Any, xs: Any, *, offsets: Any = None) -> None:
        """``y`` is true exactly when all of ``xs`` are (AND-OUT).

        >>> graph = FactorGraph()
        >>> y, a, b = graph.variables([5.0, 2.0, 1.0])
        >>> graph.define_and(y, [a, b])
        >>> graph.value([1, 1, 1]), graph.value([1, 0, 1])
        (8.0, -inf)
        """
        links = with_output(read_links(xs, offsets, "define_and"), y, "define_and")
        self._add(Kind.AND_OUT, Factors(links))

    def at_most(self, xs: Any, k: Any, *, offsets: Any = None) -> None:
        """At most ``k`` of the literals are true (BUDGET); one ``k``, or one for each factor.

        >>> graph = FactorGraph()
        >>> graph.at_most(graph.variables([1.0, 2.0, 3.0]), 2)
        >>> graph.value([0, 1, 1]), graph.value([1, 1, 1])
        (5.0, -inf)
        """
        self._add(Kind.BUDGET, read_budgets(xs, k, offsets))

    def knapsack(self, xs: Any, costs: Any, limit: Any, *, offsets: Any = None) -> None:
        """The costs of the true literals sum to at most ``limit`` (KNAPSACK).

        Parameters
        ----------
        xs : array of literals
        costs : array of whole numbers
            One for each literal, in the shape of ``xs``; of shape ``(K,)`` they go with each of
            F factors of K literals.
        limit : whole number, or one for each factor
        offsets : array of shape (F + 1,), optional

        Notes
        -----
        The relaxation is the cube cut by the one inequality, which is looser than the convex
        hull of the allowed points.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> graph.knapsack(graph.variables([3.0, 4.0, 5.0]), costs=[2, 3, 4], limit=6)
        >>> graph.value([1, 0, 1]), graph.value([0, 1, 1])
        (8.0, -inf)
        """
        self._add(Kind.KNAPSACK, read_knapsack(xs, costs, limit, offsets))

    def pair(self, a: Any, b: Any, score: Any) -> None:
        """Add ``score`` when both literals are true (PAIR); ``-inf`` forbids both (NAND).

        Parameters
        ----------
        a, b : literals, or arrays of literals of one shape
            Arrays give one factor for each place; a single literal goes with all of the other.
        score : number, or array of that shape

        Examples
        --------
        A grid whose neighbours like to agree:

        >>> graph = FactorGraph()
        >>> grid = graph.variables([[0.5, -1.0], [-0.1, -0.2]])
        >>> graph.pair(grid[:, :-1], grid[:, 1:], 0.75)
        >>> graph.pair(grid[:-1], grid[1:], 0.75)
        >>> graph.value([1, 1, 1, 1])
        2.2
        """
        factors = read_pairs(a, b, score)
        forbidden = factors.scores == -np.inf
        if not forbidden.any():
            self._add(Kind.PAIR, factors)
            return
        # Both insertions or none: look at all pairs before the first.
        resolve(factors.links, len(self), "pair")
        pairs = factors.links.literals.reshape(-1, 2)
        for kind, chosen in ((Kind.NAND, forbidden), (Kind.PAIR, ~forbidden)):
            links = Links(int(chosen.sum()), 2, pairs[chosen].reshape(-1))
            if kind is Kind.PAIR:
                self._add(kind, Factors(links, 1, factors.scores[chosen]))
            else:
                self._add(kind, Factors(links))

    # Factors over states, and factors of the user

    def table(self, groups: Sequence[Any], scores: Any) -> None:
        """Score each combination of values of a few multi-valued variables (DENSE).

        Parameters
        ----------
        groups : sequence of arrays of literals
            The states of each multi-valued variable, of which exactly one is true; a single
            literal is a plain binary variable with the two states false and true.
        scores : array of shape (S1, S2, ...)
            One score per combination, ``-inf`` to forbid it; 2 along the axis of a binary variable.
            With one axis more in front, of length F, the groups have shape ``(F, S)``
            (``(F,)`` for a binary variable) and F factors are added.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> red, green, blue = graph.variables([0.0, 0.1, 0.2])
        >>> sunny = graph.variable(1.0)
        >>> graph.table([[red, green, blue], sunny], [[0, 3], [0, -1], [-float("inf"), 0]])
        >>> graph.value([1, 0, 0, 1]), graph.value([0, 0, 1, 0]), graph.value([1, 1, 0, 1])
        (4.0, -inf, -inf)
        """
        self._add(Kind.DENSE, read_tables(groups, scores))

    def chain(self, states: Any, transitions: Any) -> None:
        """Exactly one state is true at each node; neighbouring states have scores (CHAIN).

        Parameters
        ----------
        states : sequence of T arrays of literals, or array of shape (T, S)
            The states of each node; an array of shape (F, T, S) is F chains.
        transitions : sequence of T - 1 arrays, or array of shape (T - 1, S, S) or (S, S)
            ``transitions[t][a, b]`` is added when node t is in its state a and node t + 1 in its
            state b; ``-inf`` forbids that. Of shape (S, S), the same everywhere. F chains have
            (F, T - 1, S, S), or share the above.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> states = graph.variables([[1.0, 0.0], [0.0, 0.5]])
        >>> graph.chain(states, [[0.0, 2.0], [0.0, 0.0]])
        >>> graph.value([1, 0, 0, 1]), graph.value([1, 1, 0, 1])
        (3.5, -inf)
        """
        self._add(Kind.CHAIN, read_chains(states, transitions))

    def custom(self, xs: Any, oracle: Oracle) -> None:
        """Add a factor known only by a Python function that solves it (CUSTOM).

        Parameters
        ----------
        xs : array of literals of shape (K,)
        oracle : callable
            Takes the K scores (finite float64) of its literals and gives the allowed 0/1 array
            with the largest score, or a pair of that array and its factor score.

        Examples
        --------
        >>> import numpy as np
        >>> def all_or_none(scores):
        ...     return np.full(len(scores), scores.sum() > 0)
        >>> graph = FactorGraph()
        >>> graph.custom(graph.variables([1.0, 2.0]), all_or_none)
        >>> graph.value([1, 1]), graph.value([1, 0])
        (3.0, -inf)
        """
        self._add(Kind.CUSTOM, read_custom(xs, oracle))

    # Factors over the arcs of dependency trees

    def tree(
        self,
        heads: Any,
        modifiers: Any,
        xs: Any,
        *,
        words: Any = None,
        projective: bool = False,
        single_root: bool = True,
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
            Exactly one word hangs from the root; otherwise at least one does.
        offsets : array of shape (F + 1,), optional
            For many trees of different sizes, given flat.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([2.0, 1.0, 3.0, 3.0])
        >>> graph.tree([0, 0, 2, 1], [1, 2, 1, 2], arcs)
        >>> graph.value([1, 0, 0, 1]), graph.value([0, 0, 1, 1])
        (5.0, -inf)
        """
        self._add(
            Kind.TREE,
            read_trees(
                heads,
                modifiers,
                xs,
                words=words,
                projective=projective,
                single_root=single_root,
                offsets=offsets,
            ),
        )

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
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([1.0, 1.0])
        >>> graph.siblings(arcs, [[0.1, 0.2, 0.4], [0, 0.8, 1.6], [0, 0, 3.2]])
        >>> graph.value([0, 0]), graph.value([1, 0]), graph.value([0, 1])  # start, arcs, stop
        (0.4, 2.7, 4.4)
        >>> round(graph.value([1, 1]), 6)
        6.1
        """
        self._add(Kind.HEAD_AUTOMATON, read_siblings(xs, scores, offsets))

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
        >>> graph = FactorGraph()
        >>> arcs = graph.variables([1.0, 1.0, 1.0])
        >>> scores = np.zeros((3, 3, 3))
        >>> scores[0, 0, 1], scores[1, 2, 2] = 0.5, 0.25  # start, 1, 3 and 1, 3, stop
        >>> graph.tri_siblings(arcs, scores)
        >>> graph.value([1, 0, 1]), graph.value([1, 1, 1]), graph.value([0, 0, 0])
        (2.75, 3.0, 0.0)
        """
        self._add(Kind.TRIPLE_AUTOMATON, read_tri_siblings(xs, scores, offsets))

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
        >>> graph = FactorGraph()
        >>> into = graph.variables([1.0, 2.0])
        >>> out = graph.variables([0.0])
        >>> graph.grandparent_siblings(into, out, grandparent_scores=[[5.0], [7.0]])
        >>> graph.value([1, 0, 1]), graph.value([0, 1, 0]), graph.value([1, 1, 0])
        (6.0, 2.0, -inf)
        """
        factors = read_grandparent_siblings(
            grandparents,
            modifiers,
            sibling_scores,
            grandparent_scores,
            grandsibling_scores,
            offsets,
        )
        self._add(Kind.GRANDPARENT_AUTOMATON, factors)

    def _add(self, kind: Kind, factors: Factors) -> None:
        """Check the links and keep the factors; the caller has checked the rest."""
        links = factors.links
        variables, negated = resolve(links, self._size, kind.method)
        if links.factors:
            self.add_chunk(
                kind, links.factors, links.lengths, variables, *factors[1:], negated=negated
            )

    def add_chunk(
        self,
        kind: Kind,
        factors: int,
        lengths: Lengths,
        variables: IntArray,
        score_lengths: Lengths = 0,
        scores: FloatArray = NO_SCORES,
        shape_lengths: Lengths = 0,
        shapes: IntArray = NO_SHAPES,
        oracles: tuple[Any, ...] = (),
        *,
        negated: NDArray[np.uint8] | None = None,
    ) -> None:
        """Add factors of one kind in the arrays of the core, which its makers must have right.

        This is for code that makes thousands of graphs. Nothing is looked at here; a solver
        refuses arrays that do not fit each other, but not, say, a score that is no number.
        """
        if negated is None:
            negated = np.zeros(len(variables), dtype=np.uint8)
        numbers = score_lengths, scores, shape_lengths, shapes, oracles
        chunk = Chunk(factors, lengths, variables, negated, *numbers)
        self._chunks.setdefault(kind, []).append(chunk)
        self._blocks = None

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of its factors, in the order of their numbers: one per block."""
        return sorted(self._chunks)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The factors as arrays, one block per kind, in the order of the kinds' numbers."""
        if self._blocks is None:
            self._blocks = tuple(join(kind, self._chunks[kind]) for kind in self.kinds)
            for block in self._blocks:
                if len(self._chunks[block.kind]) > 1:
                    self._chunks[block.kind] = [chunk_of(block)]
        return self._blocks

    @property
    def factor_count(self) -> int:
        """The number of factors of all kinds."""
        return sum(chunk.factors for chunks in self._chunks.values() for chunk in chunks)

    @property
    def asks_python(self) -> bool:
        """Whether some factors are Python functions."""
        return Kind.CUSTOM in self._chunks

    def copy(self) -> Self:
        """Copy the graph; chunks never change, so only the lists are copied.

        >>> graph = FactorGraph()
        >>> _ = graph.variables([1.0, 2.0])
        >>> other = graph.copy()
        >>> other.fix(0, False)
        >>> graph.evidence
        array([-1, -1], dtype=int8)
        """
        other = type(self)()
        other._size = self._size
        other._score_chunks = list(self._score_chunks)
        other._evidence = self._evidence
        other._names = dict(self._names)
        other._chunks = {kind: list(chunks) for kind, chunks in self._chunks.items()}
        other._blocks = self._blocks
        return other

    # What to ask of a graph

    def value(self, values: Any) -> Any:
        """Score an assignment, or each of several.

        Parameters
        ----------
        values : array of shape (N,) or (B, N)
            0 or 1 (False or True) for each variable.

        Returns
        -------
        float, or array of shape (B,)
            ``-inf`` if a hard factor, the evidence or a score of ``-inf`` forbids the assignment.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> a, b = graph.variables([1.0, 2.5])
        >>> graph.not_all([a, b])
        >>> graph.value([0, 1])
        2.5
        >>> graph.value([[1, 0], [1, 1]])
        array([  1., -inf])
        """
        chosen = self._read_values(values)
        batch = chosen if chosen.ndim == 2 else chosen[np.newaxis]
        total = np.where(batch, self.scores, 0.0).sum(axis=1)
        evidence = self.evidence
        fixed = evidence >= 0
        total[(batch[:, fixed] != evidence[fixed].astype(bool)).any(axis=1)] = -np.inf
        for block in self.blocks:
            total += factor_scores(block, batch).sum(axis=1)
        return float(total[0]) if chosen.ndim == 1 else total

    def violations(self, values: Any) -> list[str]:
        """Say in words what forbids an assignment; nothing if it is allowed.

        >>> graph = FactorGraph()
        >>> a, b = graph.variables([1.0, 2.5], names=["rain", "sun"])
        >>> graph.not_all([a, b])
        >>> graph.violations([1, 1])
        ['not_all(rain, sun)']
        >>> graph.violations([1, 0])
        []
        """
        chosen = self._read_values(values)
        if chosen.ndim != 1:
            raise InputError(f"violations: expected shape ({len(self)},), got {chosen.shape}")
        broken = []
        clash = (self.evidence >= 0) & (self.evidence != chosen)
        for variable in np.flatnonzero(clash).tolist():
            broken.append(f"{self.name(variable)} is fixed to {self.evidence[variable]}")
        for variable in np.flatnonzero(chosen & (self.scores == -np.inf)).tolist():
            broken.append(f"{self.name(variable)} is forbidden by a score of -inf")
        for block in self.blocks:
            own = factor_scores(block, chosen[np.newaxis])[0]
            for index in np.flatnonzero(own == -np.inf).tolist():
                broken.append(pictures.factor_text(self, block, index))
        return broken

    def _read_values(self, values: Any) -> BoolArray:
        try:
            array = np.asarray(values)
        except (ValueError, TypeError) as error:
            raise InputError("values: expected an array of zeros and ones") from error
        if array.ndim not in (1, 2) or array.shape[-1] != len(self):
            raise InputError(
                f"values: expected shape ({len(self)},), or (B, {len(self)}) for several "
                f"assignments, got {array.shape}"
            )
        if array.dtype == bool:
            return array
        if not ((array == 0) | (array == 1)).all():
            raise InputError("values: expected zeros and ones")
        return array.astype(bool)

    @overload
    def solve(
        self, solver: Literal["admm"] = "admm", **options: Unpack[AdmmOptions]
    ) -> Solution: ...
    @overload
    def solve(self, solver: Literal["admm2011"], **options: Unpack[AdmmOptions]) -> Solution: ...
    @overload
    def solve(
        self, solver: Literal["subgradient", "koo2010"], **options: Unpack[SubgradientOptions]
    ) -> Solution: ...
    @overload
    def solve(
        self, solver: Literal["branch_and_bound"], **options: Unpack[BranchAndBoundOptions]
    ) -> Solution: ...
    @overload
    def solve(
        self, solver: Literal["brute_force"], **options: Unpack[BruteForceOptions]
    ) -> Solution: ...
    @overload
    def solve(
        self, solver: Literal["linear_program"], **options: Unpack[LinearProgramOptions]
    ) -> Solution: ...
    @overload
    def solve(
        self,
        solver: Literal["belief_propagation", "max_product"],
        **options: Unpack[MaxProductOptions],
    ) -> Solution: ...
    @overload
    def solve(
        self, solver: Literal["toulbar2"], **options: Unpack[Toulbar2Options]
    ) -> Solution: ...
    @overload
    def solve(self, solver: str, **options: Unpack[LimitOptions]) -> Solution: ...
    def solve(self, solver: str = "admm", **options: object) -> Solution:
        """Find the best assignment.

        Parameters
        ----------
        solver : str
            ``admm``, ``belief_propagation``, ``branch_and_bound``, ``brute_force``,
            ``linear_program`` or ``subgradient``; ``toulbar2`` where its extra is installed. Or a
            preset, a solver as a paper has it: ``koo2010``, ``admm2011``.
        **options
            Those of the function of that name in :mod:`turbotree.graphs`.

        Raises
        ------
        InfeasibleError
            When the solver proves that no assignment is allowed.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> graph.exactly_one(graph.variables([1.0, 2.0]))
        >>> solution = graph.solve("linear_program")
        >>> solution.status.name, solution.value, solution.values.tolist()
        ('OPTIMAL', 2.0, [False, True])
        """
        function, chosen = solver_with(solver, options)
        return function(self, **chosen)

    @overload
    def marginals(
        self,
        solver: Literal["belief_propagation"] = "belief_propagation",
        **options: Unpack[SumProductOptions],
    ) -> Marginals: ...
    @overload
    def marginals(
        self, solver: Literal["brute_force"], **options: Unpack[BruteForceMarginalsOptions]
    ) -> Marginals: ...
    @overload
    def marginals(self, solver: str) -> Marginals: ...
    def marginals(self, solver: str = "belief_propagation", **options: object) -> Marginals:
        """Compute the probability of each variable when p(values) is proportional to exp(score).

        Parameters
        ----------
        solver : str
            ``belief_propagation`` or ``brute_force``.
        **options
            Those of the solver.

        Examples
        --------
        >>> graph = FactorGraph()
        >>> graph.at_most_one(graph.variables([0.0, 0.0]))
        >>> graph.marginals("brute_force").probabilities
        array([0.33333333, 0.33333333])
        """
        function = find_marginal_solver(solver)
        check_options(function, options)
        return function(self, **options)

    # Pictures and files

    def describe(self) -> str:
        """Describe the graph in text; a small one factor by factor."""
        return pictures.describe(self)

    def to_dot(self) -> str:
        """Draw the graph in the language of Graphviz.

        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> graph.to_dot().splitlines()[0]
        'graph factors {'
        """
        return pictures.to_dot(self)

    def to_svg(self) -> str:
        """Draw the graph as an SVG image: variables on the left, factors on the right.

        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> graph.to_svg()[:4]
        '<svg'
        """
        return pictures.to_svg(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph to a file of NumPy arrays (``.npz``), whole or not at all.

        >>> import tempfile, os
        >>> graph = FactorGraph()
        >>> graph.not_all(graph.variables([1.0, 2.0]))
        >>> path = os.path.join(tempfile.mkdtemp(), "graph.npz")
        >>> graph.save(path)
        >>> FactorGraph.load(path)
        <FactorGraph: 2 variables, 1 factor>
        """
        files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FactorGraph:
        """Read a graph that :meth:`save` wrote; everything in the file is checked.

        Raises
        ------
        InputError
            When the file is damaged, or no graph.
        """
        graph = cls()
        files.load_into(graph, path)
        return graph

    def __repr__(self) -> str:
        return f"<FactorGraph: {pictures.counted(len(self), 'variable')}, " + (
            f"{pictures.counted(self.factor_count, 'factor')}>"
        )

    def __str__(self) -> str:
        return self.describe()
