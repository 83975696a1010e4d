"""A network beside the sparse features of a tagger: its log-probabilities join their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from turbotree.arrays import FloatArray
from turbotree.labeling.answers import Model
from turbotree.labeling.choices import ChoiceProblem
from turbotree.labeling.tagger import TaggerStage
from turbotree.labeling.tasks import ChainProblem
from turbotree.learning import Expectation
from turbotree.learning.temperature import fit_temperature
from turbotree.networks import ColumnScorer, Network
from turbotree.networks.weighting import USUAL_WEIGHT, best_weight
from turbotree.scoring import Batch, PartScorer, WeightedSum


def mixed(model: Model, network: Network, column: str, features: float, weight: float) -> Model:
    """Return a model that adds its features' scores and the network's, each times its weight."""
    if network.columns[column] != model.labels:
        raise ValueError(f"the network knows other labels of {column} than the features")
    terms: list[tuple[float, PartScorer]] = [
        (features, model.sparse),
        (weight, ColumnScorer(network, column)),
    ]
    return model.with_scorer(WeightedSum(terms))


def fit_stage(
    stage: TaggerStage,
    network: Network,
    problems: Sequence[tuple[ChainProblem | ChoiceProblem, Batch]],
    right: Callable[[Model], float] | None,
) -> TaggerStage:
    """Let a network score beside the features of a stage.

    Parameters
    ----------
    stage
        What fills the column; its temperature is that of the features.
    network
        A network that knows the column.
    problems
        Sentences that neither was trained on, to fit the temperature on.
    right
        How often a model is right there; None if there are none.
    """
    model, column, of_features = stage.model, stage.column, 1.0 / stage.temperature
    weight = USUAL_WEIGHT
    if right is not None:
        weight = best_weight(
            lambda weight: right(mixed(model, network, column, of_features, weight))
        )
    best = mixed(model, network, column, of_features, weight)
    known = [_Scored(problem, problem.scores_by(best.scorer, batch)) for problem, batch in problems]
    assert model.weights is not None
    temperature = fit_temperature(known, model.weights, default=1.0)
    return replace(stage, model=best, temperature=temperature)


def network_of(stages: Sequence[TaggerStage]) -> Network | None:
    """Return the network of a tagger, if it has one."""
    weights = network_weights(stages[0].model)
    return None if weights is None else weights[0].network


def network_weights(model: Model) -> tuple[ColumnScorer, float, float] | None:
    """Return the network's scorer of a model, the weight of the features and the network's."""
    if not isinstance(model.scorer, WeightedSum):
        return None
    (features, _), (weight, scorer) = model.scorer.terms
    assert isinstance(scorer, ColumnScorer)
    return scorer, features, weight


class _Scored:
    """A problem whose scores are known; see :class:`turbotree.learning.Problem`."""

    def __init__(self, problem: ChainProblem | ChoiceProblem, scores: FloatArray) -> None:
        self._problem, self._scores = problem, scores
        self.gold, self.cost = problem.gold, problem.cost
        self.gold_is_allowed = problem.gold_is_allowed

    def scores(self, _: Any) -> FloatArray:
        return self._scores

    def decode(self, scores: FloatArray) -> FloatArray:
        return self._problem.decode(scores)

    def marginals(self, scores: FloatArray) -> Expectation:
        return self._problem.marginals(scores)

    def gradient(self, coefficients: FloatArray) -> Any:
        return self._problem.gradient(coefficients)
