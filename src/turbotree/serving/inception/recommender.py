"""The recommender: documents of INCEpTION in, the same documents with suggestions out."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from turbotree.errors import InputError
from turbotree.integrations.cassis import TAG, TREE, CasDocument, CasSentence, Layer, Suggestion
from turbotree.parsing import Parser
from turbotree.serving.engine import Engine
from turbotree.serving.inception.lessons import Key, Lessons
from turbotree.serving.inception.suggesting import completed, is_tagged, suggestions
from turbotree.serving.workbench.learning import check_learnable
from turbotree.text import Sentence
from turbotree.text.universal import TAGS

#: What layers are good for, as `GET /inception` says.
LAYERS = {
    TREE: "relations between words, Dependency and its like",
    "upos": "POS",
    "xpos": "POS",
    "feats": "MorphologicalFeatures",
    "lemma": "Lemma",
}
#: So many words are parsed at once, or a single sentence that has more.
_WORDS_AT_ONCE = 300
#: The share of the time of a request that is for parsing; the rest is for reading and writing.
_PARSING_SHARE = 0.6
_WHAT_TO_DO = "; clear 'Trainable' in the settings of the recommender in INCEpTION"
#: So many sentences are remembered with what was suggested for them, per model.
_MOST = 20_000


@dataclass(frozen=True)
class Request:
    """What INCEpTION asks for.

    Attributes
    ----------
    layer, feature
        Names in the type system.
    type_system
        The types, in XML.
    documents
        XMI, and the name of each document.
    project, user
        Who asks.
    range
        First and last offset that is on the annotator's screen, in units of UTF-16, if known.
    """

    layer: str
    feature: str
    type_system: str
    documents: Sequence[tuple[str, str]]
    project: str = ""
    user: str = ""
    range: tuple[int, int] | None = None


@dataclass
class _Memory:
    """What one model has suggested: INCEpTION sends a document again after every change."""

    engine: Engine
    known: OrderedDict[tuple[str, str], list[Suggestion]] = field(default_factory=OrderedDict)


class Recommender:
    """Answers INCEpTION; :meth:`close` it in the end.

    Parameters
    ----------
    current
        Gives the model of the moment.

    Examples
    --------
    >>> from turbotree import Parser
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> recommender = Recommender(lambda: Engine(parser))
    >>> recommender.status()["columns"]
    ['tree']
    >>> recommender.close()
    """

    def __init__(self, current: Callable[[], Engine]) -> None:
        self._current = current
        self._lessons = Lessons()
        self._mutex = threading.Lock()
        self._memories: OrderedDict[Key | None, _Memory] = OrderedDict()

    def predict(self, request: Request) -> str:
        """Return the document of a request with suggestions, as XMI.

        Sentences on the screen come first, then the others from there on. When most of the time of
        a request is over, the rest get no suggestions; the next request goes on with them.
        """
        key = (request.project, request.user)
        memory = self._memory(key)
        engine = memory.engine
        ends = time.monotonic() + _PARSING_SHARE * engine.limits.time_limit_seconds
        ((xmi, name),) = request.documents
        document = CasDocument(xmi, request.type_system)
        layer = document.layer(request.layer, request.feature)
        column = self._column(engine, document, layer)
        found = [
            one
            for one in document.sentences(layer, name=f"{name}-")
            if len(one.sentence) <= engine.limits.max_words
        ]
        if isinstance(engine.model, Parser):
            found = _tagged_ones(found)
        document.clear(layer)
        begin = 0 if request.range is None else document.python_offset(request.range[0])
        found.sort(key=lambda one: (one.end <= begin, one.begin))
        for group in _grouped(found):
            if time.monotonic() > ends:
                break
            for one, own in zip(group, self._suggested(memory, group, column), strict=True):
                document.suggest(layer, one, own)
        return document.to_xmi()

    def train(self, request: Request) -> None:
        """Learn from the sentences whose trees are whole; this returns before that is done.

        Raises
        ------
        InputError
            If nothing can be learnt for the layer, or by the model.
        """
        engine = self._current()
        trees: list[Sentence] = []
        for xmi, name in request.documents:
            document = CasDocument(xmi, request.type_system)
            layer = document.layer(request.layer, request.feature)
            if layer.column != TREE:
                raise InputError(
                    f"layer {layer.name!r}: this recommender learns relations alone{_WHAT_TO_DO}"
                )
            try:
                check_learnable(engine.model)
            except InputError as error:
                raise InputError(f"{error}{_WHAT_TO_DO}") from None
            whole = [
                one.sentence
                for one in document.sentences(layer, name=f"{name}-")
                if len(one.sentence) <= engine.limits.max_words and _is_whole(one.sentence)
            ]
            if isinstance(engine.model, Parser):
                whole = [one for one in whole if is_tagged(one)]
            trees += completed(engine.model, whole) if whole else []
        self._lessons.learn((request.project, request.user), engine, trees)

    def status(self) -> dict[str, Any]:
        """Tell what can be suggested and what was learnt, as JSON-ready data."""
        engine = self._current()
        columns = [TREE, *_tag_columns(engine)]
        return {
            "status": "ok",
            "model": engine.name,
            "columns": columns,
            "layers": [LAYERS[column] for column in columns],
            "learners": self._lessons.status(),
        }

    def close(self) -> None:
        """Stop learning."""
        self._lessons.close()

    def _memory(self, key: Key) -> _Memory:
        """Return the model for an annotator, with what it has suggested."""
        own = self._lessons.engine(key)
        engine, place = (self._current(), None) if own is None else (own, key)
        with self._mutex:
            memory = self._memories.get(place)
            if memory is None or memory.engine is not engine:
                memory = self._memories[place] = _Memory(engine)
            self._memories.move_to_end(place)
            while len(self._memories) > 1 + len(self._lessons.status()):
                self._memories.popitem(last=False)
            return memory

    def _suggested(
        self, memory: _Memory, group: Sequence[CasSentence], column: str
    ) -> list[list[Suggestion]]:
        keys = [(column, _seen(one.sentence)) for one in group]
        with self._mutex:
            found = {key: memory.known[key] for key in keys if key in memory.known}
        new = {key: one.sentence for key, one in zip(keys, group, strict=True) if key not in found}
        if new:
            answers = suggestions(memory.engine.model, list(new.values()), column)
            asked = dict(zip(new, answers, strict=True))
            found |= asked
            with self._mutex:
                memory.known.update(asked)
                while len(memory.known) > _MOST:
                    memory.known.popitem(last=False)
        return [found[key] for key in keys]

    def _column(self, engine: Engine, document: CasDocument, layer: Layer) -> str:
        """Return the column that a layer asks for, if the model has it."""
        known = _tag_columns(engine)
        column = layer.column
        if column == TREE:
            return column
        if column == TAG:
            column = _kind_of_tags(document, layer)
            if column not in known:
                column = "upos"
        if column not in known:
            has = ", ".join([TREE, *known])
            raise InputError(
                f"layer {layer.name!r}: the model {engine.name!r} has no {column}; it has {has}"
            )
        return column


def _grouped(found: Iterable[CasSentence]) -> Iterator[list[CasSentence]]:
    """Cut a document into pieces that take about the same time."""
    group: list[CasSentence] = []
    words = 0
    for one in found:
        if group and words + len(one.sentence) > _WORDS_AT_ONCE:
            yield group
            group, words = [], 0
        group.append(one)
        words += len(one.sentence)
    if group:
        yield group


def _tag_columns(engine: Engine) -> list[str]:
    if isinstance(engine.model, Parser):
        return []
    columns = [stage.column for stage in engine.model.tagger.stages]
    known = [column for column in ("upos", "xpos", "feats") if column in columns]
    return [*known, *(["lemma"] if engine.model.lemmatizer is not None else [])]


def _kind_of_tags(document: CasDocument, layer: Layer) -> str:
    """Tell by the annotated tags whether a layer has UPOS or XPOS; UPOS if there are none."""
    universal = Counter(value in TAGS for _, value in document.values(layer))
    return "xpos" if universal[False] > universal[True] else "upos"


def _tagged_ones(found: Sequence[CasSentence]) -> list[CasSentence]:
    tagged = [one for one in found if is_tagged(one.sentence)]
    if found and not tagged:
        raise InputError(
            "this model is a parser, which needs part-of-speech tags (UPOS), and no sentence of "
            "the document has them all: annotate the POS layer first, or serve a pipeline"
        )
    return tagged


def _is_whole(sentence: Sentence) -> bool:
    return None not in sentence.heads and "_" not in sentence.labels and 0 in sentence.heads


def _seen(sentence: Sentence) -> str:
    """Return what a model sees of a sentence: all but its comments."""
    lines = sentence.to_text().split("\n")
    return "\n".join(line for line in lines if not line.startswith("#"))
