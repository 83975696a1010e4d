"""Noun phrases: determiners, adjectives, compounds, possessors, coordination, pronouns."""

from __future__ import annotations

from turbotree.text.grammar import lexicon
from turbotree.text.grammar.choice import Chance
from turbotree.text.grammar.morphology import article, plural
from turbotree.text.grammar.nodes import Node, Phrase

_CLASS_OF = {
    word.rstrip("*"): kind
    for kind, words in reversed(lexicon.NOUNS.items())
    for word in words.split()
}
_MASS = {word[:-1] for words in lexicon.NOUNS.values() for word in words.split() if "*" in word}
_MADE_UP_ENDINGS = {"person": "ist", "idea": "ism", "object": "er", "document": "ogue"}

# nominative, accusative, possessive, features, plural, person
_PRONOUNS = (
    ("he", "him", "his", "Gender=Masc|Number=Sing|Person=3", False, 3),
    ("she", "her", "her", "Gender=Fem|Number=Sing|Person=3", False, 3),
    ("they", "them", "their", "Number=Plur|Person=3", True, 3),
    ("I", "me", "my", "Number=Sing|Person=1", False, 1),
    ("we", "us", "our", "Number=Plur|Person=1", True, 1),
)


def determiner(form: str) -> Node:
    """Make *the*, *a*, *this* and their like."""
    if form == "the":
        return Node("the", "the", "DET", "DT", "Definite=Def|PronType=Art")
    if form in ("a", "an"):
        return Node(form, "a", "DET", "DT", "Definite=Ind|PronType=Art")
    features = {
        "this": "Number=Sing|PronType=Dem",
        "these": "Number=Plur|PronType=Dem",
        "every": "PronType=Tot",
        "some": "PronType=Ind",
        "no": "PronType=Neg",
    }
    return Node(form, form.replace("these", "this"), "DET", "DT", features[form])


def preposition(form: str) -> Node:
    """Make a preposition."""
    return Node(form, form, "ADP", "IN")


def conjunction(form: str) -> Node:
    """Make *and*, *but* and their like."""
    return Node(form, form, "CCONJ", "CC")


def pronoun(chance: Chance, *, subject: bool) -> Phrase:
    """Make a personal pronoun; *I* and *we* are rarer."""
    entry = chance.weighted(list(zip(_PRONOUNS, (5, 5, 3, 3, 2), strict=True)))
    nominative, accusative, _, features, is_plural, person = entry
    case = "Nom" if subject else "Acc"
    gender, _, rest = features.partition("|") if "Gender" in features else ("", "", features)
    full = "|".join(part for part in (f"Case={case}", gender, rest, "PronType=Prs") if part)
    form = nominative if subject else accusative
    node = Node(form, nominative, "PRON", "PRP", full, plural=is_plural, person=person)
    node.kind = "person"
    return Phrase(node)


def name(chance: Chance) -> Phrase:
    """Make a person's name, now and then one that nobody has seen before."""
    form = chance.word(lexicon.FIRST_NAMES)
    if chance.happens(0.08):
        form = chance.made_up().capitalize()
    phrase = Phrase(_proper(form, "person"))
    if chance.happens(0.15):
        phrase.after(_proper(chance.word(lexicon.LAST_NAMES), "person"), "flat")
    return phrase


def _proper(form: str, kind: str) -> Node:
    return Node(form, form, "PROPN", "NNP", "Number=Sing", kind=kind)


def noun_phrase(chance: Chance, kind: str, *, richness: float = 1.0) -> Phrase:
    """Make a noun phrase of a semantic class, or around one given noun.

    Parameters
    ----------
    chance : Chance
        Where choices come from.
    kind : str
        A class of the lexicon, a noun, or CITY, NAME or WEEKDAY.
    richness : float
        How likely modifiers are; 0 gives determiner and noun.
    """
    if kind == "NAME" or (kind == "person" and chance.happens(0.3)):
        return name(chance)
    if kind == "CITY":
        made_up = chance.happens(0.08)
        return Phrase(
            _proper(
                chance.made_up().capitalize() if made_up else chance.word(lexicon.CITIES), "place"
            )
        )
    if kind == "WEEKDAY":
        return Phrase(_proper(chance.word(lexicon.WEEKDAYS), "time"))
    phrase = Phrase(_noun(chance, kind))
    _add_modifiers(chance, phrase, richness)
    _add_determiner(chance, phrase, richness)
    return phrase


