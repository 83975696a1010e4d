"""The networks' arithmetic once more, in numpy with 64 bits and without a thought for speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def distance_bucket(head: int, modifier: int) -> int:
    if head == 0:
        return 0
    distance = abs(head - modifier)
    ends = [1, 2, 3, 4, 5, 7, 10, 15, 25]
    bucket = next((i for i, end in enumerate(ends) if distance <= end), len(ends))
    return 1 + 2 * bucket + (head < modifier)


def sigmoid(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-x))


def log_softmax(x: Array) -> Array:
    top = x.max()
    return x - top - np.log(np.exp(x - top).sum())


def lstm(x: Array, weights: dict[str, Array], name: str, backward: bool) -> Array:
    size = len(weights[f"{name}.recurrent"])
    hidden, cell = np.zeros(size), np.zeros(size)
    rows = []
    for row in x[::-1] if backward else x:
        gates = row @ weights[f"{name}.input"] + hidden @ weights[f"{name}.recurrent"]
        gates = gates + weights[f"{name}.bias"][0]
        into, forget, candidate, out = np.split(gates, 4)
        cell = sigmoid(into) * np.tanh(candidate) + sigmoid(forget) * cell
        hidden = sigmoid(out) * np.tanh(cell)
        rows.append(hidden)
    return np.array(rows[::-1] if backward else rows)


@dataclass
class Reference:
    """A network given by named matrices, the inputs' arrays and the pretrained vectors."""

    weights: dict[str, Array]
    arrays: dict[str, Array]
    vectors: Array | None = None

    def embed(self, token: int) -> Array:
        arrays, weights = self.arrays, self.weights
        parts = [weights["words"][arrays["words"][token]]]
        for table, kind, starts in (
            ("surfaces", "forms", "surface_starts"),
            ("tags", "bundles", "tag_starts"),
        ):
            number = arrays[kind][token]
            rows = arrays[table][arrays[starts][number] : arrays[starts][number + 1]]
            parts.append(weights[table][rows].sum(axis=0) / np.sqrt(max(1, len(rows))))
        parts.append(weights["lemmas"][arrays["lemmas"][token]])
        if self.vectors is not None:
            parts.append(self.vectors[arrays["vectors"][token]] @ weights["projection"])
        return np.concatenate(parts)

    def activations(self, sentence: int) -> Array:
        """What comes out of all perceptrons, one row per word."""
        begin, end = self.arrays["starts"][sentence : sentence + 2]
        x = np.array([self.embed(token) for token in range(begin, end)])
        layer = 1
        while f"lstm{layer}.forward.input" in self.weights:
            x = np.concatenate(
                [
                    lstm(x, self.weights, f"lstm{layer}.{name}", name == "backward")
                    for name in ("forward", "backward")
                ],
                axis=1,
            )
            layer += 1
        values = x @ self.weights["perceptrons"] + self.weights["perceptrons.bias"]
        return np.where(values < 0, 0.1 * values, values)

    def perceptrons(self, sentence: int) -> tuple[Array, Array, Array, Array]:
        values = self.activations(sentence)
        arcs = self.weights["root.arc"].shape[1]
        size = self.weights["root.label"].shape[1]
        ends = np.cumsum([arcs, arcs, size, size])  # what columns go by comes behind
        arc_heads, modifiers, label_heads, label_modifiers, _ = np.split(values, ends, axis=1)
        return (
            np.concatenate([self.weights["root.arc"], arc_heads]),
            modifiers,
            np.concatenate([self.weights["root.label"], label_heads]),
            label_modifiers,
        )

    def columns(self, sentence: int, sizes: list[int]) -> list[Array]:
        """Log-probabilities [word, label] of each column."""
        own = self.activations(sentence)[:, -len(self.weights["column"]) :]
        scores = own @ self.weights["column"] + self.weights["column.bias"]
        parts = np.split(scores, np.cumsum(sizes)[:-1], axis=1)
        return [np.array([log_softmax(row) for row in own]) for own in parts]

    def column_loss(self, golds: Array, sizes: list[int]) -> float:
        """The mean loss per word with a known label; golds are [word, column]."""
        total, starts = 0.0, self.arrays["starts"]
        for sentence in range(len(starts) - 1):
            for column, rows in enumerate(self.columns(sentence, sizes)):
                for row, gold in zip(rows, golds[starts[sentence] :, column], strict=False):
                    total -= row[gold] if gold >= 0 else 0.0
        return total / int((golds >= 0).any(axis=1).sum())

    def scores(self, sentence: int) -> tuple[Array, Array]:
        """Scores [modifier - 1, head] of arcs, and [modifier - 1, head, label] of labels."""
        weights = self.weights
        heads, modifiers, label_heads, label_modifiers = self.perceptrons(sentence)
        arcs = (modifiers @ weights["arc"] + weights["arc.bias"]) @ heads.T
        for m in range(len(modifiers)):
            for h in range(len(heads)):
                arcs[m, h] += weights["distance"][0, distance_bucket(h, m + 1)]
            arcs[m, m + 1] = -np.inf
        size, count = label_modifiers.shape[1], weights["label.bias"].shape[1]
        bilinear = weights["label"].reshape(size, count, size)
        labels = np.einsum("mi,ilj,hj->mhl", label_modifiers, bilinear, label_heads)
        labels += (label_modifiers @ weights["label.modifier"])[:, None]
        labels += (label_heads @ weights["label.head"])[None]
        return arcs, labels + weights["label.bias"][0]

    def loss(self, heads: Array, labels: Array) -> float:
        """The mean loss per word whose head is known."""
        total = 0.0
        starts = self.arrays["starts"]
        for sentence in range(len(starts) - 1):
            arc_scores, label_scores = self.scores(sentence)
            for m, token in enumerate(range(starts[sentence], starts[sentence + 1])):
                if heads[token] >= 0:
                    total -= log_softmax(arc_scores[m])[heads[token]]
                    if labels[token] >= 0:
                        total -= log_softmax(label_scores[m, heads[token]])[labels[token]]
        return total / int((heads >= 0).sum())


def named(blocks: list[tuple[str, int, int]], flat: Array) -> dict[str, Array]:
    """The matrices of a flat array, as views of it."""
    matrices, at = {}, 0
    for name, rows, columns in blocks:
        matrices[name] = flat[at : at + rows * columns].reshape(rows, columns)
        at += rows * columns
    return matrices
