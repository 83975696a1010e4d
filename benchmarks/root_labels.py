"""Whether `root` is the label of words under the root, and of no others, in what parsers give.

Usage: python benchmarks/root_labels.py TREEBANKS [--only en_ewt,...] [--sentences 400] [--epochs 3]

Trains a parser on the first sentences of each treebank of a folder (`*-ud-train.conllu`), parses
its test file, and counts words that have `root` below a word and words under the root that have
another label: with labels as they are, and with labels trained without knowing of that. The bar:
none with labels as they are.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from unittest.mock import patch

from turbotree.evaluation import attachment_scores
from turbotree.parsing import Parse, Parser, TrainingOptions
from turbotree.parsing.training.trainer import ParserTrainer, TrainingData
from turbotree.text import Sentence, read_sentences

ROOT = "root"


def parsers(train: list[Sentence], options: TrainingOptions) -> tuple[Parser, Parser]:
    """Train a parser; give it, and with labels that know nothing of the root's."""
    data = TrainingData.of(train, [], options)
    parser = ParserTrainer(data, data.run()).train()
    with patch("turbotree.parsing.training.treebank.root_label", return_value=None):
        data = TrainingData.of(train, [], options)
        labels, _ = ParserTrainer(data, data.run()).train_labels()
    return parser, replace(parser, labels=labels)


def violations(parses: Sequence[Parse]) -> tuple[int, int, int]:
    """Count `root` below words, other labels under the root, and trees with either."""
    below = under = trees = 0
    for parse in parses:
        pairs = list(zip(parse.heads, parse.labels, strict=True))
        own_below = sum(head > 0 and label == ROOT for head, label in pairs)
        own_under = sum(head == 0 and label != ROOT for head, label in pairs)
        below, under = below + own_below, under + own_under
        trees += bool(own_below or own_under)
    return below, under, trees


def main() -> int:
    """Print a line for each treebank; fail if the bar is missed."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("treebanks", type=Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--sentences", type=int, default=400)
    arguments.add_argument("--epochs", type=int, default=3)
    arguments.add_argument("--model", default="standard")
    given = arguments.parse_args()
    wanted = set(filter(None, given.only.split(",")))
    options = TrainingOptions(model=given.model, epochs=given.epochs)
    missed = 0
    print("treebank        sentences  UAS    | LAS    root below  not root under  trees | "
          "without: LAS  root below  not root under  trees", flush=True)  # fmt: skip
    for file in sorted(given.treebanks.glob("*-ud-train.conllu")):
        name = file.name.removesuffix("-ud-train.conllu")
        if wanted and name not in wanted:
            continue
        train = list(islice(read_sentences(file), given.sentences))
        test = list(read_sentences(file.with_name(f"{name}-ud-test.conllu")))
        cells = []
        for number, parser in enumerate(parsers(train, options)):
            parses = list(parser.pipe(test))
            scores = attachment_scores(test, (parse.to_sentence() for parse in parses))
            below, under, trees = violations(parses)
            if number == 0:
                cells.append(f"{name:15} {len(test):9}  {scores.uas:5.2f}")
                missed += below + under
            cells.append(f"{scores.las:5.2f}  {below:10}  {under:14}  {trees:5}")
        print("  | ".join(cells), flush=True)
    print("the bar holds" if not missed else f"the bar is MISSED: {missed} words")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
