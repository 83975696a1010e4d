"""What the network and the features of a turbo parser each do: accuracy, proofs, calibration.

    python benchmarks/mixture.py FILE MODEL [MODEL...] [--record TREEBANK] [--variant TEXT] [--json]
    python benchmarks/mixture.py FILE MODEL --ablation [--record TREEBANK] [--json]

FILE holds trees that the models were not trained on. Of several models, trained with other seeds,
the mean is given as well. --ablation parses FILE with parts of the model alone: the network; with
features of arcs; with those of siblings and grandparents; with all of them; and with the labels of
the features. Nothing is trained or fitted again. --record writes the figures to figures.json, under
the name of the treebank; --variant says what is not the default in their training.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from figures import record

from turbotree import Parser
from turbotree.evaluation import attachment_scores, calibration
from turbotree.features import Parts
from turbotree.graphs import Status
from turbotree.networks import NetworkScorer
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.mixture import mixture_of
from turbotree.scoring import Batch, PartScorer, PartScores, WeightedSum, sparse
from turbotree.text import Sentence, read_conllu


class Only:
    """A scorer of some of another one's families."""

    def __init__(self, scorer: PartScorer, families: tuple[str, ...]) -> None:
        self._scorer = scorer
        self.families = families

    def score(self, batch: Batch, parts: Mapping[str, Parts]) -> PartScores:
        """Return the scores of these families; the others have no entry."""
        own = {name: some for name, some in parts.items() if name in self.families}
        return self._scorer.score(batch, own) if own else {}


def variants(parser: Parser) -> dict[str, Parser]:
    """Return the parser with more and more of its parts, and at last itself."""
    network = parser.network
    assert network is not None
    features, weights = sparse(parser.parts), mixture_of(parser.parts, parser.labels)
    of_arcs = NetworkScorer(network, ("arc",))
    of_labels = LabelModel(
        NetworkScorer(network, ("label",)), parser.labels.dictionary, parser.labels.encoder
    )
    higher = tuple(name for name in features.families if name != "arc")

    def with_features(*families: str) -> Parser:
        terms = [(weights.features, Only(features, families)), (weights.network, of_arcs)]
        return replace(parser, parts=WeightedSum(terms), labels=of_labels)

    return {
        "network alone": replace(parser, parts=of_arcs, labels=of_labels),
        "+ features of arcs": with_features("arc"),
        f"+ features of {' and '.join(name + 's' for name in higher)} only": with_features(*higher),
        "+ features of all parts": with_features(*features.families),
        "+ features of labels": parser,
    }


def measured(parser: Parser, gold: list[Sentence]) -> dict[str, Any]:
    """Parse with one thread; measure."""
    begin = time.process_time()
    parses = list(parser.pipe(gold))
    seconds = time.process_time() - begin
    found = [parse.to_sentence() for parse in parses]
    scores = attachment_scores(gold, found)
    proven = sum(parse.certificate.status is Status.OPTIMAL for parse in parses)
    chances = [chance for parse in parses for chance in parse.head_probabilities]
    right = [
        own == head
        for parse, sentence in zip(parses, gold, strict=True)
        for own, head in zip(parse.heads, sentence.heads, strict=True)
    ]
    return {
        "UAS": round(scores.uas, 2),
        "LAS": round(scores.las, 2),
        "proven %": round(100.0 * proven / len(parses), 2),
        "calibration error": round(calibration(chances, right).expected_error, 4),
        "words per CPU s": round(sum(map(len, gold)) / seconds, -2),
    }


def mean(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean of each figure, and the largest calibration error."""
    found = {key: round(sum(row[key] for row in rows) / len(rows), 2) for key in rows[0]}
    found["calibration error"] = max(row["calibration error"] for row in rows)
    return found


def main() -> None:
    """Measure, and print."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("file", type=Path)
    arguments.add_argument("models", type=Path, nargs="+", metavar="MODEL")
    arguments.add_argument("--ablation", action="store_true")
    arguments.add_argument("--record", metavar="TREEBANK")
    arguments.add_argument("--variant", default="", metavar="TEXT")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    parsers = {path.name: Parser.load(path) for path in given.models}
    for name, parser in parsers.items():
        if parser.network is None:
            raise SystemExit(f"{name}: a parser without a network")
    if given.ablation:
        parsers = variants(next(iter(parsers.values())))
    gold = list(read_conllu(given.file))
    rows = {name: measured(own, gold) for name, own in parsers.items()}
    if given.ablation:
        setting = "development data, gold tags; parts of one turbo model, nothing fitted again"
        recorded = {f"ablation/{given.record}/{name}": row for name, row in rows.items()}
    else:
        setting = "test set, gold tags, punctuation counted, default options, mean of the seeds"
        rows["mean"] = mean(list(rows.values())) | {"seeds": len(rows)}
        variant = f", {given.variant}" if given.variant else ""
        recorded = {f"parsing/{given.record}/turbotree turbo{variant}": rows["mean"]}
    if given.record:
        for where, row in recorded.items():
            names = ("UAS", "LAS", "seeds", "proven %", "calibration error")
            values = {key: row[key] for key in names if key in row}
            record(where, values, setting=setting, script=__file__)
    if given.json:
        print(json.dumps(rows))
        return
    for name, row in rows.items():
        shown = ", ".join(f"{key} {value}" for key, value in row.items())
        print(f"{name:52} {shown}")


if __name__ == "__main__":
    main()
