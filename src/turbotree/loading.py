"""Loading a model without knowing what kind it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from turbotree.errors import ModelFileError
from turbotree.modelfile import ModelFile, read_model

if TYPE_CHECKING:
    from turbotree.labeling import Tagger
    from turbotree.parsing import Parser
    from turbotree.pipeline import Pipeline


def load(path: str | os.PathLike[str]) -> Parser | Tagger | Pipeline:
    """Read a model into memory: a parser, a tagger or a pipeline, as its file says.

    Parameters
    ----------
    path
        A model file, or the name of a model that is bundled or that an installed package brings:
        ``"en"``.

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
    return model_of(read_model(path))


def model_of(file: ModelFile) -> Parser | Tagger | Pipeline:
    """Make the model of a file that was read."""
    # Imported here: a tagger does not wait for what only parsers need.
    if file.kind == "parser":
        from turbotree.parsing import Parser

        return Parser.from_file(file)
    if file.kind == "tagger":
        from turbotree.labeling import Tagger

        return Tagger.from_file(file)
    if file.kind == "pipeline":
        from turbotree.pipeline import Pipeline

        return Pipeline.from_file(file)
    raise ModelFileError(
        f"{file.path}: is a {file.kind!r} model, expected a parser, a tagger or a pipeline"
    )
