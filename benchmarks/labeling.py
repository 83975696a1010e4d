"""Sequence labelling beside python-crfsuite: the same data and templates, in one run.

    python benchmarks/labeling.py --task chunk --train train.txt --test test.txt
    python benchmarks/labeling.py --task entities --train esp.train --dev esp.testa \\
        --test esp.testb --network 200

Span F1, features, CPU seconds of training, words per CPU second of tagging; both sides make the
features again. CoNLL-2000 or CoNLL-2002 take a quarter of an hour; ``--sentences`` and
``--iterations`` make it shorter, and the F1 is then no bar. With ``--network`` a tagger with a
network is measured, without the peer. ``--record DATA`` writes the figures to figures.json.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

from crfsuite_peer import CrfSuite
from figures import record
from reporting import Bar, Report
from timing import cpu_seconds

from turbotree.evaluation import span_scores
from turbotree.labeling import Tagger
from turbotree.labeling.data import choose_columns, read_labelled
from turbotree.labeling.templates import load_templates
from turbotree.text import Sentence

_REPEATS = 3


def main() -> int:
    """Run and report; 1 if a bar was missed."""
    options = _arguments()
    columns = options.columns.split(",") if options.columns else None
    train = read_labelled(options.train, "training data", columns)[: options.sentences]
    test = read_labelled(options.test, "test data", columns)
    label = choose_columns(train, options.task, None)[0]
    words = sum(map(len, test))
    report = Report()
    report.section(
        f"{options.task}: {len(train):,} sentences, tested on {len(test):,} with {words:,} words"
    )
    gold = [sentence.column(label) for sentence in test]
    templates = load_templates(options.templates or options.task)

    given = {options.task: templates} if options.templates else None
    dev = None if options.dev is None else read_labelled(options.dev, "development data", columns)
    settings = {"dev": dev, "task": options.task, "templates": given, "network": options.network}
    spent, tagger = cpu_seconds(Tagger.train, train, **settings)
    ours = _figures(spent, tagger.features, *_tag(tagger, test), gold, words)
    _show(report, "turbotree", ours)
    if options.network:
        if options.record:
            name, setting = f"turbotree, network {options.network}", "test set, span F1, one seed"
            where = f"labeling/{options.record}/{name}"
            record(where, _recorded(ours), setting=setting, script=__file__)
        print(json.dumps(report.to_dict(), indent=2) if options.json else report)
        return 0

    peer = CrfSuite(templates, label, options.iterations)
    spent, _ = cpu_seconds(peer.train, train)
    seconds, found = cpu_seconds(peer.tag, test)
    theirs = _figures(spent, peer.count_features(), seconds, found, gold, words)
    _show(report, "python-crfsuite", theirs)

    if options.sentences is None and options.iterations >= 100:
        report.bars.append(Bar("F1, the peer's", ours["f1"], theirs["f1"], True))
        report.bars.append(Bar("features, the peer's", ours["features"], theirs["features"], False))
        ratio = ours["train_seconds"] / theirs["train_seconds"]
        report.bars.append(Bar("training CPU time, share of the peer's", ratio, 1.0, False))
    ratio = ours["words_per_second"] / theirs["words_per_second"]
    report.bars.append(Bar("tagging, times the peer's words per CPU second", ratio, 3.0, True))
    if options.record:
        for name, figures in (("turbotree", ours), ("python-crfsuite", theirs)):
            where = f"labeling/{options.record}, same templates/{name}"
            setting = "one run, the same templates"
            record(where, _recorded(figures), setting=setting, script=__file__)
    print(json.dumps(report.to_dict(), indent=2) if options.json else report)
    return 0 if all(bar.passed for bar in report.bars) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--task", choices=("chunk", "entities"), default="chunk")
    parser.add_argument("--train", required=True, help="a column file")
    parser.add_argument("--test", required=True, help="another")
    parser.add_argument("--dev", help="a third, to fit the weight of a network on")
    parser.add_argument("--network", type=int, default=0, help="its size; 0: none")
    parser.add_argument("--columns", help="names of their columns")
    parser.add_argument("--templates", help="a bundled template set instead of the task's")
    parser.add_argument("--sentences", type=int, help="use only the first N training sentences")
    parser.add_argument("--iterations", type=int, default=100, help="of crfsuite's L-BFGS")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", metavar="DATA", help="write to figures.json, under this name")
    return parser.parse_args()


def _tag(tagger: Tagger, test: list[Sentence]) -> tuple[float, list[tuple[str, ...]]]:
    """Tag with a tagger that has seen none of the words: what it remembers of them would help."""

    def labels(fresh: Tagger) -> list[tuple[str, ...]]:
        return [tagging.labels for tagging in fresh.pipe(test)]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        tagger.save(path)
        runs = [cpu_seconds(labels, Tagger.load(path)) for _ in range(_REPEATS)]
    return min(spent for spent, _ in runs), runs[0][1]


def _figures(
    train_seconds: float, features: int, seconds: float, found: Any, gold: Any, words: int
) -> dict[str, Any]:
    return {
        "f1": span_scores(gold, found).f1,
        "features": features,
        "train_seconds": train_seconds,
        "words_per_second": words / seconds,
        "peak_megabytes_so_far": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _recorded(figures: dict[str, Any]) -> dict[str, float]:
    return {
        "F1": round(figures["f1"], 2),
        "features": figures["features"],
        "training CPU s": round(figures["train_seconds"]),
        "words per CPU s": round(figures["words_per_second"]),
    }


def _show(report: Report, name: str, figures: dict[str, Any]) -> None:
    report.data[name] = figures
    report.lines.append(
        f"  {name:16} F1 {figures['f1']:.2f}  {figures['features']:,} features  "
        f"training {figures['train_seconds']:.1f} CPU s  "
        f"tagging {figures['words_per_second']:,.0f} words per CPU s"
    )


if __name__ == "__main__":
    sys.exit(main())
