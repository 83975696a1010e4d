"""``turbotree inspect``: what a model is."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import Options, takes
from turbotree.display.training_progress import describe
from turbotree.errors import ModelFileError
from turbotree.files.sizes import bytes_text
from turbotree.labeling import Tagger
from turbotree.labeling.model import ChainModel
from turbotree.learning.sparse.learner import record_of
from turbotree.modelfile import ModelFile, read_model
from turbotree.networks.training import NetworkEpoch
from turbotree.packaging.records import vectors_text
from turbotree.packaging.sizes import part_sizes, sizes_text
from turbotree.parsing import Parser
from turbotree.parsing.mixture import mixture_of
from turbotree.pipeline import Pipeline
from turbotree.pipeline.storing import COMPONENTS

_STAGES = ("pruner", "parts", "labels")


@dataclass(frozen=True, kw_only=True)
class InspectOptions(Options):
    """What ``turbotree inspect`` takes."""

    model: Path = shared.model()
    as_json: bool = shared.as_json()


@takes(InspectOptions)
def inspect(options: InspectOptions) -> None:
    """Describe a model.

    Its kind, versions, sizes, numbers of templates and features, labels, how it was trained (epochs
    with losses and scores), and the licence of the data.
    """
    file = read_model(options.model)
    try:
        model: Parser | Tagger | Pipeline
        if file.kind == Pipeline.kind:
            model = Pipeline.from_file(file)
            own, show = pipeline_facts(file, model), _pipeline_page
        elif file.kind == Tagger.kind:
            model = Tagger.from_file(file)
            own, show = tagger_facts(model), _tagger_page
        else:
            model = Parser.from_file(file)
            own, show = parser_facts(model), _parser_page
        licence = model.record["options"].get("licence")
        facts = _file_facts(file) | own | {"licence": licence, "training": model.record}
        page = json.dumps(facts, indent=2, ensure_ascii=False) if options.as_json else show(facts)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        # The checksum holds, so another program wrote this in our name; it may parse all the same.
        raise ModelFileError(
            f"{options.model}: a training record of another kind: {error!r}"
        ) from None
    typer.echo(page)


def parser_facts(parser: Parser) -> dict[str, Any]:
    """Collect what there is to know of this kind of model, as JSON-ready data."""
    return {
        "parts": list(parser.parts.families),
        "features": {name: len(scorer.weights or ()) for name, scorer in parser.sparse().items()},
        "templates": {name: len(lines) for name, lines in parser.templates().items()},
        "labels": parser.labels.dictionary.names,
        "single_root": parser.shape.single_root,
        "temperature": {"arcs": parser.arc_temperature, "labels": parser.label_temperature},
        **_network_facts(parser),
    }


def _network_facts(parser: Parser) -> dict[str, Any]:
    if parser.network is None:
        return {}
    weights = mixture_of(parser.parts, parser.labels).to_dict()
    return {"network": parser.network.facts(), "mixture": weights}


def _parser_page(facts: dict[str, Any]) -> str:
    training = facts["training"]
    features = ", ".join(f"{count:,} {name}" for name, count in facts["features"].items())
    templates = ", ".join(f"{count} {name}" for name, count in facts["templates"].items())
    of_features = {"features": features, "in training": _met(training), "templates": templates}
    rows = {
        **_file_rows(facts, f"{facts['kind']} of {', '.join(facts['parts'])}"),
        **(of_features if any(facts["templates"].values()) else {}),
        **({"network": ", ".join(facts["network"])} if "network" in facts else {}),
        "trees": "one word under the root" if facts["single_root"] else "any number of roots",
        **_training_rows(training),
        "temperature": f"{facts['temperature']['arcs']} arcs, "
        f"{facts['temperature']['labels']} labels",
        f"{len(facts['labels'])} labels": " ".join(facts["labels"]),
    }
    lines = _table(rows) + _selection_lines(training)
    for stage in _STAGES if any(facts["templates"].values()) else ():
        lines += ["", *_epoch_lines(stage, training[stage], training["sentences"])]
    lines += _network_lines(training)
    if training.get("pruning"):
        lines.append("")
        lines.append(_pruning(training["pruning"]))
    return "\n".join(lines)


def _network_lines(training: dict[str, Any]) -> list[str]:
    """Tell the epochs of a network, if there is one."""
    epochs = [NetworkEpoch(**record) for record in training.get("network", ())]
    told = [f"network epoch {own.epoch:2}  {describe(own, training['words'])}" for own in epochs]
    return ["", *told] if told else []


def _met(training: dict[str, Any]) -> str:
    if "parts" not in training:
        return "none"
    supported = training.get("supported features")
    known = "" if supported is None else f"; {supported:,} of them in correct trees"
    return f"{training['parts'][-1]['features']:,} features of parts seen{known}"


def _pruning(pruning: dict[str, float]) -> str:
    heads = pruning.get("heads_per_word", pruning.get("heads_a_word"))  # as 0.1 called it
    return (
        f"pruner  leaves {heads:.2f} heads per word on dev and loses "
        f"{pruning['gold_arcs_lost_percent']:.2f} % of the gold arcs"
    )


def tagger_facts(tagger: Tagger) -> dict[str, Any]:
    """Collect what there is to know of this kind of model, as JSON-ready data."""
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
        "task": tagger.task,
        "columns": tagger.columns,
        "reads": [*tagger.encoder.attributes, *tagger.encoder.set_attributes],
        "features": tagger.features,
        "stages": stages,
        **({} if tagger.network is None else {"network": tagger.network.facts()}),
    }


def _tagger_page(facts: dict[str, Any]) -> str:
    rows = {
        **_file_rows(facts, f"{facts['kind']}, task {facts['task']}"),
        "columns": ", ".join(facts["columns"] or ["CoNLL-U"]),
        "reads": ", ".join(facts["reads"]),
        "features": f"{facts['features']:,}",
        **({"network": ", ".join(facts["network"])} if "network" in facts else {}),
        **_training_rows(facts["training"]),
    }
    lines = _table(rows) + _selection_lines(facts["training"])
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
        records = _epoch_lines(column, training["stages"][column], training["sentences"])
        lines += ["", *_table(about), "", *records]
    return "\n".join(lines + _network_lines(facts["training"]))


def pipeline_facts(file: ModelFile, pipeline: Pipeline) -> dict[str, Any]:
    """Collect what there is to know of this kind of model, as JSON-ready data."""
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
            **_network_facts(pipeline.parser),
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
        "components": {name: components[name] for name in COMPONENTS if name in components},
    }


def _pipeline_page(facts: dict[str, Any]) -> str:
    training = facts["training"]
    jackknife = ", ".join(f"{name} {score:.2f}" for name, score in training["jackknife"].items())
    rows = {
        **_file_rows(facts, facts["kind"]),
        **_training_rows(training),
        "held-out tags": jackknife,
    }
    for name, component in facts["components"].items():
        about = {
            "tokenizer": lambda c: f"of {c['unit']}, {c['multiword_rules']} rules for multiwords",
            "tagger": lambda c: ", ".join(c["columns"]),
            "lemmatizer": lambda c: f"{c['scripts']} edit scripts, {c['exceptions']} exceptions",
            "parser": lambda c: "; ".join(
                [", ".join(c["parts"]), f"{len(c['labels'])} labels", *c.get("network", [])[:1]]
            ),
        }[name](component)
        rows[name] = (
            f"{bytes_text(component['bytes'])}, {component['features']:,} features; {about}"
        )
    return "\n".join(_table(rows))


def _file_facts(file: ModelFile) -> dict[str, Any]:
    """Collect what there is to know of the file, as JSON-ready data."""
    return {
        "path": file.path,
        "kind": file.kind,
        "format_version": file.format_version,
        "package_version": file.package_version,
        "checksum": file.checksum,
        "bytes": file.size,
        "sizes": part_sizes(file),
    }


def _file_rows(facts: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Say what the file holds, who wrote it, and how large it is."""
    return {
        "file": facts["path"],
        "kind": kind,
        "written by": f"turbotree {facts['package_version']} (format {facts['format_version']})",
        "size": f"{bytes_text(facts['bytes'])}, {facts['checksum']}",
        "sizes": sizes_text(facts["sizes"]),
    }


