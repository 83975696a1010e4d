"""The labeller as an estimator of scikit-learn: ``fit``, ``predict``, ``score``.

Needs scikit-learn: ``pip install scikit-learn``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from turbotree.errors import InputError, MissingExtraError
from turbotree.labeling import Tagger
from turbotree.text import Layout, Sentence

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtraError(
        "turbotree.integrations.sklearn needs scikit-learn: pip install scikit-learn"
    ) from error

#: A word: its form, or its columns by name (``{"form": "Birds", "xpos": "NNS"}``).
Word = str | dict[str, str]
_LABEL = "label"


class SequenceTagger(BaseEstimator):
    """A tagger of sentences, each a list of words.

    A word is a string, or a dict of columns of which ``form`` is one; all words have the same.
    Labels are a list of strings per sentence.

    Parameters
    ----------
    task : {"tag", "chunk", "entities"}
        Which templates are the usual ones, and whether labels are spans (``B-NP``, ``I-NP``, O).
    loss, epochs, largest_step, seed
        As for :class:`turbotree.labeling.TaggerOptions`.

    Examples
    --------
    >>> X = [["birds", "sing"], ["dogs", "bark"], ["birds", "bark"]] * 5
    >>> y = [["N", "V"]] * 15
    >>> tagger = SequenceTagger(task="tag", epochs=3).fit(X, y)
    >>> tagger.predict([["dogs", "sing"]])
    [['N', 'V']]
    >>> tagger.score(X, y)
    1.0
    """

    def __init__(
        self,
        task: str = "tag",
        *,
        loss: str | None = None,
        epochs: int | None = None,
        largest_step: float | None = None,
        seed: int = 1,
    ) -> None:
        self.task = task
        self.loss = loss
        self.epochs = epochs
        self.largest_step = largest_step
        self.seed = seed

    def fit(self, X: Sequence[Sequence[Word]], y: Sequence[Sequence[str]]) -> SequenceTagger:  # noqa: N803
        """Train on sentences and their labels."""
        if len(X) != len(y):
            raise InputError(f"{len(X)} sentences but the labels of {len(y)}")
        self.columns_ = _columns(X)
        sentences = [
            _sentence(words, self.columns_, labels, number)
            for number, (words, labels) in enumerate(zip(X, y, strict=True), 1)
        ]
        self.tagger_ = Tagger.train(
            sentences,
            task=self.task,
            label=_LABEL,
            loss=self.loss,
            epochs=self.epochs,
            largest_step=self.largest_step,
            seed=self.seed,
        )
        self.classes_ = np.unique([label for labels in y for label in labels])
        return self

    def predict(self, X: Sequence[Sequence[Word]]) -> list[list[str]]:  # noqa: N803
        """Return the labels of each sentence."""
        return [list(tagging.labels) for tagging in self._taggings(X)]

    def predict_marginals(
        self,
        X: Sequence[Sequence[Word]],  # noqa: N803
    ) -> list[list[dict[str, float]]]:
        """Return for each word of each sentence the probability of each label."""
        return [
            [dict(word) for word in tagging.distributions[_LABEL]] for tagging in self._taggings(X)
        ]

    def score(self, X: Sequence[Sequence[Word]], y: Sequence[Sequence[str]]) -> float:  # noqa: N803
        """Return the share of right labels."""
        right = total = 0
        for found, labels in zip(self.predict(X), y, strict=True):
            right += sum(a == b for a, b in zip(found, labels, strict=True))
            total += len(labels)
        return right / max(1, total)

    def _taggings(self, X: Sequence[Sequence[Word]]) -> Any:  # noqa: N803
        check_is_fitted(self, "tagger_")
        sentences = [
            _sentence(words, self.columns_, None, number) for number, words in enumerate(X, 1)
        ]
        return self.tagger_.pipe(sentences)


def _columns(X: Sequence[Sequence[Word]]) -> tuple[str, ...]:  # noqa: N803
    first = next((word for words in X for word in words), None)
    if first is None:
        raise InputError("no words to learn from")
    if isinstance(first, str):
        return ("form",)
    if "form" not in first:
        raise InputError(f"a word's columns are {', '.join(first)}; expected 'form' among them")
    return tuple(first)


def _sentence(
    words: Sequence[Word], columns: tuple[str, ...], labels: Sequence[str] | None, number: int
) -> Sentence:
    where = f"sentence {number}"
    if not words:
        raise InputError(f"{where}: no words")
    if labels is not None and len(labels) != len(words):
        raise InputError(f"{where}: {len(words)} words but {len(labels)} labels")
    rows = []
    for i, word in enumerate(words):
        cells = {"form": word} if isinstance(word, str) else word
        if tuple(cells) != columns:
            raise InputError(
                f"{where}: word {i + 1} has the columns {', '.join(cells)}; "
                f"expected {', '.join(columns)}"
            )
        row = [*cells.values(), labels[i] if labels is not None else "_"]
        if any(not cell or "\t" in cell or "\n" in cell for cell in row):
            raise InputError(f"{where}: word {i + 1} has a column that is empty or holds a TAB")
        rows.append("\t".join(row))
    layout = Layout("words", (*columns, _LABEL), "\t")
    return Sentence("\n".join(rows) + "\n\n", layout)
