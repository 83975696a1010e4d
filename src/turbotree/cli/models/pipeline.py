"""``turbotree parse`` with a pipeline: text or sentences in, trees out."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from turbotree.cli.inputs.live import Arriving, batches
from turbotree.cli.inputs.reading import STDIN, InputFormat, Skipped, format_layout, standard_input
from turbotree.cli.outputs.files import in_color, opened_output
from turbotree.cli.outputs.formats import Notes, OutputFormat, format_of, write_parses
from turbotree.errors import InputError
from turbotree.parsing import Parse
from turbotree.pipeline import Pipeline, Tokenizer
from turbotree.pipeline.pipeline import NO_TOKENIZER
from turbotree.text import Sentence, read_layout, sniff
from turbotree.text.blocks import BYTE_ORDER_MARK
from turbotree.text.sources import is_live, lines_of, name_of

#: Finds trees of a stream of sentences.
Find = Callable[..., Iterator[Parse]]

# Text is parsed a paragraph at a time, and further where none ends for long.
_LONGEST_TEXT = 100_000  # characters
# Lines that are parsed at once from a live input, if so many have arrived.
_MOST_LINES = 256
_BY_ENDING = {".lines": InputFormat.LINES, ".words": InputFormat.WORDS}


def run_pipeline(
    pipeline: Pipeline,
    input: Path | None,
    output: Path | None,
    *,
    text: str | None,
    format: OutputFormat | None,
    input_format: InputFormat | None,
    keep_tags: bool,
    notes: Notes,
    skipped: Skipped,
    find: Find | None,
    options: dict[str, Any],
) -> None:
    """Parse text, or sentences whose words are known, and write the trees.

    Several trees of each tagged sentence are what `find` gives; without it, the best one.
    """
    if text is not None and input is not None:
        raise InputError("--text and INPUT: give only one of them")
    source: Any = input if input is not None and input != STDIN else None
    drawn = text is not None and output is None and sys.stdout.isatty()
    usual = OutputFormat.TEXT if drawn else OutputFormat.CONLLU
    chosen = format or format_of(output) or usual
    if notes.marginals and chosen is OutputFormat.CONLLX:
        raise InputError(
            "CoNLL-X has no column for probabilities; choose another --format with --marginals"
        )
    given = input_format or (_format_at(source) if text is None else InputFormat.TEXT)
    if text is not None and not given.is_plain:
        raise InputError(f"--text and --input-format {given.value}: give only one of them")
    if keep_tags and given.is_plain:
        raise InputError("--keep-tags is for sentences; plain text has no tags")

    def trees(sentences: Iterable[Sentence]) -> Iterator[Parse]:
        if find is None:
            return pipeline.annotate_stream(sentences, keep_tags=keep_tags, **options)
        return find(sentences if keep_tags else pipeline.tag_stream(sentences), **options)

    parses: Iterable[Parse]
    with opened_output(output) as out:
        stream = source if source is not None or text is not None else standard_input()
        if given is InputFormat.TEXT:
            parses = _parse_text(pipeline, stream, text, out, trees)
        elif given.is_plain:
            stream = stream if text is None else io.BytesIO(text.encode())
            parses = _parse_lines(pipeline, stream, given, out, trees)
        else:
            parses = trees(read_layout(stream, format_layout(given), on_error=skipped.on_error))
        write_parses(parses, out, chosen, notes, color=in_color(output))
    skipped.report()


def _format_at(path: Path | None) -> InputFormat:
    """Tell whether a file holds sentences; what does not look so is text."""
    named = _BY_ENDING.get(Path(path.name.removesuffix(".gz")).suffix) if path is not None else None
    if named is not None:
        return named
    if path is None or not path.is_file():
        return InputFormat.TEXT
    try:
        layout = sniff(path)
    except InputError:
        return InputFormat.TEXT
    if not layout.numbered:
        return InputFormat.TEXT
    return InputFormat.CONLLU if layout.extended else InputFormat.CONLLX


def _parse_text(
    pipeline: Pipeline,
    source: Any,
    text: str | None,
    out: IO[bytes],
    trees: Callable[[Iterable[Sentence]], Iterator[Parse]],
) -> Iterator[Parse]:
    tokenizer = _tokenizer(pipeline)
    pieces = iter([(0, text)]) if text is not None else text_pieces(source)
    if text is not None or not is_live(source):
        sentences = (s for made in _tokenized(tokenizer, pieces) for s in made)
        yield from trees(sentences)
        return
    for made in _tokenized(tokenizer, pieces):  # somebody waits at the other end
        yield from trees(made)
        out.flush()


def _tokenizer(pipeline: Pipeline) -> Tokenizer:
    if pipeline.tokenizer is None:
        raise InputError(
            f"{NO_TOKENIZER}; give it CoNLL-U, or lines of words with --input-format words"
        )
    return pipeline.tokenizer


def _parse_lines(
    pipeline: Pipeline,
    source: Any,
    format: InputFormat,
    out: IO[bytes],
    trees: Callable[[Iterable[Sentence]], Iterator[Parse]],
) -> Iterator[Parse]:
    tokenizer = _tokenizer(pipeline) if format is InputFormat.LINES else None
    if not is_live(source):
        yield from trees(line_sentences(source, tokenizer))
        return
    arriving = Arriving(source, by_line=True)
    for batch in batches(line_sentences(arriving, tokenizer), arriving, _MOST_LINES):
        yield from trees(batch)
        out.flush()


def line_sentences(source: Any, tokenizer: Tokenizer | None) -> Iterator[Sentence]:
    """Give one sentence for each line that is not blank; without a tokenizer, spaces part words.

    >>> import io
    >>> lines = io.BytesIO(b"The dogs slept .\\n\\nThe end\\n")
    >>> [sentence.forms for sentence in line_sentences(lines, None)]
    [('The', 'dogs', 'slept', '.'), ('The', 'end')]
    """
    count = at = 0
    with lines_of(source) as lines:
        for line in decoded_lines(lines, source):
            if line.strip():
                count += 1
                if tokenizer is not None:
                    yield from tokenizer.line_sentences(line, offset=at, first=count)
                else:
                    comments = [f"sent_id = {count}", f"text = {' '.join(line.split())}"]
                    yield Sentence.from_words(line.split(), comments=comments)
            at += len(line)


def decoded_lines(lines: Iterable[bytes], source: Any) -> Iterator[str]:
    """Decode lines; name the one that is not UTF-8."""
    for number, raw in enumerate(lines, 1):
        try:
            yield raw.decode().removeprefix(BYTE_ORDER_MARK if number == 1 else "")
        except UnicodeDecodeError:
            raise InputError(f"{name_of(source)}:{number}: not UTF-8 text") from None


def _tokenized(tokenizer: Tokenizer, pieces: Iterable[tuple[int, str]]) -> Iterator[list[Sentence]]:
    count = 0
    for offset, text in pieces:
        made = tokenizer.sentences(text, offset=offset, first=count + 1)
        count += len(made)
        yield made


def text_pieces(source: Any) -> Iterator[tuple[int, str]]:
    """Cut the text of a file or stream at blank lines; give where each piece begins, and the piece.

    A byte order mark tells how a file is encoded and is no part of its text.

    >>> import io
    >>> list(text_pieces(io.BytesIO(b"One.\\nTwo.\\n\\nThree.")))
    [(0, 'One.\\nTwo.\\n'), (11, 'Three.')]
    """
    lines: list[str] = []
    start = at = 0
    with lines_of(source) as stream:
        for line in decoded_lines(stream, source):
            blank = not line.strip()
            if lines and (blank or at - start > _LONGEST_TEXT):
                yield start, "".join(lines)
                lines = []
            if not blank:
                start = start if lines else at
                lines.append(line)
            at += len(line)
    if lines:
        yield start, "".join(lines)
