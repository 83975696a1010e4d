"""Choosing templates of arcs in several ways, and training a parser on what each leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from turbotree.experiments.workshop import Workshop
from turbotree.features import Weights, parse_templates
from turbotree.learning import (
    LazyPenalty,
    LearnerOptions,
    Loss,
    RestrictedTask,
    SparseOptions,
    TemplatePenalty,
    best_templates,
    count_features,
    information_gain,
    learn,
    learn_sparse,
    refit,
    surviving_templates,
)
from turbotree.learning.regularisers import coarse_to_fine_groups
from turbotree.parsing import Parser
from turbotree.parsing.arcs import ARC
from turbotree.parsing.part_task import PartTask
from turbotree.parsing.treebank import Treebank, names_of_labels

_MOST_ROUNDS_BETWEEN = 1000  # the paper's K; small treebanks get two steps an epoch
_NEGLIGIBLE = 0.005  # as for any other parser


@dataclass(frozen=True)
class Selected:
    """A parser of selected templates or features, and what learning it took.

    Attributes
    ----------
    parser
        Like the one with all templates, but for its weights.
    templates
        Numbers of the templates that it uses.
    features
        Features that it was trained on.
    trace
        Features in memory while selecting, in order: round, before a step, after it.
    """

    parser: Parser
    templates: tuple[int, ...]
    features: int
    trace: tuple[tuple[int, int, int], ...] = ()


class TemplateSelection:
    """Selects from the templates of an arc-factored parser."""

    def __init__(self, workshop: Workshop) -> None:
        settings = workshop.settings
        self.base = base = workshop.parser(parts=["arc"])
        self.texts = base.templates()["arc"]
        train = list(workshop.dataset.train)
        data = Treebank.of(train, base.encoder, names_of_labels(train))
        candidates = [
            base.pruner.candidates(encoded, heads)
            for encoded, heads in zip(data.encoded, data.heads, strict=True)
        ]
        self.task = PartTask(base.parts, data.encoded, data.heads, base.shape, candidates)
        self._refit = LearnerOptions(Loss.named("svm"), settings.epochs, 0.01, "all", settings.seed)
        self._sparse: dict[str, Any] = {
            "epochs": max(1, settings.epochs // 2),
            "rounds_between": min(_MOST_ROUNDS_BETWEEN, max(1, len(self.task) // 2)),
            "seed": settings.seed,
        }

    @cached_property
    def _sizes(self) -> Any:
        return count_features(self.task)

    @cached_property
    def _gains(self) -> Any:
        return information_gain(self.task)[: len(self.texts)]

    def group_lasso(self, budget: int, *, coarse_to_fine: bool = False) -> Selected:
        """Let whole templates compete while learning."""
        groups = None
        if coarse_to_fine:
            groups = coarse_to_fine_groups(parse_templates(self.texts, ARC))
        return self._learnt(TemplatePenalty(sizes=self._sizes, groups=groups), budget)

    def lasso(self, features: int) -> Selected:
        """Let single features compete while learning."""
        return self._learnt(LazyPenalty(by_label=False), features)

    def information_gain(self, budget: int) -> Selected:
        """Take the templates that tell most of an arc being right."""
        chosen = best_templates(self._gains, budget)
        weights, _ = learn(RestrictedTask(self.task, chosen), self._refit)
        return self._finished(weights, chosen)

    def _learnt(self, penalty: Any, budget: int) -> Selected:
        left, records = learn_sparse(
            self.task, penalty, SparseOptions(budget=budget, **self._sparse)
        )
        weights, _ = refit(self.task, left, self._refit)
        trace = tuple((a, b, c) for record in records for a, b, c in record.trace)
        return replace(self._finished(weights, surviving_templates(left)), trace=trace)

    def _finished(self, weights: Weights, templates: Sequence[int]) -> Selected:
        frozen = weights.freeze(threshold=_NEGLIGIBLE)
        parser = replace(self.base, parts=self.base.parts.with_weights(frozen))
        return Selected(parser, tuple(templates), len(weights))
