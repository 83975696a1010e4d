"""``turbotree models``: the models that have names."""

from __future__ import annotations

import json
from dataclasses import dataclass

import typer

from turbotree.cli.options import shared
from turbotree.cli.options.declaring import Options, takes
from turbotree.files.sizes import bytes_text
from turbotree.packaging import ListedModel, list_models
from turbotree.packaging.records import dev_scores, licence_of, trained_on
from turbotree.text.drawing.common import printable


@dataclass(frozen=True, kw_only=True)
class ModelsOptions(Options):
    """What ``turbotree models`` takes."""

    as_json: bool = shared.as_json()


@takes(ModelsOptions)
def models(options: ModelsOptions) -> None:
    """List the models that can be used by name.

    Those that are bundled, and those of installed packages, with kind, size, version, data, licence
    and scores on development data. turbotree inspect tells more about one.
    """
    found = list_models()
    if options.as_json:
        typer.echo(json.dumps([one.to_dict() for one in found], indent=2, ensure_ascii=False))
        return
    width = max(len(one.name) for one in found)
    for one in found:
        margin = f"{one.name:{width}}  "
        for line in _lines(one):
            typer.echo(printable(margin + line))
            margin = " " * len(margin)


def _lines(model: ListedModel) -> list[str]:
    """Describe a model in a few lines."""
    about = model.about
    source = f"{model.package} {model.version}"
    if model.package == "turbotree":
        source = f"bundled with {source}"
    known = [] if about is None else [about.kind, bytes_text(about.size)]
    lines = [", ".join([*known, source])]
    if model.problem is not None:
        lines.append(f"cannot be used by its name: {model.problem}")
    if about is None:
        return lines
    data = ", ".join(f"{count:,} {what}" for what, count in trained_on(about).items())
    lines.append(f"trained on {data or 'data not recorded'}; {licence_of(about) or 'no licence'}")
    scores = [f"{name} {score:.2f}" for name, score in dev_scores(about).items()]
    return [*lines, f"dev: {', '.join(scores)}"] if scores else lines
