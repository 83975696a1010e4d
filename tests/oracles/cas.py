"""Documents as INCEpTION sends them: types, text, words, and what its annotators have drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
SENTENCE = f"{DKPRO}segmentation.type.Sentence"
TOKEN = f"{DKPRO}segmentation.type.Token"
LEMMA = f"{DKPRO}segmentation.type.Lemma"
POS = f"{DKPRO}lexmorph.type.pos.POS"
MORPHOLOGY = f"{DKPRO}lexmorph.type.morph.MorphologicalFeatures"
DEPENDENCY = f"{DKPRO}syntax.type.dependency.Dependency"
PREDICTED = "inception_internal_predicted"

_TEXT, _NUMBER, _TRUTH = "uima.cas.String", "uima.cas.Double", "uima.cas.Boolean"
_FEATURES = {
    SENTENCE: {"id": _TEXT},
    LEMMA: {"value": _TEXT},
    POS: {"PosValue": _TEXT, "coarseValue": _TEXT},
    MORPHOLOGY: {"value": _TEXT, "number": _TEXT},
    TOKEN: {"lemma": LEMMA, "pos": POS, "morph": MORPHOLOGY, "order": "uima.cas.Integer"},
    DEPENDENCY: {"Governor": TOKEN, "Dependent": TOKEN, "DependencyType": _TEXT, "flavor": _TEXT},
    "de.tudarmstadt.ukp.clarin.webanno.api.type.CASMetadata": {
        "username": _TEXT,
        "projectId": "uima.cas.Long",
        "sourceDocumentId": "uima.cas.Long",
    },
    "custom.Relation": {"Governor": POS, "Dependent": POS, "label": _TEXT},
    "custom.Any": {
        "Governor": "uima.tcas.Annotation",
        "Dependent": "uima.tcas.Annotation",
        "label": _TEXT,
    },
    "custom.Words": {"XPOS": _TEXT, "mood": _TEXT},
}


def type_system(predicted: bool = True) -> Any:
    """The types of a project; to layers INCEpTION adds what suggestions need."""
    from cassis import TypeSystem

    types = TypeSystem()
    for name in _FEATURES:
        types.create_type(name)
    for name, features in _FEATURES.items():
        kind = types.get_type(name)
        for feature, range_type in features.items():
            types.create_feature(kind, feature, range_type)
            if predicted and range_type == _TEXT:
                types.create_feature(kind, f"{feature}_score", _NUMBER)
                types.create_feature(kind, f"{feature}_score_explanation", _TEXT)
                types.create_feature(kind, f"{feature}_auto_accept", _TEXT)
        if predicted:
            types.create_feature(kind, PREDICTED, _TRUTH)
    return types


def cas_of(
    sentences: Iterable[Sequence[str]],
    *,
    types: Any = None,
    tags: Iterable[Sequence[str]] | None = None,
) -> Any:
    """A document with these sentences, with tags if they are given."""
    from cassis import Cas

    types = types or type_system()
    sentences = list(sentences)
    cas = Cas(types)
    cas.sofa_string = "\n".join(" ".join(words) for words in sentences) + "\n"
    cas.sofa_mime = "text/plain"
    begin = 0
    rows = [list(row) for row in tags] if tags is not None else [[""] * len(s) for s in sentences]
    for words, row in zip(sentences, rows, strict=True):
        length = len(" ".join(words))
        cas.add(types.get_type(SENTENCE)(begin=begin, end=begin + length))
        at = begin
        for number, (word, tag) in enumerate(zip(words, row, strict=True)):
            token = types.get_type(TOKEN)(begin=at, end=at + len(word), order=number)
            if tag:
                token.pos = types.get_type(POS)(
                    begin=at, end=at + len(word), PosValue=tag, coarseValue=tag
                )
                cas.add(token.pos)
            cas.add(token)
            at += len(word) + 1
        begin += length + 1
    return cas


def draw(cas: Any, head: int, word: int, label: str | None, *, layer: str = DEPENDENCY) -> None:
    """Draw a relation between two words of the document (from 0); the root is its own head."""
    tokens = cas.select(TOKEN)
    kind = cas.typesystem.get_type(layer)
    ends = [tokens[head], tokens[word]]
    if layer != DEPENDENCY:
        ends = [token.pos for token in ends]
    feature = "DependencyType" if layer == DEPENDENCY else "label"
    cas.add(
        kind(
            begin=tokens[word].begin,
            end=tokens[word].end,
            Governor=ends[0],
            Dependent=ends[1],
            **{feature: label},
        )
    )


def metadata(
    layer: str = DEPENDENCY, feature: str = "DependencyType", **more: Any
) -> dict[str, Any]:
    """What INCEpTION tells of a request."""
    return {
        "layer": layer,
        "feature": feature,
        "projectId": 1337,
        "anchoringMode": "tokens",
        "crossSentence": False,
        **more,
    }


def predict_request(
    cas: Any, layer: str = DEPENDENCY, feature: str = "DependencyType", **more: Any
) -> dict[str, Any]:
    """A request for suggestions."""
    return {
        "metadata": metadata(layer, feature, **more),
        "document": {"xmi": cas.to_xmi(), "documentId": 42, "userId": "ann"},
        "typeSystem": cas.typesystem.to_xml(),
    }


def train_request(
    casses: Iterable[Any], layer: str = DEPENDENCY, feature: str = "DependencyType"
) -> dict[str, Any]:
    """A request to learn from documents."""
    casses = list(casses)
    return {
        "metadata": metadata(layer, feature, range={"begin": 0, "end": 10}),
        "documents": [
            {"xmi": cas.to_xmi(), "documentId": number, "userId": "ann"}
            for number, cas in enumerate(casses)
        ],
        "typeSystem": casses[0].typesystem.to_xml(),
    }


def suggested(xmi: str, types: Any, layer: str = DEPENDENCY) -> list[Any]:
    """The suggestions in an answer, as INCEpTION reads them."""
    from cassis import load_cas_from_xmi

    return [one for one in load_cas_from_xmi(xmi, types).select(layer) if one.get(PREDICTED)]
