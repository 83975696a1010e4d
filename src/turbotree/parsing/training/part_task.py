"""What the learner is told of arcs and the parts that they form: their training problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.errors import InputError
from turbotree.features import AnyWeights, Encoded, Parts, Weights
from turbotree.features._core import Gradient
from turbotree.graphs import Status
from turbotree.graphs.solvers.registry import prepare_solver
from turbotree.learning import Expectation
from turbotree.naming import unknown
from turbotree.parsing.arcs import TreeShape, all_arcs, best_trees
from turbotree.parsing.decoding import (
    automata_alone,
    decode,
    heads_of,
    part_marginals,
    relaxed_parts,
)
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.parts.sibling import IN_AUTOMATA
from turbotree.scoring import SparseScorer

#: How training finds the best answer, if the loss asks for one. ``"admm"``: the relaxation, whose
#: answer may be fractional. ``"exact"``: a tree, proven best as a rule. ``"automata"``: the
#: automata of heads alone, each for itself, which together need not be a tree (Koo et al. 2010).
DECODERS = ("admm", "exact", "automata")

# An answer that is nearly the best one teaches as well, and most sentences are done long before.
_RELAXED: dict[str, Any] = {"max_iterations": 100, "residual_threshold": 1e-3, "factors": True}


def check_decoder(decoder: str, families: Sequence[str]) -> None:
    """Refuse decoders that there are not, or that cannot serve the families of a model."""
    if decoder not in DECODERS:
        raise unknown("decoder", decoder, DECODERS)
    if decoder == "automata" and not {"arc", "sibling"} <= set(families) <= {"arc", *IN_AUTOMATA}:
        raise InputError(
            "decoder 'automata' is for models of siblings, perhaps with grandparents and "
            f"grand-siblings, and of nothing else; this one scores {', '.join(families)}"
        )


class PartProblem:
    """One training sentence: its arcs, then the parts of higher order."""

    def __init__(
        self,
        model: SparseScorer,
        encoded: Encoded,
        heads: IntArray,
        arcs: Parts,
        shape: TreeShape,
        decoder: str = DECODERS[0],
        known: BoolArray | None = None,
        base: Mapping[str, FloatArray] | None = None,
    ) -> None:
        self._model = model
        self._prepared = model.prepare(encoded)
        self._parts = PartSet.build(encoded.lengths, arcs, model.families)
        self._shape = shape
        self._decoder = decoder
        self._ends = np.cumsum([len(self._parts[name].rows) for name in model.families])
        self.gold = self._joined(self._parts.indicators(0, heads))
        # Only arcs can be wrong; the cost of an answer is its number of wrong heads.
        self.cost = 1.0 - self.gold
        self.cost[self._ends[0] :] = 0.0
        self.excluded = None
        if known is not None and not known.all():
            self.cost[: self._ends[0]] *= known[arcs.rows[:, 1] - 1]
            self.excluded = self.cost > 0
        sizes = {name: len(self._parts[name].rows) for name in model.families}
        self._base = None if base is None else joined_base_scores(base, sizes)

    def scores(self, weights: AnyWeights) -> FloatArray:
        """Score each part; fixed scores are added, if there are any."""
        own = self._joined(self._model.score_prepared(self._prepared, self._parts, weights))
        return own if self._base is None else own + self._base

    @property
    def choices(self) -> IntArray:
        """The words whose heads are chosen, one per arc."""
        modifiers: IntArray = self._parts.arcs.rows[:, 1]
        return modifiers

    def contributions(self, weights: Weights) -> FloatArray:
        """Return what each template of arcs adds to their scores."""
        return self._model.contributions("arc", self._prepared, self._parts, weights)

    def decode(self, scores: FloatArray) -> FloatArray:
        """Return the best answer, or nearly so: a tree, or what the relaxation has instead."""
        parts, shape = self._parts, self._shape
        if not parts.families:
            heads = best_trees(parts.lengths, parts.arcs, scores, shape)
            return self._joined(parts.indicators(0, heads))
        scored = self._scored(scores)
        if self._decoder == "automata":
            return self._joined(automata_alone(scored))
        if self._decoder == "exact":
            return self._joined(parts.indicators(0, decode(scored).heads))
        graph = scored.graph()
        solution = prepare_solver("admm", **_RELAXED)(graph)
        heads = heads_of(scored, solution)
        answer: dict[str, Any] = dict(parts.indicators(0, heads))
        if solution.status is not Status.OPTIMAL:
            answer |= relaxed_parts(scored, graph, solution)
        return self._joined(answer)

    def best_tree(self, weights: AnyWeights) -> IntArray:
        """Return the heads of the best tree that agrees with what is known."""
        scores, parts = self.scores(weights), self._parts
        if self.excluded is not None:
            scores = np.where(self.excluded, -np.inf, scores)
        if not parts.families:
            return best_trees(parts.lengths, parts.arcs, scores, self._shape)
        return decode(self._scored(scores)).heads

    def marginals(self, scores: FloatArray) -> Expectation:
        """Return the parts' probabilities, by belief propagation if there are more than arcs.

        Whether that converged or not does not matter to the learner.
        """
        found = part_marginals(self._scored(scores), every_part=True)
        assert found.parts is not None
        return Expectation(self._joined(found.parts), found.log_partition)

    def error_of_arcs(self, scores: FloatArray) -> float:
        """Return how far the arcs' probabilities are from the truth: the sum of squares (Brier)."""
        probabilities = part_marginals(self._scored(scores)).arcs
        return float(((probabilities - self.gold[: self._ends[0]]) ** 2).sum())

    def gradient(self, coefficients: FloatArray) -> Gradient:
        """Return the parts' features, weighted."""
        return self._model.gradient(self._prepared, self._parts, self._split(coefficients))

    def _scored(self, scores: FloatArray) -> ScoredSentence:
        return ScoredSentence(self._parts, 0, self._split(scores), self._shape)

    def _split(self, values: FloatArray) -> dict[str, FloatArray]:
        pieces = np.split(values, self._ends[:-1])
        return dict(zip(self._model.families, pieces, strict=True))

    def _joined(self, values: Mapping[str, Any]) -> FloatArray:
        pieces = [values[name] for name in self._model.families]
        joined: FloatArray = np.concatenate(pieces, dtype=np.float64)
        return joined


