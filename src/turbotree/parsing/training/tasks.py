"""The training set of each stage of a parser: of all trees, or of one shard of them."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Protocol, TypeVar

from turbotree.arrays import IntArray
from turbotree.features import Parts, Weights
from turbotree.interrupts import Threads
from turbotree.learning import count_supported
from turbotree.parsing.arcs import Pruner
from turbotree.parsing.training.blueprint import Blueprint
from turbotree.parsing.training.label_task import LabelTask
from turbotree.parsing.training.part_task import PartTask
from turbotree.parsing.training.treebank import Treebank
from turbotree.scoring import SparseScorer

_T = TypeVar("_T")


class ParserTasks(Protocol):
    """What a trainer learns from, wherever the trees are.

    The stages come in their order, each with what the ones before it have learnt: the pruner
    leaves arcs for the parts, and both complete trees of which some heads are not known.
    """

    @property
    def one_at_a_time(self) -> bool:
        """Whether labels have to wait for the parts."""
        ...

    def pruner(self, model: SparseScorer) -> Sized:
        """Return the training set of the pruner."""
        ...

    def prune(self, pruner: Pruner) -> None:
        """Take note of what has become of the pruner."""
        ...

    def parts(self, model: SparseScorer) -> Sized:
        """Return the training set of the parts, on the arcs that the pruner leaves."""
        ...

    def count_supported(self, model: SparseScorer) -> int:
        """Count the features of right trees."""
        ...

    def complete(self, model: SparseScorer, weights: Weights) -> None:
        """Take note of what the parts have learnt."""
        ...

    def labels(self) -> Sized:
        """Return the training set of the labels."""
        ...


class LocalTasks:
    """The training sets of trees that are here.

    Parameters
    ----------
    blueprint
        Of the training data that the trees are a part of.
    data
        The trees.
    threads
        Threads to use.
    """

    def __init__(self, blueprint: Blueprint, data: Treebank, threads: int = 1) -> None:
        self._blueprint = blueprint
        self._data = data
        self._threads = threads
        self._candidates: list[Parts] = []

    @property
    def one_at_a_time(self) -> bool:
        """Labels belong to whole trees, which the parts may have to complete."""
        return not self._data.complete

    def pruner(self, model: SparseScorer) -> PartTask:
        """Return the training set of the pruner."""
        data, shape = self._data, self._blueprint.shape
        return PartTask(model, data.encoded, data.heads, shape, known=data.known)

    def prune(self, pruner: Pruner) -> None:
        """Complete the trees by the pruner; keep the arcs that it leaves of each."""
        self._complete(lambda i: pruner.complete(self._data.batch(i), self._data.heads[i]))
        data = self._data
        self._candidates = self._map(lambda i: pruner.candidates(data.batch(i), data.heads[i]))

    def parts(self, model: SparseScorer) -> PartTask:
        """Return the training set of the parts."""
        data, blueprint = self._data, self._blueprint
        return PartTask(
            model,
            data.encoded,
            data.heads,
            blueprint.shape,
            self._candidates,
            blueprint.options.decoder,
            data.known,
        )

    def count_supported(self, model: SparseScorer) -> int:
        """Count the features of right trees."""
        return count_supported(self.parts(model))

    def complete(self, model: SparseScorer, weights: Weights) -> None:
        """Complete the trees by what the parts have learnt."""
        task = self.parts(model)
        self._complete(lambda i: task.problem(i).best_tree(weights))

    def labels(self) -> LabelTask:
        """Return the training set of the labels."""
        data = self._data
        return LabelTask(self._blueprint.label_model(), data.encoded, data.heads, data.labels)

    def _complete(self, tree: Callable[[int], IntArray]) -> None:
        """Fill in the heads that were not given, for what needs whole trees."""
        data = self._data
        if not data.complete:
            trees = self._map(lambda i: data.heads[i] if data.known[i].all() else tree(i))
            self._data = data.completed(trees)

    def _map(self, function: Callable[[int], _T]) -> list[_T]:
        with Threads(self._threads) as pool:
            return list(pool.map(function, range(len(self._data.heads))))
