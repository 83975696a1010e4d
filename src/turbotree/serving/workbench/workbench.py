"""The workbench: a queue, annotators, and a model that learns from what they save."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from turbotree.errors import InputError, ModelFileError
from turbotree.parsing import Parser
from turbotree.parsing.suggesting import MEASURES
from turbotree.parsing.training.blank import blank_parser
from turbotree.serving.annotations import Annotations, Saved
from turbotree.serving.engine import Engine, Question
from turbotree.serving.limits import Limits
from turbotree.serving.workbench.annotators import Annotators, checked_name
from turbotree.serving.workbench.learning import Learning, check_learnable, with_parser
from turbotree.serving.workbench.queue import Queue, read_queue
from turbotree.serving.workbench.ranking import Ranking
from turbotree.serving.workbench.retraining import Retraining
from turbotree.text import Sentence
from turbotree.text.universal import RELATIONS

JOURNAL = "queue.journal"
#: How long the queue is ranked again after a tree was saved.
RANKING_SECONDS = 0.7
#: A slice of ranking while nobody waits.
_SLICE_SECONDS = 0.2
#: With less than this, a cold start gives sentences in their order: doubt means nothing yet.
_FIRST_TREES = 5


@dataclass(frozen=True, kw_only=True)
class WorkbenchOptions:
    """How a workbench works.

    Attributes
    ----------
    overlap
        The share of the sentences, from 0 to 1, that every annotator gets.
    measure
        How sentences are ranked; one of ``turbotree.parsing.suggesting.MEASURES``.
    treebanks
        What the model was trained on; retraining starts from scratch with these and saved trees.
    retrain_share
        Retrain when the words saved since the last time are so large a share of what was there.
        0 never retrains.
    retrain_words
        And at least so many words.
    """

    overlap: float = 0.0
    measure: str = "errors"
    treebanks: Sequence[Path] = ()
    retrain_share: float = 0.2
    retrain_words: int = 500

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise InputError(f"measure is {self.measure!r}; expected one of {', '.join(MEASURES)}")
        if not self.retrain_share >= 0:
            raise InputError(f"retrain_share is {self.retrain_share}; expected 0 or more")


@dataclass(frozen=True)
class Offer:
    """A sentence to annotate: its name, what it is worth, and what the parser says of it."""

    name: str
    value: float | None
    shared: bool
    answer: dict[str, Any]


class Workbench:
    """Gives out sentences, keeps what comes back, learns from it; :meth:`close` it in the end.

    Parameters
    ----------
    engine
        The model that is served; None for a cold start.
    annotations
        Where trees of annotators without a name go; others have a folder within.
    queue
        The file of sentences to annotate.
    options
        How to work.
    base
        Where the model came from, for retraining; a path, or a name such as ``en``.
    limits
        Those of the server, for a cold start.
    """

    def __init__(
        self,
        engine: Engine | None,
        annotations: Annotations,
        queue: Path,
        options: WorkbenchOptions | None = None,
        *,
        base: Path | str | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.options = options or WorkbenchOptions()
        self._base = base
        self._cold = engine is None
        sentences = read_queue(queue, None if engine is None else engine.model)
        most = (engine.limits if engine is not None else limits or Limits()).max_words
        self.too_long = sum(len(one) > most for one in sentences)
        sentences = [one for one in sentences if len(one) <= most]
        if not sentences:
            raise InputError(f"{queue}: all sentences are longer than {most} words")
        self._retraining = Retraining(annotations.folder)
        if engine is None:
            engine = Engine(blank_parser(sentences), "nothing yet", limits or Limits())
        else:
            check_learnable(engine.model)
        self._queue = Queue(sentences, annotations.folder / JOURNAL, self.options.overlap)
        try:
            self.annotators = Annotators(annotations.folder, annotations)
        except BaseException:
            self._queue.close()
            raise
        self._mutex = threading.Lock()
        self._ranking = Ranking(self._queue, self.options.measure)
        resumed = self._resumed(engine)
        self._learning = Learning(resumed, cold=self._cold and resumed is engine, idle=self._idle)
        self._ranked_version, self._rank_until = -1, 0.0
        self._trained_on: list[Sentence] = []
        self._learning.start(self._learnable())

    # ---- What the server asks

    @property
    def engine(self) -> Engine:
        """The model as it is now."""
        return self._learning.engine

    def next(self, annotator: str) -> Offer | None:
        """Give an annotator the sentence that is worth most; None when all are done."""
        annotator = checked_name(annotator)
        done = self.annotators.done()
        with self._mutex:
            name = self._queue.next(annotator, done)
            if name is None:
                return None
            sentence = self._queue.sentences[name]
            value = self._queue.values.get(name)
        (answer,) = self.engine.answer(Question(conllu=sentence.to_text(), marginals=True))
        return Offer(name, value, self._queue.is_shared(name), answer)

    def save(self, annotator: str, name: str, sentence: Sentence) -> Saved:
        """Keep a tree: it is on the disk when this returns, and learnt soon after."""
        annotator = checked_name(annotator)
        with self._mutex:
            self._queue.check(name)
            expected = self._queue.sentences[name]
        if sentence.sent_id != name or sentence.forms != expected.forms:
            raise InputError(f"expected the words of sentence {name!r} under that name")
        saved = self.annotators.save(annotator, sentence)
        with self._mutex:
            self._queue.release(annotator, name)
        if self._may_learn(name):
            self._learning.learn(sentence)
        return saved

    def skip(self, annotator: str, name: str) -> None:
        """Do not give a sentence to this annotator again; that is on the disk at once."""
        annotator = checked_name(annotator)
        with self._mutex:
            self._queue.skip(annotator, name)

    def status(self, annotator: str) -> dict[str, Any]:
        """Tell where everything stands, as JSON-ready data."""
        annotator = checked_name(annotator)
        done = self.annotators.done()
        with self._mutex:
            names = self._queue.sentences.keys()
            total, skipped = len(self._queue), self._queue.skipped(annotator)
            left = len(self._queue.open(done.values()))
        progress = asdict(self._learning.progress)
        if progress["problem"] is None:
            progress["problem"] = self._retraining.problem
        return {
            "annotator": annotator,
            "annotators": [name for name in done if name],
            "total": total,
            "left": left,
            "done": len(done.get(annotator, set()) & names),
            "skipped": skipped,
            "overlap": self.options.overlap,
            "labels": sorted({*self.engine.about()["labels"], *RELATIONS}),
            "model": {
                "name": self.engine.name,
                "cold": self._learning.cold and progress["version"] == 0,
                "retraining": self._retraining.running,
                **progress,
            },
        }

    def close(self) -> None:
        """Stop learning, and close what was opened here."""
        self._learning.close()
        self._retraining.stop()
        self._queue.close()
        self.annotators.close()

    # ---- What happens between requests, all of it in the thread that learns

    def _idle(self) -> bool:
        """Rank for a while, look after retraining; tell whether there is more to rank."""
        found = self._retraining.finished()
        if found is not None:
            self._learning.adopt(found, self._trained_on)
        self._retrain_if_due()
        return self._rank()

    def _rank(self) -> bool:
        progress, now = self._learning.progress, time.monotonic()
        trees = len(self._learning.trees)
        if self._cold and trees < _FIRST_TREES:
            return False
        if progress.version != self._ranked_version:
            self._ranked_version = progress.version
            self._rank_until = now + RANKING_SECONDS
        done = self.annotators.done()
        with self._mutex:
            waiting = self._queue.open(done.values())
        if now < self._rank_until:
            names = self._ranking.stale_first(waiting, progress.version)
            seconds = self._rank_until - now
        else:
            names, seconds = self._ranking.unranked(waiting), _SLICE_SECONDS
        model = self.engine.model
        ranked = self._ranking.update(
            model, progress.version, names, seconds, lambda: not self._learning.busy
        )
        return ranked < len(names)

    def _retrain_if_due(self) -> None:
        options, trees = self.options, self._learning.trees
        share = options.retrain_share
        if not share or self._retraining.running or self._learning.busy:
            return
        before = sum(map(len, self._trained_on))
        if sum(map(len, trees)) - before < max(options.retrain_words, share * before):
            return
        self._trained_on = trees
        from_scratch = self._cold or bool(options.treebanks)
        self._retraining.begin(
            trees,
            treebanks=options.treebanks,
            base=None if self._cold else self._base,
            from_scratch=from_scratch,
            options=self._training_options() if from_scratch else {"epochs": 5},
        )

    def _training_options(self) -> dict[str, Any]:
        """Return how to train a parser like the one that is served."""
        if self._cold:
            return {"model": "standard", "epochs": 5}
        record = self.engine.parser.record.get("options", {})
        wanted = ("epochs", "largest_step", "single_root", "pruner_epochs", "licence", "max_heads")
        known = {name: record[name] for name in wanted if name in record}
        return {**known, "parts": list(self.engine.parser.sparse()["parts"].families), "network": 0}

    # ---- What was there before

    def _resumed(self, engine: Engine) -> Engine:
        """Return the engine with the parser that was last trained from scratch, if there is one."""
        path = self._retraining.result
        if not (self._cold or self.options.treebanks) or not path.exists():
            return engine
        try:
            parser = Parser.load(path)
        except ModelFileError:
            return engine  # it will be trained again
        return replace(engine, model=with_parser(engine.model, parser))

    def _may_learn(self, name: str) -> bool:
        """Tell whether a sentence may be learnt.

        One that all annotators get is learnt when two have saved it: the parser must not tell the
        second what the first has said.
        """
        if not self._queue.is_shared(name):
            return True
        return sum(name in names for names in self.annotators.done().values()) > 1

    def _learnable(self) -> list[Sentence]:
        found: dict[tuple[str, ...], Sentence] = {}
        for name in self.annotators.names:
            for tree in self.annotators.trees(name):
                if self._may_learn(tree.sent_id or ""):
                    found[(tree.sent_id or "", *tree.forms)] = tree
        return list(found.values())
