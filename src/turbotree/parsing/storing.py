"""A parser in a model file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from turbotree.features import Encoder, FrozenWeights
from turbotree.features._core import MAX_LABELS
from turbotree.files.headers import (
    flag,
    indices,
    share,
    shown,
    table,
    temperature,
    texts,
    whole,
)
from turbotree.networks import Network
from turbotree.parsing.arcs import Pruner, PruningOptions, TreeShape
from turbotree.parsing.labels import LabelDictionary, LabelModel, label_scorer
from turbotree.parsing.mixture import MixtureWeights, mixture_of, network_pruner
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.root_label import evident_root_label, with_root_label
from turbotree.scoring import PartScorer, SparseScorer
from turbotree.stored import arrays_of, prefixed

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


#: What makes probabilities less sure; 0 where it is not said.
_SHARES = ("smoothing", "lost_heads")


def contents(parser: Parser) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return what a model file holds of a parser: arrays, and a header."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    header: dict[str, int | None] = {}
    for name, scorer in parser.sparse().items():
        weights = scorer.weights
        if not isinstance(weights, FrozenWeights):
            raise TypeError(f"the weights of {name} are not frozen")
        arrays[f"{name}.slots"] = weights.slots
        header[f"{name}.label_bits"] = weights.label_bits
    network = parser.network
    mixture: dict[str, Any] = {}
    if network is not None:
        own, facts = network.contents()
        arrays |= prefixed("network", own)
        weights_of = mixture_of(parser.parts, parser.labels)
        mixture = {"network": facts, "mixture": weights_of.to_dict()}
    dictionary = parser.labels.dictionary
    arrays["labels.lists"] = dictionary.lists
    arrays["labels.list_offsets"] = dictionary.offsets
    arrays["labels.list_labels"] = dictionary.labels
    return arrays, {
        "families": list(parser.parts.families),
        "weights": header,
        "templates": parser.templates(),
        "encoder": parser.encoder.to_dict(),
        "labels": dictionary.names,
        "root_label": None if dictionary.root is None else dictionary.names[dictionary.root],
        "single_root": parser.shape.single_root,
        "pruning": {
            "threshold": parser.pruner.options.threshold,
            "max_heads": parser.pruner.options.max_heads,
        },
        "temperature": {"arcs": parser.arc_temperature, "labels": parser.label_temperature},
        "training": parser.record,
        **{name: value for name in _SHARES if (value := getattr(parser, name))},
        **mixture,
    }


def fields_of(arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the parser that a model file holds."""
    families: Any = header.get("families")
    known = isinstance(families, list) and all(name in FAMILIES for name in families)
    if not known or "arc" not in families or len(set(families)) != len(families):
        raise ValueError(
            f"a parser with the parts {shown(families)}; this version knows {', '.join(FAMILIES)}, "
            "and every parser has arcs"
        )
    encoder = Encoder.from_dict(header["encoder"])
    templates = {
        name: texts(own, f"templates of {name}")
        for name, own in table(header["templates"], "templates").items()
    }
    has_network = "network" in header
    weights = {
        name: FrozenWeights(arrays[f"{name}.slots"], header["weights"][f"{name}.label_bits"])
        for name in (("parts", "labels") if has_network else ("pruner", "parts", "labels"))
    }
    if len(texts(header["labels"], "labels")) > MAX_LABELS:
        raise ValueError(f"{len(header['labels'])} labels; a model takes up to {MAX_LABELS}")
    shape = TreeShape(single_root=flag(header["single_root"], "single_root"))
    pruning = table(header["pruning"], "pruning")
    whole(pruning["max_heads"], "max_heads")
    share(pruning["threshold"], "threshold")
    parts: PartScorer
    features = parts = SparseScorer(
        {name: templates[name] for name in families}, FAMILIES, encoder, weights["parts"]
    )
    dictionary = _dictionary(arrays, header)
    of_labels = label_scorer(
        templates["label"], templates["label_pair"], dictionary, encoder, weights["labels"]
    )
    labels = LabelModel(of_labels, dictionary, encoder)
    if has_network:
        facts = table(header["network"], "network")
        network = Network.from_contents(arrays_of("network", arrays), facts)
        mixture = MixtureWeights.from_header(header.get("mixture"))
        pruner = network_pruner(network, PruningOptions(**pruning), shape)
        parts, labels = mixture.parts(features, network), mixture.labels(labels, network)
    else:
        of_pruner = SparseScorer({"arc": templates["pruner"]}, FAMILIES, encoder, weights["pruner"])
        pruner = Pruner(of_pruner, PruningOptions(**pruning), shape)
    return {
        "encoder": encoder,
        "pruner": pruner,
        "parts": parts,
        "labels": labels,
        "shape": shape,
        "arc_temperature": temperature(header["temperature"]["arcs"], "temperature of arcs"),
        "label_temperature": temperature(header["temperature"]["labels"], "temperature of labels"),
        "record": table(header["training"], "training"),
        **{name: share(header[name], name) for name in _SHARES if name in header},
    }


def _dictionary(arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> LabelDictionary:
    dictionary = LabelDictionary(
        header["labels"],
        indices(arrays["labels.lists"], "lists"),
        indices(arrays["labels.list_offsets"], "list_offsets"),
        indices(arrays["labels.list_labels"], "list_labels"),
    )
    if "root_label" not in header:  # a file of before there was such an entry
        return with_root_label(dictionary, evident_root_label(dictionary))
    name = header["root_label"]
    return with_root_label(dictionary, None if name is None else dictionary.names.index(name))
