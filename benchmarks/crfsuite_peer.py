"""python-crfsuite with the templates of turbotree, its features made in Python."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from turbotree.features.attributes import Word, reader_of
from turbotree.labeling.model import split_templates
from turbotree.text import Sentence

_ATOM = re.compile(r"w([+-]\d+)?\.(\w+)")


class FeatureExtractor:
    """Makes strings of the templates of one label; crfsuite has the label bigrams by itself.

    Templates of two labels and the words around have no counterpart in crfsuite and are omitted.
    """

    def __init__(self, templates: Sequence[str]) -> None:
        single, _ = split_templates(templates)
        self._templates = [
            [(int(offset or 0), name) for offset, name in _ATOM.findall(text)] for text in single
        ]
        names = {name for template in self._templates for _, name in template}
        self._readers = {name: reader_of(name) for name in names}
        self._known: dict[Word, dict[str, str]] = {}

    def __call__(self, sentence: Sentence) -> list[list[str]]:
        """Return the features of each word."""
        words = zip(
            sentence.forms,
            sentence.lemmas,
            sentence.upos,
            sentence.xpos,
            sentence.feats,
            strict=True,
        )
        values = [self._values(word) for word in words]
        last = len(values)
        rows = []
        for place in range(last):
            row = []
            for number, template in enumerate(self._templates):
                parts = [str(number)]
                for offset, name in template:
                    at = place + offset
                    parts.append(values[at][name] if 0 <= at < last else "<>")
                row.append("|".join(parts))
            rows.append(row)
        return rows

    def _values(self, word: Word) -> dict[str, str]:
        # As kind to the peer as to ourselves: attributes of a known word are not made again.
        if word not in self._known:
            self._known[word] = {name: read(word) for name, read in self._readers.items()}
        return self._known[word]


class CrfSuite:
    """One model, trained by L-BFGS as python-crfsuite does by default."""

    def __init__(self, templates: Sequence[str], column: str, iterations: int) -> None:
        self._extract = FeatureExtractor(templates)
        self._column = column
        self._iterations = iterations
        self._folder = tempfile.TemporaryDirectory()
        self._path = str(Path(self._folder.name) / "crfsuite.model")
        self._tagger: Any = None

    def train(self, sentences: Sequence[Sentence]) -> None:
        """Train and write the model."""
        import pycrfsuite

        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"max_iterations": self._iterations})
        for sentence in sentences:
            trainer.append(self._extract(sentence), sentence.column(self._column))
        trainer.train(self._path)
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open(self._path)

    def count_features(self) -> int:
        """Count the state and transition features of the model."""
        info = self._tagger.info()
        return len(info.state_features) + len(info.transitions)

    def tag(self, sentences: Sequence[Sentence]) -> list[list[str]]:
        """Label sentences, making their features again."""
        return [self._tagger.tag(self._extract(sentence)) for sentence in sentences]
