"""Selecting the templates of a stage as a part of a training run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from turbotree.features import PartKind, Weights, parse_templates
from turbotree.learning.checkpoint import Checkpoint
from turbotree.learning.epochs import OnInstance
from turbotree.learning.problem import Task
from turbotree.learning.run import Run, Stage
from turbotree.learning.selection.renumbering import KeyedTask, renumbered
from turbotree.learning.selection.selector import Selection, SelectionOptions, Selector


class SelectableTask(Task, KeyedTask, Protocol):
    """A training set that tells the features of its instances."""


class TemplateSelection:
    """Selects from the templates of one training set, for one budget after another.

    Parameters
    ----------
    run
        Keeps the states of selections and tells how they go.
    options
        How to select.
    task
        The training set under all templates.
    templates
        All templates, in the order of their numbers.
    kind
        The parts that they see.
    exempt
        Numbers of templates that are always kept and not counted.
    """

    def __init__(
        self,
        run: Run,
        options: SelectionOptions,
        task: SelectableTask,
        templates: Sequence[str],
        kind: PartKind,
        *,
        exempt: Iterable[int] = (),
    ) -> None:
        self._run = run
        self._options = options
        self._task = task
        self._selector = Selector(
            task, parse_templates(templates, kind), options, exempt=exempt, progress=run.progress
        )

    def select(self, name: str, budget: int) -> Selection:
        """Select as much as a budget allows, in a stage of that name."""

        def learn(
            stage: Stage[Selection, Selection],
            *,
            checkpoint: Checkpoint | None,
            on_instance: OnInstance,
            on_epoch: Callable[[Any, Any], None],
        ) -> tuple[Selection, list[Any]]:
            found = self._selector.select(
                budget, checkpoint=checkpoint, on_instance=on_instance, on_epoch=on_epoch
            )
            return found, list(found.records)

        stage = Stage(name, self._task, self._options, _same, learn=learn)
        return self._run.train(stage).model

    def start(self, selection: Selection, fewer: KeyedTask) -> Weights | None:
        """Return the weights to refit with: closed, or None if any feature may be used.

        Parameters
        ----------
        selection
            What was selected.
        fewer
            The training set under the surviving templates.
        """
        if selection.keys is None:
            return None
        keys = renumbered(selection.keys, selection.templates, self._task, fewer)
        return Weights.closed_to(keys)


def _same(selection: Selection) -> Selection:
    return selection
