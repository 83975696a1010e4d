"""English word forms, as far as the lexicon needs them."""

from __future__ import annotations

_PLURALS = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "fish": "fish",
    "sheep": "sheep",
    "mouse": "mice",
    "goose": "geese",
    "wolf": "wolves",
    "knife": "knives",
    "thief": "thieves",
    "potato": "potatoes",
}
# Verbs that double their last letter before -ing.
_DOUBLING = {"cut", "put", "run", "swim", "plan", "begin"}


def plural(noun: str) -> str:
    """Return a noun's plural.

    >>> plural("city"), plural("box"), plural("goose")
    ('cities', 'boxes', 'geese')
    """
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun + "s"


def third_person(verb: str) -> str:
    """Return the form for *he*, *she*, *it*.

    >>> third_person("watch"), third_person("try")
    ('watches', 'tries')
    """
    irregular = {"be": "is", "have": "has", "do": "does"}
    return irregular.get(verb) or plural(verb)


def gerund(verb: str) -> str:
    """Return the -ing form.

    >>> gerund("write"), gerund("run"), gerund("see"), gerund("die")
    ('writing', 'running', 'seeing', 'dying')
    """
    if verb in _DOUBLING:
        return verb + verb[-1] + "ing"
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return verb + "ing"


def article(next_word: str) -> str:
    """Return *a* or *an*, by the word that follows.

    >>> article("old"), article("uniform")
    ('an', 'a')
    """
    sounds_like_consonant = next_word.startswith(("uni", "one", "eu"))
    return "an" if next_word[0].lower() in "aeiou" and not sounds_like_consonant else "a"
