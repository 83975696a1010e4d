"""Clauses: a verb with all that its frame asks for, and what may be moved out of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from turbotree.text.grammar import lexicon, nouns
from turbotree.text.grammar.choice import Chance
from turbotree.text.grammar.lexicon import VerbEntry
from turbotree.text.grammar.nodes import Node, Phrase, adopt
from turbotree.text.grammar.verbs import BE, particle_to, verb_form, verb_group

_PREDICATIVE = ("in", "near", "about", "from", "on", "behind", "by")
PARTICLES = ("up", "off", "away", "on", "down")


@dataclass(slots=True)
class Clause:
    """A clause in its pieces; `nodes` puts them in order."""

    head: Node
    subject: list[Node] = field(default_factory=list)
    auxiliaries: list[Node] = field(default_factory=list)
    middle: list[Node] = field(default_factory=list)  # after the first auxiliary
    core: list[Node] = field(default_factory=list)  # verb, or what *be* says of the subject
    after: list[Node] = field(default_factory=list)

    def nodes(self, *, inverted: bool = False) -> list[Node]:
        """Return the words in order, the first auxiliary before the subject if inverted."""
        first, rest = self.auxiliaries[:1], self.auxiliaries[1:]
        opening = [*first, *self.subject] if inverted else [*self.subject, *first]
        return [*opening, *self.middle, *rest, *self.core, *self.after]

    def phrase(self) -> Phrase:
        """Return the clause as a phrase."""
        return Phrase(self.head, self.nodes())


@dataclass(frozen=True, slots=True)
class Gap:
    """A phrase that stands elsewhere: the clause makes it its subject, object or oblique."""

    role: str  # "subject", "object" or "preposition"
    filler: Phrase


def entries(frames: str, *, subject: str = "", object: str = "") -> list[VerbEntry]:
    """Return the verbs of some frames that take such a subject and such an object."""
    wanted = frames.split()
    return [
        entry
        for entry in lexicon.VERBS
        if (entry.frame in wanted or (entry.frame in PARTICLES and "particle" in wanted))
        and (not subject or subject in entry.subjects.split())
        and (not object or object in [kind.split(":")[-1] for kind in entry.objects.split()])
    ]


def pick_entry(chance: Chance, choices: list[VerbEntry]) -> VerbEntry:
    """Pick a verb, those that stand first more often."""
    return chance.weighted([(entry, 1.0 / (rank + 3)) for rank, entry in enumerate(choices)])


def clause(
    chance: Chance,
    entry: VerbEntry,
    depth: int,
    *,
    gap: Gap | None = None,
    question: bool = False,
    adjuncts: bool = True,
    passive: bool = False,
) -> Clause:
    """Make a finite clause around a verb; what the gap names is not put into its words."""
    kinds = entry.objects if passive else entry.subjects
    if gap is not None and gap.role == "subject":
        subject, kept = gap.filler, False
    else:
        subject, kept = subject_phrase(chance, kinds, depth), True
    negated = chance.happens(0.07)
    auxiliary = question and not (gap is not None and gap.role == "subject")
    group = verb_group(
        chance, entry, subject.head, needs_auxiliary=auxiliary or negated, passive=passive
    )
    made = Clause(group.verb, core=[group.verb])
    for node, relation in group.auxiliaries:
        made.auxiliaries += adopt(made.head, node, relation)
    placed = adopt(made.head, subject, "nsubj:pass" if passive else "nsubj")
    made.subject = placed if kept else []
    if negated:
        made.middle += adopt(made.head, Node("not", "not", "PART", "RB", "Polarity=Neg"), "advmod")
    elif adjuncts and chance.happens(0.06):
        form = chance.word(lexicon.FREQUENCY_ADVERBS)
        made.middle += adopt(made.head, adverb(form), "advmod")
    if passive:
        if chance.happens(0.45):
            agent = object_phrase(chance, entry.subjects, depth, pronouns=False)
            agent.before(nouns.preposition("by"), "case")
            made.after += adopt(made.head, agent, "obl:agent")
    else:
        made.after += complements(chance, made.head, entry, depth, gap=gap)
    # After another clause nobody could tell whose adjunct it is.
    if adjuncts and entry.frame not in ("clause", "infinitive", "objectinfinitive"):
        made.after += adjunct_phrases(chance, made.head, entry, depth)
    return made


def adverb(form: str) -> Node:
    """Make an adverb."""
    return Node(form, form, "ADV", "RB")


def subject_phrase(chance: Chance, kinds: str, depth: int) -> Phrase:
    """Make a subject: a pronoun, or a noun phrase with whatever it likes."""
    kind = chance.word(kinds)
    if kind == "person" and chance.happens(0.35):
        return nouns.pronoun(chance, subject=True)
    return full_phrase(chance, kind, depth - 1)


def object_phrase(chance: Chance, kinds: str, depth: int, *, pronouns: bool = True) -> Phrase:
    """Make an object."""
    kind = chance.word(kinds)
    if pronouns and kind in ("person", "NAME") and chance.happens(0.25):
        return nouns.pronoun(chance, subject=False)
    return full_phrase(chance, kind, depth)


def full_phrase(chance: Chance, kind: str, depth: int) -> Phrase:
    """Make a noun phrase with its phrases, coordination and relative clauses."""
    from turbotree.text.grammar.movement import relative_clause  # phrases and clauses recurse

    phrase = nouns.noun_phrase(chance, kind)
    semantic = phrase.head.kind
    likes = lexicon.NOUN_PHRASES.get(semantic)
    common = phrase.head.upos == "NOUN"
    if common and likes and chance.happens(0.14 + 0.06 * depth):
        inner = nouns.prepositional_phrase(chance, likes)
        if chance.happens(0.12):
            conjoin_like(chance, inner)
        phrase.after(inner, "nmod")
    if chance.happens(0.08):
        conjoin_like(chance, phrase)
    elif common and depth > 0 and chance.happens(0.1):
        phrase.after(relative_clause(chance, phrase.head, depth - 1), "acl:relcl")
    return phrase


def conjoin_like(chance: Chance, phrase: Phrase) -> None:
    """Coordinate a phrase with another one of its class: *the king of Spain and the queen*."""
    kind = phrase.head.kind
    if phrase.head.upos == "PROPN":
        other = nouns.noun_phrase(chance, {"person": "NAME", "place": "CITY"}.get(kind, "WEEKDAY"))
    else:
        other = nouns.noun_phrase(chance, kind, richness=0.5)
    if other.head.lemma != phrase.head.lemma:
        nouns.conjoin(phrase, other, "and" if chance.happens(0.85) else "or")
        phrase.head.plural = True


def complements(
    chance: Chance, verb: Node, entry: VerbEntry, depth: int, *, gap: Gap | None = None
) -> list[Node]:
    """Return what the verb's frame asks for."""
    from turbotree.text.grammar.subordination import content_clause, infinitive  # they recurse

    if gap is not None and gap.role == "object":
        adopt(verb, gap.filler, "obj")
    has_object = gap is None or gap.role != "object"
    if entry.frame == "object":
        if not has_object:
            return []
        return adopt(verb, object_phrase(chance, entry.objects, depth), "obj")
    if entry.frame == "phrase":
        return _oblique(chance, verb, entry, depth, gap)
    if entry.frame == "two":
        return _two_objects(chance, verb, entry, depth, has_object=has_object)
    if entry.frame in PARTICLES:
        particle = Node(entry.frame, entry.frame, "ADP", "RP")
        placed = adopt(verb, particle, "compound:prt")
        if not has_object:
            return placed
        phrase = object_phrase(chance, entry.objects, depth - 1)
        between = phrase.head.upos == "PRON" or (len(phrase.nodes) < 4 and chance.happens(0.5))
        words = adopt(verb, phrase, "obj")
        return [*words, *placed] if between else [*placed, *words]
    if entry.frame == "clause":
        return content_clause(chance, verb, depth - 1)
    if entry.frame == "infinitive":
        return infinitive(chance, verb, depth - 1)
    if entry.frame == "objectinfinitive":
        words = adopt(verb, object_phrase(chance, entry.objects, 0), "obj")
        return [*words, *infinitive(chance, verb, depth - 1)]
    return []


