"""Features: templates written as data, sentences as integers, sparse weights."""

from turbotree.features.encoder import Encoded, Encoder
from turbotree.features.explain import FiredFeature, explain
from turbotree.features.families import TEMPLATE_FAMILIES, family_counts, template_families
from turbotree.features.scorer import LabelledParts, Parts, Scorer
from turbotree.features.sparse_weights import LazyWeights, ScaledWeights, SparseWeights
from turbotree.features.templates import (
    PartKind,
    Template,
    attributes_of,
    parse_templates,
    read_templates,
)
from turbotree.features.weights import AnyWeights, FrozenWeights, Weights

__all__ = [
    "TEMPLATE_FAMILIES",
    "AnyWeights",
    "Encoded",
    "Encoder",
    "FiredFeature",
    "FrozenWeights",
    "LabelledParts",
    "LazyWeights",
    "PartKind",
    "Parts",
    "ScaledWeights",
    "Scorer",
    "SparseWeights",
    "Template",
    "Weights",
    "attributes_of",
    "explain",
    "family_counts",
    "parse_templates",
    "read_templates",
    "template_families",
]
