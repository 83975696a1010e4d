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

from turbotree.evaluation import attachment_scores, span_scores
from turbotree.labeling import Tagger
from turbotree.labeling.data import read_labelled
from turbotree.labeling.selecting import select_tagger
from turbotree.labeling.templates import load_templates as label_templates
from turbotree.learning.progress import Lines, Silent
from turbotree.learning.selection import GROUPS, METHODS, SelectionOptions
from turbotree.parsing import Parser
from turbotree.parsing.selecting import select_parser
from turbotree.parsing.templates import load_templates as arc_templates
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
        for run in _runs(options):
            if not any(row["run"] == run for row in rows):
                print(json.dumps(run), file=sys.stderr, flush=True)
                row = {"run": run, **_measured(run, options)}
                rows.append(row)
                with options.results.open("a") as stream:
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
    run.add_argument("--budgets", nargs="+", type=int, default=[30])
    run.add_argument("--rounds", nargs="+", type=int, default=[1000], help="the paper's K")
    run.add_argument("--refit", nargs="+", default=["selected"], help="selected, templates")
    run.add_argument("--selection-epochs", nargs="+", type=int, default=[5])
    run.add_argument("--epochs", nargs="+", type=int, default=[10])
    run.add_argument("--steps", nargs="+", type=float, help="largest steps instead of the usual")
    run.add_argument("--seeds", nargs="+", type=int, default=[1])
    run.add_argument("--held-out", action="store_true")
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
        for method in options.methods:
            if method == "all":
                yield {**common, "method": method}
                continue
            for budget in options.budgets:
                mine = {**common, "method": method, "budget": budget}
                if method == "information-gain":
                    yield mine
                    continue
                for rounds, refit, passes in product(
                    options.rounds, options.refit, options.selection_epochs
                ):
                    how = {"rounds_between": rounds, "refit": refit, "selection_epochs": passes}
                    yield {**mine, **how, "groups": options.groups}


def _selection(run: Row) -> SelectionOptions:
    names = ("method", "groups", "rounds_between", "refit", "seed")
    given = {name: run[name] for name in names if name in run}
    return SelectionOptions(**given, epochs=run.get("selection_epochs", 5))


def _measured(run: Row, options: argparse.Namespace) -> Row:
    started, cpu = time.perf_counter(), time.process_time()
    measure = _measure_tagger if run["data"] in _FILES else _measure_parser
    row = measure(run, options.folder, Silent() if options.quiet else Lines())
    row["seconds"] = time.perf_counter() - started
    row["cpu_seconds"] = time.process_time() - cpu
    return row


def _measure_tagger(run: Row, folder: Path, progress: Any) -> Row:
    task, templates = _TASKS[run["data"]]
    train, test = _labelled(run, folder)
    options: dict[str, Any] = {
        "task": task,
        "templates": {task: label_templates(templates)},
        "epochs": run["epochs"],
        "seed": run["seed"],
        "progress": progress,
    }
    if "step" in run:
        options["largest_step"] = run["step"]
    if run["method"] == "all":
        tagger, extra = Tagger.train(train, **options), {}
    else:
        taggers, report = select_tagger(
            train, [run["budget"]], selection=_selection(run), **options
        )
        tagger, extra = taggers[0], _selected(report.to_dict())
    column = tagger.stages[0].column
    gold = [sentence.column(column) for sentence in test]
    found = [tagging.columns[column] for tagging in tagger.pipe(test)]
    return {
        "score": span_scores(gold, found).f1,
        "features": tagger.features,
        "met_features": tagger.record["stages"][column][-1]["features"],
        "instances": len(train),
        **extra,
    }


def _measure_parser(run: Row, folder: Path, progress: Any) -> Row:
    train, test = (
        list(read_conllu(folder / "treebanks" / f"{run['data']}-ud-{part}.conllu"))
        for part in ("train", "dev" if run["held_out"] else "test")
    )
    options: dict[str, Any] = {
        "templates": {"arc": arc_templates("arc684")},
        "epochs": run["epochs"],
        "seed": run["seed"],
        "progress": progress,
    }
    if "step" in run:
        options["largest_step"] = run["step"]
    if run["method"] == "all":
        parser, extra = Parser.train(train, **options), {}
    else:
        parsers, report = select_parser(
            train, [run["budget"]], selection=_selection(run), **options
        )
        parser, extra = parsers[0], _selected(report.to_dict())
    scores = attachment_scores(test, (parse.to_sentence() for parse in parser.pipe(test)))
    return {
        "score": scores.uas,
        "features": len(parser.parts.weights or ()),
        "met_features": parser.record["parts"][-1]["features"],
        "instances": len(train),
        **extra,
    }


def _selected(report: Row) -> Row:
    outcome = report["outcomes"][0]
    names = ("peak_features", "trace", "families", "templates")
    return {name: outcome[name] for name in names}


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
    return (
        f"  {run['data']:9} {'held out' if run['held_out'] else 'test':8} {run['method']:16} "
        f"{row['score']:6.2f}  {row['features']:9,} features of {row['met_features']:10,} met{peak}"
        f"  {row['cpu_seconds']:.0f} CPU s  ({how})"
    )


if __name__ == "__main__":
    sys.exit(main())