def _noun(chance: Chance, kind: str) -> Node:
    lemma = chance.word(lexicon.NOUNS[kind]) if kind in lexicon.NOUNS else kind
    semantic = kind if kind in lexicon.NOUNS else _CLASS_OF[kind]
    if lemma == kind or "*" in lemma or not chance.happens(0.03):
        lemma = lemma.rstrip("*")
    elif semantic in _MADE_UP_ENDINGS:
        lemma = chance.made_up(_MADE_UP_ENDINGS[semantic])
    is_plural = lemma not in _MASS and chance.happens(0.25)
    form = plural(lemma) if is_plural else lemma
    number = "Plur" if is_plural else "Sing"
    xpos = "NNS" if is_plural else "NN"
    return Node(form, lemma, "NOUN", xpos, f"Number={number}", plural=is_plural, kind=semantic)


def _add_modifiers(chance: Chance, phrase: Phrase, richness: float) -> None:
    kind = phrase.head.kind
    if kind in lexicon.MODIFIERS and chance.happens(0.1 * richness):
        first = chance.word(lexicon.MODIFIERS[kind])
        if first != phrase.head.lemma:
            phrase.before(Node(first, first, "NOUN", "NN", "Number=Sing"), "compound")
    if chance.happens(0.24 * richness):
        words = lexicon.ADJECTIVES.get(kind, lexicon.ADJECTIVES[""])
        first = chance.word(words)
        adjectives = Phrase(adjective(first))
        second = chance.word(words)
        if second != first and chance.happens(0.15):
            conjoin(adjectives, Phrase(adjective(second)), "and")
        phrase.before(adjectives, "amod")


def adjective(form: str) -> Node:
    """Make an adjective."""
    return Node(form, form, "ADJ", "JJ", "Degree=Pos")


def conjoin(phrase: Phrase, other: Phrase, form: str) -> None:
    """Coordinate two phrases; the first one stays the head."""
    other.before(conjunction(form), "cc")
    phrase.after(other, "conj")


def _add_determiner(chance: Chance, phrase: Phrase, richness: float) -> None:
    head = phrase.head
    if head.lemma in _MASS and chance.happens(0.6):
        return
    if head.plural and chance.happens(0.25):
        number = chance.word(lexicon.SMALL_NUMBERS)
        features = "NumForm=Word|NumType=Card"
        phrase.before(Node(number, number, "NUM", "CD", features), "nummod")
        if chance.happens(0.5):
            phrase.before(determiner("the" if chance.happens(0.8) else "these"), "det")
        return
    if head.kind not in ("topic", "place") and chance.happens(0.16 * richness):
        phrase.before(_possessor(chance), "nmod:poss")
        return
    if head.plural:
        form = chance.weighted([("the", 5), ("some", 1), ("these", 1), ("", 3)])
    elif head.lemma in _MASS:
        form = chance.weighted([("the", 5), ("some", 1), ("this", 1)])
    else:
        indefinite = article(phrase.nodes[0].form)
        form = chance.weighted([("the", 6), (indefinite, 5), ("this", 1), ("every", 0.4)])
    if form:
        phrase.before(determiner(form), "det")


def _possessor(chance: Chance) -> Phrase:
    if chance.happens(0.5):
        nominative, _, form, features, is_plural, person = chance.pick(_PRONOUNS)
        full = f"{features}|Poss=Yes|PronType=Prs"
        return Phrase(Node(form, nominative, "PRON", "PRP$", full, plural=is_plural, person=person))
    owner = name(chance) if chance.happens(0.6) else noun_phrase(chance, "person", richness=0)
    mark = "'" if owner.nodes[-1].form.endswith("s") and owner.head.plural else "'s"
    owner.after(Node(mark, "'s", "PART", "POS", glued=True), "case")
    return owner


def prepositional_phrase(chance: Chance, choices: str) -> Phrase:
    """Make one of the prepositional phrases ``preposition:class:weight`` of a list."""
    parts = [choice.split(":") for choice in choices.split()]
    form, kind = chance.weighted([((part[0], part[1]), float(part[2])) for part in parts])
    phrase = noun_phrase(chance, kind, richness=0.6)
    phrase.before(preposition(form), "case")
    return phrase
