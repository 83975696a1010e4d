"""``turbotree suggest``: what to annotate next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from turbotree.cli.inputs.reading import PARSE_FIRST, tree_layout
from turbotree.cli.inputs.tree_models import tree_model
from turbotree.cli.options import shared
from turbotree.cli.options.declaring import Options, option, takes
from turbotree.cli.outputs.files import check_output, opened_output
from turbotree.parsing.suggesting import OpenSentence, OpenWord, suggest_sentences, suggest_words
from turbotree.text import CONLLU, Sentence, read_layout, write_sentences


@dataclass(frozen=True, kw_only=True)
class SuggestOptions(Options):
    """What ``turbotree suggest`` takes."""

    model: Path = shared.model()
    input: Path = shared.sentences(help="Sentences to choose from, with tags but no trees.")
    output: Path | None = shared.output()
    most: int = option(50, "How many to list; 0 for all.", "--top", metavar="N", least=0)
    words: bool = option(False, "List single words with their likely heads, not sentences.")
    measure: Literal["mean", "total", "errors"] = option(
        "mean",
        "How to rank sentences. mean: by the doubt per word. total: by that of the whole tree, "
        "which favours long sentences. errors: by the share of arcs and relations expected to be "
        "wrong.",
        "--by",
        clashes=("words",),
    )
    input_format: shared.TreeFormat | None = shared.input_format()
    threads: int = shared.threads()


@takes(SuggestOptions)
def suggest(options: SuggestOptions) -> None:
    """List what to annotate next: where the parser is least sure.

    Annotation teaches most where the parser is in doubt. Sentences are written as CoNLL-U with
    the tree that the parser would give them, to be corrected, the most doubtful first. '# entropy'
    says how open the tree is, and Entropy in MISC how open each head is, in nats. With --words you
    get a table of single words: give only these a head, leave _ in the HEAD column of the others,
    and train on that file; words without a head are free in training.
    """
    input, output, threads = options.input, options.output, options.threads
    most = options.most or None
    check_output(output, [options.model, input])
    parser, prepare = tree_model(options.model)
    layout = tree_layout(input, options.input_format, advice=PARSE_FIRST)
    sentences = prepare(read_layout(input, layout))
    with opened_output(output) as out:
        if options.words:
            found = suggest_words(parser, sentences, most, threads=threads)
            out.write("".join(f"{line}\n" for line in _table(found)).encode())
        else:
            chosen = suggest_sentences(
                parser, sentences, most, measure=options.measure, threads=threads
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