def joined_base_scores(base: Mapping[str, FloatArray], sizes: Mapping[str, int]) -> FloatArray:
    """Join the fixed scores of a sentence's parts, 0 for families that have none.

    >>> joined_base_scores({"arc": np.array([1.0, 2.0])}, {"arc": 2, "sibling": 1}).tolist()
    [1.0, 2.0, 0.0]
    """
    for name, scores in base.items():
        if name not in sizes:
            raise unknown("family of base scores", name, sizes)
        if scores.shape != (sizes[name],):
            raise InputError(
                f"base scores of {name}: shape {scores.shape}; expected one per part, {sizes[name]}"
            )
    return np.concatenate([base.get(name, np.zeros(size)) for name, size in sizes.items()])


class PartTask:
    """The training set of a model.

    Parameters
    ----------
    model
        The model's templates.
    encoded, heads
        The sentences, each a batch of one, and their gold heads.
    shape
        Which trees are allowed.
    candidates
        The candidate arcs of each sentence; without them, all arcs.
    decoder
        One of `DECODERS`.
    known
        Which heads of each sentence are known to be right; without it, all are. The others are
        free, and only say what an answer might look like.
    base_scores
        Fixed scores that are added to those of the features, for each sentence and by family, one
        per part: what another scorer thinks of the parts while the weights learn.
    """

    def __init__(
        self,
        model: SparseScorer,
        encoded: Sequence[Encoded],
        heads: Sequence[IntArray],
        shape: TreeShape,
        candidates: Sequence[Parts] | None = None,
        decoder: str = DECODERS[0],
        known: Sequence[BoolArray] | None = None,
        base_scores: Sequence[Mapping[str, FloatArray]] | None = None,
    ) -> None:
        self._model = model
        self._encoded = encoded
        self._heads = heads
        # Training trees may be non-projective whatever the parser is asked for later.
        self._shape = replace(shape, projective=False)
        self._candidates = candidates
        self._decoder = decoder
        self._known = known
        self._base_scores = base_scores

    def __len__(self) -> int:
        return len(self._encoded)

    def problem(self, index: int) -> PartProblem:
        """Return one sentence's problem."""
        encoded = self._encoded[index]
        arcs = self._candidates[index] if self._candidates else all_arcs(encoded.lengths)
        return PartProblem(
            self._model,
            encoded,
            self._heads[index],
            arcs,
            self._shape,
            self._decoder,
            self._known[index] if self._known else None,
            self._base_scores[index] if self._base_scores else None,
        )

    def keys(self, index: int) -> npt.NDArray[np.uint64]:
        """Return the features of all parts of a sentence, one after the other."""
        encoded = self._encoded[index]
        arcs = self._candidates[index] if self._candidates else all_arcs(encoded.lengths)
        parts = PartSet.build(encoded.lengths, arcs, self._model.families)
        return self._model.keys(self._model.prepare(encoded), parts)