def _oblique(
    chance: Chance, verb: Node, entry: VerbEntry, depth: int, gap: Gap | None
) -> list[Node]:
    form, kind = chance.word(entry.objects).split(":")
    if gap is not None and gap.role == "preposition":
        semantic = gap.filler.head.kind
        fitting = [c for c in entry.objects.split() if c.endswith(f":{semantic}")]
        form = fitting[0].split(":")[0] if fitting else form
        adopt(verb, gap.filler, "obl")
        return adopt(gap.filler.head, nouns.preposition(form), "case")
    phrase = full_phrase(chance, kind, depth - 1)
    phrase.before(nouns.preposition(form), "case")
    return adopt(verb, phrase, "obl")


def _two_objects(
    chance: Chance, verb: Node, entry: VerbEntry, depth: int, *, has_object: bool
) -> list[Node]:
    receiver = object_phrase(chance, "person NAME", 0)
    thing = object_phrase(chance, entry.objects.replace(":2", ""), depth) if has_object else None
    words = adopt(verb, thing, "obj") if thing is not None else []
    if chance.happens(0.6):
        return [*adopt(verb, receiver, "iobj"), *words]
    receiver.before(nouns.preposition("to"), "case")
    return [*words, *adopt(verb, receiver, "obl")]


def adjunct_phrases(chance: Chance, verb: Node, entry: VerbEntry, depth: int) -> list[Node]:
    """Return the phrases, adverbs and times that a verb may have besides its frame."""
    words: list[Node] = []
    if chance.happens(0.09):
        words += adopt(verb, adverb(chance.word(lexicon.MANNER_ADVERBS)), "advmod")
    if entry.phrases and chance.happens(0.33 if depth > 0 else 0.18):
        words += adopt(verb, nouns.prepositional_phrase(chance, entry.phrases), "obl")
    if chance.happens(0.1):
        words += adopt(verb, time_phrase(chance), "obl:tmod")
    return words


