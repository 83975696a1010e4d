"""From text to tokens and sentences: a row of atoms, each labelled with what ends after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.features import Encoder, FrozenWeights
from turbotree.files.headers import texts, whole
from turbotree.labeling.answers import ChainAnswer
from turbotree.labeling.model import ChainModel
from turbotree.pipeline.atoms import UNITS, Atom, atoms_of
from turbotree.pipeline.expansion import Expansion
from turbotree.scoring import Batch
from turbotree.stored import Stored
from turbotree.text import Sentence
from turbotree.text.blocks import BYTE_ORDER_MARK

#: What ends after an atom: nothing, a token, a sentence; the latter two also of multiword tokens.
INSIDE, TOKEN, SENTENCE, MULTIWORD, MULTIWORD_SENTENCE = LABELS = (
    "inside",
    "token",
    "sentence",
    "multiword",
    "multiword sentence",
)
_BLANK = "\t_" * 7 + "\t"
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_UNNAMEABLE = re.compile(r"[\s/]")


class Token(NamedTuple):
    """A token of a text: where it is, and the words it stands for."""

    start: int
    end: int
    words: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Tokenizer(Stored):
    """Cuts text into sentences of tokens.

    Attributes
    ----------
    unit
        How fine the atoms are that it puts together, one of ``UNITS``.
    model
        What labels the atoms.
    expansion
        What takes multiword tokens apart.
    """

    kind: ClassVar[str] = "tokenizer"

    unit: str
    model: ChainModel
    expansion: Expansion

    def tokens(self, text: str) -> list[list[list[Token]]]:
        """Return the paragraphs of a text: each a list of sentences, lists of tokens.

        A blank line ends a paragraph, and so a sentence; any other white space is a space. So is
        a byte order mark at the beginning: places are counted with it, words are without.
        """
        if not isinstance(text, str):
            raise InputError(f"expected a text, got {type(text).__name__}")
        bounds = [0, *(x for m in _PARAGRAPH.finditer(text) for x in m.span()), len(text)]
        return [
            self._assembled(text, row, labels)
            for row, labels in self._labelled(text, bounds[::2], bounds[1::2])
        ]

    def sentences(
        self, text: str, *, name: str | None = None, offset: int = 0, first: int = 1
    ) -> list[Sentence]:
        """Return the sentences of a text, with each token's place in it in MISC (TokenRange).

        Parameters
        ----------
        text
            Any text.
        name
            Of the document, for the comments. The names of sentences begin with it, ``_`` in place
            of spaces and slashes, which they must not have.
        offset, first
            Where the text begins in its document, and the number of its first sentence, if it is
            only a part.
        """
        made: list[Sentence] = []
        for paragraph in self.tokens(text):
            for sentence in paragraph:
                number = first + len(made)
                comments = []
                if number == 1:
                    comments.append("newdoc" if name is None else f"newdoc id = {_one_line(name)}")
                if sentence is paragraph[0]:
                    comments.append("newpar")
                prefix = "" if name is None else f"{_UNNAMEABLE.sub('_', name)}-"
                comments.append(f"sent_id = {prefix}{number}")
                made.append(_sentence(text, sentence, comments, offset))
        return made

    def line_sentences(self, text: str, *, offset: int = 0, first: int = 1) -> list[Sentence]:
        """Return one sentence for each line of a text, whatever the tokenizer thinks of its ends.

        Lines that are blank are skipped; parameters and places are those of :meth:`sentences`.

        Examples
        --------
        >>> from turbotree.pipeline.tokenizer_training import train_tokenizer
        >>> from turbotree.text import treebank
        >>> tokenizer = train_tokenizer(list(treebank(60, seed=1)), epochs=2)
        >>> [s.text for s in tokenizer.line_sentences("The dogs slept. A girl sang.\\nThe end")]
        ['The dogs slept. A girl sang.', 'The end']
        """
        ends = [*(at for at, character in enumerate(text) if character == "\n"), len(text)]
        starts = [0, *(end + 1 for end in ends[:-1])]
        made = []
        for number, (row, labels) in enumerate(self._labelled(text, starts, ends), first):
            tokens = [token for part in self._assembled(text, row, labels) for token in part]
            made.append(_sentence(text, tokens, [f"sent_id = {number}"], offset))
        return made

    def _labelled(
        self, text: str, starts: Sequence[int], ends: Sequence[int]
    ) -> list[tuple[list[Atom], list[int]]]:
        """Return the atoms of each stretch of a text that has some, with their labels."""
        rows: list[list[Atom]] = []
        for start, end in zip(starts, ends, strict=True):
            if start == 0 and text.startswith(BYTE_ORDER_MARK):
                start = 1
            row = [Atom(start + at, word) for at, word in atoms_of(text[start:end], self.unit)]
            if row:
                rows.append(row)
        if not rows:
            return []
        words = [[word for _, word in row] for row in rows]
        encoder = self.model.encoder
        batch = Batch.encoded(encoder, encoder.encode_words(words))
        found = ChainAnswer.of(self.model, batch).labels.tolist()
        stops = [0, *accumulate(map(len, rows))]
        return [
            (row, found[at:stop]) for row, at, stop in zip(rows, stops, stops[1:], strict=False)
        ]

    def _assembled(
        self, text: str, atoms: Sequence[Atom], labels: Sequence[int]
    ) -> list[list[Token]]:
        names = self.model.labels
        sentences: list[list[Token]] = [[]]
        start = atoms[0].start
        for number, (atom, label) in enumerate(zip(atoms, labels, strict=True)):
            name = names[label]
            is_last = number + 1 == len(atoms)
            if name == INSIDE and not is_last:
                continue
            end = atom.start + len(atom.word[0])
            form = text[start:end]
            multiword = name in (MULTIWORD, MULTIWORD_SENTENCE)
            words = self.expansion.words(form) if multiword else [form]
            sentences[-1].append(Token(start, end, tuple(words)))
            if not is_last:
                start = atoms[number + 1].start
                if name in (SENTENCE, MULTIWORD_SENTENCE):
                    sentences.append([])
        return sentences

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance."""
        return [
            f"of {self.unit}",
            f"{len(self.expansion.rules):,} rules for multiword tokens",
            f"{len(self.model.weights or ()):,} features",
        ]

    def contents(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        weights = self.model.weights
        assert isinstance(weights, FrozenWeights)
        return {"slots": weights.slots}, {
            "unit": self.unit,
            "encoder": self.model.encoder.to_dict(),
            "labels": self.model.labels,
            "templates": self.model.templates,
            "label_bits": weights.label_bits,
            "expansion": self.expansion.to_list(),
        }

    @classmethod
    def from_contents(
        cls, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]
    ) -> Tokenizer:
        """Undo :meth:`contents`."""
        labels = texts(header["labels"], "labels")
        if len(labels) > len(LABELS):
            raise ValueError(f"{len(labels)} labels of a tokenizer")
        if header["unit"] not in UNITS or not labels or not set(labels) <= set(LABELS):
            raise ValueError(f"a tokenizer of {header['unit']!r} with the labels {labels!r}")
        model = ChainModel(
            texts(header["templates"], "templates"),
            labels,
            any_transitions(len(labels)),
            Encoder.from_dict(header["encoder"]),
            FrozenWeights(arrays["slots"], whole(header["label_bits"], "label_bits")),
        )
        return cls(header["unit"], model, Expansion.from_list(header["expansion"]))


def any_transitions(labels: int) -> Transitions:
    """Return transitions that allow any label after any other."""
    return Transitions(np.ones((labels, labels), dtype=bool))


def _sentence(text: str, tokens: Sequence[Token], comments: list[str], offset: int) -> Sentence:
    """Write tokens as CoNLL-U: one line per word, and one before those of a multiword token."""
    whole = _one_line(text[tokens[0].start : tokens[-1].end])
    lines = [f"# {comment}" for comment in (*comments, f"text = {whole}")]
    number = 1
    for token in tokens:
        misc = f"TokenRange={token.start + offset}:{token.end + offset}"
        if token.end < len(text) and not text[token.end].isspace():
            misc = f"SpaceAfter=No|{misc}"
        if len(token.words) > 1:
            form = _one_line(text[token.start : token.end])
            last = number + len(token.words) - 1
            lines.append(f"{number}-{last}\t{form}{_BLANK}{misc}")
            misc = "_"
        for word in token.words:
            lines.append(f"{number}\t{_one_line(word)}{_BLANK}{misc}")
            number += 1
    return Sentence("\n".join([*lines, "", ""]))


def _one_line(text: str) -> str:
    return text if text.isalnum() else " ".join(text.split())
