"""A network in a model file, and back: its weights take 8 or 16 bits there.

With 8 bits, each row of an embedding table and each column of other matrices has a scale of its
own: the largest weight of it is 127 steps. Vectors of biases are kept whole.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.files.headers import shown, table, texts
from turbotree.files.safetensors import Array
from turbotree.networks.network import Network, sizes_of
from turbotree.networks.options import NetworkOptions
from turbotree.networks.vectors import WordVectors
from turbotree.networks.vocabulary import Vocabulary

_TABLES = ("words", "surfaces", "tags", "lemmas")
_VOCABULARIES = ("words", "lemmas", "tags")
_STEPS = 127
#: What is smaller counts as 0: single precision has no scale for it.
_SMALLEST = 1e-30

#: Options that say how large a network is; the others are about its training.
_SIZES = (
    *("layers", "hidden", "arc_size", "label_size", "column_size", "word_size", "surface_size"),
    *("tag_size", "lemma_size", "vector_size", "surface_buckets"),
)

Floats = npt.NDArray[np.float32]


def contents(network: Network) -> tuple[dict[str, Array], dict[str, Any]]:
    """Return what a model file holds of a network: arrays, and a header."""
    arrays: dict[str, Array] = {}
    for name, own in network.matrices():
        arrays |= _packed(f"weights.{name}", own, name in _TABLES, network.bits)
    for name in _VOCABULARIES:
        arrays[f"vocabulary.{name}"] = _joined(getattr(network.vocabulary, name))
    source: dict[str, Any] = {}
    if network.vectors is not None:
        arrays |= _packed("vectors", network.vectors.table[1:], True, 8)
        arrays["vocabulary.vectors"] = _joined(network.vectors.words)
        source = {"file": network.vectors.name, "licence": network.vectors.licence}
    return arrays, {
        "bits": network.bits,
        "options": network.options.to_dict(),
        "labels": network.vocabulary.labels,
        # Lists keep the order of the columns, which that of the weights goes by.
        **({"columns": [[*pair] for pair in network.columns.items()]} if network.columns else {}),
        **({} if network.vectors is None else {"vectors": source}),
    }


def network_of(arrays: dict[str, Array], header: dict[str, Any]) -> Network:
    """Return the network of a model file; what does not fit is a ValueError."""
    options = _options(header.get("options"))
    bits = header.get("bits")
    if type(bits) is not int or bits not in (8, 16):
        raise ValueError(f"bits: expected 8 or 16, got {shown(bits)}")
    words, lemmas, tags = (_parted(arrays, f"vocabulary.{name}") for name in _VOCABULARIES)
    columns = _columns(header.get("columns", []))
    given = header.get("labels")
    relations = [] if columns and not given else _labels(given)
    vocabulary = Vocabulary(words, lemmas, tags, relations, columns)
    vectors = None
    if "vocabulary.vectors" in arrays:
        known = _parted(arrays, "vocabulary.vectors")
        source = table(header.get("vectors", {}), "vectors")  # older files do not tell
        licence = source.get("licence")
        vectors = WordVectors(
            known,
            _unpacked(arrays, "vectors", None, True, 8),
            name=_text(source.get("file", ""), "vectors: file"),
            licence=None if licence is None else _text(licence, "vectors: licence"),
        )
    sizes = sizes_of(vocabulary, options, vectors)
    weights = [
        _unpacked(arrays, f"weights.{name}", (rows, columns), name in _TABLES, bits)
        for name, rows, columns in sizes.blocks()
    ]
    flat = np.concatenate([own.ravel() for own in weights])
    return Network(vocabulary, options, flat, vectors=vectors, bits=bits)


def rounded(network: Network, bits: int) -> Network:
    """Return a network with the weights that a file with so many bits would give back."""
    if bits not in (8, 16):
        raise InputError(f"bits is {bits}; expected 8 or 16")
    weights = []
    for name, own in network.matrices():
        arrays = _packed(name, own, name in _TABLES, bits)
        weights.append(_unpacked(arrays, name, own.shape, name in _TABLES, bits).ravel())
    vectors = network.vectors
    if vectors is not None:
        arrays = _packed("vectors", vectors.table[1:], True, 8)
        vectors = WordVectors(
            vectors.words,
            _unpacked(arrays, "vectors", None, True, 8),
            name=vectors.name,
            licence=vectors.licence,
        )
    return Network(
        network.vocabulary, network.options, np.concatenate(weights), vectors=vectors, bits=bits
    )


def _packed(name: str, values: Floats, by_row: bool, bits: int) -> dict[str, Array]:
    if len(values) == 1 and not by_row:
        return {name: values}
    if bits == 16:
        return {name: values.astype(np.float16)}
    largest = np.abs(values).max(axis=1 if by_row else 0, initial=0.0)
    scale = (np.where(largest > _SMALLEST, largest, 1.0) / _STEPS).astype(np.float32)
    steps = np.rint(values / (scale[:, None] if by_row else scale)).astype(np.int8)
    return {name: steps, f"{name}.scale": scale}


def _unpacked(
    arrays: dict[str, Array], name: str, shape: tuple[int, ...] | None, by_row: bool, bits: int
) -> Floats:
    values = arrays[name]
    whole = shape is not None and shape[0] == 1 and not by_row
    expected = np.float32 if whole else np.float16 if bits == 16 else np.int8
    if values.dtype != expected or values.ndim != 2 or shape not in (None, values.shape):
        raise ValueError(f"{name}: an array of {values.dtype} with the shape {values.shape}")
    if values.dtype != np.int8:
        return values.astype(np.float32)
    scale = arrays[f"{name}.scale"]
    if scale.dtype != np.float32 or scale.shape != (values.shape[0 if by_row else 1],):
        raise ValueError(f"{name}.scale: an array of {scale.dtype} with the shape {scale.shape}")
    with np.errstate(all="ignore"):  # what is not finite is refused later
        return values * (scale[:, None] if by_row else scale)


def _joined(names: list[str]) -> Array:
    return np.frombuffer("\n".join(names).encode(), dtype=np.uint8)


def _parted(arrays: dict[str, Array], name: str) -> list[str]:
    array = arrays[name]
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"{name}: expected bytes, got {array.dtype}")
    joined = array.tobytes().decode()
    names = joined.split("\n") if joined else []
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: the same name twice")
    return names


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected text, got {shown(value)}")
    return value


def _labels(value: Any) -> list[str]:
    labels = texts(value, "labels")
    if not labels or len(set(labels)) != len(labels):
        raise ValueError(f"labels: expected different ones, got {shown(labels)}")
    return labels


def _columns(value: Any) -> dict[str, list[str]]:
    if not isinstance(value, list) or not all(isinstance(x, list) and len(x) == 2 for x in value):
        raise ValueError(f"columns: expected names with labels, got {shown(value)}")
    names = texts([name for name, _ in value], "columns")
    if len(set(names)) != len(names):
        raise ValueError("columns: the same name twice")
    return {name: _labels(labels) for name, (_, labels) in zip(names, value, strict=True)}


def _options(value: Any) -> NetworkOptions:
    given = dict(table(value, "options"))
    known = {field.name for field in fields(NetworkOptions)}
    given.setdefault("column_size", NetworkOptions().column_size)  # older files have none
    for name in _SIZES:
        if type(given.get(name)) is not int or not 0 <= given[name] <= 2**26:
            raise ValueError(f"options: {name} is {shown(given.get(name))}")
    return NetworkOptions(**{name: own for name, own in given.items() if name in known})
