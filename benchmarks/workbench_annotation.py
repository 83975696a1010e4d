"""Annotation by a simulator that answers with gold trees: how many words does which LAS cost?

Usage: python benchmarks/workbench_annotation.py TREEBANKS NAME [--order random errors mean]
       [--accept 0.98] [--words 20000] [--score dev] [--seed 1] [--jsonl FILE]

Sentences of the training set are annotated in batches, in random order or those first that are
worth most to the parser; after each batch a small parser is trained on all of them and scored on
another part of the treebank. All orders begin with the same random sentences and train the same
parser. With ``--accept``, arcs that the parser is at least so sure of are taken from it, right or
wrong, as by the key A of the page; words are then counted twice, all of them and those that were
decided by hand.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.parsing import Parse, Parser
from turbotree.parsing.suggesting import sentence_value
from turbotree.text import Sentence, check_tree, read_conllu

_OPTIONS = {"model": "arc", "epochs": 5, "pruner_epochs": 2}
_FIRST_WORDS = 500


@dataclass(frozen=True)
class Point:
    """A parser on the way: what it cost, and how good it is."""

    treebank: str
    order: str
    accept: float | None
    seed: int
    words: int
    by_hand: int
    wrong: int
    las: float


def annotated(gold: Sentence, parse: Parse | None, accept: float | None) -> tuple[Sentence, int]:
    """Return the tree that is saved, and how many words were decided by hand."""
    if parse is None or accept is None:
        return gold, len(gold)
    heads, labels, by_hand = list(gold.heads), list(gold.labels), 0
    chances = zip(parse.head_probabilities, parse.label_probabilities, strict=True)
    for word, (head, label) in enumerate(chances):
        if head * label >= accept:
            heads[word], labels[word] = parse.heads[word], parse.labels[word]
        else:
            by_hand += 1
    saved = gold.with_tree([head or 0 for head in heads], labels)
    try:
        check_tree(saved)
    except InputError:  # no annotator could leave it like that: all is done by hand
        return gold, len(gold)
    return saved, by_hand


def simulate(
    train: list[Sentence], test: list[Sentence], arguments: argparse.Namespace, order: str
) -> Iterator[Point]:
    """Annotate until there are enough words; yield every parser on the way."""
    pool = list(train)
    random.Random(arguments.seed).shuffle(pool)
    saved: list[Sentence] = []
    words = by_hand = wrong = 0
    parser: Parser | None = None
    while pool and by_hand < arguments.words:
        target = (
            _FIRST_WORDS if parser is None else by_hand + max(300, int(arguments.growth * by_hand))
        )
        target = min(target, arguments.words)
        parses: list[Parse | None] = [None] * len(pool)
        if parser is not None and (order != "random" or arguments.accept):
            parses = list(parser.pipe(pool))
        ranked = list(range(len(pool)))
        if order != "random" and parser is not None:
            values = [sentence_value(parse, order) for parse in parses if parse is not None]
            ranked.sort(key=lambda i: -values[i])
        taken = set()
        for i in ranked:
            if by_hand >= target:
                break
            tree, own = annotated(pool[i], parses[i], arguments.accept)
            pairs = zip(tree.heads, tree.labels, pool[i].heads, pool[i].labels, strict=True)
            wrong += sum((head, label) != (gold, right) for head, label, gold, right in pairs)
            saved.append(tree)
            words, by_hand = words + len(tree), by_hand + own
            taken.add(i)
        pool = [one for i, one in enumerate(pool) if i not in taken]
        parser = Parser.train(saved, **_OPTIONS)  # type: ignore[arg-type]
        las = attachment_scores(test, [one.to_sentence() for one in parser.pipe(test)]).las
        name = arguments.name
        yield Point(
            name, order, arguments.accept, arguments.seed, words, by_hand, wrong, round(las, 2)
        )


def main() -> None:
    """Print one line per parser."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("treebanks", type=Path)
    options.add_argument("name")
    options.add_argument("--order", nargs="+", default=["random", "errors"])
    options.add_argument("--accept", type=float)
    options.add_argument("--growth", type=float, default=0.2, help="of each batch, a share")
    options.add_argument("--words", type=int, default=20_000)
    options.add_argument("--score", choices=["dev", "test"], default="dev")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jsonl", type=Path)
    arguments = options.parse_args()
    train, test = (
        list(read_conllu(arguments.treebanks / f"{arguments.name}-ud-{part}.conllu"))
        for part in ("train", arguments.score)
    )
    for order in arguments.order:
        for point in simulate(train, test, arguments, order):
            print(
                f"{order:8} {point.words:7,} words, {point.by_hand:7,} by hand, "
                f"{point.wrong:5,} wrong: LAS {point.las:.2f}",
                flush=True,
            )
            if arguments.jsonl is not None:
                with open(arguments.jsonl, "a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(point)) + "\n")


if __name__ == "__main__":
    main()
