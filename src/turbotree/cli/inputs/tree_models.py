"""Models that find trees: parsers, and pipelines, which tag the words first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from turbotree.errors import ModelFileError
from turbotree.loading import load
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.text import Sentence

#: Gives sentences the tags and lemmas that a parser is to see.
Prepare = Callable[[Iterable[Sentence]], Iterator[Sentence]]


def tree_finder(path: Path) -> Parser | Pipeline:
    """Load a model that finds trees."""
    model = load(path)
    if isinstance(model, Parser | Pipeline):
        return model
    raise ModelFileError(f"{path}: is a tagger, expected a parser or a pipeline, which find trees")


def tree_model(path: Path) -> tuple[Parser, Prepare]:
    """Load a parser, or that of a pipeline, and what makes sentences ready for it."""
    model = tree_finder(path)
    return (model, iter) if isinstance(model, Parser) else (model.parser, model.tag_stream)
