"""``turbotree inspect``: what a model is."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from turbotree.cli.output import bytes_text
from turbotree.errors import ModelFileError
from turbotree.learning.learner import EpochRecord
from turbotree.learning.progress import describe
from turbotree.modelfile import ModelFile, read_model
from turbotree.parsing import Parser

_STAGES = ("pruner", "parts", "labels")


def inspect(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that turbotree train wrote.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Tell what a model is.

    Kind, versions, sizes, numbers of templates and features, labels, how it was trained (epochs
    with losses and scores), licence of the data.
    """
    file = read_model(model, kind="parser")
    parser = Parser.load(model)
    try:
        facts = model_facts(file, parser)
        page = json.dumps(facts, indent=2, ensure_ascii=False) if as_json else _page(facts)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The checksum holds, so another program wrote this in our name; it may parse all the same.
        raise ModelFileError(f"{model}: a training record of another kind: {error!r}") from None
    typer.echo(page)


def model_facts(file: ModelFile, parser: Parser) -> dict[str, Any]:
    """Collect what there is to know, as JSON-ready data."""
    return {
        "path": file.path,
        "kind": file.kind,
        "parts": list(parser.parts.families),
        "format_version": file.format_version,
        "package_version": file.package_version,
        "checksum": file.checksum,
        "bytes": file.size,
        "features": {
            "pruner": len(parser.pruner.model.weights),
            "parts": len(parser.parts.weights or ()),
            "labels": len(parser.labels.weights or ()),
        },
        "templates": {name: len(lines) for name, lines in parser.templates().items()},
        "labels": parser.labels.dictionary.names,
        "single_root": parser.shape.single_root,
        "temperature": {"arcs": parser.arc_temperature, "labels": parser.label_temperature},
        "licence": parser.record["options"].get("licence"),
        "training": parser.record,
    }


def _page(facts: dict[str, Any]) -> str:
    training = facts["training"]
    options = training["options"]
    features = ", ".join(f"{count:,} {name}" for name, count in facts["features"].items())
    templates = ", ".join(f"{count} {name}" for name, count in facts["templates"].items())
    rows = {
        "file": facts["path"],
        "kind": f"{facts['kind']} of {', '.join(facts['parts'])}",
        "written by": f"turbotree {facts['package_version']} (format {facts['format_version']})",
        "size": f"{bytes_text(facts['bytes'])}, {facts['checksum']}",
        "features": features,
        "in training": _met(training),
        "templates": templates,
        "trees": "one word under the root" if facts["single_root"] else "any number of roots",
        "trained on": f"{training['sentences']:,} sentences, {training['words']:,} words",
        "licence": facts["licence"] or "not given",
        "options": _options(options),
        "temperature": f"{facts['temperature']['arcs']} arcs, "
        f"{facts['temperature']['labels']} labels",
        f"{len(facts['labels'])} labels": " ".join(facts["labels"]),
    }
    width = max(map(len, rows))
    lines = []
    for name, value in rows.items():
        lines += textwrap.wrap(f"{name:{width}}  {value}", 90, subsequent_indent=" " * (width + 2))
    for stage in _STAGES:
        lines += ["", *_epochs(stage, training[stage], training["sentences"])]
    if training.get("pruning"):
        lines.append("")
        lines.append(_pruning(training["pruning"]))
    return "\n".join(lines)


def _met(training: dict[str, Any]) -> str:
    supported = training.get("supported features")
    known = "" if supported is None else f"; {supported:,} occur in right trees"
    return f"{training['parts'][-1]['features']:,} features of parts met{known}"


def _options(options: dict[str, Any]) -> str:
    left_out = ("licence", "beta", "gamma")
    return ", ".join(f"{k} {v}" for k, v in options.items() if k not in left_out and v is not None)


def _epochs(stage: str, records: list[dict[str, Any]], sentences: int) -> list[str]:
    return [
        f"{stage:7} epoch {record['epoch']:2}  {describe(EpochRecord(**record), sentences)}"
        for record in records
    ]


def _pruning(pruning: dict[str, float]) -> str:
    return (
        f"pruner  leaves {pruning['heads_a_word']:.2f} heads a word on dev and loses "
        f"{pruning['gold_arcs_lost_percent']:.2f} % of the gold arcs"
    )
