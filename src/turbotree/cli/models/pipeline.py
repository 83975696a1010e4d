"""``turbotree parse`` with a pipeline: text or sentences in, trees out."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from turbotree.cli.inputs.live import MOST_AT_ONCE, LiveInput, answers
from turbotree.cli.inputs.reading import PLAIN, STDIN, Skipped, format_layout, standard_input
from turbotree.cli.models.parser import Search
from turbotree.cli.options.parsing import ParseOptions
from turbotree.cli.options.shared import InputFormat
from turbotree.cli.outputs.files import in_color, opened_output
from turbotree.cli.outputs.formats import Notes, chosen_format, write_parses
from turbotree.errors import InputError
from turbotree.parsing import Parse
from turbotree.pipeline import Pipeline, Tokenizer
from turbotree.pipeline.pipeline import NO_TOKENIZER
from turbotree.text import Sentence, read_layout, sniff
from turbotree.text.blocks import BYTE_ORDER_MARK
from turbotree.text.sources import is_live, lines_of, name_of

# Text is parsed paragraph by paragraph, and further where none ends for long.
_LONGEST_TEXT = 100_000  # characters
_BY_ENDING: dict[str, InputFormat] = {".lines": "lines", ".words": "words"}


def run_pipeline(
    pipeline: Pipeline, options: ParseOptions, notes: Notes, skipped: Skipped, search: Search
) -> None:
    """Parse text, or sentences whose words are known, and write the trees.

    One tree of each sentence is the pipeline's own affair; the search finds several.
    """
    text, input, output = options.text, options.input, options.output
    if text is not None and input is not None:
        raise InputError("--text and INPUT: give only one of them")
    source: Any = input if input is not None and input != STDIN else None
    drawn = text is not None and output is None and sys.stdout.isatty()
    chosen = chosen_format(
        options.format, output, "text" if drawn else "conllu", marginals=notes.marginals
    )
    given = options.input_format or (_format_at(source) if text is None else "text")
    if text is not None and given not in PLAIN:
        raise InputError(f"--text and --input-format {given}: give only one of them")
    if options.keep_tags and given in PLAIN:
        raise InputError("--keep-tags is for sentences; plain text has no tags")

    def trees(sentences: Iterable[Sentence]) -> Iterator[Parse]:
        if notes.numbered is None:
            return pipeline.annotate_stream(
                sentences, keep_tags=options.keep_tags, **search.options
            )
        return search(sentences if options.keep_tags else pipeline.tag_stream(sentences))

    parses: Iterable[Parse]
    with opened_output(output) as out:
        stream = source if source is not None or text is not None else standard_input()
        if given == "text":
            parses = _parse_text(pipeline, stream, text, out, trees)
        elif given in PLAIN:
            stream = stream if text is None else io.BytesIO(text.encode())
            parses = _parse_lines(pipeline, stream, given, out, trees)
        else:
            parses = trees(read_layout(stream, format_layout(given), on_error=skipped.on_error))
        write_parses(parses, out, chosen, notes, color=in_color(output))
    skipped.report()


def _format_at(path: Path | None) -> InputFormat:
    """Return whether a file holds sentences; what does not look so is text."""
    named = _BY_ENDING.get(Path(path.name.removesuffix(".gz")).suffix) if path is not None else None
    if named is not None:
        return named
    if path is None or not path.is_file():
        return "text"
    try:
        layout = sniff(path)
    except InputError:
        return "text"
    if not layout.numbered:
        return "text"
    return "conllu" if layout.extended else "conllx"


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
    tokenizer = _tokenizer(pipeline) if format == "lines" else None
    source = LiveInput(source, by_line=True) if is_live(source) else source
    yield from answers(trees, line_sentences(source, tokenizer), source, out, MOST_AT_ONCE)


def line_sentences(source: Any, tokenizer: Tokenizer | None) -> Iterator[Sentence]:
    """Yield one sentence for each line that is not blank; without a tokenizer, spaces part words.

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
