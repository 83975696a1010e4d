"""A network beside sparse features: it prunes, and its log-probabilities join their scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from turbotree.errors import InputError
from turbotree.files.headers import table, temperature
from turbotree.networks import Network, NetworkScorer
from turbotree.parsing.arcs import Pruner, PruningOptions, TreeShape
from turbotree.parsing.labels import LabelModel
from turbotree.scoring import PartScorer, SparseScorer, WeightedSum


@dataclass(frozen=True)
class MixtureWeights:
    """What the scores of the features and of the network are multiplied by.

    Attributes
    ----------
    features, network
        Of arcs, and of the parts of higher order that features score.
    label_features, label_network
        Of labels.
    """

    features: float = 1.0
    network: float = 1.0
    label_features: float = 1.0
    label_network: float = 1.0

    def parts(self, features: SparseScorer, network: Network) -> WeightedSum:
        """Return what scores arcs and other parts."""
        return WeightedSum(
            [(self.features, features), (self.network, NetworkScorer(network, ("arc",)))]
        )

    def labels(self, labels: LabelModel, network: Network) -> LabelModel:
        """Return what scores labels."""
        if network.labels != labels.dictionary.names:
            raise InputError("the network and the features were trained on other labels")
        scorer = WeightedSum(
            [
                (self.label_features, labels.sparse),
                (self.label_network, NetworkScorer(network, ("label",))),
            ]
        )
        return labels.with_scorer(scorer)

    def to_dict(self) -> dict[str, float]:
        """Return the weights as JSON-ready data."""
        return asdict(self)

    @classmethod
    def from_header(cls, header: Any) -> MixtureWeights:
        """Undo :meth:`to_dict`; a header from outside is not trusted."""
        given = table(header, "mixture")
        names = [field.name for field in fields(cls)]
        return cls(**{name: temperature(given[name], f"mixture, {name}") for name in names})


def mixture_of(parts: PartScorer, labels: LabelModel) -> MixtureWeights:
    """Return the weights of a parser that has a network."""
    assert isinstance(parts, WeightedSum)
    assert isinstance(labels.scorer, WeightedSum)
    weights = [weight for weight, _ in (*parts.terms, *labels.scorer.terms)]
    return MixtureWeights(*weights)


def network_pruner(network: Network, options: PruningOptions, shape: TreeShape) -> Pruner:
    """Return a pruner that asks the network; features are then scored for fewer arcs."""
    return Pruner(NetworkScorer(network, ("arc",)), options, shape, local=True)


def network_of(pruner: Pruner) -> Network | None:
    """Return the network of a parser, given its pruner; None if it has none."""
    return pruner.scorer.network if isinstance(pruner.scorer, NetworkScorer) else None
