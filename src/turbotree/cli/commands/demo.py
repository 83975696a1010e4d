"""``turbotree demo``: from nothing to trees with probabilities in half a minute."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import typer

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import Options, option, takes
from turbotree.cli.outputs.files import in_color
from turbotree.cli.outputs.progress import seconds_text, shown_progress
from turbotree.evaluation import attachment_scores
from turbotree.evaluation.shape import shape
from turbotree.parsing import Parse, Parser
from turbotree.text import Sentence, draw_text, treebank

_HELD_OUT = 500
_EPOCHS = 5
_LONGEST_SHOWN = 14


@dataclass(frozen=True, kw_only=True)
class DemoOptions(Options):
    """What ``turbotree demo`` takes."""

    seed: int = option(1, "Another seed gives other sentences.", metavar="S", least=0)
    sentences: int = option(2000, "Sentences to train on.", metavar="N", least=10)
    threads: int = shared.threads(default=2)


@takes(DemoOptions)
def demo(options: DemoOptions) -> None:
    """Train on a built-in treebank, parse, and show trees.

    The sentences come from a grammar of English that is part of turbotree, so that nothing has to
    be downloaded. Some are not projective: their arcs cross.
    """
    sentences, seed, threads = options.sentences, options.seed, options.threads
    typer.echo(f"Making up {sentences:,} sentences to train on, and {_HELD_OUT} new ones to parse.")
    train = list(treebank(sentences, seed=3 * seed))
    known = {sentence.forms for sentence in train}
    dev = _unseen(known, 3 * seed + 1, max(20, sentences // 10))
    test = _unseen(known, 3 * seed + 2, _HELD_OUT)
    typer.echo("Training a pruner, then arcs and labels.\n")
    started = time.perf_counter()
    with shown_progress() as progress:
        parser = Parser.train(
            train,
            dev=dev,
            model="arc",
            epochs=_EPOCHS,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    trained = time.perf_counter()
    parses = list(parser.pipe(test, threads=threads))
    parsed = time.perf_counter()
    scores = attachment_scores(test, [parse.to_sentence() for parse in parses])
    crossing = scores.nonprojective
    typer.echo(
        f"\nTrained in {seconds_text(trained - started)}, parsed {scores.words:,} new words "
        f"in {seconds_text(parsed - trained)}.\n"
        f"Right heads (UAS) {scores.uas:.2f} %, with the right relation too (LAS) "
        f"{scores.las:.2f} %.\n{crossing.right} of {crossing.gold} crossing arcs were found.\n"
    )
    _show("A sentence with crossing arcs, parsed right:", parses, _crossing_and_right)
    _show("One where the parser had doubts, and was right:", parses, _doubtful_and_right)
    _show("And one that it got wrong:", parses, _wrong)
    typer.echo(
        "With a treebank of your own:\n"
        "  turbotree train train.conllu -o mine.safetensors --dev dev.conllu\n"
        "  turbotree parse mine.safetensors test.conllu --marginals"
    )


def _unseen(known: set[tuple[str, ...]], seed: int, count: int) -> list[Sentence]:
    """Make up sentences that are not among the known ones."""
    made = treebank(2 * count, seed=seed)
    return [sentence for sentence in made if sentence.forms not in known][:count]


def _show(title: str, parses: Sequence[Parse], wanted: Callable[[Parse], bool]) -> None:
    fitting = (parse for parse in parses if len(parse.heads) <= _LONGEST_SHOWN and wanted(parse))
    parse = next(fitting, None)
    if parse is None:
        typer.echo(f"{title} none this time.\n")
        return
    sentence = parse.sentence
    typer.echo(f"{title}\n{sentence.text}\n")
    typer.echo(
        draw_text(
            sentence.forms,
            parse.heads,
            parse.labels,
            parse.head_probabilities,
            color=in_color(None),
        )
    )
    typer.echo(f"\n{verdict(parse)}\n")


def verdict(parse: Parse) -> str:
    """Say how a parse compares with the gold tree that its sentence holds."""
    gold = parse.sentence
    wrong = [
        word for word in range(1, len(gold) + 1) if parse.heads[word - 1] != gold.heads[word - 1]
    ]
    crossing = "yes" if shape(parse.heads).nonprojective else "no"
    heads = (
        f"all {len(gold)} heads right" if not wrong else f"{len(wrong)} of {len(gold)} heads wrong"
    )
    lines = [f"crossing arcs: {crossing}; {heads}; probability of the tree {parse.probability:.2f}"]
    for word in wrong:
        head = gold.heads[word - 1]
        assert head is not None
        chance = parse.arc_probabilities[head, word]
        name = gold.forms[head - 1] if head else "the root"
        lines.append(
            f"{gold.forms[word - 1]} ({word}) belongs to {name} ({head}), "
            f"which the parser gave {chance:.1%}"
        )
    return "\n".join(lines)


def _right(parse: Parse) -> bool:
    return parse.heads == parse.sentence.heads and parse.labels == parse.sentence.labels


def _crossing_and_right(parse: Parse) -> bool:
    return _right(parse) and bool(shape(parse.heads).nonprojective)


def _doubtful_and_right(parse: Parse) -> bool:
    return _right(parse) and 0.5 < min(parse.head_probabilities) < 0.8


def _wrong(parse: Parse) -> bool:
    wrong = sum(a != b for a, b in zip(parse.heads, parse.sentence.heads, strict=True))
    return wrong == 1
