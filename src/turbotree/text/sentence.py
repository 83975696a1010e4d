"""One sentence: the text it was read from, and its columns."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from turbotree.errors import InputError
from turbotree.text import blocks, edits
from turbotree.text.layouts import CONLLU, STANDARD_COLUMNS, Layout
from turbotree.text.token import BadHeadError, Token, parse_heads
from turbotree.text.values import column_of, is_unicode


class Sentence:
    """An immutable sentence that keeps the text it came from.

    Reading a file and writing its sentences gives the same bytes: comments, multiword tokens,
    empty nodes, odd characters and all. Word indices are 1..n, 0 is the root, and
    ``heads[m - 1]`` is the head of word m. Two sentences are equal if their layout and text are.

    Parameters
    ----------
    text : str
        The lines of one sentence, with the blank line that ends it.
    layout : Layout
        What the columns are.
    path : str
        Where the text came from; errors name it.
    line : int
        The number of the text's first line in that file.

    Examples
    --------
    >>> sentence = Sentence.from_words(["Birds", "sing"], upos=["NOUN", "VERB"], heads=[2, 0])
    >>> len(sentence), sentence.forms, sentence.heads
    (2, ('Birds', 'sing'), (2, 0))
    >>> sentence.with_tree([0, 1], ["root", "dep"]).labels
    ('root', 'dep')
    """

    __slots__ = ("_heads", "_layout", "_line", "_path", "_text", "_words")

    _text: str
    _layout: Layout
    _path: str
    _line: int
    _words: blocks.Words
    _heads: tuple[int | None, ...] | None

    def __init__(
        self, text: str, layout: Layout = CONLLU, *, path: str = "<text>", line: int = 1
    ) -> None:
        if not isinstance(text, str):
            raise InputError(f"expected the text of a sentence, got {type(text).__name__}")
        if not text.isascii() and not is_unicode(text):
            raise InputError.at(path, line, "not Unicode text: it holds half a surrogate pair")
        try:
            self._words = blocks.parse_block(text, layout)
        except blocks.BlockError as error:
            raise InputError.at(path, line + error.line, error.reason) from None
        self._text = text
        self._layout = layout
        self._path = path
        self._line = line
        self._heads = None

    @classmethod
    def from_words(
        cls,
        forms: Sequence[str],
        lemmas: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Sequence[int | None] | None = None,
        labels: Sequence[str] | None = None,
        deps: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        comments: Iterable[str] = (),
    ) -> Sentence:
        """Build a CoNLL-U sentence from lists; what is not given becomes ``_``.

        >>> print(Sentence.from_words(["Go", "!"], heads=[0, 1]).to_text(), end="")
        1   Go  _   _   _   _   0   _   _   _
        2   !   _   _   _   _   1   _   _   _
        """
        if isinstance(forms, str | bytes) or not isinstance(forms, Iterable):
            raise InputError(f"expected a list of words, got {type(forms).__name__}")
        forms = list(forms)
        if not forms:
            raise InputError("a sentence needs at least one word")
        for number, form in enumerate(forms, 1):
            if form is None or (isinstance(form, str) and not form):
                raise InputError(f"word {number} has no form")
        given: dict[str, Sequence[str] | Sequence[int | None] | None] = {
            "form": forms,
            "lemma": lemmas,
            "upos": upos,
            "xpos": xpos,
            "feats": feats,
            "head": heads,
            "deprel": labels,
            "deps": deps,
            "misc": misc,
        }
        blank = "\t_" * (len(STANDARD_COLUMNS) - 1)
        text = "".join(f"{number}{blank}\n" for number in range(1, len(forms) + 1)) + "\n"
        changes = {name: column for name, column in given.items() if column is not None}
        return cls(text).with_comments(comments).replace(**changes)

    # The text and where it came from

    @property
    def layout(self) -> Layout:
        """What the columns are."""
        return self._layout

    @property
    def path(self) -> str:
        """The file that the sentence was read from."""
        return self._path

    @property
    def line(self) -> int:
        """The number of the sentence's first line in its file."""
        return self._line

    def to_text(self) -> str:
        """Return the exact source text, with the blank line that ends the sentence.

        >>> Sentence.from_words(["Go"]).to_text().endswith("\\n\\n")
        True
        """
        return self._text

    def place(self, word: int) -> tuple[str, int]:
        """Return the path and line number of a word (1..n), for messages.

        >>> Sentence.from_words(["Go", "!"], comments=["sent_id = 1"]).place(2)
        ('<text>', 3)
        """
        return self._path, self._line + self._words.lines[word - 1]

    # Columns

    def __len__(self) -> int:
        return len(self._words.lines)

    def column(self, name: str) -> tuple[str, ...]:
        """Return the words' values of one column, by its name in the layout.

        A standard column that the layout lacks gives ``_`` for every word.

        >>> Sentence.from_words(["Go", "!"]).column("form")
        ('Go', '!')
        """
        if name in self._layout.columns:
            return self._words.columns[self._layout.columns.index(name)]
        if name not in STANDARD_COLUMNS:
            self._layout.index(name)  # raises, and names the columns there are
        if name == "id":
            return tuple(str(number) for number in range(1, len(self) + 1))
        return ("_",) * len(self)

    def columns(self, names: Iterable[str]) -> list[tuple[str, ...]]:
        """Return several columns, as :meth:`column` gives them one by one.

        >>> Sentence.from_words(["Go", "!"]).columns(["form", "upos"])
        [('Go', '!'), ('_', '_')]
        """
        known, own = self._layout.columns, self._words.columns
        return [own[known.index(name)] if name in known else self.column(name) for name in names]

    @property
    def forms(self) -> tuple[str, ...]:
        """The words as written."""
        return self.column("form")

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The dictionary forms."""
        return self.column("lemma")

    @property
    def upos(self) -> tuple[str, ...]:
        """The universal (CoNLL-X: coarse) parts of speech."""
        return self.column("upos")

    @property
    def xpos(self) -> tuple[str, ...]:
        """The treebank's own (CoNLL-X: fine) parts of speech."""
        return self.column("xpos")

    @property
    def feats(self) -> tuple[str, ...]:
        """The morphological features as written, ``Case=Nom|Number=Sing``."""
        return self.column("feats")

    @property
    def labels(self) -> tuple[str, ...]:
        """The relation of each word to its head (DEPREL)."""
        return self.column("deprel")

    @property
    def heads(self) -> tuple[int | None, ...]:
        """The head of each word, 0 for the root and None for ``_``.

        Only now is the HEAD column looked at; what is no number is an InputError.
        """
        if self._heads is None:
            try:
                self._heads = parse_heads(self.column("head"))
            except BadHeadError as error:
                raise InputError.at(*self.place(error.word), str(error)) from None
        return self._heads

    @property
    def words(self) -> tuple[Token, ...]:
        """The words, one Token each."""
        columns: list[Sequence[object]] = [self.column(name) for name in STANDARD_COLUMNS]
        columns[0] = range(1, len(self) + 1)
        columns[6] = self.heads
        return tuple(Token(*row) for row in zip(*columns, strict=True))

    # Comments

    @property
    def comments(self) -> tuple[str, ...]:
        """The comment lines without their ``#`` and the blanks around."""
        lines = self._text.removeprefix(blocks.BYTE_ORDER_MARK).split("\n")
        return tuple(
            line[1:].strip(" \t\r") for line in lines if blocks.is_comment(line, self._layout)
        )

    @property
    def metadata(self) -> dict[str, str]:
        """What the comments ``# key = value`` say; of a key given twice, the last value."""
        pairs = (comment.partition("=") for comment in self.comments)
        return {key.strip(" \t"): value.strip(" \t") for key, equals, value in pairs if equals}

    @property
    def sent_id(self) -> str | None:
        """The sentence's name, if a comment gives it."""
        return self.metadata.get("sent_id")

    @property
    def text(self) -> str | None:
        """The raw text of the sentence, if a comment gives it."""
        return self.metadata.get("text")

    # Changed copies

    def replace(self, **columns: Sequence[str] | Sequence[int | None]) -> Sentence:
        """Return a copy with some columns of the word lines replaced and all else untouched.

        Values are strings; integers and None (``_``) are taken too.

        >>> Sentence.from_words(["Go", "!"]).replace(upos=["VERB", "PUNCT"]).upos
        ('VERB', 'PUNCT')
        """
        changes = {
            self._layout.index(name): column_of(values, name, self._layout, len(self))
            for name, values in columns.items()
        }
        text = edits.with_columns(self._text, self._words, changes, self._layout)
        kept = enumerate(self._words.columns)
        changed = tuple([changes.get(index, column) for index, column in kept])
        return self._derived(text, self._words._replace(columns=changed))

    def with_tree(self, heads: Sequence[int], labels: Sequence[str]) -> Sentence:
        """Return a copy with this tree.

        >>> Sentence.from_words(["Go", "!"]).with_tree([0, 1], ["root", "punct"]).heads
        (0, 1)
        """
        return self.replace(head=heads, deprel=labels)

    def with_misc(self, name: str, values: Iterable[str]) -> Sentence:
        """Return a copy with an entry in each word's MISC, added or replaced.

        >>> Sentence.from_words(["Go"], misc=["A=1|B=2"]).with_misc("A", ["3"]).column("misc")
        ('B=2|A=3',)
        """
        entries = []
        for misc, value in zip(self.column("misc"), values, strict=True):
            kept = [] if misc == "_" else misc.split("|")
            kept = [entry for entry in kept if not entry.startswith(f"{name}=")]
            entries.append("|".join([*kept, f"{name}={value}"]))
        return self.replace(misc=entries)

    def with_comments(self, comments: Iterable[str]) -> Sentence:
        """Return a copy with more comment lines, after those it has.

        >>> Sentence.from_words(["Go"]).with_comments(["score = 3.5"]).metadata
        {'score': '3.5'}
        """
        added = list(comments)
        if not added:
            return self
        if not self._layout.numbered:
            raise InputError(f"{self._layout.name}: this layout has no comments")
        for comment in added:
            if "\n" in comment or not is_unicode(comment):
                raise InputError(f"comment {comment!r}: one line of Unicode text expected")
        text = edits.with_comment_lines(self._text, added, self._layout)
        return Sentence(text, self._layout, path=self._path, line=self._line)

    # Python's own protocols

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self._text == other._text and self._layout == other._layout

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        words = " ".join(self.forms[:8]) + (" ..." if len(self) > 8 else "")
        return f"<Sentence {self._path}:{self._line}: {words}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self._text, self._layout, self._path, self._line)

    # Inside

    def _derived(self, text: str, words: blocks.Words) -> Sentence:
        """Make a copy whose text and words are known to agree."""
        copy = object.__new__(Sentence)
        copy._text, copy._words, copy._heads = text, words, None
        copy._layout, copy._path, copy._line = self._layout, self._path, self._line
        return copy


