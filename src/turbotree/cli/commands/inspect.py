"""``turbotree inspect``: what a model is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from turbotree.cli.facts import (
    epoch_lines,
    file_facts,
    file_rows,
    selection_lines,
    table,
    training_rows,
)
from turbotree.cli.inspect_pipeline import part_sizes, pipeline_facts, pipeline_page, sizes_text
from turbotree.cli.inspect_tagger import tagger_facts, tagger_page
from turbotree.errors import ModelFileError
from turbotree.labeling import Tagger
from turbotree.modelfile import ModelFile, read_model
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline

_STAGES = ("pruner", "parts", "labels")


def inspect(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that turbotree train wrote, or en.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Tell what a model is.

    Kind, versions, sizes, numbers of templates and features, labels, how it was trained (epochs
    with losses and scores), licence of the data.
    """
    file = read_model(model)
    try:
        if file.kind == Pipeline.kind:
            facts = pipeline_facts(file, Pipeline.from_file(file))
            show = pipeline_page
        elif file.kind == Tagger.kind:
            facts = tagger_facts(file, Tagger.from_file(file))
            show = tagger_page
        else:
            facts = model_facts(file, Parser.from_file(file))
            show = _page
        page = json.dumps(facts, indent=2, ensure_ascii=False) if as_json else show(facts)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The checksum holds, so another program wrote this in our name; it may parse all the same.
        raise ModelFileError(f"{model}: a training record of another kind: {error!r}") from None
    typer.echo(page)


def model_facts(file: ModelFile, parser: Parser) -> dict[str, Any]:
    """Collect what there is to know, as JSON-ready data."""
    return {
        **file_facts(file),
        "sizes": part_sizes(file),
        "parts": list(parser.parts.families),
        "features": {name: len(scorer.weights or ()) for name, scorer in parser.sparse().items()},
        "templates": {name: len(lines) for name, lines in parser.templates().items()},
        "labels": parser.labels.dictionary.names,
        "single_root": parser.shape.single_root,
        "temperature": {"arcs": parser.arc_temperature, "labels": parser.label_temperature},
        "licence": parser.record["options"].get("licence"),
        "training": parser.record,
    }


def _page(facts: dict[str, Any]) -> str:
    training = facts["training"]
    features = ", ".join(f"{count:,} {name}" for name, count in facts["features"].items())
    templates = ", ".join(f"{count} {name}" for name, count in facts["templates"].items())
    rows = {
        "file": facts["path"],
        "kind": f"{facts['kind']} of {', '.join(facts['parts'])}",
        **file_rows(facts),
        "sizes": sizes_text(facts["sizes"]),
        "features": features,
        "in training": _met(training),
        "templates": templates,
        "trees": "one word under the root" if facts["single_root"] else "any number of roots",
        **training_rows(training),
        "temperature": f"{facts['temperature']['arcs']} arcs, "
        f"{facts['temperature']['labels']} labels",
        f"{len(facts['labels'])} labels": " ".join(facts["labels"]),
    }
    lines = table(rows) + selection_lines(training)
    for stage in _STAGES:
        lines += ["", *epoch_lines(stage, training[stage], training["sentences"])]
    if training.get("pruning"):
        lines.append("")
        lines.append(_pruning(training["pruning"]))
    return "\n".join(lines)


def _met(training: dict[str, Any]) -> str:
    supported = training.get("supported features")
    known = "" if supported is None else f"; {supported:,} occur in right trees"
    return f"{training['parts'][-1]['features']:,} features of parts met{known}"


def _pruning(pruning: dict[str, float]) -> str:
    return (
        f"pruner  leaves {pruning['heads_a_word']:.2f} heads a word on dev and loses "
        f"{pruning['gold_arcs_lost_percent']:.2f} % of the gold arcs"
    )
