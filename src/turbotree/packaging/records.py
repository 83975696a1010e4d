"""What the header of a model file tells of its training.

A header may come from another program, so nothing in it is trusted: what is not as expected counts
as not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from turbotree.modelfile import ModelHeader

#: The components of a pipeline that have records of their own.
_RECORDED = ("tagger", "parser")


def licence_of(about: ModelHeader) -> str | None:
    """Return the licence of the data, in one line; None if the model names none.

    >>> licence_of(_example({"options": {"licence": " CC BY-SA 4.0\\n"}}))
    'CC BY-SA 4.0'
    >>> licence_of(_example({}))
    """
    given = _table(_table(about.header.get("training")).get("options")).get("licence")
    return (" ".join(given.split()) or None) if isinstance(given, str) else None


def with_licence(header: Mapping[str, Any], licence: str) -> dict[str, Any]:
    """Return a header that names a licence.

    >>> with_licence({"training": {"sentences": 2}}, "CC0")
    {'training': {'sentences': 2, 'options': {'licence': 'CC0'}}}
    """
    training = _table(header.get("training"))
    options = {**_table(training.get("options")), "licence": licence}
    return {**header, "training": {**training, "options": options}}


def trained_on(about: ModelHeader) -> dict[str, int]:
    """Return the numbers of sentences and words in the training data, as far as recorded.

    >>> trained_on(_example({"sentences": 12, "words": 140}))
    {'sentences': 12, 'words': 140}
    """
    training = _table(about.header.get("training"))
    counts = {name: training.get(name) for name in ("sentences", "words")}
    return {name: count for name, count in counts.items() if type(count) is int}


def vectors_of(about: ModelHeader) -> dict[str, Any]:
    """Return what is recorded of pretrained word vectors; nothing if the model has none.

    >>> vectors_of(_example({"vectors": {"file": "wiki.vec", "count": 3}}))
    {'file': 'wiki.vec', 'count': 3}
    """
    return _table(_table(about.header.get("training")).get("vectors"))


def vectors_text(vectors: Mapping[str, Any]) -> str:
    """Say what word vectors these are, and under which licence.

    >>> vectors_text({"file": "wiki.vec", "count": 20000, "size": 100, "licence": "CC BY-SA 3.0"})
    '20,000 of size 100 from wiki.vec; licence: CC BY-SA 3.0'
    >>> vectors_text({"file": "wiki.vec"})
    'from wiki.vec; licence: not given'
    """
    count, size = vectors.get("count"), vectors.get("size")
    known = f"{count:,} of size {size} " if type(count) is int and type(size) is int else ""
    licence = " ".join(str(vectors.get("licence") or "not given").split())
    return f"{known}from {vectors.get('file') or 'an unnamed file'}; licence: {licence}"


def dev_scores(about: ModelHeader) -> dict[str, float]:
    """Return the scores on development data after the last epochs, in per cent.

    Those of a network and of features are scores of each alone, and say so.

    >>> dev_scores(_example({"parts": [{"scores": {"dev UAS": 86.9}}]}))
    {'UAS': 86.9}
    >>> both = {"parts": [{"scores": {"dev UAS": 86}}], "network": [{"scores": {"dev UAS": 88}}]}
    >>> dev_scores(_example(both))
    {'UAS of the network': 88.0, 'UAS of the features': 86.0}
    """
    found: dict[str, float] = {}
    for training in _records(about).values():
        for column, epochs in _table(training.get("stages")).items():
            for name, score in _last_scores(epochs):
                found[column if name == "accuracy" else f"{column} {name}"] = score
        networked, featured = "network" in training, "parts" in training
        for name, score in _last_scores(training.get("network")):
            found[f"{name} of the network" if featured else name] = score
        for name, score in _last_scores(training.get("parts")):
            found[f"{name} of the features" if networked else name] = score
        found.update(_last_scores(training.get("labels")))
    return found


def options_of(about: ModelHeader) -> dict[str, dict[str, Any]]:
    """Return the options of training, by component; those of the whole model come first.

    >>> options_of(_example({"options": {"epochs": 3, "trim": None, "licence": "CC0"}}))
    {'parser': {'epochs': 3}}
    """
    chosen = {}
    for component, training in _records(about).items():
        options = _table(training.get("options"))
        # A licence is told elsewhere, and what is None was not chosen.
        chosen[component] = {
            name: value
            for name, value in options.items()
            if name != "licence" and value is not None
        }
    return {component: options for component, options in chosen.items() if options}


def _records(about: ModelHeader) -> dict[str, dict[str, Any]]:
    parts = {name: _table(about.header.get(name)) for name in _RECORDED}
    records = {about.kind: about.header.get("training")}
    if about.kind == "pipeline":
        records |= {name: part.get("training") for name, part in parts.items()}
    return {name: _table(record) for name, record in records.items()}


def _last_scores(epochs: Any) -> Iterator[tuple[str, float]]:
    if isinstance(epochs, list) and epochs:
        for name, score in _table(_table(epochs[-1]).get("scores")).items():
            if isinstance(score, int | float) and not isinstance(score, bool):
                yield name.removeprefix("dev "), float(score)


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _example(training: dict[str, Any]) -> ModelHeader:
    return ModelHeader("x", "parser", {"training": training}, 1, "0.1.0", "", 0)
