"""Networks: embeddings, BiLSTM layers and biaffine scores of arcs and labels."""

from turbotree.networks.explain import InputShare, NetworkExplanation
from turbotree.networks.network import Network, States
from turbotree.networks.options import NetworkOptions
from turbotree.networks.scorer import ColumnScorer, NetworkScorer
from turbotree.networks.training import train_network
from turbotree.networks.vectors import WordVectors

__all__ = [
    "ColumnScorer",
    "InputShare",
    "Network",
    "NetworkExplanation",
    "NetworkOptions",
    "NetworkScorer",
    "States",
    "WordVectors",
    "train_network",
]
