"""How to train a tagger: every option, checked before anything else happens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turbotree.errors import InputError
from turbotree.labeling.templates import load_templates
from turbotree.learning import LearnerOptions
from turbotree.naming import unknown
from turbotree.networks import Network, NetworkOptions
from turbotree.networks.model_options import ModelKeywords, ModelOptions
from turbotree.quantities import check_least

#: The tasks, each with the template sets it uses.
TASKS = {
    "tag": ("tag", "tag_given"),
    "chunk": ("chunk",),
    "entities": ("entities",),
}
#: Schemes that a model can work with inside; "auto" tries both and keeps the better.
INNER_SCHEMES = ("bioes", "bio", "auto")

# Found on held-out data: the largest step, the number of epochs, the share of the rounds that the
# average omits, how often words and their attributes are hidden, and below which magnitude a
# weight is omitted from the finished model.
_STEPS = {"tag": 0.05, "chunk": 0.02, "entities": 0.03}
_EPOCHS = {"tag": 12, "chunk": 10, "entities": 16}
_AVERAGES = {"chunk": 0.5, "entities": 0.5}
_NOISE = {"tag": 1.0}
_DROPOUT = {"tag": 0.1, "entities": 0.15}
_LEAST_COUNTS = {"entities": 1}
_NEGLIGIBLE = {"tag": 0.01, "tag_given": 0.02, "chunk": 0.02, "entities": 0.01}


class TaggerKeywords(ModelKeywords, total=False):
    """The options of :class:`TaggerOptions` as keywords."""

    task: str
    label: str | Sequence[str] | None
    scheme: str
    epochs: int | None
    largest_step: float | None
    negligible: float | None
    trim: float
    least_count: int | None
    noise: float | None
    dropout: float | None
    trigrams: bool
    templates: Mapping[str, Sequence[str]] | None


@dataclass(frozen=True, kw_only=True)
class TaggerOptions(ModelOptions):
    """How to train a tagger.

    What is not listed is an option of :class:`~turbotree.networks.model_options.ModelOptions`. A
    network that is trained already has to know the columns.

    Attributes
    ----------
    task
        ``"tag"``, ``"chunk"`` or ``"entities"``: which templates and columns are the usual ones.
    label
        The column to learn. Without it, the last one of a column file; with ``"tag"`` and CoNLL-U
        UPOS, XPOS and FEATS. With ``"tag"`` there may be several, of which the first is ``upos``.
    scheme
        How spans are written inside the model: ``"bioes"``, ``"bio"``, or ``"auto"``: whatever
        scores better on the development data. What comes out is written as in the training data.
    epochs
        Passes over the data. Columns that know the first one's labels take half as many.
    largest_step
        The papers' 1 / (lambda m): the smaller, the stronger the L2 regularisation.
    negligible
        Weights of at most this magnitude are omitted from the finished model. By default the less
        the more templates there are.
    trim
        How much is omitted from the finished model: weights up to this many times the usual
        `negligible`, below which they hardly count.
    least_count
        Words, affixes and the like that are rarer than this in the training data are all one. By
        default 1 for entities, where a name met once is worth knowing; else 2, and 3 for affixes.
    noise
        How often words are hidden in training, rare ones more often: one that occurs c times with
        the probability noise / (noise + c). By default 1 for tags, else 0, which is never.
    dropout
        How often each single attribute of a word is hidden in training. By default 0.1 for tags,
        0.15 for entities, else 0.
    trigrams
        Whether labels see the two before them, by the template ``prevprev``; slower. Templates
        of one's own may have that atom without being asked for it.
    templates
        Template sets that replace the default ones, by name.
    """

    task: str = "chunk"
    label: str | Sequence[str] | None = None
    scheme: str = "bioes"
    epochs: int | None = None
    largest_step: float | None = None
    negligible: float | None = None
    trim: float = 1.0
    least_count: int | None = None
    noise: float | None = None
    dropout: float | None = None
    trigrams: bool = False
    templates: Mapping[str, Sequence[str]] | None = None

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise unknown("task", self.task, TASKS)
        if self.scheme not in INNER_SCHEMES:
            raise unknown("scheme", self.scheme, INNER_SCHEMES)
        self.check_numbers(
            ("epochs", "least_count"), ("largest_step", "negligible", "noise", "dropout")
        )
        self.check_network()
        if self.least_count is not None:
            check_least("least_count", self.least_count, 1)
        if not 0 <= self.noise_strength() < math.inf:
            raise InputError(f"noise is {self.noise}; expected 0 or more")
        if not 0 <= self.dropout_share() < 1:
            raise InputError(f"dropout is {self.dropout}; expected 0 to 1")
        if not isinstance(self.trim, float | int) or not 0 <= self.trim < math.inf:
            raise InputError(f"trim is {self.trim!r}; expected a number from 0")
        if not 0 <= self.threshold() < 1:
            raise InputError(f"negligible is {self.negligible}; expected 0 to 1")
        self.learner()
        sets = TASKS[self.task]
        for name in self.templates or {}:
            if name not in sets:
                raise unknown("template set", name, sets)

    def learner(self, *, given: bool = False) -> LearnerOptions:
        """Return how to learn a column; `given` if it knows the labels of the first one."""
        epochs = _EPOCHS[self.task] if self.epochs is None else self.epochs
        return LearnerOptions(
            self.chosen_loss(),
            (epochs + 1) // 2 if given else epochs,
            _STEPS[self.task] if self.largest_step is None else self.largest_step,
            self.features,
            self.seed,
            self.usual_average() if self.average_from is None else self.average_from,
        )

    def usual_average(self) -> float:
        """Return the share of the rounds that the average omits if nothing else is said.

        The perceptron's steps do not get smaller as it learns: it needs the average of all.

        >>> TaggerOptions().usual_average(), TaggerOptions(loss="perceptron").usual_average()
        (0.5, 0.0)
        """
        return _AVERAGES.get(self.task, 0.0) if self.chosen_loss().has_margin else 0.0

    def threshold(self, name: str | None = None, count: int | None = None) -> float:
        """Return the magnitude up to which weights are omitted, of a set of templates.

        Without a name, that of the task's first set. The more templates share what a label has to
        be told, the smaller are their weights; if their number is given, the model has as many,
        and not those that it was to be trained with.

        >>> few, many = (["w.form"] * 20, ["w.form"] * 500)
        >>> TaggerOptions(templates={"chunk": few}).threshold()
        0.02
        >>> TaggerOptions(templates={"chunk": many}).threshold() < 0.003
        True
        >>> TaggerOptions(templates={"chunk": many}).threshold(count=30)
        0.02
        >>> TaggerOptions(trim=2).threshold()
        0.04
        """
        if self.negligible is not None:
            return float(self.negligible)
        name = name or TASKS[self.task][0]
        given = len((self.templates or {}).get(name, ())) if count is None else count
        usual = _NEGLIGIBLE[name] * min(1.0, len(load_templates(name)) / max(1, given))
        return self.trim * usual

    def noise_strength(self) -> float:
        """Return how often words are hidden in training."""
        return float(_NOISE.get(self.task, 0.0) if self.noise is None else self.noise)

    def dropout_share(self) -> float:
        """Return how often an attribute is hidden in training."""
        return float(_DROPOUT.get(self.task, 0.0) if self.dropout is None else self.dropout)

    def rarest(self) -> int | None:
        """Return the least count of values that are told apart; None: that of each attribute."""
        return _LEAST_COUNTS.get(self.task) if self.least_count is None else self.least_count

    def network_options(self) -> NetworkOptions | None:
        """Return how to train the network; None if there is none.

        For parts of speech it reads words alone; for chunks and entities their tags too.
        """
        options = super().network_options()
        if options is None or isinstance(self.network, Network):
            return options
        return options.without_lemmas(tags=self.task != "tag")

    def label_columns(self) -> list[str] | None:
        """Return the columns to learn, if they were given."""
        if self.label is None:
            return None
        given = self.label.split(",") if isinstance(self.label, str) else list(self.label)
        names = [name.strip() for name in given]
        if not names or not all(names) or len(set(names)) < len(names):
            raise InputError(f"label is {self.label!r}; expected different names of columns")
        return names

    def to_record(self) -> dict[str, Any]:
        """Return what the outcome depends on, as JSON-ready data."""
        learner, network = self.learner(), self.network_options()
        return {
            "task": self.task,
            "label": self.label_columns(),
            "scheme": self.scheme,
            "loss": learner.loss.name,
            "beta": str(learner.loss.beta),
            "gamma": learner.loss.gamma,
            "epochs": learner.epochs,
            "largest_step": learner.largest_step,
            "average_from": learner.average_from,
            "features": self.features,
            "seed": self.seed,
            "negligible": self.threshold(),
            "least_count": self.rarest(),
            "noise": self.noise_strength(),
            "dropout": self.dropout_share(),
            "trigrams": self.trigrams,
            "licence": self.licence,
            **({} if network is None else {"network": network.to_dict()}),
        }
