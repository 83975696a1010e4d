"""The family of losses, from CRF to SVM: accuracy of parsers trained with each.

    python benchmarks/losses.py --data FOLDER [--treebank en_ewt] [--model standard]
        [--sentences 2000] [--epochs 5]

The folder holds ``<treebank>-ud-{train,dev}.conllu``. As in Table 3 of "Turbo Parsers" (2010), beta
goes from 1 (probabilities) to infinity (the best tree), gamma weighs the cost of wrong heads. Only
features of right trees are used, so that all losses choose among the same.
"""

from __future__ import annotations

import argparse
import math
from itertools import islice
from pathlib import Path

from timing import cpu_seconds

from turbotree.evaluation import attachment_scores
from turbotree.parsing import Parser
from turbotree.text import read_conllu

LOSSES = [
    (1.0, 0.0),
    (1.0, 1.0),
    (1.0, 3.0),
    (1.0, 5.0),
    (3.0, 1.0),
    (5.0, 1.0),
    (math.inf, 0.0),
    (math.inf, 1.0),
]
NAMES = {
    (1.0, 0.0): "CRF",
    (1.0, 1.0): "softmax-margin",
    (math.inf, 0.0): "perceptron",
    (math.inf, 1.0): "SVM",
}


def main() -> None:
    """Train and score one parser per loss."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--treebank", default="en_ewt")
    arguments.add_argument("--model", default="standard")
    arguments.add_argument("--sentences", type=int, default=2000)
    arguments.add_argument("--epochs", type=int, default=5)
    given = arguments.parse_args()
    train, dev = (given.data / f"{given.treebank}-ud-{name}.conllu" for name in ("train", "dev"))
    trees = list(islice(read_conllu(train), given.sentences))
    gold = list(read_conllu(dev))
    print(
        f"{given.treebank}, {given.model}, {len(trees):,} sentences, {given.epochs} epochs; "
        f"scores on dev",
        flush=True,
    )
    print(f"{'beta':>5} {'gamma':>6} {'':15} {'UAS':>7} {'LAS':>7} {'CPU s':>7}")
    for beta, gamma in LOSSES:
        seconds, parser = cpu_seconds(
            Parser.train,
            trees,
            model=given.model,
            beta=beta,
            gamma=gamma,
            epochs=given.epochs,
            features="supported",
        )
        scores = attachment_scores(gold, (parse.to_sentence() for parse in parser.pipe(gold)))
        name = NAMES.get((beta, gamma), "")
        print(
            f"{beta:5g} {gamma:6g} {name:15} {scores.uas:7.2f} {scores.las:7.2f} {seconds:7.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
