"""Which labels arcs may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turbotree.scoring import Batch

if TYPE_CHECKING:
    from turbotree.parsing.parser import Parser


class LabelsOf:
    """The labels that arcs of one sentence may have, by the parser's dictionary."""

    def __init__(self, parser: Parser, batch: Batch) -> None:
        self._dictionary = parser.labels.dictionary
        self._tags = batch.of(parser.encoder).ids[parser.encoder.attributes.index("upos")].tolist()

    def __call__(self, head: int, modifier: int) -> list[str]:
        """Return the names of an arc's labels."""
        known = self._dictionary
        labels = known.of(self._tags[modifier], self._tags[head])
        return [known.names[label] for label in labels.tolist()]
