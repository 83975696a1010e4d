"""From what a request gives to sentences."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Sequence

from turbotree.errors import InputError
from turbotree.parsing.rules.compiled import ParserRules, bundled, look_like_names
from turbotree.serving.limits import Limits, TooLargeError
from turbotree.text import Sentence, read_conllu
from turbotree.text.blocks import BYTE_ORDER_MARK

#: Columns that a word may come with.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats")

_FILE_IN_RULES = re.compile(r"\bin\s+file\b")


def conllu_sentences(text: str) -> list[Sentence]:
    """Read CoNLL-U.

    >>> [s.forms for s in conllu_sentences("1\\tGo\\tgo\\tVERB\\t_\\t_\\t_\\t_\\t_\\t_")]
    [('Go',)]
    """
    stream = io.StringIO(text.replace("\r\n", "\n"))
    stream.name = "conllu"  # errors begin with it
    return list(read_conllu(stream))


def tagged_sentences(text: str, *, need_tags: bool) -> list[Sentence]:
    """Read words with tags, ``Birds/NOUN sing/VERB``, one sentence per line.

    >>> [s.upos for s in tagged_sentences("Birds/NOUN sing/VERB\\n\\nGo/VERB", need_tags=True)]
    [('NOUN', 'VERB'), ('VERB',)]
    """
    lines = (line.split() for line in text.removeprefix(BYTE_ORDER_MARK).splitlines())
    return [token_sentence(words, need_tags=need_tags) for words in lines if words]


def token_sentence(
    tokens: Sequence[str | Mapping[str, str | None]], *, need_tags: bool
) -> Sentence:
    """Make a sentence of its words: ``form/UPOS``, or the columns by name.

    >>> token_sentence(["1/2/NUM", {"form": "cup", "upos": "NOUN"}], need_tags=True).forms
    ('1/2', 'cup')
    >>> token_sentence(["Go"], need_tags=True)
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: word 1 'Go' has no tag; expected form/TAG, for instance Birds/NOUN
    """
    if not tokens:
        raise InputError("a sentence needs at least one word")
    rows: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for number, token in enumerate(tokens, 1):
        own: Mapping[str, str | None]
        if isinstance(token, str):
            form, slash, tag = token.rpartition("/")
            own = {"form": form, "upos": tag} if slash and form else {"form": token}
        else:
            own = token
        if need_tags and not own.get("upos"):
            raise InputError(
                f"word {number} {own['form']!r} has no tag; expected form/TAG, "
                "for instance Birds/NOUN"
            )
        for name in COLUMNS:
            rows[name].append(own.get(name) or "_")
    return Sentence.from_words(
        rows["form"],
        lemmas=rows["lemma"],
        upos=rows["upos"],
        xpos=rows["xpos"],
        feats=rows["feats"],
        comments=[f"text = {' '.join(rows['form'])}"],
    )


def check_lengths(sentences: Iterable[Sentence], limits: Limits) -> None:
    """Refuse sentences that are too long, or too many."""
    for count, sentence in enumerate(sentences, 1):
        if count > limits.max_sentences:
            raise TooLargeError(f"more than {limits.max_sentences} sentences; send fewer at a time")
        if len(sentence) > limits.max_words:
            raise TooLargeError(
                f"sentence {count} has {len(sentence):,} words; this server takes "
                f"{limits.max_words:,} at most"
            )


def served_rules(text: str) -> str | ParserRules:
    """Take rules from afar: the names of bundled ones, or a text that reads no file of ours.

    >>> served_rules("one-root").rules[0].name
    'one_root'
    >>> served_rules("one-rot")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: unknown rules 'one-rot'; did you mean 'one-root'?
    >>> served_rules("forall m: form(m) in file '/etc/passwd' -> arc(root, m)")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: <rules>:1:19: 'in file' is not for servers; ...
    """
    if look_like_names(text.strip()):
        return bundled(text.strip())
    found = _FILE_IN_RULES.search(text)
    if found:
        before = text[: found.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise InputError(
            f"<rules>:{line}:{column}: 'in file' is not for servers; "
            "write the words between braces: {'a', 'b'}"
        )
    return text + "\n"  # one line could be the name of a file


def place_in_rules(message: str) -> tuple[int, int] | None:
    """Find line and column in the message of an error about rules.

    >>> place_in_rules("<rules>:3:14: unknown predicate 'ark'")
    (3, 14)
    """
    found = re.match(r"<rules>:(\d+):(\d+): ", message)
    return (int(found[1]), int(found[2])) if found else None
