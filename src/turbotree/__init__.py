"""Dependency parsing with probabilities, and structured prediction with global constraints.

>>> import turbotree as tt
>>> sentence = tt.Sentence.from_words(["Birds", "sing"], heads=[2, 0])
>>> tt.text.check_tree(sentence)
(2, 0)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turbotree import (
        chains,
        errors,
        evaluation,
        features,
        graphs,
        labeling,
        learning,
        modelfile,
        parsing,
        pipeline,
        serving,
        text,
        trees,
    )
    from turbotree.errors import (
        InfeasibleError,
        InputError,
        MissingExtraError,
        ModelFileError,
        TurbotreeError,
    )
    from turbotree.graphs import FactorGraph
    from turbotree.labeling import Tagger, Tagging
    from turbotree.loading import load
    from turbotree.parsing import Decoded, Parse, Parser, decode
    from turbotree.pipeline import Pipeline
    from turbotree.text import Sentence

__version__ = "0.2.0"

__all__ = [
    "Decoded",
    "FactorGraph",
    "InfeasibleError",
    "InputError",
    "MissingExtraError",
    "ModelFileError",
    "Parse",
    "Parser",
    "Pipeline",
    "Sentence",
    "Tagger",
    "Tagging",
    "TurbotreeError",
    "__version__",
    "chains",
    "decode",
    "errors",
    "evaluation",
    "features",
    "graphs",
    "labeling",
    "learning",
    "load",
    "modelfile",
    "parsing",
    "pipeline",
    "serving",
    "text",
    "trees",
]

# Packages and names are loaded when first asked for, so that `import turbotree` costs nothing.
_HOMES = {
    "FactorGraph": "graphs",
    "InfeasibleError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "ModelFileError": "errors",
    "Parse": "parsing",
    "Parser": "parsing",
    "Pipeline": "pipeline",
    "Sentence": "text",
    "Decoded": "parsing",
    "Tagger": "labeling",
    "Tagging": "labeling",
    "decode": "parsing",
    "TurbotreeError": "errors",
    "load": "loading",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in __all__:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
