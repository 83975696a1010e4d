"""``turbotree suggest``: what to annotate next."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from turbotree.cli.inputs.reading import PARSE_FIRST, InputFormat, tree_layout
from turbotree.cli.inputs.tree_models import tree_model
from turbotree.cli.outputs.files import check_output, opened_output
from turbotree.errors import InputError
from turbotree.parsing.suggesting import OpenSentence, OpenWord, suggest_sentences, suggest_words
from turbotree.text import CONLLU, Sentence, read_layout, write_sentences


class Measure(str, Enum):
    """How sentences of different lengths are compared."""

    MEAN = "mean"
    TOTAL = "total"


def suggest(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that turbotree train wrote, or en.")
    ],
    input: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Sentences to choose from, with tags but no trees."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUT", help="Without it, standard output."),
    ] = None,
    most: Annotated[
        int, typer.Option("--top", metavar="N", help="How many to list; 0 for all.", min=0)
    ] = 50,
    words: Annotated[
        bool,
        typer.Option(
            "--words", help="List single words instead of sentences, with their likely heads."
        ),
    ] = False,
    measure: Annotated[
        Measure,
        typer.Option(
            "--by",
            help="mean: doubt by the word. total: of the tree, which favours long sentences.",
        ),
    ] = Measure.MEAN,
    threads: Annotated[int, typer.Option(metavar="N", help="Threads to parse with.", min=1)] = 1,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(help="Without it, what the file looks like.", show_default=False),
    ] = None,
) -> None:
    """List the sentences, or the words, whose trees the parser is least sure of.

    An hour of annotation teaches most where the parser is in doubt. Sentences come as CoNLL-U with
    the tree the parser would give them, to be corrected, the most doubtful first; '# entropy' says
    how open the tree is and Entropy in MISC how open each head, in nats. With --words you get a
    table of single words: give only these a head, leave _ in the HEAD column of the others, and
    train on that file; words without a head are free in training.
    """
    if words and measure is not Measure.MEAN:
        raise InputError("--by is for sentences; a word has only one entropy")
    check_output(output, [model, input])
    parser, prepare = tree_model(model)
    sentences = prepare(read_layout(input, tree_layout(input, input_format, advice=PARSE_FIRST)))
    with opened_output(output) as out:
        if words:
            found = suggest_words(parser, sentences, most or None, threads=threads)
            out.write("".join(f"{line}\n" for line in _table(found)).encode())
        else:
            chosen = suggest_sentences(
                parser, sentences, most or None, measure=measure.value, threads=threads
            )
            write_sentences((_marked(one) for one in chosen), out, CONLLU)


def _marked(found: OpenSentence) -> Sentence:
    sentence = found.sentence.with_comments([f"entropy = {_number(found.entropy)}"])
    return sentence.with_misc("Entropy", map(_number, found.head_entropies))


def _table(found: Iterable[OpenWord]) -> Iterable[str]:
    yield "\t".join(("entropy", "sentence", "word", "form", "heads"))
    for one in found:
        sentence = one.sentence
        name = sentence.sent_id or str(one.place + 1)
        forms = ("ROOT", *sentence.forms)
        heads = " ".join(f"{h}:{forms[h]}:{_number(p)}" for h, p in one.heads.items())
        yield "\t".join((_number(one.entropy), name, str(one.word), forms[one.word], heads))


def _number(value: float) -> str:
    # Belief propagation may come out a hair below nothing.
    return f"{max(0.0, value):.3f}"
