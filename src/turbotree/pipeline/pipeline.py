"""The pipeline: text in, trees out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.labeling import Tagger
from turbotree.naming import check_names, options_of
from turbotree.parsing import Parse, Parser
from turbotree.parsing.parser import StreamOptions
from turbotree.pipeline.lemmatizer import Lemmatizer, words_with_tags
from turbotree.pipeline.tokenizer import Tokenizer
from turbotree.quantities import check_least
from turbotree.scoring import Batch
from turbotree.stored import Stored, training_facts
from turbotree.streaming import OnFailure, map_batches, map_in_order, skipping_failures
from turbotree.text import Sentence, as_sentence, check_many

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

    from turbotree.labeling.data import TrainingSource
    from turbotree.pipeline.training import TrainPipelineKeywords

_BATCH_SIZE = 64
#: What is wrong with text for a pipeline that has learnt from a treebank without spaces.
NO_TOKENIZER = (
    "this pipeline takes no raw text: it has no tokenizer, as its training data never say "
    "SpaceAfter=No"
)


class AnnotateOptions(StreamOptions, total=False):
    """Options of :meth:`Pipeline.annotate`."""

    keep_tags: bool


class TextOptions(AnnotateOptions, total=False):
    """Options of :meth:`Pipeline.__call__`, which says what they mean."""

    name: str | None
    on_failure: OnFailure | None


@dataclass(frozen=True, repr=False)
class Pipeline(Stored):
    """Everything from raw text to trees.

    Make one with :meth:`train` or :meth:`load`, and call it with a text. A pipeline never
    changes, so threads may share it.

    Attributes
    ----------
    tokenizer, tagger, lemmatizer, parser
        Its components; the tokenizer is None if the training data had no spaces to learn from,
        the lemmatizer if they had no lemmas.
    record
        How it was trained.
    """

    kind: ClassVar[str] = "pipeline"

    tokenizer: Tokenizer | None
    tagger: Tagger
    lemmatizer: Lemmatizer | None
    parser: Parser
    record: dict[str, Any]

    @classmethod
    def train(cls, train: TrainingSource, **options: Unpack[TrainPipelineKeywords]) -> Pipeline:
        """Train a pipeline; see :func:`turbotree.pipeline.training.train_pipeline`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> fast = {"fold_epochs": 1, "folds": 2, "token_epochs": 2, "tagger": {"epochs": 1},
        ...     "parser": {"model": "arc", "epochs": 1, "pruner_epochs": 1}}
        >>> nlp = Pipeline.train(treebank(60, seed=1), **fast)
        >>> [parse.sentence.forms for parse in nlp("The dogs slept. A girl sang.")]
        [('The', 'dogs', 'slept', '.'), ('A', 'girl', 'sang', '.')]
        """
        from turbotree.pipeline.training import train_pipeline

        return train_pipeline(train, **options)

    def __call__(
        self,
        text: str,
        *,
        name: str | None = None,
        on_failure: OnFailure | None = None,
        **options: Unpack[AnnotateOptions],
    ) -> list[Parse]:
        """Parse a text: one parse per sentence.

        The sentences know where their words stand in the text: ``TokenRange=START:END`` in MISC.

        Parameters
        ----------
        text
            Any text. Blank lines part paragraphs, and so sentences.
        name
            Of the text, for the comments of its sentences.
        on_failure
            As for :meth:`turbotree.parsing.Parser.pipe`.
        options
            As for :meth:`turbotree.parsing.Parser.parse_batch`.
        """
        if not isinstance(text, str):
            raise InputError(f"expected a text, got {type(text).__name__}")
        if self.tokenizer is None:
            raise InputError(f"{NO_TOKENIZER}; give its words to annotate()")
        check_names("Pipeline", options, options_of(Pipeline.__call__, *_FINDING))
        sentences = self.tokenizer.sentences(text, name=name)
        return list(self.annotate_stream(sentences, on_failure=on_failure, **options))

    def pipe(
        self, texts: Iterable[str], *, threads: int = 1, **options: Unpack[TextOptions]
    ) -> Iterator[list[Parse]]:
        """Parse a stream of texts, in order, holding only a few in memory.

        Parameters
        ----------
        texts
            Any iterable; it is read as parsing goes on.
        threads
            Threads to use; the result is the same for any number.
        options
            As for :meth:`turbotree.parsing.Parser.parse_batch`.
        """
        check_least("threads", threads, 1)
        known = options_of(Pipeline.pipe, Pipeline.__call__, *_FINDING)
        check_names("pipe", options, known)
        return map_in_order(partial(self, **options), check_many(texts, "texts"), threads=threads)

    def annotate(
        self,
        sentences: Sequence[Sentence],
        *,
        keep_tags: bool = False,
        **options: Unpack[StreamOptions],
    ) -> list[Parse]:
        """Tag, lemmatise and parse sentences whose words are known.

        Parameters
        ----------
        sentences
            Sentences; their tags, lemmas and trees are replaced.
        keep_tags
            Keep the tags and lemmas that they have, and find the tree alone.
        options
            As for :meth:`turbotree.parsing.Parser.parse_batch`.
        """
        check_names("annotate", options, options_of(*_FINDING))
        if keep_tags:
            return self.parser.parse_batch(list(check_many(sentences)), **options)
        batch = Batch([as_sentence(sentence) for sentence in check_many(sentences)])
        tagged = self._tagged(batch)
        network = self.parser.network
        if network is not None and network.reads_forms_alone:  # then it has read them for the tags
            return self.parser.parse_batch(batch.with_sentences(tagged, network), **options)
        return self.parser.parse_batch(tagged, **options)

    def tag(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Give sentences their tags and lemmas."""
        return self._tagged(Batch([as_sentence(sentence) for sentence in check_many(sentences)]))

    def _tagged(self, batch: Batch) -> list[Sentence]:
        tagged = []
        for tagging in self.tagger.tag_batch(batch):
            columns: dict[str, Sequence[str]] = dict(tagging.columns)
            blank = ("_",) * len(tagging.sentence)
            if self.lemmatizer is not None:
                tags = (columns.get(name, blank) for name in ("upos", "xpos", "feats"))
                words = words_with_tags(tagging.sentence.forms, *tags)
                columns["lemma"] = self.lemmatizer.lemmas_of(words)
            # What the training data lack is no news that the parser could use.
            for name in ("lemma", "xpos", "feats"):
                columns.setdefault(name, blank)
            tagged.append(tagging.sentence.replace(**columns))
        return tagged

    def annotate_stream(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        on_failure: OnFailure | None = None,
        **options: Unpack[AnnotateOptions],
    ) -> Iterator[Parse]:
        """As :meth:`annotate`, for a stream of sentences; the options are the same.

        `on_failure` is that of :meth:`turbotree.parsing.Parser.pipe`.
        """
        known = options_of(Pipeline.annotate_stream, *_FINDING)
        check_names("annotate_stream", options, known)
        find = skipping_failures(partial(self.annotate, **options), on_failure)
        return map_batches(find, check_many(sentences), size=_BATCH_SIZE, threads=threads)

    def tag_stream(self, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        """As :meth:`tag`, for a stream of sentences."""
        return map_batches(self.tag, check_many(sentences), size=_BATCH_SIZE, threads=1)

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance.

        >>> import turbotree as tt
        >>> tt.load("en")
        <Pipeline: from raw text; tags upos, xpos, feats; lemmas; trees of parts arc, sibling,
            grandparent, ... labels; ... features; trained on ... sentences, CC BY-SA 4.0
            (Universal Dependencies, English EWT 2.16)>
        """
        parser, tables = self.parser, [self.tokenizer, self.lemmatizer]
        features = self.tagger.features + sum(
            len(one.model.weights or ()) for one in tables if one is not None
        )
        features += sum(len(scorer.weights or ()) for scorer in parser.sparse().values())
        return [
            "from raw text" if self.tokenizer is not None else "no raw text: words are to be known",
            f"tags {', '.join(stage.column for stage in self.tagger.stages)}",
            *(["lemmas"] if self.lemmatizer is not None else []),
            f"trees of parts {', '.join(parser.parts.families)}, "
            f"{len(parser.labels.dictionary.names)} labels",
            f"{features:,} features",
            *training_facts(self.record),
        ]

    def contents(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        from turbotree.pipeline.storing import contents

        return contents(self)

    @classmethod
    def from_contents(cls, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> Pipeline:
        """Undo :meth:`contents`."""
        from turbotree.pipeline.storing import fields_of

        return cls(**fields_of(arrays, header))


# Whose options all ways to annotate take.
_FINDING = (Pipeline.annotate, Parser.parse_batch)
