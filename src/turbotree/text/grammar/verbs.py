"""Verb groups: tense, auxiliaries, negation, voice."""

from __future__ import annotations

from typing import NamedTuple

from turbotree.text.grammar.choice import Chance
from turbotree.text.grammar.lexicon import VerbEntry
from turbotree.text.grammar.morphology import gerund, third_person
from turbotree.text.grammar.nodes import Node

BE = VerbEntry("be", "was", "been", "", "", "", "")
HAVE = VerbEntry("have", "had", "had", "", "", "", "")
DO = VerbEntry("do", "did", "done", "", "", "", "")

_FEATURES = {
    "VB": "VerbForm=Inf",
    "VBZ": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "VBP": "Mood=Ind|Tense=Pres|VerbForm=Fin",
    "VBD": "Mood=Ind|Tense=Past|VerbForm=Fin",
    "VBG": "Tense=Pres|VerbForm=Part",
    "VBN": "Tense=Past|VerbForm=Part",
}


# Verbs of states, which have no progressive.
_STATES = {"see", "love", "hate", "know", "believe", "want", "depend", "think", "hear"}


class VerbGroup(NamedTuple):
    """A verb and the auxiliaries before it, in their order, with their relations."""

    verb: Node
    auxiliaries: list[tuple[Node, str]]


def verb_form(entry: VerbEntry, xpos: str, upos: str = "VERB") -> Node:
    """Make one form of a verb, named by its Penn tag."""
    forms = {
        "VB": entry.lemma,
        "VBP": entry.lemma,
        "VBZ": third_person(entry.lemma),
        "VBD": entry.past,
        "VBN": entry.participle,
        "VBG": gerund(entry.lemma),
    }
    return Node(forms[xpos], entry.lemma, upos, xpos, _FEATURES[xpos])


def particle_to() -> Node:
    """Make the *to* of infinitives."""
    return Node("to", "to", "PART", "TO")


def _finite(entry: VerbEntry, subject: Node, *, past: bool, upos: str) -> Node:
    third = subject.person == 3 and not subject.plural
    node = verb_form(entry, "VBD" if past else "VBZ" if third else "VBP", upos)
    if entry.lemma == "be":
        singular = not subject.plural
        if past:
            node.form = "was" if singular else "were"
        elif not third:
            node.form = "am" if singular and subject.person == 1 else "are"
    return node


def verb_group(
    chance: Chance,
    entry: VerbEntry,
    subject: Node,
    *,
    needs_auxiliary: bool = False,
    passive: bool = False,
) -> VerbGroup:
    """Choose tense, mood and aspect, and make the verb agree with its subject.

    Parameters
    ----------
    chance : Chance
        Where choices come from.
    entry : VerbEntry
        The verb; *be* is made an AUX.
    subject : Node
        What the finite verb agrees with.
    needs_auxiliary : bool
        Questions and negation need one: *do*, if there is no other.
    passive : bool
        Passive voice.
    """
    options = [("past", 11), ("present", 4), ("modal", 3), ("perfect", 2), ("progressive", 2)]
    kind = chance.weighted(options)
    if kind == "progressive" and (entry is BE or entry.lemma in _STATES):
        kind = "past"
    past = kind == "past" or (kind in ("perfect", "progressive") and chance.happens(0.4))
    chain: list[tuple[VerbEntry, str, str]] = []  # auxiliary, tag of what follows it, relation
    if kind == "perfect":
        chain.append((HAVE, "VBN", "aux"))
    if kind == "progressive":
        chain.append((BE, "VBG", "aux"))
    if passive:
        chain.append((BE, "VBN", "aux:pass"))
    if needs_auxiliary and not chain and kind != "modal" and entry is not BE:
        chain.append((DO, "VB", "aux"))
    auxiliaries: list[tuple[Node, str]] = []
    demanded = ""  # the form that the word before demands; none: finite
    if kind == "modal":
        form = chance.word("will can must should may")
        auxiliaries.append((Node(form, form, "AUX", "MD", "VerbForm=Fin"), "aux"))
        demanded = "VB"
    for auxiliary, follows, relation in chain:
        if demanded:
            node = verb_form(auxiliary, demanded, "AUX")
        else:
            node = _finite(auxiliary, subject, past=past, upos="AUX")
        auxiliaries.append((node, relation))
        demanded = follows
    upos = "AUX" if entry is BE else "VERB"
    if demanded:
        verb = verb_form(entry, demanded, upos)
    else:
        verb = _finite(entry, subject, past=past, upos=upos)
    if passive:
        verb.feats += "|Voice=Pass"
    return VerbGroup(verb, auxiliaries)
