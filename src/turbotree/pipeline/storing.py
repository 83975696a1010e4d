"""A pipeline in a model file, and back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from turbotree.errors import InputError, ModelFileError
from turbotree.labeling import Tagger
from turbotree.labeling import storing as tagger_storing
from turbotree.modelfile import read_model, write_model
from turbotree.parsing import Parser
from turbotree.parsing import storing as parser_storing
from turbotree.pipeline.lemmatizer import Lemmatizer
from turbotree.pipeline.tokenizer import Tokenizer

if TYPE_CHECKING:
    from turbotree.pipeline.pipeline import Pipeline

KIND = "pipeline"
COMPONENTS = ("tokenizer", "tagger", "lemmatizer", "parser")

_Arrays = dict[str, npt.NDArray[Any]]


def store(pipeline: Pipeline, path: str | os.PathLike[str]) -> None:
    """Write a pipeline to one file, whole or not at all."""
    parts = {
        "tagger": tagger_storing.contents(pipeline.tagger),
        "parser": parser_storing.contents(pipeline.parser),
    }
    if pipeline.tokenizer is not None:
        parts["tokenizer"] = pipeline.tokenizer.contents()
    if pipeline.lemmatizer is not None:
        parts["lemmatizer"] = pipeline.lemmatizer.contents()
    arrays = {
        f"{name}.{key}": array for name, (own, _) in parts.items() for key, array in own.items()
    }
    header = {name: facts for name, (_, facts) in parts.items()}
    write_model(path, arrays, {**header, "training": pipeline.record}, kind=KIND)


def load_fields(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Map a pipeline's file into memory; return the fields of the pipeline."""
    file = read_model(path, kind=KIND)
    header, name = file.header, os.fspath(path)
    try:
        tokenizer = lemmatizer = None
        if "tokenizer" in header:
            tokenizer = Tokenizer.from_contents(_own(file.arrays, "tokenizer"), header["tokenizer"])
        if "lemmatizer" in header:
            lemmatizer = Lemmatizer.from_contents(
                _own(file.arrays, "lemmatizer"), header["lemmatizer"]
            )
        tagger = Tagger(
            **tagger_storing.fields_of(_own(file.arrays, "tagger"), header["tagger"], name)
        )
        if tagger.stages[0].column != "upos":
            raise ValueError("a tagger without UPOS")
        return {
            "tokenizer": tokenizer,
            "tagger": tagger,
            "lemmatizer": lemmatizer,
            "parser": Parser(
                **parser_storing.fields_of(_own(file.arrays, "parser"), header["parser"], name)
            ),
            "record": header["training"],
        }
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        # The checksum holds, so this is a file that another program wrote in our name.
        raise ModelFileError(f"{name}: not a usable pipeline: {error!r}") from error


def _own(arrays: _Arrays, component: str) -> _Arrays:
    start = f"{component}."
    return {key.removeprefix(start): x for key, x in arrays.items() if key.startswith(start)}
