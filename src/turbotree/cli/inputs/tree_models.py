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


def tree_model(path: Path) -> tuple[Parser, Prepare]:
    """Load a parser, or that of a pipeline, and what makes sentences ready for it."""
    model = load(path)
    if isinstance(model, Parser):
        return model, iter
    if isinstance(model, Pipeline):
        return model.parser, model.tag_stream
    raise ModelFileError(f"{path}: is a tagger, expected a parser or a pipeline, which find trees")
