"""What annotators teach the parser: one learner for each project and annotator of INCEpTION."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from turbotree.errors import TurbotreeError
from turbotree.parsing.training.online import OnlineLearner
from turbotree.serving.engine import Engine
from turbotree.serving.workbench.learning import with_parser
from turbotree.text import Sentence

_log = logging.getLogger("turbotree.serving")
#: More new trees than this are learnt in passes over all of them, fewer one after the other.
_MANY = 20
_PASSES = 2

#: A project and an annotator.
Key = tuple[str, str]


@dataclass
class _Lesson:
    """What one annotator has taught so far."""

    base: Engine
    learner: OnlineLearner
    engine: Engine
    learnt: dict[str, Sentence] = field(default_factory=dict)
    waiting: Sequence[Sentence] | None = None
    problem: str | None = None


class Lessons:
    """Learns in one thread; whoever asks for a model gets that of the moment.

    A request for training brings all documents of an annotator, so nothing is kept on the disk:
    after a restart, the next request teaches everything again.

    Parameters
    ----------
    most
        So many learners are kept; the one that was asked for least lately goes.
    """

    def __init__(self, most: int = 16) -> None:
        self._most = most
        self._lessons: OrderedDict[Key, _Lesson] = OrderedDict()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def engine(self, key: Key) -> Engine | None:
        """Return the model that has learnt from an annotator, if there is one."""
        with self._changed:
            lesson = self._lessons.get(key)
            if lesson is None:
                return None
            self._lessons.move_to_end(key)
            return lesson.engine

    def learn(self, key: Key, base: Engine, trees: Sequence[Sentence]) -> None:
        """Learn from trees soon, beginning with a model; this returns at once.

        Those that were learnt before cost nothing. A request that comes before the last one has
        been looked at takes its place.
        """
        with self._changed:
            lesson = self._lessons.get(key)
            if lesson is None:
                lesson = _Lesson(base, OnlineLearner(base.parser), base)
                self._lessons[key] = lesson
                while len(self._lessons) > self._most:
                    self._lessons.popitem(last=False)
            lesson.waiting = trees
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="lessons", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def status(self) -> list[dict[str, Any]]:
        """Tell what has been learnt, as JSON-ready data."""
        with self._changed:
            return [
                {
                    "project": project,
                    "user": user,
                    "learnt": len(lesson.learnt),
                    "waiting": lesson.waiting is not None,
                    "problem": lesson.problem,
                }
                for (project, user), lesson in self._lessons.items()
            ]

    def close(self) -> None:
        """End the thread after what it does at the moment."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._closed and self._next() is None:
                    self._changed.wait()
                lesson = self._next()
                if self._closed or lesson is None:
                    return
                trees = lesson.waiting
                assert trees is not None
            problem = None
            try:
                self._teach(lesson, trees)
            except TurbotreeError as error:
                problem = str(error)
            except Exception as error:
                _log.exception("learning failed where it should not have")
                problem = f"learning failed: {error}"
            with self._changed:
                lesson.problem = problem
                if lesson.waiting is trees:
                    lesson.waiting = None

    def _next(self) -> _Lesson | None:
        waiting = (one for one in self._lessons.values() if one.waiting is not None)
        return next(waiting, None)

    def _teach(self, lesson: _Lesson, trees: Sequence[Sentence]) -> None:
        """Learn what is new; who asks meanwhile gets the model as it was, or with a part of it."""
        new = [tree for tree in trees if lesson.learnt.get(tree.sent_id or "") != tree]
        if len(new) > _MANY:
            for number in range(_PASSES):
                lesson.learner.learn_all(() if number else new, epochs=1, stop=self._is_closed)
                self._publish(lesson, new)
            return
        for tree in new:
            if self._closed:
                return
            lesson.learner.learn(tree)
            self._publish(lesson, [tree])

    def _is_closed(self) -> bool:
        return self._closed

    def _publish(self, lesson: _Lesson, learnt: Sequence[Sentence]) -> None:
        model = with_parser(lesson.base.model, lesson.learner.parser)
        with self._changed:
            lesson.engine = replace(lesson.base, model=model)
            lesson.learnt.update((tree.sent_id or "", tree) for tree in learnt)
