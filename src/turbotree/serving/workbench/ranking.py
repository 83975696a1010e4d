"""What a sentence of a queue is worth: how much of its tree the parser would get wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from turbotree.parsing import Parser
from turbotree.parsing.suggesting import sentence_value
from turbotree.pipeline import Pipeline
from turbotree.serving.workbench.queue import Queue
from turbotree.text import Sentence

_AT_ONCE = 8


class Ranking:
    """Keeps the values of a queue up to date, as far as there is time.

    Parameters
    ----------
    queue
        The queue, whose values it changes.
    measure
        What a sentence is worth; see :func:`turbotree.parsing.suggesting.suggest_sentences`.
    """

    def __init__(self, queue: Queue, measure: str) -> None:
        self._queue, self._measure = queue, measure
        self._versions: dict[str, int] = {}  # of the model that gave a sentence its value

    def unranked(self, names: Sequence[str]) -> list[str]:
        """List the sentences that have no value at all."""
        return [name for name in names if name not in self._versions]

    def stale_first(self, names: Sequence[str], version: int) -> list[str]:
        """Order sentences by the use of looking at them again.

        By turns: the most valuable ones, one of which is next, and those that were looked at
        longest ago.
        """
        old = [name for name in names if self._versions.get(name, -1) < version]
        values = self._queue.values
        by_value = sorted(old, key=lambda name: -values.get(name, float("inf")))
        by_age = sorted(old, key=lambda name: self._versions.get(name, -1))
        mixed = [name for pair in zip(by_value, by_age, strict=True) for name in pair]
        return list(dict.fromkeys(mixed))

    def update(
        self,
        model: Parser | Pipeline,
        version: int,
        names: Sequence[str],
        seconds: float,
        go_on: Callable[[], bool] = lambda: True,
    ) -> int:
        """Look at sentences again until the time is over; give how many there were time for."""
        ends = time.monotonic() + seconds
        done = 0
        for first in range(0, len(names), _AT_ONCE):
            if time.monotonic() > ends or not go_on():
                break
            group = names[first : first + _AT_ONCE]
            sentences = self._tagged(model, group)
            parser = model if isinstance(model, Parser) else model.parser
            for name, parse in zip(group, parser.parse_batch(sentences), strict=True):
                self._queue.values[name] = sentence_value(parse, self._measure)
                self._versions[name] = version
            done += len(group)
        return done

    def _tagged(self, model: Parser | Pipeline, names: Sequence[str]) -> list[Sentence]:
        """Give tags to sentences without any, and keep them in the queue."""
        found = [self._queue.sentences[name] for name in names]
        if isinstance(model, Parser):
            return found
        bare = [i for i, sentence in enumerate(found) if set(sentence.upos) == {"_"}]
        for i, sentence in zip(
            bare, model.tag([found[i] for i in bare]) if bare else (), strict=True
        ):
            found[i] = self._queue.sentences[names[i]] = sentence
        return found