def time_phrase(chance: Chance) -> Phrase:
    """Make *yesterday*, *last week*, *this summer*."""
    if chance.happens(0.5):
        form = chance.word(lexicon.TIME_NOUNS)
        return Phrase(Node(form, form, "NOUN", "NN", "Number=Sing", kind="time"))
    form = chance.word(lexicon.PERIODS)
    phrase = Phrase(Node(form, form, "NOUN", "NN", "Number=Sing", kind="time"))
    if chance.happens(0.6):
        phrase.before(nouns.adjective("last"), "amod")
    else:
        phrase.before(nouns.determiner("this"), "det")
    return phrase


def copular_clause(chance: Chance, depth: int, *, subject: Phrase | None = None) -> Clause:
    """Make *X is Y*, headed by what is said of X."""
    given = subject is not None
    kind = chance.word("person document building object food idea vehicle animal")
    topic = subject or subject_phrase(chance, kind, depth)
    kind = topic.head.kind or "person"
    group = verb_group(chance, BE, topic.head)
    choice = chance.weighted([("adjective", 5), ("noun", 3), ("phrase", 2)])
    likes = lexicon.NOUN_PHRASES.get(kind)
    if choice == "noun" and kind in lexicon.NOUNS:
        predicate = full_phrase(chance, kind, depth - 1)
        while (
            predicate.head.plural != topic.head.plural or predicate.head.lemma == topic.head.lemma
        ):
            predicate = full_phrase(chance, kind, 0)
    elif choice == "phrase" and likes:
        said = [phrase for phrase in likes.split() if phrase.split(":")[0] in _PREDICATIVE]
        predicate = nouns.prepositional_phrase(chance, " ".join(said) or "in:place:1")
    else:
        form = chance.word(lexicon.ADJECTIVES.get(kind, lexicon.ADJECTIVES[""]))
        predicate = Phrase(nouns.adjective(form))
        if chance.happens(0.25):
            predicate.before(adverb(chance.word("very too quite")), "advmod")
    made = Clause(predicate.head, core=predicate.nodes)
    for node, relation in group.auxiliaries:
        made.auxiliaries += adopt(made.head, node, relation)
    made.auxiliaries += adopt(made.head, group.verb, "cop")
    words = adopt(made.head, topic, "nsubj")
    made.subject = [] if given else words
    return made


def bare_clause(chance: Chance, entry: VerbEntry, depth: int, xpos: str = "VB") -> Clause:
    """Make a clause without subject: of an imperative, an infinitive or a second verb."""
    verb = verb_form(entry, xpos)
    made = Clause(verb, core=[verb])
    made.after += complements(chance, verb, entry, depth)
    made.after += adjunct_phrases(chance, verb, entry, depth)
    return made


def infinitive_clause(chance: Chance, depth: int) -> Clause:
    """Make *to* and a verb."""
    made = bare_clause(
        chance, pick_entry(chance, entries("object none phrase particle two")), depth
    )
    made.core = [*adopt(made.head, particle_to(), "mark"), *made.core]
    return made
