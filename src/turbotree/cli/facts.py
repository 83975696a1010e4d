"""What ``turbotree inspect`` says of every kind of model."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from turbotree.cli.outputs.files import bytes_text
from turbotree.display.training_progress import describe
from turbotree.learning.sparse.learner import record_of
from turbotree.modelfile import ModelFile


def file_facts(file: ModelFile) -> dict[str, Any]:
    """Collect what there is to know of the file, as JSON-ready data."""
    return {
        "path": file.path,
        "kind": file.kind,
        "format_version": file.format_version,
        "package_version": file.package_version,
        "checksum": file.checksum,
        "bytes": file.size,
    }


def file_rows(facts: Mapping[str, Any]) -> dict[str, str]:
    """Say who wrote the file, and how large it is."""
    return {
        "written by": f"turbotree {facts['package_version']} (format {facts['format_version']})",
        "size": f"{bytes_text(facts['bytes'])}, {facts['checksum']}",
    }


def training_rows(training: Mapping[str, Any]) -> dict[str, str]:
    """Say what a model was trained on, and how."""
    options = training["options"]
    left_out = ("licence", "beta", "gamma")
    shown = [f"{k} {v}" for k, v in options.items() if k not in left_out and v is not None]
    return {
        "trained on": f"{training['sentences']:,} sentences, {training['words']:,} words",
        "licence": options.get("licence") or "not given",
        "options": ", ".join(shown),
    }


def table(rows: Mapping[str, str]) -> list[str]:
    """Lay out names and values in lines of a terminal's width.

    >>> table({"kind": "parser", "size": "2 MB"})
    ['kind  parser', 'size  2 MB']
    """
    width = max(map(len, rows))
    lines = []
    for name, value in rows.items():
        lines += textwrap.wrap(f"{name:{width}}  {value}", 90, subsequent_indent=" " * (width + 2))
    return lines


def epoch_lines(stage: str, records: list[dict[str, Any]], sentences: int) -> list[str]:
    """Say how the epochs of one learner went."""
    return [
        f"{stage:7} epoch {record['epoch']:2}  {describe(record_of(record), sentences)}"
        for record in records
    ]


def selection_lines(training: Mapping[str, Any]) -> list[str]:
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
    records = epoch_lines("select", selection["records"], training["sentences"])
    return ["", *table({"selected": about}), *(["", *records] if records else [])]
