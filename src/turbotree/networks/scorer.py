"""A network as a source of scores beside others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from turbotree.errors import InputError
from turbotree.features import LabelledParts, Parts
from turbotree.networks.network import Network
from turbotree.scoring import Batch, PartScores

_FAMILIES = ("arc", "label")


class NetworkScorer:
    """Scores arcs and labels by a network's log-probabilities.

    The batch keeps the network's states: its BiLSTM runs once, however often scores are asked for.

    Parameters
    ----------
    network
        A trained network.
    families
        Which scores to give; the network's labels may be left to others.
    """

    def __init__(self, network: Network, families: tuple[str, ...] = _FAMILIES) -> None:
        self.network = network
        self._families = families

    @property
    def families(self) -> tuple[str, ...]:
        """The families that it scores."""
        return self._families

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return log-probabilities by family; other families have no entry."""
        own = {name: _arcs(parts[name]) for name in self._families if name in parts}
        return self.network.score(batch.of(self.network), own) if own else {}


class ColumnScorer:
    """Scores the labels of words by a network's log-probabilities, for one column of a tagger.

    Parameters
    ----------
    network
        The network of a tagger.
    column
        Which column.
    """

    families: tuple[str, ...] = ("word",)

    def __init__(self, network: Network, column: str) -> None:
        if column not in network.columns:
            raise InputError(f"a network without the column {column!r}")
        self.network, self.column = network, column

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return the log-probability of each label of each word; other families have no entry."""
        own = parts.get("word")
        if not isinstance(own, LabelledParts):
            return {}
        states = batch.of(self.network)
        values = self.network.column(states, self.column)
        starts = np.cumsum(states.lengths) - states.lengths
        words = np.repeat(starts, np.diff(own.offsets)) + own.rows[:, 0] - 1
        rows = np.repeat(words, np.diff(own.label_offsets))
        return {"word": values[rows, own.labels].astype(np.float64)}


def _arcs(parts: Parts) -> Parts:
    """Return parts whose first two words are head and modifier as these arcs alone."""
    if parts.rows.shape[1] == 2:
        return parts
    return replace(parts, rows=np.ascontiguousarray(parts.rows[:, :2]))
