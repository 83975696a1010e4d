"""A component for spaCy: ``nlp.add_pipe("turbotree", config={"model": "en"})``.

It sets heads and relations, non-projective trees included, and sentence boundaries with them. The
words are spaCy's. The tags that a parser needs are those that an earlier component gave them; a
pipeline finds tags, lemmas and sentence boundaries too.

Needs spaCy: ``pip install spacy``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from turbotree.errors import InputError, MissingExtraError, ModelFileError
from turbotree.labeling import Tagger
from turbotree.loading import model_of
from turbotree.modelfile import ModelFile, model_from_bytes, read_model
from turbotree.parsing import Parse, Parser
from turbotree.pipeline import Pipeline
from turbotree.streaming import in_batches
from turbotree.text import Sentence

try:
    from spacy.attrs import DEP, HEAD
    from spacy.language import Language
    from spacy.tokens import Doc, Token
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
    """Parses documents with a turbotree parser or pipeline.

    Parameters
    ----------
    model
        The path of a parser's or a pipeline's file, or the name of a bundled or installed model:
        ``en``. None until :meth:`from_disk` or :meth:`from_bytes` brings one, which may also
        bring one where the path leads nowhere: a saved pipeline names the file that it was made
        with.
    marginals
        Set ``token._.head_probability`` too.
    threads
        Threads for :meth:`pipe`.
    options
        Those of :meth:`turbotree.Parser.parse`: ``decoder``, ``projective``, ``rules`` ...; for a
        pipeline also ``keep_tags``.

    Attributes
    ----------
    model : Parser or Pipeline or None
        The model.
    """

    def __init__(
        self,
        model: str | None,
        *,
        marginals: bool = False,
        threads: int = 1,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.model: Parser | Pipeline | None = None
        self._problem: str | None = None
        self.marginals = marginals
        self.threads = threads
        self.options = options or {}
        if model is not None:
            try:
                self.model = _tree_model(read_model(model))
            except ModelFileError as error:
                self._problem = str(error)
        self._add_extension()

    def __call__(self, doc: Doc) -> Doc:
        """Parse one document."""
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
        """Parse a stream of documents, in order."""
        model = self._loaded()
        for batch in in_batches(docs, batch_size):
            spans = [_spans(doc, model) for doc in batch]
            sentences = [_sentence(words, model) for of_doc in spans for words in of_doc]
            if isinstance(model, Pipeline):
                parses = model.annotate_stream(sentences, threads=self.threads, **self.options)
            else:
                parses = model.pipe(sentences, threads=self.threads, **self.options)
            for doc, of_doc in zip(batch, spans, strict=True):
                yield self._annotated(doc, [(words, next(parses)) for words in of_doc])

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Put the model into a folder, as ``nlp.to_disk`` asks for."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self._is_there():
            self._loaded().save(folder / _MODEL_FILE)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> TurbotreeComponent:
        """Take the model from such a folder."""
        file = Path(path) / _MODEL_FILE
        if file.exists():
            self.model = _tree_model(read_model(file))
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the model as bytes, as ``nlp.to_bytes`` asks for."""
        return self._loaded().to_bytes() if self._is_there() else b""

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> TurbotreeComponent:
        """Take the model from such bytes."""
        if data:
            self.model = _tree_model(model_from_bytes(data))
        return self

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._add_extension()  # another process has none yet

    def _is_there(self) -> bool:
        """Tell whether there is a model to be saved, or should be."""
        return self.model is not None or self._problem is not None

    def _loaded(self) -> Parser | Pipeline:
        if self.model is None:
            usual = "the component has no model: add_pipe('turbotree', config={'model': ...})"
            raise InputError(self._problem or usual)
        return self.model

    def _add_extension(self) -> None:
        if self.marginals and not Token.has_extension(_PROBABILITY):
            Token.set_extension(_PROBABILITY, default=None)

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
        for words, parse in parses:
            if isinstance(self.model, Pipeline):
                _set_tags(words, parse.sentence)
            if self.marginals:
                for token, chance in zip(words, parse.head_probabilities, strict=True):
                    token._.set(_PROBABILITY, chance)
        return doc


def _tree_model(file: ModelFile) -> Parser | Pipeline:
    model = model_of(file)
    if isinstance(model, Tagger):
        raise ModelFileError(f"{file.path}: is a 'tagger' model, expected 'parser' or 'pipeline'")
    return model


def _spans(doc: Doc, model: Parser | Pipeline) -> list[list[Token]]:
    """Return the words of each sentence.

    A document without sentences is one, unless the model can find them in its text.
    """
    spans: Iterable[Iterable[Token]] = [doc]
    if doc.has_annotation("SENT_START"):
        spans = doc.sents
    elif isinstance(model, Pipeline) and model.tokenizer is not None:
        starts = [s[0].start for paragraph in model.tokenizer.tokens(doc.text) for s in paragraph]
        spans = _cut(doc, starts)
    words = [[token for token in span if not token.is_space] for span in spans]
    return [of_sentence for of_sentence in words if of_sentence]


def _cut(doc: Doc, starts: Sequence[int]) -> list[list[Token]]:
    """Cut a document where sentences begin, by characters; within a word, after it."""
    pieces: list[list[Token]] = [[]]
    waiting = list(starts)[::-1]
    for token in doc:
        begins = False
        while waiting and waiting[-1] <= token.idx:
            waiting.pop()
            begins = True
        if begins:
            pieces.append([])
        pieces[-1].append(token)
    return pieces


def _sentence(words: list[Token], model: Parser | Pipeline) -> Sentence:
    columns = {
        "lemma": [token.lemma_ or "_" for token in words],
        "upos": [token.pos_ or "_" for token in words],
        "xpos": [token.tag_ or "_" for token in words],
        "feats": [str(token.morph) or "_" for token in words],
    }
    tagged = any(token.pos_ or token.tag_ for token in words)
    if isinstance(model, Parser) and not tagged:
        raise InputError(
            "the words have no tags: put a component that sets pos_ before 'turbotree', set it "
            f"yourself, or take a pipeline such as 'en' as the model (first word: "
            f"{words[0].text!r})"
        )
    return Sentence.from_words([token.text for token in words]).replace(**columns)


def _set_tags(words: list[Token], sentence: Sentence) -> None:
    """Give words the tags and lemmas that a pipeline found, or kept."""
    rows = zip(words, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True)
    for token, lemma, upos, xpos, feats in rows:
        token.lemma_ = "" if lemma == "_" else lemma
        token.pos_ = "" if upos == "_" else upos
        token.tag_ = "" if xpos == "_" else xpos
        token.set_morph("" if feats == "_" else feats)


@Language.factory(
    "turbotree",
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents"],
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
