"""What ``turbotree inspect`` says of a pipeline."""

from __future__ import annotations

import json
from typing import Any

from turbotree.cli.facts import file_facts, file_rows, table, training_rows
from turbotree.cli.outputs.files import bytes_text
from turbotree.modelfile import ModelFile
from turbotree.pipeline import Pipeline
from turbotree.pipeline.storing import COMPONENTS


def part_sizes(file: ModelFile) -> dict[str, int]:
    """Return the bytes of each part of a file: weights by name, then what its header holds."""
    sizes = {
        name.removesuffix(".slots"): array.nbytes
        for name, array in sorted(file.arrays.items())
        if name.endswith(".slots")
    }
    sizes["lists of labels"] = sum(
        array.nbytes for name, array in file.arrays.items() if not name.endswith(".slots")
    )
    sizes["vocabularies and records"] = file.size - sum(x.nbytes for x in file.arrays.values())
    return sizes


def sizes_text(sizes: dict[str, int]) -> str:
    """Say how large each part is, those that take much first.

    >>> sizes_text({"parts": 2_000, "labels": 3_000_000})
    'labels 3.0 MB, parts 2.0 kB'
    """
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {bytes_text(size)}" for name, size in ordered if size)


def pipeline_facts(file: ModelFile, pipeline: Pipeline) -> dict[str, Any]:
    """Collect what there is to know, as JSON-ready data."""
    components: dict[str, Any] = {
        "tagger": {
            "columns": [stage.column for stage in pipeline.tagger.stages],
            "features": pipeline.tagger.features,
            "training": pipeline.tagger.record,
        },
        "parser": {
            "parts": list(pipeline.parser.parts.families),
            "features": sum(
                len(scorer.weights or ()) for scorer in pipeline.parser.sparse().values()
            ),
            "labels": pipeline.parser.labels.dictionary.names,
            "training": pipeline.parser.record,
        },
    }
    if pipeline.tokenizer is not None:
        components["tokenizer"] = {
            "unit": pipeline.tokenizer.unit,
            "features": len(pipeline.tokenizer.model.weights or ()),
            "multiword_rules": len(pipeline.tokenizer.expansion.rules),
        }
    if pipeline.lemmatizer is not None:
        components["lemmatizer"] = {
            "scripts": len(pipeline.lemmatizer.model.labels),
            "exceptions": len(pipeline.lemmatizer.exceptions),
            "features": len(pipeline.lemmatizer.model.weights or ()),
        }
    for name, facts in components.items():
        own = [x.nbytes for key, x in file.arrays.items() if key.startswith(f"{name}.")]
        header = json.dumps(file.header[name], ensure_ascii=False, separators=(",", ":"))
        facts["bytes"] = sum(own) + len(header.encode())
    return {
        **file_facts(file),
        "sizes": part_sizes(file),
        "components": {name: components[name] for name in COMPONENTS if name in components},
        "licence": pipeline.record["options"].get("licence"),
        "training": pipeline.record,
    }


def pipeline_page(facts: dict[str, Any]) -> str:
    """Show the facts to people."""
    training = facts["training"]
    jackknife = ", ".join(f"{name} {score:.2f}" for name, score in training["jackknife"].items())
    rows = {
        "file": facts["path"],
        "kind": facts["kind"],
        **file_rows(facts),
        "parts": sizes_text(facts["sizes"]),
        **training_rows(training),
        "held-out tags": jackknife,
    }
    for name, component in facts["components"].items():
        about = {
            "tokenizer": lambda c: f"of {c['unit']}, {c['multiword_rules']} rules for multiwords",
            "tagger": lambda c: ", ".join(c["columns"]),
            "lemmatizer": lambda c: f"{c['scripts']} edit scripts, {c['exceptions']} exceptions",
            "parser": lambda c: f"{', '.join(c['parts'])}; {len(c['labels'])} labels",
        }[name](component)
        rows[name] = (
            f"{bytes_text(component['bytes'])}, {component['features']:,} features; {about}"
        )
    return "\n".join(table(rows))
