"""What stands away from where it belongs: relative clauses, questions, extraposition, topics."""

from __future__ import annotations

from turbotree.text.grammar import nouns
from turbotree.text.grammar.choice import Chance
from turbotree.text.grammar.clauses import (
    Clause,
    Gap,
    clause,
    copular_clause,
    entries,
    object_phrase,
    pick_entry,
    time_phrase,
)
from turbotree.text.grammar.lexicon import VerbEntry
from turbotree.text.grammar.nodes import Node, Phrase, adopt, comma
from turbotree.text.grammar.subordination import content_clause

# Phrases that are clearly a noun's even when they stand far behind it.
_LATE_PHRASES = {
    "person": "with:garment:3 with:feature:4",
    "document": "about:topic:4 on:topic:2 about:animal:1",
}


def relative_pronoun(chance: Chance, antecedent: Node) -> Phrase:
    """Make *who*, *which* or *that*, which agrees with its noun."""
    form = chance.weighted([("who" if antecedent.kind == "person" else "which", 3), ("that", 2)])
    xpos = "WP" if form == "who" else "WDT"
    node = Node(form, form, "PRON", xpos, "PronType=Rel", kind=antecedent.kind)
    node.plural, node.person = antecedent.plural, 3
    return Phrase(node)


def relative_clause(
    chance: Chance, antecedent: Node, depth: int, *, simple: bool = False
) -> Phrase:
    """Make a relative clause for a noun: subject, object, stranded preposition or from afar."""
    kind = antecedent.kind
    pronoun = relative_pronoun(chance, antecedent)
    options: list[tuple[str, float]] = []
    if entries("object none phrase particle", subject=kind):
        options.append(("subject", 6))
    if entries("object particle", object=kind) and not simple:
        options.append(("object", 4))
        options.append(("afar", 0.7))
    if entries("phrase", object=kind) and not simple:
        options.append(("preposition", 0.8))
    role = chance.weighted(options) if options else "copula"
    if role == "copula":
        made = copular_clause(chance, 0, subject=pronoun)
    elif role == "afar":
        made = _speaking_clause(chance, Gap("object", pronoun), question=False)
    else:
        frames = {"subject": "object none phrase particle", "object": "object particle"}
        fitting = (
            entries(frames[role], subject=kind)
            if role == "subject"
            else entries(frames.get(role, "phrase"), object=kind)
        )
        gap = Gap(role, pronoun)
        made = clause(chance, pick_entry(chance, fitting), depth, gap=gap, adjuncts=depth > 0)
    words = made.nodes()
    drop = role == "object" and chance.happens(0.35)
    return Phrase(made.head, words if drop else [*pronoun.nodes, *words])


def _speaking_clause(chance: Chance, gap: Gap, *, question: bool) -> Clause:
    """Make *John said that Mary saw _*, whose gap is filled elsewhere."""
    entry = pick_entry(chance, entries("clause"))
    made = clause(chance, entry, 0, question=question, adjuncts=False)
    # The frame's own content clause gives way to one that has the gap.
    made.after = content_clause(chance, made.head, 0, gap=gap)
    return made


def question_phrase(chance: Chance, kind: str) -> Phrase:
    """Make *who*, *what* or *which book*."""
    if chance.happens(0.3):
        phrase = nouns.noun_phrase(chance, kind, richness=0)
        if phrase.head.upos == "NOUN":
            bare = Phrase(phrase.head)
            bare.before(Node("which", "which", "DET", "WDT", "PronType=Int"), "det")
            return bare
    form = "who" if kind in ("person", "NAME") else "what"
    return Phrase(Node(form, form, "PRON", "WP", "PronType=Int", kind=kind))


def question(chance: Chance, depth: int) -> Phrase:
    """Make a question, with or without a question word."""
    kind = chance.weighted(
        [
            ("yes-no", 4),
            ("subject", 2),
            ("object", 3),
            ("preposition", 1),
            ("afar", 1.2),
            ("adverb", 2),
        ]
    )
    if kind in ("yes-no", "adverb"):
        entry = pick_entry(chance, entries("object none phrase two particle"))
        made = clause(chance, entry, depth, question=True)
        words = made.nodes(inverted=True)
        if kind == "adverb":
            form = chance.word("where why when how")
            word = Node(form, form, "ADV", "WRB", "PronType=Int")
            words = [*adopt(made.head, word, "advmod"), *words]
        return Phrase(made.head, words)
    semantic = chance.word("person document food animal object vehicle building")
    if kind == "preposition":
        semantic = chance.word("person document animal vehicle")
    filler = question_phrase(chance, semantic)
    if kind == "subject":
        filler = question_phrase(chance, "person")
        entry = pick_entry(chance, entries("object none phrase particle", subject="person"))
        made = clause(chance, entry, depth, gap=Gap("subject", filler))
        return Phrase(made.head, [*filler.nodes, *made.nodes()])
    if kind == "afar":
        made = _speaking_clause(chance, Gap("object", filler), question=True)
    else:
        frames = "phrase" if kind == "preposition" else "object particle"
        entry = pick_entry(chance, entries(frames, object=semantic))
        made = clause(chance, entry, depth, gap=Gap(kind, filler), question=True)
    return Phrase(made.head, [*filler.nodes, *made.nodes(inverted=True)])


def extraposition(chance: Chance, depth: int) -> Phrase:
    """Make *a man arrived yesterday who wore a hat*, or the same with a prepositional phrase."""
    kind = chance.word("person document")
    entry = pick_entry(chance, entries("none", subject=kind))
    made = clause(chance, entry, 0, adjuncts=False)
    noun = nouns.noun_phrase(chance, kind, richness=0.7)
    while noun.head.upos != "NOUN":
        noun = nouns.noun_phrase(chance, kind, richness=0.7)
    _replace_subject(made, entry, noun)
    if chance.happens(0.7):
        made.after += adopt(made.head, time_phrase(chance), "obl:tmod")
    if chance.happens(0.7):
        late = relative_clause(chance, noun.head, depth - 1, simple=True)
        words = adopt(noun.head, late, "acl:relcl")
    else:
        late = nouns.prepositional_phrase(chance, _LATE_PHRASES[kind])
        words = adopt(noun.head, late, "nmod")
    return Phrase(made.head, [*made.nodes(), *words])


def _replace_subject(made: Clause, entry: VerbEntry, noun: Phrase) -> None:
    """Put another subject in, and let the verb agree with it: past tense always does."""
    made.auxiliaries, made.middle = [], []
    made.head.form, made.head.xpos = entry.past, "VBD"
    made.head.feats = "Mood=Ind|Tense=Past|VerbForm=Fin"
    made.subject = adopt(made.head, noun, "nsubj")


def topicalisation(chance: Chance, depth: int) -> Phrase:
    """Make *on this issue, she wrote a report*, where the phrase is the verb's or the object's."""
    if chance.happens(0.6):
        entry = pick_entry(chance, [e for e in entries("object none two particle") if e.phrases])
        made = clause(chance, entry, depth, adjuncts=False)
        front = nouns.prepositional_phrase(chance, entry.phrases)
        words = adopt(made.head, front, "obl")
    else:
        entry = pick_entry(chance, entries("object", object="document"))
        made = clause(chance, entry, 0, adjuncts=False)
        target = object_phrase(chance, "document", 0)
        made.after = adopt(made.head, target, "obj")
        front = nouns.prepositional_phrase(chance, "about:topic:4 on:topic:4 about:animal:1")
        words = adopt(target.head, front, "nmod")
    return Phrase(made.head, [*words, *adopt(front.head, comma(), "punct"), *made.nodes()])
