"""Findings in CoNLL-U: comments for people, MISC for programs.

A sentence with findings gets one comment ``# check`` for each of them. A word with a finding gets
in its MISC ``CheckScore``, the probability that it is wrong; ``CheckHead``, ``CheckLabel``,
``CheckUpos``, ``CheckXpos`` and ``CheckFeats``, the better values; and ``CheckRule``, the names of
the rules that it breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from turbotree.checking.findings import Finding
from turbotree.text import CONLLU, Sentence, converted

_PREFIX = "Check"


def marked_sentences(
    sentences: Sequence[Sentence], findings: Iterable[Finding]
) -> Iterator[Sentence]:
    """Return the sentences that have findings, marked, in the order of the treebank."""
    by_line: dict[tuple[str, int], list[Finding]] = {}
    for finding in findings:
        by_line.setdefault((finding.path, finding.line), []).append(finding)
    for sentence in sentences:
        own = [
            finding
            for word in range(1, len(sentence) + 1)
            for finding in by_line.get(sentence.place(word), ())
        ]
        if own:
            yield marked(sentence, own)


def marked(sentence: Sentence, findings: Sequence[Finding]) -> Sentence:
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
    """
    rows = [
        [] if misc == "_" else [one for one in misc.split("|") if not one.startswith(_PREFIX)]
        for misc in converted(sentence, CONLLU).column("misc")
    ]
    comments = []
    for finding in findings:
        row = rows[finding.word - 1]
        row.append(f"{_PREFIX}Score={finding.score:.4f}")
        for doubt in finding.doubts:
            # The bar parts entries of MISC.
            value = doubt.alternative.replace("|", ",")
            row.append(f"{_PREFIX}{doubt.column.capitalize()}={value}")
        if finding.rules:
            row.append(f"{_PREFIX}Rule={','.join(rule.name for rule in finding.rules)}")
        reasons = "; ".join(reasons_of(finding))
        comments.append(f"check = {finding.word} {finding.form}: {reasons}")
    changed = converted(sentence, CONLLU).with_comments(comments)
    return changed.replace(misc=["|".join(row) or "_" for row in rows])


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
