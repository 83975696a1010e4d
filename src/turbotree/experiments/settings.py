"""How much work to put into a run of the experiments."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Sizes of a run; results depend on every one of them.

    Attributes
    ----------
    epochs
        Passes of training.
    pruner_epochs
        Passes of the pruner's training.
    rounds
        Most rounds of dual decomposition: the K of Koo et al. (2010).
    few_rounds
        Their small K.
    grid
        Rounds at which figures show accuracy.
    random_instances, random_words
        Problems with random scores.
    selection_templates, selection_budgets
        What to select from, and how many templates.
    chunk_budgets, entity_budgets
        How many of the 96 templates of chunks, and of the 452 of entities.
    hard_sentences
        Most sentences for what is slow: linear programs, and decoding along the rounds. All if
        None.
    seed
        Decides every random choice.
    """

    epochs: int = 10
    pruner_epochs: int = 3
    rounds: int = 5000
    few_rounds: int = 250
    grid: tuple[int, ...] = (10, 20, 50, 100, 200, 500, 1000)
    random_instances: int = 50
    random_words: int = 10
    selection_templates: str = "arc684"
    selection_budgets: tuple[int, ...] = (200, 300, 400)
    chunk_budgets: tuple[int, ...] = (10, 20, 30, 40, 50)
    entity_budgets: tuple[int, ...] = (100, 200, 300)
    hard_sentences: int | None = None
    seed: int = 1

    def to_record(self) -> dict[str, Any]:
        """Return all as JSON-ready data."""
        return asdict(self)

    def with_epochs(self, epochs: int | None) -> Settings:
        """Train for so many passes, if a number is given.

        >>> Settings().with_epochs(3).epochs, Settings().with_epochs(None).epochs
        (3, 10)
        """
        return self if epochs is None else replace(self, epochs=epochs)


#: For ``--small``: a few minutes in all.
SMALL = Settings(
    epochs=2,
    pruner_epochs=2,
    rounds=500,
    few_rounds=25,
    grid=(2, 5, 10, 20, 50, 100, 200),
    random_instances=20,
    random_words=7,
    selection_templates="arc",
    selection_budgets=(8, 16, 32),
    chunk_budgets=(10, 30),
    entity_budgets=(50, 100),
)
SMALL_TRAIN, SMALL_TEST = 200, 60

#: For ``--medium``: between the two. Some of the papers' orderings, such as that of grandparents
#: over siblings, show with thousands of sentences only.
MEDIUM = Settings(
    epochs=5,
    pruner_epochs=2,
    rounds=1000,
    few_rounds=50,
    random_instances=20,
    random_words=8,
    selection_budgets=(200, 400),
    chunk_budgets=(10, 30, 50),
    entity_budgets=(100, 200),
    hard_sentences=60,
)
MEDIUM_TRAIN, MEDIUM_TEST = 4000, 1000
