"""One sentence: the text it was read from, and its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from turbotree.errors import InputError
from turbotree.text import blocks
from turbotree.text.layouts import CONLLU, STANDARD_COLUMNS, Layout


class Token(NamedTuple):
    """One word of a sentence with its ten CoNLL-U columns; ``_`` stands for nothing.

    >>> Sentence.from_words(["Birds", "sing"], heads=[2, 0]).words[0].head
    2
    """

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None
    deprel: str
    deps: str
    misc: str


# Looking a head up is quicker than int(), and refuses what int() takes but CoNLL-U does not
# ("1_0", " 1", "+1", digits of other scripts).
_HEADS: dict[str, int | None] = {"_": None, **{str(number): number for number in range(1000)}}

# Tags, relations and frequent words occur thousands of times: one object for each saves most of
# a treebank's memory.
_shared: dict[str, str] = {}
_SHARED_LIMIT = 200_000


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

    __slots__ = ("_columns", "_heads", "_layout", "_line", "_path", "_text")

    _text: str
    _layout: Layout
    _path: str
    _line: int
    _columns: tuple[tuple[str, ...], ...] | None
    _heads: tuple[int | None, ...] | None

    def __init__(
        self, text: str, layout: Layout = CONLLU, *, path: str = "<text>", line: int = 1
    ) -> None:
        try:
            blocks.parse_block(text, layout)
        except blocks.BlockError as error:
            raise InputError.at(path, line + error.line, error.reason) from None
        self._text = text
        self._layout = layout
        self._path = path
        self._line = line
        self._columns = None
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
        if not forms:
            raise InputError("a sentence needs at least one word")
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
        """Give the exact source text, with the blank line that ends the sentence.

        >>> Sentence.from_words(["Go"]).to_text().endswith("\\n\\n")
        True
        """
        return self._text

    def place(self, word: int) -> tuple[str, int]:
        """Give the path and line number of a word (1..n), for messages.

        >>> Sentence.from_words(["Go", "!"], comments=["sent_id = 1"]).place(2)
        ('<text>', 3)
        """
        return self._path, self._line + self._words().lines[word - 1]

    # Columns

    def __len__(self) -> int:
        return len(self._all_columns()[0])

    def column(self, name: str) -> tuple[str, ...]:
        """Give the words' values of one column, by its name in the layout.

        A standard column that the layout lacks gives ``_`` for every word.

        >>> Sentence.from_words(["Go", "!"]).column("form")
        ('Go', '!')
        """
        columns = self._all_columns()
        if name in self._layout.columns:
            return columns[self._layout.columns.index(name)]
        if name not in STANDARD_COLUMNS:
            self._layout.index(name)  # raises, and names the columns there are
        if name == "id":
            return tuple(str(number) for number in range(1, len(self) + 1))
        return ("_",) * len(self)

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
            values = self.column("head")
            try:
                self._heads = tuple([_HEADS[value] for value in values])
            except KeyError:
                self._heads = tuple(self._head(m, value) for m, value in enumerate(values, 1))
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
        """Give a copy with some columns of the word lines replaced and all else untouched.

        Values are strings; integers and None (``_``) are taken too.

        >>> Sentence.from_words(["Go", "!"]).replace(upos=["VERB", "PUNCT"]).upos
        ('VERB', 'PUNCT')
        """
        changes = {
            self._layout.index(name): self._checked_values(name, values)
            for name, values in columns.items()
        }
        lines = self._text.split("\n")
        for word, place in enumerate(self._words().lines):
            row = {column: values[word] for column, values in changes.items()}
            mark = blocks.BYTE_ORDER_MARK if place == 0 else ""
            line = lines[place]
            if mark and line.startswith(mark):
                lines[place] = mark + blocks.join_line(line[1:], row, self._layout)
            else:
                lines[place] = blocks.join_line(line, row, self._layout)
        return self._copy("\n".join(lines))

    def with_tree(self, heads: Sequence[int], labels: Sequence[str]) -> Sentence:
        """Give a copy with this tree.

        >>> Sentence.from_words(["Go", "!"]).with_tree([0, 1], ["root", "punct"]).heads
        (0, 1)
        """
        return self.replace(head=heads, deprel=labels)

    def with_comments(self, comments: Iterable[str]) -> Sentence:
        """Give a copy with more comment lines, after those it has.

        >>> Sentence.from_words(["Go"]).with_comments(["score = 3.5"]).metadata
        {'score': '3.5'}
        """
        added = list(comments)
        if not added:
            return self
        if not self._layout.numbered:
            raise InputError(f"{self._layout.name}: this layout has no comments")
        for comment in added:
            if "\n" in comment or not _is_unicode(comment):
                raise InputError(f"comment {comment!r}: one line of Unicode text expected")
        lines = self._text.split("\n")
        ending = "\r" if lines[0].endswith("\r") else ""
        at = next(
            i
            for i, line in enumerate(lines)
            if not blocks.is_blank(bare := line.removeprefix(blocks.BYTE_ORDER_MARK), self._layout)
            and not blocks.is_comment(bare, self._layout)
        )
        mark = ""
        if at == 0 and lines[0].startswith(blocks.BYTE_ORDER_MARK):
            mark, lines[0] = blocks.BYTE_ORDER_MARK, lines[0][1:]
        lines[at:at] = [f"# {comment}{ending}" for comment in added]
        return self._copy(mark + "\n".join(lines))

    def converted(self, layout: Layout) -> Sentence:
        """Give the sentence in another layout; columns it lacks become ``_``.

        >>> from turbotree.text import column_layout
        >>> tagged = Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"])
        >>> tagged.converted(column_layout(["form", "upos"])).to_text()
        'Go VERB\\n! PUNCT\\n\\n'
        """
        if layout == self._layout:
            return self
        separator = layout.separator or " "
        columns = [
            self.column(name) if name in (*self._layout.columns, *STANDARD_COLUMNS) else None
            for name in layout.columns
        ]
        values = [column or ("_",) * len(self) for column in columns]
        for name, column in zip(layout.columns, values, strict=True):
            _check_column(column, name, layout)
        text = "".join(separator.join(row) + "\n" for row in zip(*values, strict=True)) + "\n"
        result = Sentence(text, layout, path=self._path, line=self._line)
        return result.with_comments(self.comments) if layout.numbered else result

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

    def _copy(self, text: str) -> Sentence:
        return Sentence(text, self._layout, path=self._path, line=self._line)

    def _words(self) -> blocks.Words:
        return blocks.parse_block(self._text, self._layout)

    def _all_columns(self) -> tuple[tuple[str, ...], ...]:
        if self._columns is None:
            if len(_shared) > _SHARED_LIMIT:
                _shared.clear()
            share = _shared.setdefault
            self._columns = tuple(
                [tuple([share(value, value) for value in column]) for column in self._words()[1]]
            )
        return self._columns

    def _head(self, word: int, value: str) -> int | None:
        if value == "_":
            return None
        if value.isascii() and value.isdigit() and len(value) < 10:
            return int(value)
        path, line = self.place(word)
        raise InputError.at(path, line, f"head {value!r} is not a word number, 0 or '_'")

    def _checked_values(
        self, name: str, values: Sequence[str] | Sequence[int | None]
    ) -> tuple[str, ...]:
        if name == "id" and self._layout.numbered:
            raise InputError("the id column cannot be replaced")
        if len(values) != len(self):
            raise InputError(
                f"{self._path}:{self._line}: {len(values)} values for column {name!r} "
                f"of a sentence of {len(self)} words"
            )
        column = tuple(_as_text(value) for value in values)
        _check_column(column, name, self._layout)
        return column


def _restore(text: str, layout: Layout, path: str, line: int) -> Sentence:
    return Sentence(text, layout, path=path, line=line)


def _as_text(value: str | int | None) -> str:
    if isinstance(value, str):
        return value
    return "_" if value is None else str(int(value))


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return True


def _check_column(column: tuple[str, ...], name: str, layout: Layout) -> None:
    forbidden = ["\t", "\n"] if layout.separator == "\t" else [" ", "\t", "\n"]
    if name == layout.columns[-1]:
        forbidden.append("\r")  # at the end of a line it would be taken for a line ending
    for value in column:
        bad = next((character for character in forbidden if character in value), None)
        if bad is not None:
            raise InputError(f"value {value!r} for column {name!r}: {bad!r} cannot stand there")
        if not value and layout.separator != "\t":
            raise InputError(f"empty value for column {name!r}: {layout.name} cannot hold it")
        if not _is_unicode(value):
            raise InputError(f"value {value!r} for column {name!r} is not Unicode text")
