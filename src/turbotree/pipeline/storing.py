"""A pipeline in a model file, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from turbotree.files.headers import table
from turbotree.labeling import Tagger
from turbotree.labeling.storing import fields_of as tagger_fields
from turbotree.parsing import Parser
from turbotree.pipeline.lemmatizer import Lemmatizer
from turbotree.pipeline.tokenizer import Tokenizer
from turbotree.stored import Stored

if TYPE_CHECKING:
    from turbotree.pipeline.pipeline import Pipeline

#: What a pipeline is made of, in order; a tokenizer and a lemmatizer may be missing.
COMPONENTS: dict[str, type[Stored]] = {
    each.kind: each for each in (Tokenizer, Tagger, Lemmatizer, Parser)
}

#: In place of the tagger's network, where it is the parser's, too.
_SHARED = "parser"

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
    arrays = {
        f"{name}.{key}": array for name, (own, _) in parts.items() for key, array in own.items()
    }
    header = {name: facts for name, (_, facts) in parts.items()}
    return arrays, {**header, "training": pipeline.record}


def fields_of(arrays: _Arrays, header: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the pipeline that a model file holds."""
    fields: dict[str, Any] = {
        "tokenizer": None,
        "lemmatizer": None,
        "record": table(header["training"], "training"),
    }
    shared = "tagger" in header and header["tagger"].get("network") == _SHARED
    for name, kind in COMPONENTS.items():
        if name in header and not (shared and kind is Tagger):
            fields[name] = kind.from_contents(_own(arrays, name), header[name])
    if shared:
        network = fields["parser"].network
        if network is None:
            raise ValueError("a tagger that shares the parser's network, which has none")
        own = tagger_fields(_own(arrays, "tagger"), header["tagger"], network)
        fields["tagger"] = Tagger(**own)
    if fields["tagger"].stages[0].column != "upos":
        raise ValueError("a tagger without UPOS")
    return fields


def _own(arrays: _Arrays, component: str) -> _Arrays:
    start = f"{component}."
    return {key.removeprefix(start): x for key, x in arrays.items() if key.startswith(start)}
