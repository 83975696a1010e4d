"""What a server asks of a model, whether it is a parser or a whole pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from turbotree.errors import InputError, ModelFileError
from turbotree.labeling import Tagger
from turbotree.loading import load, model_of
from turbotree.modelfile import read_model
from turbotree.parsing import Parse, Parser
from turbotree.parsing.tracing import trace_sentence
from turbotree.pipeline import Pipeline
from turbotree.pipeline.pipeline import NO_TOKENIZER
from turbotree.serving.describing import described, described_trace
from turbotree.serving.limits import Limits, TooLargeError, TooSlowError
from turbotree.serving.reading import (
    check_lengths,
    conllu_sentences,
    served_rules,
    tagged_sentences,
    token_sentence,
)
from turbotree.streaming import in_batches
from turbotree.text import Sentence

#: Sentences that are parsed at once where nothing else is asked for.
_AT_ONCE = 16


@dataclass(frozen=True)
class Question:
    """What is asked of a model.

    Attributes
    ----------
    text, conllu, tagged, tokens
        The sentences, in one of these ways.
    require, forbid
        Arcs of the one sentence, as :meth:`turbotree.Parser.parse` takes them.
    k
        How many trees of each sentence.
    rules
        The text of rules, or the names of bundled ones.
    marginals, trace
        Whether to tell probabilities, and the rounds of the solver.
    """

    text: str | None = None
    conllu: str | None = None
    tagged: str | None = None
    tokens: Sequence[str | Mapping[str, str | None]] | None = None
    require: Sequence[Sequence[Any]] = ()
    forbid: Sequence[Sequence[Any]] = ()
    k: int = 1
    rules: str | None = None
    marginals: bool = False
    trace: bool = False


@dataclass(frozen=True)
class Engine:
    """A model with what a server has to know of it.

    Attributes
    ----------
    model
        A :class:`turbotree.Parser`, or a :class:`turbotree.Pipeline`, which reads raw text.
    name
        What to call it.
    limits
        What is refused.
    facts
        What its file says.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> engine = Engine(parser)
    >>> (answer,) = engine.answer(Question(tagged="Birds/NOUN sing/VERB"))
    >>> len(answer["trees"][0]["heads"])
    2
    """

    model: Parser | Pipeline
    name: str = "model"
    limits: Limits = field(default_factory=Limits)
    facts: Mapping[str, Any] = field(default_factory=dict)
    rules_allowed: bool = True

    @classmethod
    def load(cls, path: Path | None, limits: Limits, *, rules_allowed: bool = True) -> Engine:
        """Load a parser or a pipeline; without a path, the bundled English model."""
        if path is None:
            model, facts = _english(), {}
        else:
            file = read_model(path)
            model = model_of(file)
            facts = {"bytes": file.size, "checksum": file.checksum}
        if not isinstance(model, Parser | Pipeline):
            raise ModelFileError(f"{path}: is a tagger, expected a parser or a pipeline")
        return cls(model, path.name if path else "en", limits, facts, rules_allowed)

    @property
    def parser(self) -> Parser:
        """The parser itself, or that of the pipeline."""
        return self.model if isinstance(self.model, Parser) else self.model.parser

    @property
    def takes_text(self) -> bool:
        """Whether raw text will do."""
        return not isinstance(self.model, Parser) and self.model.tokenizer is not None

    def about(self) -> dict[str, Any]:
        """Tell what the model is and takes, as JSON-ready data."""
        parser = self.parser
        return {
            "name": self.name,
            "kind": "parser" if isinstance(self.model, Parser) else "pipeline",
            "text": self.takes_text,
            "rules": self.rules_allowed,
            "parts": list(parser.parts.families),
            "labels": sorted(parser.labels.dictionary.names),
            "single_root": parser.shape.single_root,
            "licence": self.model.record.get("options", {}).get("licence"),
            "rule_examples": shipped_rule_texts() if self.rules_allowed else {},
            **self.facts,
        }

    def sentences(self, question: Question) -> list[Sentence]:
        """Read the sentences of a question, with tags; those that are too long are refused."""
        ways = (question.text, question.conllu, question.tagged, question.tokens)
        if sum(way is not None for way in ways) != 1:
            raise InputError("give one of text, conllu, tagged and tokens")
        tagless = isinstance(self.model, Parser)
        if question.text is not None:
            found = self._from_text(question.text)
        elif question.conllu is not None:
            found = conllu_sentences(question.conllu)
        elif question.tagged is not None:
            found = tagged_sentences(question.tagged, need_tags=tagless)
        else:
            found = [token_sentence(question.tokens or (), need_tags=tagless)]
        if not found:
            raise InputError("there is no sentence in this request")
        check_lengths(found, self.limits)
        return self._tagged(found)

    def answer(
        self, question: Question, in_time: Callable[[], bool] = lambda: True
    ) -> list[dict[str, Any]]:
        """Parse what a question gives: one answer per sentence, as JSON-ready data.

        Parameters
        ----------
        question
            What is asked.
        in_time
            Looked at between sentences; once it says no, `TooSlowError` is raised.
        """
        if question.k > self.limits.max_trees:
            raise TooLargeError(
                f"k is {question.k}; this server gives {self.limits.max_trees} trees at most"
            )
        sentences = self.sentences(question)
        constrained = bool(question.require or question.forbid)
        if constrained and len(sentences) != 1:
            raise InputError(
                f"require and forbid are for one sentence; there are {len(sentences)} here"
            )
        options = self._options(question)
        answers = []
        for group in in_batches(sentences, 1 if constrained or question.k > 1 else _AT_ONCE):
            _check_time(in_time)
            for parses in self._trees(group, question.k, options):
                answers.append(described(parses, marginals=question.marginals))
        if question.trace:
            for sentence, answer in zip(sentences, answers, strict=True):
                _check_time(in_time)
                solution = trace_sentence(
                    self.parser, sentence, require=question.require, forbid=question.forbid
                )
                answer["trace"] = described_trace(solution)
        return answers

    def _options(self, question: Question) -> dict[str, Any]:
        """Give the options of the parser."""
        options: dict[str, Any] = {}
        if question.require or question.forbid:
            options.update(require=question.require, forbid=question.forbid)
        if not (question.rules and question.rules.strip()):
            return options
        if not self.rules_allowed:
            raise InputError("rules: this server takes none")
        options["rules"] = served_rules(question.rules)
        return options

    def _trees(
        self, group: Sequence[Sentence], k: int, options: Mapping[str, Any]
    ) -> Iterable[list[Parse]]:
        if k > 1:
            return [self.parser.k_best(sentence, k, **options) for sentence in group]
        if "require" in options:
            return [[self.parser.parse(sentence, **options)] for sentence in group]
        return [[parse] for parse in self.parser.parse_batch(group, **options)]

    def _from_text(self, text: str) -> list[Sentence]:
        if isinstance(self.model, Parser):
            raise InputError(
                "text: this model is a parser, which needs words with tags; give conllu, tagged "
                "or tokens, or serve a pipeline"
            )
        if self.model.tokenizer is None:
            raise InputError(f"text: {NO_TOKENIZER}; give conllu or tokens")
        return list(self.model.tokenizer.sentences(text))

    def _tagged(self, sentences: list[Sentence]) -> list[Sentence]:
        """Give tags to the sentences that have none; those of the others stay."""
        if isinstance(self.model, Parser):
            return sentences
        bare = [i for i, sentence in enumerate(sentences) if set(sentence.upos) == {"_"}]
        tagged = self.model.tag([sentences[i] for i in bare]) if bare else []
        result = list(sentences)
        for i, sentence in zip(bare, tagged, strict=True):
            result[i] = sentence
        return result


@cache
def shipped_rule_texts() -> dict[str, str]:
    """Give the bundled rules that need no file beside them, by name."""
    try:
        folder = resources.files("turbotree.parsing.rules").joinpath("shipped")
        files = [entry for entry in folder.iterdir() if entry.name.endswith(".rules")]
    except (ImportError, OSError):
        return {}
    texts = {entry.name.removesuffix(".rules"): entry.read_text("utf-8") for entry in files}
    return {name: text for name, text in sorted(texts.items()) if "in file" not in text}


def _english() -> Parser | Tagger | Pipeline:
    try:
        return load("en")
    except ModelFileError:
        raise InputError("give a MODEL; this package comes without one") from None


def _check_time(in_time: Callable[[], bool]) -> None:
    if not in_time():
        raise TooSlowError("the time of this request is over; ask for less at a time")