def _restore(text: str, layout: Layout, path: str, line: int) -> Sentence:
    return Sentence(text, layout, path=path, line=line)


def fingerprint(sentences: Iterable[Sentence]) -> str:
    """Return a checksum of the sentences' text, by which a later run knows that data are the same.

    >>> fingerprint([])[:8]
    'e3b0c442'
    """
    import hashlib  # here, to keep `import turbotree` quick

    digest = hashlib.sha256()
    for sentence in sentences:
        digest.update(sentence.to_text().encode())
    return digest.hexdigest()


def as_sentence(given: Any) -> Sentence:
    """Return a sentence as it is, and a ``TokenList`` of the conllu library as a sentence.

    Examples
    --------
    >>> sentence = Sentence.from_words(["Birds", "sing"])
    >>> as_sentence(sentence) is sentence
    True
    >>> as_sentence("Birds sing")
    Traceback (most recent call last):
    turbotree.errors.InputError: expected a Sentence, got str; ...
    """
    if isinstance(given, Sentence):
        return given
    serialize = getattr(given, "serialize", None)  # so that we need not import the library
    if not callable(serialize):
        raise InputError(
            f"expected a Sentence, got {type(given).__name__}; "
            "turbotree.text.read_conllu or Sentence.from_words make them"
        )
    from turbotree.text.reading import read_conllu  # which makes sentences

    sentences = list(read_conllu(io.StringIO(serialize())))
    if len(sentences) != 1:
        raise InputError(f"expected the tokens of one sentence, got {len(sentences)} sentences")
    return sentences[0]


def check_many(given: Any, what: str = "sentences") -> Any:
    """Return what was given if it can be many of something, one after another.

    Examples
    --------
    >>> check_many("Birds sing.", "texts")
    Traceback (most recent call last):
    turbotree.errors.InputError: expected texts, a list or any other iterable; got str
    """
    if what == "sentences" and isinstance(given, str | bytes):
        as_sentence(given)  # raises, and says what makes sentences of a path
    alone = isinstance(given, str | bytes | bytearray | Mapping | Sentence)
    if alone or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InputError(f"expected {what}, a list or any other iterable; got {kind}")
    return given
