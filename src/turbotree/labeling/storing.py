"""A tagger in a model file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from turbotree.chains import Transitions
from turbotree.features import Encoder, FrozenWeights
from turbotree.features._core import MAX_LABELS
from turbotree.files.headers import indices, shown, table, temperature, texts, whole
from turbotree.labeling.answers import Model
from turbotree.labeling.choices import ChoiceModel, LabelLists
from turbotree.labeling.mixture import mixed, network_of, network_weights
from turbotree.labeling.model import ChainModel
from turbotree.labeling.schemes import SCHEMES, span_transitions
from turbotree.labeling.tagger import TaggerStage
from turbotree.labeling.trigrams import TrigramModel
from turbotree.networks import Network
from turbotree.stored import arrays_of, prefixed

if TYPE_CHECKING:
    from turbotree.labeling.tagger import Tagger


def contents(tagger: Tagger) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
    """Return what a model file holds of a tagger: arrays, and a header."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    stages: list[dict[str, Any]] = []
    for stage in tagger.stages:
        model = stage.model
        if not isinstance(model.weights, FrozenWeights):
            raise TypeError(f"the weights of {stage.column} are not frozen")
        arrays[f"{stage.column}.slots"] = model.weights.slots
        facts: dict[str, Any] = {
            "column": stage.column,
            "labels": model.labels,
            "templates": model.templates,
            "scheme": stage.scheme,
            "outer_scheme": stage.outer_scheme,
            "temperature": stage.temperature,
            "label_bits": model.weights.label_bits,
            "chain": isinstance(model, ChainModel),
        }
        if (weights := network_weights(model)) is not None:
            facts["mixture"] = {"features": weights[1], "network": weights[2]}
        if isinstance(model, TrigramModel):
            arrays[f"{stage.column}.triples"] = model.seen
        if isinstance(model, ChoiceModel):
            facts["given"] = model.attribute
            arrays[f"{stage.column}.list_offsets"] = model.lists.offsets
            arrays[f"{stage.column}.list_labels"] = model.lists.labels
        stages.append(facts)
    network = network_of(tagger.stages)
    own: dict[str, Any] = {}
    if network is not None:
        of_network, own["network"] = network.contents()
        arrays |= prefixed("network", of_network)
    return arrays, {
        **own,
        "task": tagger.task,
        "columns": None if tagger.columns is None else list(tagger.columns),
        "encoder": tagger.encoder.to_dict(),
        "stages": stages,
        "training": tagger.record,
    }


def fields_of(
    arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any], network: Network | None = None
) -> dict[str, Any]:
    """Return the fields of the tagger that a model file holds; its network may be elsewhere."""
    encoder = Encoder.from_dict(header["encoder"])
    columns = header["columns"]
    if network is None and "network" in header:
        own = table(header["network"], "network")
        network = Network.from_contents(arrays_of("network", arrays), own)
    stages = tuple(_stage(facts, arrays, encoder, network) for facts in header["stages"])
    if not stages:
        raise ValueError("no stages")
    if len(stages) > 1 and stages[0].column not in encoder.attributes:
        raise ValueError(f"the encoder knows no {stages[0].column!r} for the stages after it")
    return {
        "task": str(header["task"]),
        "columns": None if columns is None else tuple(texts(columns, "columns")),
        "encoder": encoder,
        "stages": stages,
        "record": table(header["training"], "training"),
    }


def _stage(
    facts: dict[str, Any],
    arrays: dict[str, npt.NDArray[Any]],
    encoder: Encoder,
    network: Network | None,
) -> TaggerStage:
    column, labels = facts["column"], texts(facts["labels"], "labels")
    if not isinstance(column, str) or not labels or len(labels) > MAX_LABELS:
        raise ValueError(f"column {shown(column)} with {len(labels)} labels")
    templates = texts(facts["templates"], "templates")
    bits = whole(facts["label_bits"], "label_bits")
    weights = FrozenWeights(arrays[f"{column}.slots"], bits)
    scheme, outer = facts["scheme"], facts["outer_scheme"]
    model: Model
    if facts["chain"]:
        everything = np.ones((len(labels), len(labels)), dtype=bool)
        transitions = (
            Transitions(everything) if scheme is None else span_transitions(labels, scheme)
        )
        given = (templates, labels, transitions)
        if f"{column}.triples" in arrays:
            triples = indices(arrays[f"{column}.triples"], "triples")
            model = TrigramModel(*given, triples, encoder, weights)
        else:
            model = ChainModel(*given, encoder, weights)
    else:
        names = ("list_offsets", "list_labels")
        lists = LabelLists(*(indices(arrays[f"{column}.{name}"], name) for name in names))
        model = ChoiceModel(templates, labels, lists, facts["given"], encoder, weights)
    if network is not None:
        weighted = table(facts["mixture"], "mixture")
        of_features, weight = (temperature(weighted[x], x) for x in ("features", "network"))
        model = mixed(model, network, column, of_features, weight)
    if (scheme is None) != (outer is None) or outer not in (None, *SCHEMES):
        raise ValueError(f"schemes {scheme!r}, {outer!r}")
    stage = TaggerStage(
        column, model, scheme, outer, temperature(facts["temperature"], "temperature")
    )
    _ = stage.names  # are there for all labels
    return stage
