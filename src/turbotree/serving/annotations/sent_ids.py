"""What sentences are called: their ``sent_id``, and how they get another one."""

from __future__ import annotations

import re

from turbotree.text import Sentence

_LINE = re.compile(r"^#[ \t]*sent_id[ \t]*=[^\r\n]*(\r?\n)", re.MULTILINE)


def with_sent_id(sentence: Sentence, name: str) -> Sentence:
    """Give a copy of a sentence with this name, in place of the one that it has.

    >>> with_sent_id(Sentence.from_words(["Go"], comments=["sent_id = 1", "a = b"]), "c").comments
    ('sent_id = c', 'a = b')
    """
    text, found = _LINE.subn(lambda line: f"# sent_id = {name}{line[1]}", sentence.to_text())
    if not found:
        return sentence.with_comments([f"sent_id = {name}"])
    return Sentence(text, sentence.layout, path=sentence.path, line=sentence.line)


def name_of(sentence: Sentence) -> str | None:
    """Tell what a sentence is called, if that is a name.

    A sentence that was cut from a text says where its words stand there. Then its ``sent_id`` may
    be nothing but its number in that text: other texts have a sentence of that number, too.

    >>> name_of(Sentence.from_words(["Go"], comments=["sent_id = 1"]))
    '1'
    >>> name_of(Sentence.from_words(["Go"], misc=["TokenRange=0:2"], comments=["sent_id = 1"]))
    """
    name = sentence.sent_id
    if name and name.isdecimal() and "TokenRange=" in sentence.to_text():
        return None
    return name or None
