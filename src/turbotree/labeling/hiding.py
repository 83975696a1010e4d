"""Training on words of which not everything can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from turbotree.features import Encoded
from turbotree.features.encoder import RARE_ID
from turbotree.labeling.model import IntArray
from turbotree.labeling.tasks import ChainProblem, ChainTask


class HidingTask:
    """A training set in which some attributes of the words are hidden, others in each round.

    What is hidden looks like a value that training has not met. So the model learns what to make
    of such values, and not to rely on one that tells it all, such as a name it knows by heart.

    Parameters
    ----------
    task
        The whole task; what is not asked for by round is as it is there.
    encoded, labels
        Its sentences and their labels.
    share
        How many of the attributes are hidden, from 0 to less than 1.
    seed
        Decides which.
    """

    def __init__(
        self,
        task: ChainTask,
        encoded: Sequence[Encoded],
        labels: Sequence[IntArray],
        share: float,
        seed: int,
    ) -> None:
        self._task = task
        self._encoded = encoded
        self._labels = labels
        self._share = share
        self._seed = seed

    def __len__(self) -> int:
        return len(self._task)

    def problem(self, index: int) -> ChainProblem:
        """Return one sentence's problem, with nothing hidden."""
        return self._task.problem(index)

    def problem_in_round(self, index: int, number: int) -> ChainProblem:
        """Return one sentence's problem as it is in some round of training."""
        encoded = self._encoded[index]
        random = np.random.default_rng([self._seed, number, index])
        hidden = random.random(encoded.ids.shape) < self._share
        hidden[:, 0] = False  # the root, which is no word
        seen = replace(encoded, ids=np.where(hidden, np.int32(RARE_ID), encoded.ids))
        return self._task.of(seen, self._labels[index])