def _training_rows(training: Mapping[str, Any]) -> dict[str, str]:
    """Say what a model was trained on, and how."""
    options = training["options"]
    omitted = ("licence", "beta", "gamma", "network")  # the last one has a row of its own
    shown = [f"{k} {v}" for k, v in options.items() if k not in omitted and v is not None]
    return {
        "trained on": f"{training['sentences']:,} sentences, {training['words']:,} words",
        "licence": options.get("licence") or "not given",
        **({"vectors": vectors_text(training["vectors"])} if "vectors" in training else {}),
        "options": ", ".join(shown),
    }


def _table(rows: Mapping[str, str]) -> list[str]:
    """Lay out names and values in lines of a terminal's width.

    >>> _table({"kind": "parser", "size": "2 MB"})
    ['kind  parser', 'size  2 MB']
    """
    width = max(map(len, rows))
    lines = []
    for name, value in rows.items():
        lines += textwrap.wrap(f"{name:{width}}  {value}", 90, subsequent_indent=" " * (width + 2))
    return lines


def _epoch_lines(stage: str, records: list[dict[str, Any]], sentences: int) -> list[str]:
    """Say how the epochs of one learner went."""
    return [
        f"{stage:7} epoch {record['epoch']:2}  {describe(record_of(record), sentences)}"
        for record in records
    ]


def _selection_lines(training: Mapping[str, Any]) -> list[str]:
    """Say how the templates were selected, if they were."""
    selection = training.get("selection")
    if selection is None:
        return []
    how = selection["method"]
    if how == "group-lasso":
        how += f" by {selection['groups']}"
    about = (
        f"{selection['templates_after']} of {selection['templates_before']} templates, {how}, "
        f"budget {selection['budget']:,}"
    )
    if selection["records"]:
        about += (
            f"; refit on {selection['refit']}, every {selection['rounds_between']:,} sentences, "
            f"at most {selection['peak_features']:,} features in memory"
        )
    records = _epoch_lines("select", selection["records"], training["sentences"])
    return ["", *_table({"selected": about}), *(["", *records] if records else [])]
