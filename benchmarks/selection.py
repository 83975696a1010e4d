"""Template selection beside all templates: accuracy, features in the model, features in memory.

    python benchmarks/selection.py run --data conll2000 --folder DATA --results results.jsonl \
        --methods all group-lasso --budgets 10 20 30 40 50
    python benchmarks/selection.py report --results results.jsonl --plot memory.svg

Runs are long, so each finished one is a line in the results file, and one that is there already is
not done again: an interrupted sweep goes on. With ``--held-out`` a tenth of the training data (for
CoNLL-2002 ``testa``, for treebanks their dev part) stands in for the test data; that is where to
try options.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from reporting import Report
from selection_bars import bars, plot_memory

from turbotree.display.training_progress import Lines
from turbotree.evaluation import attachment_scores, span_scores
from turbotree.experiments.measuring import parse_right, words_of
from turbotree.labeling import Tagger
from turbotree.labeling.data import read_labelled
from turbotree.labeling.selecting import select_tagger
from turbotree.labeling.templates import load_templates as label_templates
from turbotree.learning.progress import Silent
from turbotree.learning.selection.selector import COSTS, GROUPS, METHODS, SelectionOptions
from turbotree.parsing import Parser
from turbotree.parsing.templates import load_templates as arc_templates
from turbotree.parsing.training.selecting import select_parser
from turbotree.text import Sentence, read_conllu

#: Training, held-out and test file; None: the last tenth of the training sentences.
_FILES = {
    "conll2000": ("chunking/train.txt", None, "chunking/test.txt"),
    "esp": ("ner/esp.train", "ner/esp.testa", "ner/esp.testb"),
    "ned": ("ner/ned.train", "ner/ned.testa", "ner/ned.testb"),
}
_TASKS = {"conll2000": ("chunk", "chunk96"), "esp": ("entities", "entities452")}
_TASKS["ned"] = _TASKS["esp"]

Row = dict[str, Any]


def main() -> int:
    """Run, or report; 1 if a bar was missed."""
    options = _arguments()
    rows = _read(options.results)
    if options.command == "run":
        done = [row["run"] for row in rows]
        for runs in _together([run for run in _runs(options) if run not in done]):
            print(json.dumps(runs), file=sys.stderr, flush=True)
            with options.results.open("a") as stream:
                for row in _measured(runs, options):
                    stream.write(json.dumps(row) + "\n")
        return 0
    report = Report()
    for row in rows:
        report.lines.append(_line(row))
    report.bars += bars(rows)
    if options.plot is not None:
        plot_memory(rows, options.plot)
    print(report)
    return 0 if all(bar.passed for bar in report.bars) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="measure")
    run.add_argument("--data", nargs="+", required=True, help="conll2000, esp, ned or a treebank")
    run.add_argument("--folder", type=Path, required=True, help="of chunking, ner and treebanks")
    run.add_argument("--methods", nargs="+", choices=("all", *METHODS), default=["group-lasso"])
    run.add_argument("--groups", choices=GROUPS, default=GROUPS[0])
    run.add_argument("--costs", nargs="+", choices=COSTS, default=[None])
    run.add_argument("--budgets", nargs="+", type=int, default=[30])
    run.add_argument("--rounds", nargs="+", type=int, default=[300], help="the paper's K")
    run.add_argument("--refit", nargs="+", default=["selected"], help="selected, templates")
    run.add_argument("--selection-epochs", nargs="+", type=int, default=[5])
    run.add_argument("--epochs", nargs="+", type=int, default=[10])
    run.add_argument("--steps", nargs="+", type=float, help="largest steps instead of the usual")
    run.add_argument("--trim", type=float, help="as for training: larger, fewer weights are kept")
    run.add_argument("--seeds", nargs="+", type=int, default=[1])
    run.add_argument("--held-out", action="store_true")
    run.add_argument("--sentences", type=int, help="train on the first N only; then no bars count")
    run.add_argument("--quiet", action="store_true")
    show = commands.add_parser("report", help="show what was measured, and the bars")
    show.add_argument("--plot", type=Path, help="picture of the features in memory")
    for command in (run, show):
        command.add_argument("--results", type=Path, required=True, help="a file of JSON lines")
    return parser.parse_args()


def _runs(options: argparse.Namespace) -> Iterator[Row]:
    """List the wanted combinations; options that a method does not know stay out."""
    for data, epochs, seed, step in product(
        options.data, options.epochs, options.seeds, options.steps or [None]
    ):
        common = {"data": data, "held_out": options.held_out, "epochs": epochs, "seed": seed}
        if step is not None:
            common["step"] = step
        if options.trim is not None:
            common["trim"] = options.trim
        if options.sentences is not None:
            common["sentences"] = options.sentences
        for method in options.methods:
            if method == "all":
                yield {**common, "method": method}
                continue
            for budget in sorted(set(options.budgets)):
                mine = {**common, "method": method, "budget": budget}
                if method == "information-gain":
                    yield mine
                    continue
                for rounds, refit, passes, costs in product(
                    options.rounds, options.refit, options.selection_epochs, options.costs
                ):
                    how = {"rounds_between": rounds, "refit": refit, "selection_epochs": passes}
                    if costs is not None:
                        how["costs"] = costs
                    yield {**mine, **how, "groups": options.groups}


def _selection(run: Row) -> SelectionOptions:
    names = ("method", "groups", "costs", "rounds_between", "refit", "seed")
    given = {name: run[name] for name in names if name in run}
    return SelectionOptions(**given, epochs=run.get("selection_epochs", 5))


def _together(runs: list[Row]) -> Iterator[list[Row]]:
    """Put budgets of trees together, whose pruner and labels are then trained once."""
    groups: dict[str, list[Row]] = {}
    for run in runs:
        apart = {name: value for name, value in run.items() if name != "budget"}
        key = json.dumps(run if run["data"] in _FILES else apart)
        groups.setdefault(key, []).append(run)
    yield from groups.values()


def _measured(runs: list[Row], options: argparse.Namespace) -> list[Row]:
    started = time.process_time()
    progress = Silent() if options.quiet else Lines()
    common: dict[str, Any] = {
        "epochs": runs[0]["epochs"],
        "seed": runs[0]["seed"],
        "progress": progress,
    }
    if "step" in runs[0]:
        common["largest_step"] = runs[0]["step"]
    if "trim" in runs[0]:
        common["trim"] = runs[0]["trim"]
    measure = _measure_taggers if runs[0]["data"] in _FILES else _measure_parsers
    rows = measure(runs, options.folder, common)
    spent = (time.process_time() - started) / len(runs)
    return [{"run": run, **row, "cpu_seconds": spent} for run, row in zip(runs, rows, strict=True)]


def _measure_taggers(runs: list[Row], folder: Path, common: dict[str, Any]) -> list[Row]:
    task, templates = _TASKS[runs[0]["data"]]
    train, test = _labelled(runs[0], folder)
    # Nothing hidden at random: the paper's learner sees all of its features.
    common |= {
        "task": task,
        "templates": {task: label_templates(templates)},
        "noise": 0.0,
        "dropout": 0.0,
    }
    taggers, extra = _models(runs, train, common, Tagger.train, select_tagger)
    column = taggers[0].stages[0].column
    gold = [sentence.column(column) for sentence in test]
    return [
        {
            "score": span_scores(gold, [found.columns[column] for found in tagger.pipe(test)]).f1,
            "features": tagger.features,
            "met_features": tagger.record["stages"][column][-1]["features"],
            "instances": runs[0].get("sentences", len(train)),
            **more,
        }
        for tagger, more in zip(taggers, extra, strict=True)
    ]


def _measure_parsers(runs: list[Row], folder: Path, common: dict[str, Any]) -> list[Row]:
    name, part = runs[0]["data"], "dev" if runs[0]["held_out"] else "test"
    train, dev, test = (
        list(read_conllu(folder / "treebanks" / f"{name}-ud-{which}.conllu"))
        for which in ("train", "dev", part)
    )
    # Heads do not depend on labels, so these may be as bad as they are quick.
    quick = {"label": ["m.upos"], "label_pair": ["prev"]}
    common |= {"templates": {"arc": arc_templates("arc684"), **quick}}
    parsers, extra = _models(runs, train, common, Parser.train, select_parser)
    return [
        {
            "score": attachment_scores(test, (p.to_sentence() for p in parser.pipe(test))).uas,
            "development": attachment_scores(dev, (p.to_sentence() for p in parser.pipe(dev))).uas,
            "without_punctuation": _without_punctuation(parser, test),
            "features": len(parser.parts.weights or ()),
            "met_features": parser.record["parts"][-1]["features"],
            "instances": runs[0].get("sentences", len(train)),
            **more,
        }
        for parser, more in zip(parsers, extra, strict=True)
    ]


def _without_punctuation(parser: Parser, test: list[Sentence]) -> float:
    return 100.0 * sum(parse_right(parser, test)["right"]) / sum(words_of(test))


def _models(
    runs: list[Row], train: list[Sentence], options: dict[str, Any], train_all: Any, select: Any
) -> tuple[list[Any], list[Row]]:
    """Train one model per run; give what is known of their selections, too."""
    train = train[: runs[0].get("sentences")]
    if runs[0]["method"] == "all":
        return [train_all(train, **options)], [{}]
    budgets = [run["budget"] for run in runs]
    models, report = select(train, budgets, selection=_selection(runs[0]), **options)
    outcomes = report.to_dict()["outcomes"]
    names = ("peak_features", "trace", "families", "templates")
    return models, [{name: outcome[name] for name in names} for outcome in outcomes]


def _labelled(run: Row, folder: Path) -> tuple[list[Sentence], list[Sentence]]:
    files = [folder / name if name else None for name in _FILES[run["data"]]]
    columns = None if run["data"] == "conll2000" else ["form", "xpos", "entity"]

    def read(path: Path | None) -> list[Sentence]:
        assert path is not None
        return read_labelled(path, "data", columns)

    train = read(files[0])
    if not run["held_out"]:
        return train, read(files[2])
    if files[1] is not None:
        return train, read(files[1])
    cut = len(train) * 9 // 10
    return train[:cut], train[cut:]


def _read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _line(row: Row) -> str:
    run = row["run"]
    shown = {k: v for k, v in run.items() if k not in ("data", "method", "held_out", "seed")}
    how = ", ".join(f"{name} {value}" for name, value in shown.items())
    peak = f", peak {row['peak_features']:,}" if "peak_features" in row else ""
    plain = row.get("without_punctuation")
    papers = f", {plain:.2f} without punctuation" if plain is not None else ""
    return (
        f"  {run['data']:9} {'held out' if run['held_out'] else 'test':8} {run['method']:16} "
        f"{row['score']:6.2f}  {row['features']:9,} features of {row['met_features']:10,} met{peak}"
        f"{papers}  {row['cpu_seconds']:.0f} CPU s  ({how})"
    )


if __name__ == "__main__":
    sys.exit(main())
