"""The built-in treebank: whole sentences, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

from turbotree.errors import InputError
from turbotree.text.grammar.choice import Chance
from turbotree.text.grammar.clauses import (
    Clause,
    bare_clause,
    clause,
    entries,
    full_phrase,
    pick_entry,
)
from turbotree.text.grammar.movement import extraposition, question, topicalisation
from turbotree.text.grammar.nodes import Node, Phrase, adopt, comma, to_sentence
from turbotree.text.grammar.nouns import prepositional_phrase
from turbotree.text.grammar.subordination import (
    adverbial,
    plain_clause,
    purpose,
    second_clause,
    second_verb,
)
from turbotree.text.sentence import Sentence

SHORTEST, LONGEST = 3, 30


def treebank(count: int, *, seed: int = 0) -> Iterator[Sentence]:
    """Generate sentences of English with their trees, in the style of Universal Dependencies.

    A grammar and a lexicon of a few hundred words, both part of turbotree, make sentences whose
    attachments depend on the words: one eats pizza *with a fork* but pizza comes *with
    anchovies*. About one sentence in fifteen is non-projective. The same seed gives the same
    sentences on every machine, and the first hundred of a thousand are those of a hundred.

    Parameters
    ----------
    count : int
        How many sentences.
    seed : int
        Another seed gives other sentences.

    Yields
    ------
    Sentence
        In CoNLL-U, of 3 to 30 words.

    Examples
    --------
    >>> sentences = list(treebank(3, seed=1))
    >>> [sentence.sent_id for sentence in sentences]
    ['seed1-1', 'seed1-2', 'seed1-3']
    """
    if count < 0:
        raise InputError(f"count is {count}, expected 0 or more")
    return _sentences(count, seed)


def _sentences(count: int, seed: int) -> Iterator[Sentence]:
    chance = Chance(seed)
    for number in range(1, count + 1):
        nodes: list[Node] = []
        while not SHORTEST <= len(nodes) <= LONGEST:
            nodes = sentence_nodes(chance)
        yield to_sentence(nodes, f"seed{seed}-{number}")


def sentence_nodes(chance: Chance) -> list[Node]:
    """Make one sentence of any kind, with its last punctuation mark."""
    kind = chance.weighted(
        [
            ("statement", 62),
            ("subordinate", 7),
            ("coordinate", 7),
            ("question", 11),
            ("imperative", 3),
            ("existential", 3),
            ("topic", 3.5),
            ("extraposed", 2.4),
        ]
    )
    mark = "."
    if kind == "question":
        phrase, mark = question(chance, 1), "?"
    elif kind == "topic":
        phrase = topicalisation(chance, 1)
    elif kind == "extraposed":
        phrase = extraposition(chance, 1)
    elif kind == "existential":
        phrase = _existential(chance)
    elif kind == "imperative":
        entry = pick_entry(chance, entries("object two particle phrase"))
        phrase = bare_clause(chance, entry, 1).phrase()
        mark = "!" if chance.happens(0.4) else "."
    else:
        phrase = _statement(chance, kind)
    return [*phrase.nodes, *adopt(phrase.head, Node(mark, mark, "PUNCT", ".", glued=True), "punct")]


def _statement(chance: Chance, kind: str) -> Phrase:
    depth = 2 if kind == "statement" else 1
    made = _main_clause(chance, depth)
    words = made.nodes()
    simple = made.head.xpos in ("VBD", "VBZ", "VBP") and not made.auxiliaries
    if kind == "coordinate":
        if simple and chance.happens(0.5):
            words = [*words, *second_verb(chance, made, 1)]
        else:
            words = [*words, *second_clause(chance, made.head, 1)]
    elif kind == "subordinate":
        inner = adverbial(chance, made.head, 1)
        if chance.happens(0.45):
            words = [*inner.nodes, *adopt(inner.head, comma(), "punct"), *words]
        else:
            words = [*words, *inner.nodes]
    elif made.head.upos == "VERB" and chance.happens(0.05):
        words = [*words, *purpose(chance, made.head).nodes]
    return Phrase(made.head, words)


def _main_clause(chance: Chance, depth: int) -> Clause:
    if chance.happens(0.22):
        entry = pick_entry(chance, entries("clause infinitive objectinfinitive"))
        return clause(chance, entry, depth)
    return plain_clause(chance, depth)


def _existential(chance: Chance) -> Phrase:
    thing = full_phrase(chance, chance.word("person animal object document building"), 1)
    while thing.head.upos != "NOUN":
        thing = full_phrase(chance, "object", 1)
    plural = thing.head.plural and thing.head.xpos == "NNS"
    form = "were" if plural else "was"
    verb = Node(form, "be", "VERB", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin")
    words = [*adopt(verb, Node("there", "there", "PRON", "EX"), "expl"), verb]
    words += adopt(verb, thing, "nsubj")
    if chance.happens(0.7):
        place = prepositional_phrase(chance, "in:place:4 on:object:2 near:building:2")
        words += adopt(verb, place, "obl")
    return Phrase(verb, words)
