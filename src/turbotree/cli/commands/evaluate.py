"""``turbotree eval``: predictions against the gold standard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import typer

from turbotree.cli.inputs.reading import STDIN, layout_at, standard_input
from turbotree.cli.options import shared
from turbotree.cli.options.completion import treebanks
from turbotree.cli.options.declaring import Options, argument, option, takes
from turbotree.cli.process.failures import say
from turbotree.errors import InputError
from turbotree.evaluation import (
    AttachmentScores,
    CertificateSums,
    RawScores,
    SpanScores,
    TagScores,
    attachment_scores,
    raw_scores,
    span_scores,
    tag_scores,
)
from turbotree.labeling.data import are_spans, resolve_column
from turbotree.text import Layout, Sentence, read_layout, renamed


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(Options):
    """What ``turbotree eval`` takes."""

    gold: Path = argument("The gold standard.", metavar="GOLD", complete=treebanks)
    predicted: Path = argument(
        "Predictions for the same sentences; - for standard input.",
        metavar="PREDICTED",
        complete=treebanks,
    )
    label: str | None = option(
        None,
        "Score these columns, by name or number, instead of trees: upos,feats.",
        metavar="A,B,...",
        clashes=("raw", "certificates"),
    )
    raw: bool = option(
        False,
        "Score tokens, sentences, tags, lemmas and trees together, by F1, even if both files have "
        "the same words.",
        fits=("treebank",),
    )
    certificates: bool = option(
        False,
        "Sum up what parse --certificates wrote into PREDICTED: the share of trees that are proven "
        "best, gaps, rounds, seconds.",
        fits=("treebank",),
    )
    columns: str | None = shared.columns()
    encoding: str | None = shared.encoding()
    as_json: bool = shared.as_json()


@takes(EvaluateOptions)
def evaluate(options: EvaluateOptions) -> None:
    """Score predictions: UAS and LAS, span F1, or tag accuracy.

    CoNLL-U and CoNLL-X files are compared tree by tree, with and without punctuation and by
    relation. If their tokens or sentences differ, they are compared character by character, as in
    the CoNLL 2018 shared task. Column files, as in CoNLL-2000 to 2003, are compared span by span in
    their columns of chunks and entities, or else in the last one. With --label, spans are compared
    where the labels are spans, and words where they are not.
    """
    gold, predicted, label = options.gold, options.predicted, options.label
    columns, certificates, as_json = options.columns, options.certificates, options.as_json
    layout = layout_at(gold)
    if columns is not None:
        layout = renamed(layout, [name.strip() for name in columns.split(",")])
    if layout.numbered and label is None:
        sums = CertificateSums()
        sentences = _predicted(predicted, layout)
        watched = sums.watching(sentences) if certificates else sentences
        scores = _tree_scores(list(read_layout(gold, layout)), list(watched), options.raw)
        if as_json:
            proofs = {"certificates": sums.to_dict()} if certificates else {}
            typer.echo(json.dumps({**scores.to_dict(), **proofs}, indent=2))
        else:
            typer.echo(f"{scores}\n\n{sums}" if certificates else str(scores))
        return
    options.check_fit("column file")
    by_column = _label_scores(
        gold, predicted, layout, _label_columns(gold, layout, label), options.encoding
    )
    if as_json:
        figures = {name: spans.to_dict() for name, spans in by_column.items()}
        typer.echo(json.dumps(figures, indent=2))
        return
    typer.echo("\n\n".join(f"{name}\n{spans}" for name, spans in by_column.items()))


def _tree_scores(
    gold: list[Sentence], predicted: list[Sentence], raw: bool
) -> AttachmentScores | RawScores:
    if raw:
        return raw_scores(gold, predicted)
    if [s.forms for s in gold] == [s.forms for s in predicted]:
        return attachment_scores(gold, predicted)
    try:
        scores = raw_scores(gold, predicted)
    except InputError as error:
        raise InputError(
            f"the files have different tokens and cannot be scored, even with --raw: {error}"
        ) from None
    say("the files have different tokens: scored by characters, as --raw does")
    return scores


def _predicted(path: Path, layout: Layout, encoding: str | None = None) -> Iterator[Sentence]:
    if path == STDIN:
        return read_layout(standard_input(), layout, encoding=encoding)
    found = layout_at(path, otherwise=layout)
    if not (found.numbered or layout.numbered) and len(found.columns) == len(layout.columns):
        found = renamed(found, layout.columns)
    if found.columns == layout.columns or (found.numbered and layout.numbered):
        return read_layout(path, found, encoding=encoding)
    raise InputError(
        f"{path}: columns {', '.join(found.columns)}; the gold file has {', '.join(layout.columns)}"
    )


def _label_columns(gold: Path, layout: Layout, given: str | None) -> list[str]:
    if given is not None:
        return [resolve_column(layout, name.strip()) for name in given.split(",")]
    if len(layout.columns) < 2:
        raise InputError(f"{gold}: only one column, expected words and labels")
    names = [name for name in layout.columns if name in ("chunk", "entity")]
    return names or [layout.columns[-1]]


def _label_scores(
    gold: Path, predicted: Path, layout: Layout, names: list[str], encoding: str | None
) -> dict[str, SpanScores | TagScores]:
    labels: dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]
    labels = {name: ([], []) for name in names}
    gold_sentences = read_layout(gold, layout, encoding=encoding)
    pairs = zip_longest(gold_sentences, _predicted(predicted, layout, encoding))
    for number, (one, other) in enumerate(pairs, 1):
        if one is None or other is None:
            shorter = gold if one is None else predicted
            raise InputError(f"{shorter}: ends before sentence {number} of the other file")
        if one.forms != other.forms:
            hint = "; eval --raw scores different tokens" if layout.numbered else ""
            raise InputError(
                f"{other.path}:{other.line}: sentence {number} has different words from {gold}"
                f"{hint}"
            )
        for name in names:
            labels[name][0].append(one.column(name))
            labels[name][1].append(other.column(name))
    return {
        name: (span_scores if _of_spans(name, pair[0]) else tag_scores)(*pair)
        for name, pair in labels.items()
    }


def _of_spans(name: str, gold: list[tuple[str, ...]]) -> bool:
    return name in ("chunk", "entity") or are_spans(gold)
