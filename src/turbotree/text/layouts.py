"""Layouts: which columns a file has, and what stands between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turbotree.errors import InputError
from turbotree.naming import nearest

#: The ten columns of CoNLL-U, by the names used everywhere in turbotree.
STANDARD_COLUMNS = (
    "id",
    "form",
    "lemma",
    "upos",
    "xpos",
    "feats",
    "head",
    "deprel",
    "deps",
    "misc",
)


@dataclass(frozen=True)
class Layout:
    """The shape of a file of sentences: one word per line, a blank line after each sentence.

    Attributes
    ----------
    name : str
        What people call the format.
    columns : tuple of str
        Column names in the order of the file. A column that means the same in two formats has
        one name: CoNLL-X's CPOSTAG and POSTAG are ``upos`` and ``xpos``.
    separator : str or None
        What stands between two columns; None for any run of spaces and tabs.
    numbered : bool
        The first column holds word numbers 1..n, and lines that begin with ``#`` are comments.
    extended : bool
        Multiword tokens (``3-4``) and empty nodes (``5.1``) may stand between the words.

    Examples
    --------
    >>> Layout("chunks", ("form", "xpos", "chunk"), " ").columns
    ('form', 'xpos', 'chunk')
    """

    name: str
    columns: tuple[str, ...]
    separator: str | None
    numbered: bool = False
    extended: bool = False

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError(f"layout {self.name}: at least one column name expected")
        for name in self.columns:
            if not isinstance(name, str) or not name:
                raise InputError(f"layout {self.name}: {name!r} is not a column name")
        if len(set(self.columns)) < len(self.columns):
            raise InputError(f"layout {self.name}: a column name occurs twice in {self.columns}")
        if self.separator is not None and self.separator not in (" ", "\t"):
            raise InputError(
                f"layout {self.name}: separator {self.separator!r}, expected ' ', '\\t' or None"
            )
        if self.numbered and (self.columns[0] != "id" or self.separator != "\t"):
            raise InputError(f"layout {self.name}: numbered layouts begin with 'id', split by TAB")

    def index(self, column: str) -> int:
        """Say where a column stands; an unknown one is an InputError.

        >>> CONLLU.index("head")
        6
        """
        try:
            return self.columns.index(column)
        except ValueError:
            known = ", ".join(self.columns)
            near = nearest(column, self.columns)
            hint = f"; did you mean {near!r}?" if near else f" (columns: {known})"
            raise InputError(f"no column {column!r} in {self.name}{hint}") from None


CONLLU = Layout("CoNLL-U", STANDARD_COLUMNS, "\t", numbered=True, extended=True)
CONLLX = Layout("CoNLL-X", (*STANDARD_COLUMNS[:8], "phead", "pdeprel"), "\t", numbered=True)


def column_layout(
    names: Sequence[str] = ("form", "xpos", "chunk"), separator: str | None = " "
) -> Layout:
    """Describe a column file such as those of CoNLL-2000 and CoNLL-2002.

    Parameters
    ----------
    names : sequence of str
        Column names; the words' column is called ``form``.
    separator : str or None
        Space, TAB, or None for any run of both.

    Examples
    --------
    >>> column_layout(("form", "entity")).index("entity")
    1
    """
    return Layout("columns", tuple(names), separator)


def renamed(layout: Layout, names: Sequence[str]) -> Layout:
    """Return a column file's layout with other names, one for each column.

    >>> renamed(column_layout(), ["form", "upos", "entity"]).columns
    ('form', 'upos', 'entity')
    """
    if layout.numbered:
        raise InputError(f"{layout.name} has columns of its own; names are for column files")
    if len(names) != len(layout.columns):
        raise InputError(
            f"{len(names)} names of columns ({', '.join(names)}), "
            f"but the file has {len(layout.columns)}"
        )
    if "form" not in names:
        raise InputError(f"columns {', '.join(names)}: the words' column is called form")
    return Layout(layout.name, tuple(names), layout.separator)
