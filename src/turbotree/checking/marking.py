"""Findings in CoNLL-U: comments for people, MISC for programs.

A sentence with findings gets one comment ``# check`` for each of them. A word with a finding gets
in its MISC ``CheckScore``, the probability that it is wrong; ``CheckHead``, ``CheckLabel``,
``CheckUpos``, ``CheckXpos`` and ``CheckFeats``, the better values; and ``CheckRule``, the names of
the rules that it breaks.

Other programs expect more, or less:

udapi
    looks for ``Bug`` and ``ToDo`` in MISC, with commas between values. ``Bug`` has the broken
    rules, ``ToDo`` the other reasons.
ArboratorGrew
    keeps one comment per key, so that ``# check`` has all findings of a sentence. It demands that
    sentences have names, refuses a file in which two are the same or that says who has annotated
    it (``# user_id``), and shows ``# tags`` as labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from turbotree.checking.findings import RULE, Finding
from turbotree.text import CONLLU, Sentence, converted

_PREFIX = "Check"
#: For whom marks are made: nobody in particular, or one of these programs.
Style = Literal["check", "udapi", "arborator"]
_BUG, _TO_DO = "Bug", "ToDo"
_TAGS, _USER = "tags", "user_id"


def marked_sentences(
    sentences: Sequence[Sentence], findings: Iterable[Finding], style: Style = "check"
) -> Iterator[Sentence]:
    """Return the sentences that have findings, marked, in the order of the treebank."""
    by_line: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        by_line.setdefault((finding.path, finding.line), []).append(finding)
    names: set[str] = set()
    for sentence in sentences:
        own = [
            finding
            for word in range(1, len(sentence) + 1)
            for finding in by_line.get(sentence.place(word), ())
        ]
        if own:
            found = marked(sentence, own, style)
            yield found if style == "check" else _named(found, own[0].sent_id, names)


def marked(sentence: Sentence, findings: Sequence[Finding], style: Style = "check") -> Sentence:
    """Return a sentence with its findings.

    >>> from turbotree.checking.findings import Annotation, Doubt
    >>> birds = Sentence.from_words(["Birds", "sing"], heads=[2, 0], labels=["obj", "root"])
    >>> noun = Annotation("NOUN", "_", "_", 2, "obj")
    >>> better = Annotation("NOUN", "_", "_", 2, "nsubj")
    >>> doubt = Doubt("label", "obj", 0.1, "nsubj", 0.9)
    >>> finding = Finding("a", 1, 0, "1", 1, "Birds", 0.75, noun, better, (doubt,))
    >>> found = marked(birds, [finding])
    >>> found.comments
    ('check = 1 Birds: label obj (0.100), better nsubj (0.900)',)
    >>> found.column("misc")
    ('CheckScore=0.7500|CheckLabel=nsubj', '_')
    >>> marked(birds, [finding], "udapi").column("misc")
    ('ToDo=label|CheckScore=0.7500|CheckLabel=nsubj', '_')
    """
    found = converted(sentence, CONLLU)
    rows = [
        [] if misc == "_" else [one for one in misc.split("|") if not one.startswith(_PREFIX)]
        for misc in found.column("misc")
    ]
    comments = []
    for finding in findings:
        row = rows[finding.word - 1]
        if style == "udapi":
            _extend(row, _TO_DO, [kind for kind in finding.kinds if kind != RULE])
            _extend(row, _BUG, [rule.name for rule in finding.rules])
        row.append(f"{_PREFIX}Score={finding.score:.4f}")
        for doubt in finding.doubts:
            # The bar parts entries of MISC.
            value = doubt.alternative.replace("|", ",")
            row.append(f"{_PREFIX}{doubt.column.capitalize()}={value}")
        if finding.rules:
            row.append(f"{_PREFIX}Rule={','.join(rule.name for rule in finding.rules)}")
        reasons = "; ".join(reasons_of(finding))
        comments.append(f"{finding.word} {finding.form}: {reasons}")
    if style == "arborator":
        tags = [one.strip() for one in found.metadata.get(_TAGS, "").split(",") if one.strip()]
        found = _without_comments(found, (_USER, _TAGS))
        tags = [*tags, *(["TODO"] if "TODO" not in tags else [])]
        comments = ["; ".join(comments)]
        found = found.with_comments([f"{_TAGS} = {', '.join(tags)}"])
        rows = [_once(row) for row in rows]
    found = found.with_comments(f"check = {comment}" for comment in comments)
    return found.replace(misc=["|".join(row) or "_" for row in rows])


def _extend(row: list[str], key: str, values: Sequence[str]) -> None:
    """Add values to those that a key of MISC may have already, and put it first.

    There the filter that udapi's documentation gives as an example finds it.
    """
    known = [one.partition("=")[2] for one in row if one.startswith(f"{key}=")]
    values = [*known, *values]
    if values:
        rest = [one for one in row if not one.startswith(f"{key}=")]
        row[:] = [f"{key}={','.join(values)}", *rest]


def _once(row: Iterable[str]) -> list[str]:
    """Keep the last entry of each key; where one occurs twice, ArboratorGrew refuses the file."""
    return list({one.partition("=")[0]: one for one in row}.values())


def _without_comments(sentence: Sentence, keys: Iterable[str]) -> Sentence:
    unwanted = set(keys)
    lines = sentence.to_text().split("\n")
    kept = [
        line
        for line in lines
        if not (line.startswith("#") and line[1:].partition("=")[0].strip() in unwanted)
    ]
    path, line = sentence.path, sentence.line
    return Sentence("\n".join(kept), sentence.layout, path=path, line=line)


def _named(sentence: Sentence, name: str, names: set[str]) -> Sentence:
    """Give a sentence a name that no other in the file has."""
    own = sentence.sent_id
    chosen, number = own or name, 1
    while chosen in names:
        number += 1
        chosen = f"{own or name}~{number}"
    names.add(chosen)
    if chosen == own:
        return sentence
    return _without_comments(sentence, ("sent_id",)).with_comments([f"sent_id = {chosen}"])


def reasons_of(finding: Finding) -> list[str]:
    """Say in words why a word is suspicious, one text per reason."""
    reasons = [
        f"{doubt.column} {doubt.annotated} ({doubt.probability:.3f}), "
        f"better {doubt.alternative} ({doubt.alternative_probability:.3f})"
        for doubt in finding.doubts
    ]
    reasons += [f"{rule.name}: {rule.message}" for rule in finding.rules]
    for variation in finding.variations:
        words = " ".join(variation.words)
        reasons.append(
            f"'{words}' {variation.annotated} here ({variation.here_count}), "
            f"{variation.elsewhere} elsewhere ({variation.elsewhere_count})"
        )
    return reasons
