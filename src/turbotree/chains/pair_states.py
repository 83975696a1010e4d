"""Rows of words whose labels see the two labels before them: pairs of labels as states."""

from __future__ import annotations

import numpy as np

from turbotree.arrays import BoolArray, FloatArray, IntArray
from turbotree.chains.sequences import LabelMarginals, Transitions

#: Stands for the label before the first.
NO_LABEL = -1


class PairStates:
    """A chain of second order as one of first order, whose states are pairs of labels.

    The state of a word is its label and the one before; that of the first word is its label alone.
    Only states that share their label follow one another, so that every row of states is one row
    of labels.

    Parameters
    ----------
    transitions
        Which labels may follow one another.

    Attributes
    ----------
    states
        The chain of states: labels in the order of ``transitions`` alone, then its ``pairs``.
    triples
        For each pair of states that may follow one another, in their order: three labels, the
        first of which is ``NO_LABEL`` at the second word.

    Examples
    --------
    >>> pairs = PairStates(Transitions([[1, 1], [1, 0]]))
    >>> pairs.states.labels, pairs.triples.tolist()[0]
    (5, [-1, 0, 0])
    """

    def __init__(self, transitions: Transitions) -> None:
        self.transitions = transitions
        labels = transitions.labels
        firsts = np.concatenate([np.full(labels, NO_LABEL), transitions.pairs[:, 0]])
        #: The label of each state.
        self.labels: IntArray = np.concatenate(
            [np.arange(labels), transitions.pairs[:, 1]], dtype=np.int32
        )
        self._members = np.eye(labels)[self.labels]
        allowed = self.labels[:, None] == firsts[None, :]
        alone = firsts == NO_LABEL
        starts = alone & transitions.starts[self.labels]
        self.states = Transitions(allowed, starts, transitions.ends[self.labels])
        before, after = self.states.pairs.T
        self.triples: IntArray = np.stack(
            [firsts[before], self.labels[before], self.labels[after]], axis=1
        ).astype(np.int32)

    def spread(
        self,
        lengths: IntArray,
        node_scores: FloatArray,
        edge_scores: FloatArray,
        triple_scores: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the scores of states, and of states that follow one another.

        Parameters
        ----------
        lengths, node_scores, edge_scores
            As for :class:`~turbotree.chains.Transitions`.
        triple_scores
            For each word but the first of its row, one score for each of ``triples``.
        """
        labels = self.transitions.labels
        nodes, later = node_scores.reshape(-1, labels), _later(lengths)
        scores = nodes[:, self.labels]
        shape = (np.count_nonzero(later), len(self.transitions.pairs))
        scores[later, labels:] += edge_scores.reshape(shape)
        return scores.reshape(-1), triple_scores

    def gather(
        self, lengths: IntArray, found: LabelMarginals
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the probabilities of labels, pairs and triples, given those of states."""
        labels = self.transitions.labels
        states = found.node_probabilities.reshape(-1, self.states.labels)
        later = states[_later(lengths), labels:].reshape(-1)
        return self.of_labels(states).reshape(-1), later, found.edge_probabilities

    def of_labels(self, states: FloatArray) -> FloatArray:
        """Sum the probabilities of states by label, one row per word."""
        summed: FloatArray = states @ self._members
        return summed


def _later(lengths: IntArray) -> BoolArray:
    """Tell which words of some rows are not the first of theirs."""
    later = np.ones(int(np.sum(lengths)), dtype=bool)
    starts = np.cumsum(lengths) - lengths
    later[starts[np.asarray(lengths) > 0]] = False
    return later
