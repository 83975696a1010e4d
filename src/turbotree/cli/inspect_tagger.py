"""What ``turbotree inspect`` says of a tagger."""

from __future__ import annotations

from typing import Any

from turbotree.cli.facts import (
    epoch_lines,
    file_facts,
    file_rows,
    selection_lines,
    table,
    training_rows,
)
from turbotree.cli.inspect_pipeline import part_sizes, sizes_text
from turbotree.labeling import Tagger
from turbotree.labeling.model import ChainModel
from turbotree.modelfile import ModelFile


def tagger_facts(file: ModelFile, tagger: Tagger) -> dict[str, Any]:
    """Collect what there is to know, as JSON-ready data."""
    stages = {
        stage.column: {
            "features": len(stage.model.weights or ()),
            "templates": len(stage.model.templates),
            "labels": stage.model.labels,
            "chain": isinstance(stage.model, ChainModel),
            "scheme": stage.scheme,
            "outer_scheme": stage.outer_scheme,
            "temperature": stage.temperature,
        }
        for stage in tagger.stages
    }
    return {
        **file_facts(file),
        "sizes": part_sizes(file),
        "task": tagger.task,
        "columns": tagger.columns,
        "reads": [*tagger.encoder.attributes, *tagger.encoder.set_attributes],
        "features": tagger.features,
        "stages": stages,
        "licence": tagger.record["options"].get("licence"),
        "training": tagger.record,
    }


def tagger_page(facts: dict[str, Any]) -> str:
    """Show the facts to people."""
    rows = {
        "file": facts["path"],
        "kind": f"{facts['kind']}, task {facts['task']}",
        **file_rows(facts),
        "sizes": sizes_text(facts["sizes"]),
        "columns": ", ".join(facts["columns"] or ["CoNLL-U"]),
        "reads": ", ".join(facts["reads"]),
        "features": f"{facts['features']:,}",
        **training_rows(facts["training"]),
    }
    lines = table(rows) + selection_lines(facts["training"])
    for column, stage in facts["stages"].items():
        how = "the labels of a sentence together" if stage["chain"] else "each word by itself"
        if stage["scheme"] is not None:
            how += f", spans in {stage['scheme']} inside and {stage['outer_scheme']} outside"
        about = {
            column: how,
            "features": f"{stage['features']:,} of {stage['templates']} templates",
            "temperature": str(stage["temperature"]),
            f"{len(stage['labels'])} labels": " ".join(stage["labels"]),
        }
        training = facts["training"]
        records = epoch_lines(column, training["stages"][column], training["sentences"])
        lines += ["", *table(about), "", *records]
    return "\n".join(lines)
