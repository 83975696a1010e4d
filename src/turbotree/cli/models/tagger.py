"""``turbotree parse`` with a tagger: sentences in, labels out."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from turbotree.cli.inputs.live import MOST_AT_ONCE, answers, live_input
from turbotree.cli.inputs.reading import STDIN, Skipped, format_layout, layout_at, with_advice
from turbotree.cli.options.parsing import ParseOptions
from turbotree.cli.outputs.files import opened_output
from turbotree.cli.outputs.formats import OutputFormat, format_of
from turbotree.errors import InputError
from turbotree.labeling import Tagger, Tagging
from turbotree.text import (
    CONLLU,
    CONLLX,
    Layout,
    Sentence,
    column_layout,
    read_layout,
    renamed,
    write_sentences,
)

_ADVICE = "; this model is a tagger, which needs words, one per line: raw text is for pipelines"
#: Labels at least this likely are listed as alternatives.
_LIKELY = 0.01


def tag_file(tagger: Tagger, options: ParseOptions, skipped: Skipped) -> None:
    """Label the sentences of a file or of standard input."""
    marginals, encoding = options.marginals, options.encoding
    source, layout = _source(tagger, options)
    chosen = _format(options, layout)
    sentences = with_advice(
        read_layout(source, layout, on_error=skipped.on_error, encoding=encoding), _ADVICE
    )
    find = partial(tagger.pipe, threads=options.threads)
    with opened_output(options.output) as out:
        taggings = answers(find, sentences, source, out, MOST_AT_ONCE * options.threads)
        if chosen == "json":
            for tagging in taggings:
                record = json.dumps(tagging_record(tagging, marginals), ensure_ascii=False)
                out.write(record.encode() + b"\n")
        elif encoding is not None:  # back to what the input was
            text = io.TextIOWrapper(out, encoding=encoding, newline="")
            write_sentences(_predicted(taggings, marginals), text)
            text.flush()
            text.detach()
        else:
            write_sentences(_predicted(taggings, marginals), out)
    skipped.report()


def column_names(given: str | None) -> list[str] | None:
    """Split the names of columns at commas.

    >>> column_names("form, upos,chunk")
    ['form', 'upos', 'chunk']
    """
    return None if given is None else [name.strip() for name in given.split(",")]


def input_layout(tagger: Tagger, found: Layout, where: str, names: list[str] | None) -> Layout:
    """Name the columns of a column file as the tagger's training data had them."""
    if found.numbered or names is not None:
        return found if names is None else renamed(found, names)
    count, own = len(found.columns), tagger.columns
    if own is None:
        return found
    if count == len(own):
        return renamed(found, own)
    predicted = [stage.column for stage in tagger.stages]
    unlabelled = [name for name in own if name not in predicted]
    if count == len(unlabelled):
        return renamed(found, unlabelled)
    raise InputError(
        f"{where}: {count} columns; the model was trained on {', '.join(own)}: "
        "name those of this file with --columns"
    )


def _source(tagger: Tagger, options: ParseOptions) -> tuple[Any, Layout]:
    path, format, names = options.input, options.input_format, column_names(options.columns)
    usual = CONLLU if tagger.columns is None else column_layout(tagger.columns, None)
    if path is not None and path != STDIN:
        found = format_layout(format) if format else layout_at(path, otherwise=usual)
        return path, input_layout(tagger, found, str(path), names)
    layout = format_layout(format) if format else usual
    if names is not None:
        layout = renamed(column_layout(names, None), names)
    return live_input(), layout


def _format(options: ParseOptions, layout: Layout) -> OutputFormat | None:
    """Return JSON, or None for the format of the input, which is all that a tagger writes."""
    own = {CONLLU: "conllu", CONLLX: "conllx"}.get(layout)
    chosen = options.format or format_of(options.output)
    if chosen is not None and chosen not in ("json", own):
        raise InputError(f"a tagger writes {layout.name} as it came, or json; not {chosen}")
    if options.marginals and chosen != "json" and layout != CONLLU:
        raise InputError(
            f"{layout.name} has no column for probabilities; choose --format json with --marginals"
        )
    return chosen if chosen == "json" else None


def _predicted(taggings: Iterable[Tagging], marginals: bool) -> Iterator[Sentence]:
    for tagging in taggings:
        sentence = tagging.to_sentence()
        if marginals:
            chances = [f"{chance:.4f}" for chance in tagging.probabilities]
            sentence = sentence.with_misc("TagProb", chances)
        yield sentence


def tagging_record(tagging: Tagging, marginals: bool) -> dict[str, Any]:
    """Return a tagging as JSON-ready data."""
    sentence = tagging.sentence
    rows = zip(sentence.forms, *tagging.columns.values(), strict=True)
    words: list[dict[str, Any]] = [
        dict(zip(("form", *tagging.columns), row, strict=True)) for row in rows
    ]
    record: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
    record["score"] = round(tagging.score, 6)
    if marginals:
        record["probability"] = float(f"{tagging.probability:.4g}")
        for column, rows_of_column in tagging.distributions.items():
            for word, chances in zip(words, rows_of_column, strict=True):
                likely = sorted(chances.items(), key=lambda item: (-item[1], item[0]))
                word[f"{column}_probabilities"] = {
                    name: float(f"{chance:.4g}") for name, chance in likely if chance > _LIKELY
                }
    record["words"] = words
    return record
