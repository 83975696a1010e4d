"""Templates: lines of data that say which features a part of a sentence has.

A template is a conjunction of atoms, separated by spaces: ``"h.form m.upos dist"``.

============================  =====================================================================
atom                          value
============================  =====================================================================
``h.form``, ``m-1.upos``      an attribute of a slot's word, or of the word up to 99 places away
``h.feat``                    set-valued: one feature for each FEATS entry (``Case=Nom``)
``h.feats:Case``              the value of one FEATS attribute
``b.upos``                    set-valued: each distinct value of the words between ``h`` and ``m``
``dist``, ``dist(m,s)``       distance in bins, with its sign, between two slots (``h``, ``m``)
``dir``, ``dir(m,s)``         direction only
``count(upos=PUNCT)``         how many such words lie between ``h`` and ``m``: 0, 1, 2, 3 or more
``prev``                      a plain value that the part carries, by the name of its column
============================  =====================================================================

The slots and columns are those of the part's kind; see :class:`PartKind`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from turbotree.errors import InputError
from turbotree.features.attributes import ATTRIBUTES, SET_ATTRIBUTES, is_single
from turbotree.naming import nearest

_NAME = re.compile(r"[a-z]+")
_WORD = re.compile(
    r"(?P<slot>[a-z]+)(?P<offset>[+-]\d{1,2})?\.(?P<attribute>[a-z]+\d*(:[\w\[\]]+)?)"
)
_PAIR = re.compile(r"(?P<kind>dist|dir)(\((?P<first>[a-z]+),(?P<second>[a-z]+)\))?")
_COUNT = re.compile(r"count\((?P<attribute>[a-z]+)=(?P<value>[^()\s]+)\)")

BETWEEN = "b"


@dataclass(frozen=True)
class PartKind:
    """The shape of one kind of part: its slots (word positions) and columns (plain values).

    Attributes
    ----------
    slots
        Names of the word positions; the first two are what ``b``, ``dist`` and ``count`` look at.
    columns
        Names of the plain values that follow them, each with the number of values it can take.
    """

    slots: tuple[str, ...]
    columns: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = (*self.slots, BETWEEN)
        if not self.slots or len(set(names)) < len(names) or not all(map(_NAME.fullmatch, names)):
            raise InputError(
                f"slots {self.slots}: expected different names of lower-case letters, "
                f"{BETWEEN!r} not among them"
            )
        for column in self.columns:
            if not _NAME.fullmatch(column) or _PAIR.fullmatch(column):
                raise InputError(
                    f"column {column!r}: expected lower-case letters that are no atom by themselves"
                )

    @property
    def width(self) -> int:
        """Length of a part's row of integers."""
        return len(self.slots) + len(self.columns)


@dataclass(frozen=True)
class WordAtom:
    """An attribute of the word ``offset`` places from a slot."""

    slot: str
    offset: int
    attribute: str


@dataclass(frozen=True)
class PairAtom:
    """``dist`` or ``dir`` between two slots."""

    kind: str
    first: str
    second: str


@dataclass(frozen=True)
class CountAtom:
    """How many words between the first two slots have a value."""

    attribute: str
    value: str


@dataclass(frozen=True)
class ColumnAtom:
    """A plain value that the part carries."""

    name: str


Atom = WordAtom | PairAtom | CountAtom | ColumnAtom


@dataclass(frozen=True)
class Template:
    """One parsed template.

    Examples
    --------
    >>> Template.parse("h.form m-1.upos dist", PartKind(("h", "m"))).atoms[1]
    WordAtom(slot='m', offset=-1, attribute='upos')
    """

    text: str
    atoms: tuple[Atom, ...]

    @classmethod
    def parse(cls, text: str, kind: PartKind) -> Template:
        """Parse one line; an unknown atom gives an :class:`InputError` that names it."""
        return cls(text, tuple(_parse_atom(atom, text, kind) for atom in text.split()))


def _parse_atom(atom: str, text: str, kind: PartKind) -> Atom:
    if atom in kind.columns:
        return ColumnAtom(atom)
    # Words between, and what a plain "dist" measures, are those of the first two slots.
    if len(kind.slots) < 2 and (
        atom in ("dist", "dir") or atom.startswith(("b.", "b+", "b-", "count("))
    ):
        raise InputError(
            f"template {text!r}: {atom!r} needs a part with two slots; "
            f"this kind has {', '.join(kind.slots)}"
        )
    if match := _WORD.fullmatch(atom):
        slot, attribute = match["slot"], match["attribute"]
        if slot != BETWEEN and slot not in kind.slots:
            raise InputError(
                f"template {text!r}: unknown slot {slot!r} in {atom!r}; "
                f"this kind of part has {', '.join((*kind.slots, BETWEEN))}"
            )
        known = is_single(attribute)
        if not known and (attribute not in SET_ATTRIBUTES or slot == BETWEEN):
            raise _unknown_attribute(attribute, atom, text)
        return WordAtom(slot, int(match["offset"] or 0), attribute)
    if match := _PAIR.fullmatch(atom):
        first, second = match["first"] or kind.slots[0], match["second"] or kind.slots[1]
        for slot in (first, second):
            if slot not in kind.slots:
                raise InputError(f"template {text!r}: unknown slot {slot!r} in {atom!r}")
        return PairAtom(match["kind"], first, second)
    if match := _COUNT.fullmatch(atom):
        if match["attribute"] not in ATTRIBUTES:
            raise _unknown_attribute(match["attribute"], atom, text)
        return CountAtom(match["attribute"], match["value"])
    raise InputError(f"template {text!r}: cannot read {atom!r}")


def _unknown_attribute(attribute: str, atom: str, text: str) -> InputError:
    near = nearest(attribute, [*ATTRIBUTES, *SET_ATTRIBUTES])
    hint = f"; did you mean {near!r}?" if near else ""
    return InputError(f"template {text!r}: unknown attribute {attribute!r} in {atom!r}{hint}")


def read_templates(lines: Iterable[str]) -> list[str]:
    """Take the templates out of a file's lines: ``#`` starts a comment, doubles are an error.

    Examples
    --------
    >>> read_templates(["# bilexical", "h.form m.form", "", "h.upos  m.upos dir  # coarse"])
    ['h.form m.form', 'h.upos m.upos dir']
    """
    templates: list[str] = []
    for number, line in enumerate(lines, 1):
        text = " ".join(line.split("#", 1)[0].split())
        if not text:
            continue
        if text in templates:
            raise InputError(f"template {text!r} stands twice (line {number})")
        templates.append(text)
    return templates


def attributes_of(templates: Iterable[Template]) -> tuple[list[str], list[str]]:
    """Return the single-valued and the set-valued attributes that templates need, sorted."""
    single: set[str] = set()
    sets: set[str] = set()
    for template in templates:
        for atom in template.atoms:
            if isinstance(atom, CountAtom):
                single.add(atom.attribute)
            elif isinstance(atom, WordAtom):
                (sets if atom.attribute in SET_ATTRIBUTES else single).add(atom.attribute)
    return sorted(single), sorted(sets)


def parse_templates(texts: Sequence[str], kind: PartKind) -> list[Template]:
    """Parse a list of templates for one kind of part."""
    return [Template.parse(text, kind) for text in texts]
