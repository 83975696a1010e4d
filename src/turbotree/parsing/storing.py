"""A parser in a model file, and back."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from turbotree.features import Encoder, FrozenWeights, Scorer
from turbotree.parsing.arcs import ARC, ArcModel, Pruner, PruningOptions, TreeShape
from turbotree.parsing.labels import LabelDictionary, LabelModel
from turbotree.parsing.model import PartModel
from turbotree.parsing.parts import FAMILIES
from turbotree.parsing.root_label import evident_root_label, with_root_label

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


def contents(parser: Parser) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return what a model file holds of a parser: arrays, and a header."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    header: dict[str, int | None] = {}
    for name, weights in _weights(parser).items():
        if not isinstance(weights, FrozenWeights):
            raise TypeError(f"the weights of {name} are not frozen")
        arrays[f"{name}.slots"] = weights.slots
        header[f"{name}.label_bits"] = weights.label_bits
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
    }


def fields_of(arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the parser that a model file holds."""
    families = header.get("families")
    if not isinstance(families, list) or not families or not set(families) <= set(FAMILIES):
        raise ValueError(
            f"a parser with the parts {families!r}; this version knows {', '.join(FAMILIES)}"
        )
    encoder = Encoder.from_dict(header["encoder"])
    templates = header["templates"]
    weights = {
        name: FrozenWeights(arrays[f"{name}.slots"], header["weights"][f"{name}.label_bits"])
        for name in ("pruner", "parts", "labels")
    }
    shape = TreeShape(single_root=_flag(header["single_root"]))
    pruner = Pruner(
        ArcModel(Scorer(templates["pruner"], ARC, encoder), weights["pruner"]),
        PruningOptions(**header["pruning"]),
        shape,
    )
    parts = PartModel({name: templates[name] for name in families}, encoder, weights["parts"])
    labels = LabelModel(
        templates["label"],
        templates["label_pair"],
        _dictionary(arrays, header),
        encoder,
        weights["labels"],
    )
    return {
        "encoder": encoder,
        "pruner": pruner,
        "parts": parts,
        "labels": labels,
        "shape": shape,
        "arc_temperature": _temperature(header["temperature"]["arcs"]),
        "label_temperature": _temperature(header["temperature"]["labels"]),
        "record": header["training"],
    }


def _dictionary(arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> LabelDictionary:
    dictionary = LabelDictionary(
        header["labels"],
        arrays["labels.lists"],
        arrays["labels.list_offsets"],
        arrays["labels.list_labels"],
    )
    if "root_label" not in header:  # a file of before there was such an entry
        return with_root_label(dictionary, evident_root_label(dictionary))
    name = header["root_label"]
    return with_root_label(dictionary, None if name is None else dictionary.names.index(name))


def _weights(parser: Parser) -> dict[str, Any]:
    return {
        "pruner": parser.pruner.model.weights,
        "parts": parser.parts.weights,
        "labels": parser.labels.weights,
    }


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is not true or false")
    return value


def _temperature(value: Any) -> float:
    if not isinstance(value, float | int) or not 0 < value < math.inf:
        raise ValueError(f"temperature {value!r} is not a positive number")
    return float(value)
