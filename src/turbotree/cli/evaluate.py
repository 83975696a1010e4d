"""``turbotree eval``: predictions against the gold standard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated

import typer

from turbotree.cli.reading import STDIN, layout_at, standard_input
from turbotree.errors import InputError
from turbotree.evaluation import SpanScores, attachment_scores, span_scores
from turbotree.text import Layout, Sentence, read_layout


def evaluate(
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="The gold standard.")],
    predicted: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTED", help="The same sentences, predicted; - for standard input."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Score predictions: UAS and LAS, or span F1.

    CoNLL-U and CoNLL-X files are compared tree by tree, with and without punctuation and by
    relation. Column files, as of CoNLL-2000 to 2003, are compared span by span in their columns
    of chunks and entities (of files with other columns, in the last one).
    """
    layout = layout_at(gold)
    if layout.numbered:
        scores = attachment_scores(read_layout(gold, layout), _predicted(predicted, layout))
        typer.echo(json.dumps(scores.to_dict(), indent=2) if as_json else str(scores))
        return
    by_column = _span_scores(gold, predicted, layout)
    if as_json:
        figures = {name: spans.to_dict() for name, spans in by_column.items()}
        typer.echo(json.dumps(figures, indent=2))
        return
    typer.echo("\n\n".join(f"{name}\n{spans}" for name, spans in by_column.items()))


def _predicted(path: Path, layout: Layout) -> Iterator[Sentence]:
    if path == STDIN:
        return read_layout(standard_input(), layout)
    found = layout_at(path, otherwise=layout)
    if found.columns == layout.columns or (found.numbered and layout.numbered):
        return read_layout(path, found)
    raise InputError(
        f"{path}: columns {', '.join(found.columns)}; the gold file has {', '.join(layout.columns)}"
    )


def _span_scores(gold: Path, predicted: Path, layout: Layout) -> dict[str, SpanScores]:
    if len(layout.columns) < 2:
        raise InputError(f"{gold}: only one column, expected words and labels")
    names = [name for name in layout.columns if name in ("chunk", "entity")]
    names = names or [layout.columns[-1]]
    labels: dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]
    labels = {name: ([], []) for name in names}
    pairs = zip_longest(read_layout(gold, layout), _predicted(predicted, layout))
    for number, (one, other) in enumerate(pairs, 1):
        if one is None or other is None:
            shorter = gold if one is None else predicted
            raise InputError(f"{shorter}: ends before sentence {number} of the other file")
        if one.forms != other.forms:
            raise InputError(
                f"{other.path}:{other.line}: sentence {number} has other words than in {gold}"
            )
        for name in names:
            labels[name][0].append(one.column(name))
            labels[name][1].append(other.column(name))
    return {name: span_scores(*pair) for name, pair in labels.items()}
