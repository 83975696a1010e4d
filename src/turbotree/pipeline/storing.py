"""A pipeline in a model file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from turbotree.files.headers import table
from turbotree.labeling import Tagger
from turbotree.labeling.storing import fields_of as tagger_fields
from turbotree.parsing import Parser
from turbotree.pipeline.lemmatizer import Lemmatizer
from turbotree.pipeline.tokenizer import Tokenizer
from turbotree.stored import Stored, arrays_of, prefixed

if TYPE_CHECKING:
    from turbotree.pipeline.pipeline import Pipeline

#: What a pipeline is made of, in order; a tokenizer and a lemmatizer may be missing.
COMPONENTS: dict[str, type[Stored]] = {
    each.kind: each for each in (Tokenizer, Tagger, Lemmatizer, Parser)
}

#: In place of the tagger's network, or of its word vectors, where they are the parser's, too.
_SHARED = "parser"
#: The arrays of word vectors, in a tagger and in a parser.
_VECTORS = ("network.vectors", "network.vectors.scale", "network.vocabulary.vectors")

_Arrays = dict[str, npt.NDArray[Any]]


def contents(pipeline: Pipeline) -> tuple[_Arrays, dict[str, Any]]:
    """Return what a model file holds of a pipeline: arrays, and a header."""
    components: dict[str, Stored | None] = {name: getattr(pipeline, name) for name in COMPONENTS}
    parts = {name: own.contents() for name, own in components.items() if own is not None}
    if pipeline.parser.network is not None and pipeline.tagger.network is pipeline.parser.network:
        of_tagger, facts = parts[Tagger.kind]
        facts["network"] = _SHARED
        for key in [key for key in of_tagger if key.startswith("network.")]:
            del of_tagger[key]
    _share_vectors(parts)
    arrays: _Arrays = {}
    for name, (held, _) in parts.items():
        arrays |= prefixed(name, held)
    header = {name: facts for name, (_, facts) in parts.items()}
    return arrays, {**header, "training": pipeline.record}


def fields_of(arrays: _Arrays, header: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the pipeline that a model file holds."""
    fields: dict[str, Any] = {
        "tokenizer": None,
        "lemmatizer": None,
        "record": table(header["training"], "training"),
    }
    arrays, header = _with_vectors(arrays, header)
    shared = "tagger" in header and header["tagger"].get("network") == _SHARED
    for name, kind in COMPONENTS.items():
        if name in header and not (shared and kind is Tagger):
            fields[name] = kind.from_contents(arrays_of(name, arrays), header[name])
    if shared:
        network = fields["parser"].network
        if network is None:
            raise ValueError("a tagger that shares the parser's network, which has none")
        own = tagger_fields(arrays_of("tagger", arrays), header["tagger"], network)
        fields["tagger"] = Tagger(**own)
    if fields["tagger"].stages[0].column != "upos":
        raise ValueError("a tagger without UPOS")
    return fields


def _share_vectors(parts: dict[str, tuple[_Arrays, dict[str, Any]]]) -> None:
    """Omit the tagger's word vectors if they are the parser's."""
    (of_tagger, facts), (of_parser, _) = parts[Tagger.kind], parts[Parser.kind]
    both = (of_tagger, of_parser)
    if not all(key in own for own in both for key in _VECTORS):
        return
    if all(np.array_equal(of_tagger[key], of_parser[key]) for key in _VECTORS):
        facts["network"]["vectors"] = _SHARED
        for key in _VECTORS:
            del of_tagger[key]


def _with_vectors(arrays: _Arrays, header: dict[str, Any]) -> tuple[_Arrays, dict[str, Any]]:
    """Give the tagger the word vectors that it shares with the parser."""
    facts = table(header.get("tagger", {}), "tagger")
    network = facts.get("network")
    if not isinstance(network, dict) or network.get("vectors") != _SHARED:
        return arrays, header
    lent = {f"tagger.{key}": arrays[f"parser.{key}"] for key in _VECTORS}
    network = {**network, "vectors": header["parser"]["network"]["vectors"]}
    return {**arrays, **lent}, {**header, "tagger": {**facts, "network": network}}
