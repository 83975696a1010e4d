"""A component for spaCy: ``nlp.add_pipe("turbotree", config={"model": "mine.safetensors"})``.

It sets heads and relations, non-projective trees included, and sentence boundaries with them. The
words are spaCy's; their tags are those that an earlier component gave them.

Needs spaCy: ``pip install spacy``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from turbotree.errors import InputError, MissingExtraError
from turbotree.parsing import Parse, Parser
from turbotree.streaming import in_batches
from turbotree.text import Sentence

try:
    from spacy.attrs import DEP, HEAD
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token
except ImportError as error:
    raise MissingExtraError(
        "turbotree.integrations.spacy needs spaCy: pip install spacy"
    ) from error

_MODEL_FILE = "model.safetensors"
#: What spaCy calls the relation of a sentence's root.
_ROOT = "ROOT"
#: And that of a space; without one, spaCy would not believe that it has a head.
_NO_RELATION = "dep"
_PROBABILITY = "head_probability"


class TurbotreeComponent:
    """Parses documents with a turbotree parser.

    Parameters
    ----------
    model
        The path of a parser's file; None until :meth:`from_disk` brings one.
    marginals
        Set ``token._.head_probability`` too.
    threads
        Threads for :meth:`pipe`.
    options
        Those of :meth:`turbotree.Parser.parse`: ``decoder``, ``projective``, ``rules`` ...
    """

    def __init__(
        self,
        model: str | None,
        *,
        marginals: bool = False,
        threads: int = 1,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.path = Path(model) if model is not None else None
        self.parser = Parser.load(model) if model is not None else None
        self.marginals = marginals
        self.threads = threads
        self.options = options or {}
        if marginals and not Token.has_extension(_PROBABILITY):
            Token.set_extension(_PROBABILITY, default=None)

    def __call__(self, doc: Doc) -> Doc:
        """Parse one document."""
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Parse a stream of documents, in order."""
        if self.parser is None:
            raise InputError(
                "the component has no model: add_pipe('turbotree', config={'model': ...})"
            )
        for batch in in_batches(docs, batch_size):
            spans = [_spans(doc) for doc in batch]
            sentences = [_sentence(words) for of_doc in spans for words in of_doc]
            parses = self.parser.pipe(sentences, threads=self.threads, **self.options)
            for doc, of_doc in zip(batch, spans, strict=True):
                yield self._annotated(doc, [(words, next(parses)) for words in of_doc])

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Put a copy of the model into a folder, as ``nlp.to_disk`` asks for."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self.path is not None:
            shutil.copyfile(self.path, folder / _MODEL_FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> TurbotreeComponent:
        """Take the model from such a folder."""
        file = Path(path) / _MODEL_FILE
        if file.exists():
            self.path, self.parser = file, Parser.load(file)
        return self

    def _annotated(self, doc: Doc, parses: list[tuple[list[Token], Parse]]) -> Doc:
        # Words that no parse is about, such as spaces, hang from the word before them.
        heads = np.array([-1 if i else 0 for i in range(len(doc))], dtype=np.int64)
        labels = np.full(len(doc), doc.vocab.strings.add(_NO_RELATION), dtype=np.uint64)
        for words, parse in parses:
            for i, (head, label) in enumerate(zip(parse.heads, parse.labels, strict=True)):
                place = words[i].i
                heads[place] = words[head - 1].i - place if head else 0
                labels[place] = doc.vocab.strings.add(label if head else _ROOT)
        if len(doc):
            columns = np.stack([heads.astype(np.uint64), labels], axis=1)
            doc.from_array([HEAD, DEP], columns)
        if self.marginals:
            for words, parse in parses:
                for token, chance in zip(words, parse.head_probabilities, strict=True):
                    token._.set(_PROBABILITY, chance)
        return doc


def _spans(doc: Doc) -> list[list[Token]]:
    """Return the words of each sentence; a document without sentences is one."""
    known = doc.has_annotation("SENT_START")
    spans: Iterable[Doc | Span] = doc.sents if known else [doc]
    words = [[token for token in span if not token.is_space] for span in spans]
    return [of_sentence for of_sentence in words if of_sentence]


def _sentence(words: list[Token]) -> Sentence:
    columns = {
        "lemma": [token.lemma_ or "_" for token in words],
        "upos": [token.pos_ or "_" for token in words],
        "xpos": [token.tag_ or "_" for token in words],
        "feats": [str(token.morph) or "_" for token in words],
    }
    if not any(token.pos_ or token.tag_ for token in words):
        raise InputError(
            "the words have no tags: put a component that sets pos_ before 'turbotree', "
            f"or set it yourself (first word: {words[0].text!r})"
        )
    return Sentence.from_words([token.text for token in words]).replace(**columns)


@Language.factory(
    "turbotree",
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents"],
    requires=["token.pos"],
    default_config={"model": None, "marginals": False, "threads": 1, "options": None},
)
def make_component(
    nlp: Language,
    name: str,
    model: str | None,
    marginals: bool,
    threads: int,
    options: dict[str, Any] | None,
) -> TurbotreeComponent:
    """Make the component that ``nlp.add_pipe("turbotree")`` adds."""
    return TurbotreeComponent(model, marginals=marginals, threads=threads, options=options)
