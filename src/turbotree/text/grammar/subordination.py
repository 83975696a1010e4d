"""Clauses inside clauses: content clauses, infinitives, adverbial clauses, coordination."""

from __future__ import annotations

from turbotree.text.grammar import lexicon
from turbotree.text.grammar.choice import Chance
from turbotree.text.grammar.clauses import (
    Clause,
    Gap,
    bare_clause,
    clause,
    copular_clause,
    entries,
    infinitive_clause,
    pick_entry,
)
from turbotree.text.grammar.nodes import Node, Phrase, adopt, comma
from turbotree.text.grammar.nouns import conjunction

PLAIN_FRAMES = "object none phrase two particle"


def marker(form: str) -> Node:
    """Make *that*, *because* and their like."""
    return Node(form, form, "SCONJ", "IN")


def plain_clause(chance: Chance, depth: int) -> Clause:
    """Make a clause of any of the simple kinds."""
    if chance.happens(0.15):
        return copular_clause(chance, depth)
    entry = pick_entry(chance, entries(PLAIN_FRAMES))
    passive = entry.frame == "object" and "NAME" not in entry.objects and chance.happens(0.12)
    return clause(chance, entry, depth, passive=passive)


def content_clause(chance: Chance, verb: Node, depth: int, *, gap: Gap | None = None) -> list[Node]:
    """Make the clause that somebody says or thinks; it may lack what the gap names."""
    if gap is None:
        made = plain_clause(chance, max(depth, 0))
    else:
        frames = "phrase" if gap.role == "preposition" else "object particle"
        fitting = entries(frames, object=gap.filler.head.kind)
        made = clause(chance, pick_entry(chance, fitting), 0, gap=gap, adjuncts=False)
    phrase = made.phrase()
    if chance.happens(0.55):
        phrase.before(marker("that"), "mark")
    return adopt(verb, phrase, "ccomp")


def infinitive(chance: Chance, verb: Node, depth: int) -> list[Node]:
    """Make the infinitive that depends on a verb such as *want*."""
    return adopt(verb, infinitive_clause(chance, max(depth, 0)).phrase(), "xcomp")


def adverbial(chance: Chance, verb: Node, depth: int) -> Phrase:
    """Make *because ...*, *when ...*, depending on a verb."""
    phrase = plain_clause(chance, depth).phrase()
    phrase.before(marker(chance.word(lexicon.SUBORDINATORS)), "mark")
    adopt(verb, phrase, "advcl")
    return phrase


def purpose(chance: Chance, verb: Node) -> Phrase:
    """Make an infinitive of purpose, depending on a verb."""
    phrase = infinitive_clause(chance, 0).phrase()
    adopt(verb, phrase, "advcl")
    return phrase


def second_verb(chance: Chance, first: Clause, depth: int) -> list[Node]:
    """Coordinate a second verb with a clause's verb: *saw the dog and laughed*."""
    entry = pick_entry(chance, entries(PLAIN_FRAMES, subject="person"))
    phrase = bare_clause(chance, entry, depth, first.head.xpos).phrase()
    phrase.before(conjunction("and" if chance.happens(0.8) else "but"), "cc")
    return adopt(first.head, phrase, "conj")


def second_clause(chance: Chance, first: Node, depth: int) -> list[Node]:
    """Coordinate a whole clause with another, with or without a comma."""
    phrase = plain_clause(chance, depth).phrase()
    phrase.before(conjunction(chance.word("and but or so")), "cc")
    if chance.happens(0.6):
        phrase.before(comma(), "punct")
    return adopt(first, phrase, "conj")
