"""The thread that learns from what is saved, ranks the queue again, and takes in new models."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from turbotree.errors import InputError, TurbotreeError
from turbotree.parsing import Parser
from turbotree.parsing.training.online import OnlineLearner, OnlineOptions
from turbotree.parsing.training.trainer import train_parser
from turbotree.pipeline import Pipeline
from turbotree.serving.engine import Engine
from turbotree.text import Sentence

_log = logging.getLogger("turbotree.serving")
#: As long as all trees together have no more words than this, a cold start trains on all of them
#: whenever one is saved: that is quick, and each may bring words and relations.
FRESH_WORDS = 1000
#: So many of the trees before it are visited again after a new model has come.
_REMEMBERED = 300
_COLD = {"model": "arc", "epochs": 5, "pruner_epochs": 2}


@dataclass(frozen=True)
class Progress:
    """Where learning stands.

    Attributes
    ----------
    learnt
        Trees that the model has learnt from since the server started.
    waiting
        Trees that were saved and are still to be learnt.
    version
        Counts the models so far.
    last_seconds
        From the last save to the model that knows it.
    problem
        What went wrong last, if anything.
    """

    learnt: int = 0
    waiting: int = 0
    version: int = 0
    last_seconds: float | None = None
    problem: str | None = None


class Learning:
    """Owns the model: it alone replaces it, and everybody may read it at any time.

    Parameters
    ----------
    engine
        What is served; its model is the one to begin with.
    cold
        Whether that model knows nothing.
    idle
        Called in the thread between trees, for ranking and the like; it tells whether there is
        more to do at once, and asks `busy` now and then.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        cold: bool,
        idle: Callable[[], bool],
        options: OnlineOptions | None = None,
    ) -> None:
        self.engine = engine
        self.cold = cold
        self.progress = Progress()
        self._idle, self._options = idle, options
        self._trees: dict[tuple[str, ...], Sentence] = {}
        self._learner: OnlineLearner | None = None
        self._before: Sequence[Sentence] = ()
        self._jobs: queue.SimpleQueue[tuple[Sentence, float] | None] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="learning", daemon=True)

    def start(self, trees: Sequence[Sentence]) -> None:
        """Begin with what was saved before."""
        self._before = trees
        self._thread.start()

    def learn(self, tree: Sentence) -> None:
        """Learn from a tree soon; this returns at once."""
        self._count(waiting=1)
        self._jobs.put((tree, time.monotonic()))

    def adopt(self, found: Parser | dict[str, object], known: Collection[Sentence]) -> None:
        """Take a retrained model in the thread that calls, which has to be this one's.

        Parameters
        ----------
        found
            A parser, or what was learnt on top of the base.
        known
            The trees that it has learnt from; others that were saved since are learnt now.
        """
        known = set(known)
        old = [tree for tree in self._trees.values() if tree in known]
        new = [tree for tree in self._trees.values() if tree not in known]
        if isinstance(found, Parser):
            self.cold = False
            self._learner = OnlineLearner(found, self._options)
            self._learner.remember(old[-_REMEMBERED:])
        else:
            self._on_top().restore(found)
        for tree in new:
            self._on_top().learn(tree)
        self._publish()

    @property
    def trees(self) -> list[Sentence]:
        """What was learnt, in the order in which it first was."""
        return list(self._trees.values())

    @property
    def busy(self) -> bool:
        """Whether somebody waits for the thread."""
        return self._closed or not self._jobs.empty()

    def close(self) -> None:
        """End the thread after what it does at the moment."""
        self._closed = True
        self._jobs.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        if self._before:
            self._safely(lambda: self._begin(self._before))
        more = True
        while not self._closed:
            try:
                job = self._jobs.get(timeout=0.0 if more else 0.5)
            except queue.Empty:
                more = self._safely(self._idle) or False
                continue
            if job is None:
                return
            saved = [job]
            while not self._jobs.empty():
                another = self._jobs.get()
                if another is None:
                    return
                saved.append(another)
            self._safely(lambda: self._learn(saved))  # noqa: B023 (called at once)
            more = True

    def _safely(self, job: Callable[[], bool | None]) -> bool | None:
        """Do something; a mistake in it must not end the thread."""
        try:
            return job()
        except TurbotreeError as error:
            self._count(problem=str(error))
        except Exception as error:
            _log.exception("learning failed where it should not have")
            self._count(problem=f"learning failed: {error}")
        return None

    def _begin(self, trees: Sequence[Sentence]) -> None:
        for tree in trees:
            self._trees[_key(tree)] = tree
        if self.cold:
            self._train_fresh()
        else:
            self._on_top().learn_all(trees[-_REMEMBERED:], epochs=1)
        self._publish()

    def _learn(self, saved: Sequence[tuple[Sentence, float]]) -> None:
        """Learn from the trees that were saved meanwhile."""
        try:
            for tree, _ in saved:
                self._trees[_key(tree)] = tree
                if not self.cold:
                    self._on_top().learn(tree)
            if self.cold:
                self._train_fresh()
            self._publish()
            self._count(learnt=len(saved), seconds=time.monotonic() - saved[0][1])
        finally:
            self._count(waiting=-len(saved))

    def _train_fresh(self) -> None:
        """Train on all trees; the first time there are too many for that, go on from there."""
        trees = list(self._trees.values())
        parser = train_parser(trees, **_COLD)  # type: ignore[arg-type]
        self._learner = OnlineLearner(parser, self._options)
        if sum(map(len, trees)) > FRESH_WORDS:
            self.cold = False
            self._learner.remember(trees[-_REMEMBERED:])

    def _on_top(self) -> OnlineLearner:
        if self._learner is None:
            self._learner = OnlineLearner(self.engine.parser, self._options)
        return self._learner

    def _publish(self) -> None:
        """Let everybody have the model as it is now."""
        if self._learner is None:
            return
        model = with_parser(self.engine.model, self._learner.parser)
        self.engine = replace(self.engine, model=model)
        self._count(version=1)

    def _count(
        self,
        *,
        waiting: int = 0,
        learnt: int = 0,
        version: int = 0,
        seconds: float | None = None,
        problem: str | None = None,
    ) -> None:
        with self._counting:
            old = self.progress
            self.progress = Progress(
                old.learnt + learnt,
                old.waiting + waiting,
                old.version + version,
                old.last_seconds if seconds is None else seconds,
                problem if problem or version else old.problem,
            )


def _key(tree: Sentence) -> tuple[str, ...]:
    return (tree.sent_id or "", *tree.forms)


def with_parser(model: Parser | Pipeline, parser: Parser) -> Parser | Pipeline:
    """Return a model with another parser: the parser itself, or a pipeline that has it."""
    return parser if isinstance(model, Parser) else replace(model, parser=parser)


def check_learnable(model: Parser | Pipeline) -> None:
    """Raise InputError if a model has nothing that could learn from single trees."""
    parser = model if isinstance(model, Parser) else model.parser
    if not any(scorer.scorers for scorer in parser.sparse().values()):
        raise InputError("this parser has no sparse features, which learn from single trees")
