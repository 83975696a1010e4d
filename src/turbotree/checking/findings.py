"""What a check finds: words whose annotation is suspicious, and why.

Findings are plain data, written to and read from JSON lines, so that other programs, the review
page among them, can work with them.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from turbotree.errors import InputError
from turbotree.files.atomic import atomic_stream
from turbotree.files.reading import input_errors

#: The columns that models have an opinion of, as :class:`Doubt` names them.
TREE_COLUMNS = ("head", "label")
TAG_COLUMNS = ("upos", "xpos", "feats")
COLUMNS = (*TREE_COLUMNS, *TAG_COLUMNS)
#: Why a word can be suspicious: a column that a model doubts, a broken rule, a variation.
RULE, VARIATION = "rule", "variation"
KINDS = (*COLUMNS, RULE, VARIATION)


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a treebank says of one word, or could say."""

    upos: str
    xpos: str
    feats: str
    head: int
    label: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A value that models, which have not seen the sentence, take for less likely than another.

    Attributes
    ----------
    column
        One of ``COLUMNS``.
    annotated, probability
        The value as annotated, and its probability; that of a label is given its annotated head.
    alternative, alternative_probability
        The likeliest other value.
    """

    column: str
    annotated: str
    probability: float
    alternative: str
    alternative_probability: float


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A rule that the annotation of a word breaks.

    Attributes
    ----------
    name
        Of the rule.
    message
        What is wrong, in a sentence.
    address
        The guideline on the web; empty for rules without one.
    """

    name: str
    message: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Variation:
    """The same words, annotated differently elsewhere.

    Attributes
    ----------
    what
        ``"arc"`` for the relation of two words, ``"upos"`` for the tag of one.
    words
        The forms concerned.
    annotated, elsewhere
        The annotation here, and the most frequent one elsewhere.
    here_count, elsewhere_count
        How often the treebank has each.
    places
        Some of the places that have the other one: sentence and word, ``"weblog-1:5"``.
    """

    what: str
    words: tuple[str, ...]
    annotated: str
    elsewhere: str
    here_count: int
    elsewhere_count: int
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A word whose annotation is worth a look.

    Attributes
    ----------
    path, line
        The file, and the line of the word.
    place
        Which of the file's sentences it is in, from 0; those that cannot be read do not count.
    sent_id
        The sentence's name; its number from 1 if it has none.
    word, form
        The word's number in the sentence, from 1, and the word.
    score
        The estimated probability that something about the word is wrong: what reviewing it gains.
    annotation, alternative
        The word as annotated, and with every doubted value replaced by the likelier one.
    doubts, rules, variations
        The reasons.
    heads, labels
        The whole tree that the models find best, for a picture beside the annotated one.

    Examples
    --------
    >>> noun = Annotation("NOUN", "_", "_", 2, "nsubj")
    >>> doubt = Doubt("label", "nsubj", 0.02, "obj", 0.97)
    >>> finding = Finding(
    ...     "a.conllu", 1, 0, "s1", 1, "Birds", 0.8, noun,
    ...     dataclasses.replace(noun, label="obj"), (doubt,), (), (), (2, 0), ("obj", "root"),
    ... )
    >>> finding.kinds
    ('label',)
    >>> Finding.from_dict(json.loads(json.dumps(finding.to_dict()))) == finding
    True
    """

    path: str
    line: int
    place: int
    sent_id: str
    word: int
    form: str
    score: float
    annotation: Annotation
    alternative: Annotation
    doubts: tuple[Doubt, ...] = ()
    rules: tuple[BrokenRule, ...] = ()
    variations: tuple[Variation, ...] = ()
    heads: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its reasons, in the order of ``KINDS``."""
        found = {doubt.column for doubt in self.doubts}
        found |= {RULE} if self.rules else set()
        found |= {VARIATION} if self.variations else set()
        return tuple(kind for kind in KINDS if kind in found)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {"kinds": list(self.kinds), **dataclasses.asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        """Undo :meth:`to_dict`."""
        try:
            known = {name: data[name] for name in (each.name for each in dataclasses.fields(cls))}
            known["annotation"] = Annotation(**known["annotation"])
            known["alternative"] = Annotation(**known["alternative"])
            known["doubts"] = tuple(Doubt(**one) for one in known["doubts"])
            known["rules"] = tuple(BrokenRule(**one) for one in known["rules"])
            known["variations"] = tuple(
                Variation(**{**one, "words": tuple(one["words"]), "places": tuple(one["places"])})
                for one in known["variations"]
            )
            known["heads"], known["labels"] = tuple(known["heads"]), tuple(known["labels"])
            return cls(**known)
        except KeyError as error:
            raise InputError(f"not a finding: {error.args[0]!r} is missing") from None
        except (TypeError, AttributeError) as error:
            raise InputError(f"not a finding: {error}") from None


def finding_line(finding: Finding) -> str:
    """Return a finding as one line of JSON, with its newline."""
    return json.dumps(finding.to_dict(), ensure_ascii=False) + "\n"


def write_findings(findings: Iterable[Finding], target: str | os.PathLike[str] | IO[bytes]) -> None:
    """Write findings as JSON lines; a file appears whole or not at all.

    >>> import io
    >>> stream = io.BytesIO()
    >>> write_findings([], stream)
    >>> stream.getvalue()
    b''
    """
    if isinstance(target, str | os.PathLike):
        with atomic_stream(target) as stream:
            write_findings(findings, stream)
        return
    for finding in findings:
        target.write(finding_line(finding).encode())


def read_findings(path: str | os.PathLike[str]) -> Iterator[Finding]:
    """Read findings that :func:`write_findings` wrote.

    Raises
    ------
    InputError
        With file and line, if a line is no finding.
    """
    name = os.fspath(path)
    with input_errors(name), open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            yield _read_line(line, name, number)


def _read_line(line: str, name: str, number: int) -> Finding:
    try:
        data = json.loads(line)
    except ValueError:
        raise InputError.at(name, number, "not a line of JSON") from None
    if not isinstance(data, dict):
        raise InputError.at(name, number, "not a finding: expected a JSON object")
    try:
        return Finding.from_dict(data)
    except InputError as error:
        raise InputError.at(name, number, str(error)) from None
