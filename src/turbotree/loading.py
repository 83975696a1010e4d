"""Loading a model without knowing what kind it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from turbotree.errors import ModelFileError
from turbotree.modelfile import read_model

if TYPE_CHECKING:
    from turbotree.labeling import Tagger
    from turbotree.parsing import Parser
    from turbotree.pipeline import Pipeline


def load(path: str | os.PathLike[str]) -> Parser | Tagger | Pipeline:
    """Map a model into memory: a parser, a tagger or a pipeline, as its file says.

    Raises
    ------
    ModelFileError
        If the file is missing or damaged, or holds something else.

    Examples
    --------
    >>> import tempfile
    >>> from turbotree import Tagger
    >>> from turbotree.text import treebank
    >>> path = tempfile.mkdtemp() + "/small.safetensors"
    >>> Tagger.train(treebank(20, seed=1), task="tag", epochs=1).save(path)
    >>> type(load(path)).__name__
    'Tagger'
    """
    kind = read_model(path).kind
    # Imported here: a tagger does not wait for what only parsers need.
    if kind == "parser":
        from turbotree.parsing import Parser

        return Parser.load(path)
    if kind == "tagger":
        from turbotree.labeling import Tagger

        return Tagger.load(path)
    if kind == "pipeline":
        from turbotree.pipeline import Pipeline

        return Pipeline.load(path)
    raise ModelFileError(
        f"{os.fspath(path)}: is a {kind!r} model, expected a parser, a tagger or a pipeline"
    )
