"""Kinds of templates, to say at a glance what a set of them looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from turbotree.features.templates import (
    BETWEEN,
    ColumnAtom,
    CountAtom,
    PairAtom,
    Template,
    WordAtom,
)

_WORDS = ("form", "lower", "lemma")
_TAGS = ("upos", "xpos")
_LOOKS = ("shape", "pattern", "case", "digit", "punct", "hyphen")

#: The families, in the order in which reports show them.
TEMPLATE_FAMILIES = (
    "bilexical",
    "lexical-POS",
    "POS-lexical",
    "POS-POS",
    "one word",
    "word n-grams",
    "POS n-grams",
    "POS context",
    "middle POS",
    "words around",
    "words between",
    "shape",
    "affixes",
    "morphology",
    "direction",
    "distance",
    "counts",
    "labels",
)


def template_families(template: Template) -> tuple[str, ...]:
    """Return the families that a template is of; most are of several.

    Parts of two or more words, such as arcs, go by what they see of the first two: both forms or
    lemmas is ``"bilexical"``, a form of the first and a tag of the second ``"lexical-POS"``, and so
    on. Tags of their neighbours are ``"POS context"``, tags between them ``"middle POS"``.

    Examples
    --------
    >>> from turbotree.features import PartKind
    >>> arc, word = PartKind(("h", "m")), PartKind(("w",))
    >>> template_families(Template.parse("h.form m.upos m+1.upos dist", arc))
    ('lexical-POS', 'POS context', 'distance')
    >>> template_families(Template.parse("w-1.form w.form", word))
    ('word n-grams',)
    """
    found: set[str] = set()
    words = [atom for atom in template.atoms if isinstance(atom, WordAtom)]
    if {atom.slot for atom in words} <= {"w"}:
        found |= {_N_GRAMS[kind] for atom in words if (kind := _kind(atom)) in _N_GRAMS}
    else:
        found |= _of_two_words(words)
    found |= {_ELSEWHERE[kind] for atom in words if (kind := _kind(atom)) in _ELSEWHERE}
    for atom in template.atoms:
        if isinstance(atom, PairAtom):
            found.add("distance" if atom.kind == "dist" else "direction")
        elif isinstance(atom, CountAtom):
            found.add("counts")
        elif isinstance(atom, ColumnAtom):
            found.add("labels")
    return tuple(family for family in TEMPLATE_FAMILIES if family in found)


_N_GRAMS = {"word": "word n-grams", "tag": "POS n-grams"}
_ELSEWHERE = {"look": "shape", "affix": "affixes", "morphology": "morphology"}


def _kind(atom: WordAtom) -> str:
    if atom.attribute in _WORDS:
        return "word"
    if atom.attribute in _TAGS:
        return "tag"
    if atom.attribute in _LOOKS:
        return "look"
    return "affix" if atom.attribute.startswith(("prefix", "suffix")) else "morphology"


def _of_two_words(words: list[WordAtom]) -> set[str]:
    found: set[str] = set()
    kinds: dict[str, set[str]] = {}  # what is seen of each slot's own word
    for atom in words:
        kind = _kind(atom)
        if atom.slot == BETWEEN:
            found |= {"middle POS"} if kind == "tag" else {"words between"}
        elif atom.offset:
            found |= {"POS context"} if kind == "tag" else {"words around"}
        else:
            kinds.setdefault(atom.slot, set()).add(kind)
    # Heads first, whatever the template's order.
    seen_of = [kinds[slot] for slot in sorted(kinds, key=lambda slot: slot != "h")]
    sides = ["word" if "word" in seen else "tag" if "tag" in seen else "" for seen in seen_of]
    if len(sides) == 1 and sides[0]:
        found.add("one word")
    if len(sides) > 1 and all(sides[:2]):
        names = ["lexical" if side == "word" else "POS" for side in sides[:2]]
        found.add("bilexical" if names == ["lexical", "lexical"] else "-".join(names))
    return found


def family_counts(templates: Iterable[Template]) -> dict[str, int]:
    """Count the templates of each family, in the order of :data:`TEMPLATE_FAMILIES`.

    >>> from turbotree.features import PartKind, parse_templates
    >>> family_counts(parse_templates(["h.form m.form dir", "dist"], PartKind(("h", "m"))))
    {'bilexical': 1, 'direction': 1, 'distance': 1}
    """
    counts = Counter(family for template in templates for family in template_families(template))
    return {family: counts[family] for family in TEMPLATE_FAMILIES if counts[family]}
