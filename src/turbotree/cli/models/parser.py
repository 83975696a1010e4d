"""``turbotree parse`` with a parser: sentences in, trees out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from turbotree.cli.inputs.live import MOST_AT_ONCE, answers, live_input
from turbotree.cli.inputs.reading import STDIN, Skipped, format_layout, tree_layout, with_advice
from turbotree.cli.options.parsing import ParseOptions
from turbotree.cli.outputs.files import in_color, opened_output
from turbotree.cli.outputs.formats import Notes, OutputFormat, chosen_format, write_parses
from turbotree.models import USUAL
from turbotree.parsing import Parse, Parser, compile_rules
from turbotree.parsing.profile import Profile
from turbotree.text import CONLLX, Layout, Sentence, read_layout

_ADVICE = (
    "; this model is a parser, which needs words with tags: raw text is for pipelines, "
    f"{USUAL} for instance"
)


@dataclass(frozen=True)
class Search:
    """How trees are found, and what the place of each among several is called."""

    find: Callable[..., Iterator[Parse]]
    options: dict[str, Any]
    numbered: str | None = None

    @classmethod
    def of(
        cls, parser: Parser, options: ParseOptions, skipped: Skipped, profile: Profile
    ) -> Search:
        """Take from the command line how to search."""
        search = options.search | {"threads": options.threads, "profile": profile}
        search["on_failure"] = skipped.on_failure
        if options.rules:
            search["rules"] = compile_rules(options.rules)
        if options.k is not None:
            several = {"k": options.k, "diversity": options.diversity}
            return cls(parser.k_best_pipe, search | several, "k")
        if options.samples is not None:
            several = {"n": options.samples, "seed": options.seed}
            return cls(parser.sample_pipe, search | several, "sample")
        return cls(parser.pipe, search)

    def __call__(self, sentences: Iterable[Sentence]) -> Iterator[Parse]:
        """Find the trees of sentences."""
        return self.find(sentences, **self.options)


def run_parser(options: ParseOptions, notes: Notes, skipped: Skipped, search: Search) -> None:
    """Parse sentences and write their trees."""
    source, layout = _source(options)
    as_input: OutputFormat = "conllx" if layout == CONLLX else "conllu"
    output = options.output
    format = chosen_format(options.format, output, as_input, marginals=notes.marginals)
    sentences = with_advice(read_layout(source, layout, on_error=skipped.on_error), _ADVICE)
    with opened_output(output) as out:
        parses = answers(search, sentences, source, out, MOST_AT_ONCE * options.threads)
        write_parses(parses, out, format, notes, color=in_color(output))
    skipped.report()


def _source(options: ParseOptions) -> tuple[Any, Layout]:
    path, format = options.input, options.input_format
    if path is not None and path != STDIN:
        return path, tree_layout(path, format, advice=_ADVICE)
    return live_input(), format_layout(format or "conllu")
