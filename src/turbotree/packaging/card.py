"""A model card: what a model is, what it learnt from and how well, in Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from turbotree.files.sizes import bytes_text
from turbotree.modelfile import ModelFile, ModelHeader
from turbotree.packaging.names import PackageNames
from turbotree.packaging.records import (
    dev_scores,
    licence_of,
    options_of,
    trained_on,
    vectors_of,
    vectors_text,
)
from turbotree.packaging.sizes import part_sizes

_USE = {
    "text": 'for parse in model("..."):\n    print(parse)',
    "words": 'parses = model.annotate_stream(tt.text.read_conllu("words.conllu"))',
    "parser": 'parses = model.pipe(tt.text.read_conllu("tagged.conllu"))',
    "tagger": 'taggings = model.pipe(tt.text.read_conllu("untagged.conllu"))',
}
_OF_DEV = (
    "On development data, in per cent, after the last epoch. Each is the score of one component; "
    "from raw text, expect less."
)


def summary(about: ModelHeader) -> str:
    """Say in a line what a model does.

    >>> from turbotree.modelfile import read_header
    >>> summary(read_header("en"))
    'A pipeline for turbotree: from text to tags, lemmas and dependency trees'
    """
    if about.kind != "pipeline":
        return f"A {'dependency parser' if about.kind == 'parser' else 'tagger'} for turbotree"
    lemmas = ", lemmas" if "lemmatizer" in about.header else ""
    return f"A pipeline for turbotree: from {_input(about)} to tags{lemmas} and dependency trees"


def _input(about: ModelHeader) -> str:
    """Return what a pipeline starts from; without a tokenizer, the words have to be known."""
    return "text" if "tokenizer" in about.header else "words"


def model_card(file: ModelFile, names: PackageNames) -> str:
    """Write the card of a model that is in a package."""
    counts, vectors = trained_on(file), vectors_of(file)
    data = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    about = {
        "kind": file.kind,
        "trained on": data or "not recorded",
        "licence of the data": licence_of(file) or "not given",
        **({"word vectors": vectors_text(vectors)} if vectors else {}),
        "size": bytes_text(file.size),
        "written by": f"turbotree {file.package_version} (format {file.format_version})",
        "checksum": file.checksum,
    }
    usual = f'model = tt.load("{names.short}")'
    use = _USE[_input(file) if file.kind == "pipeline" else file.kind]
    code = "\n".join(["import turbotree as tt", "", usual, use])
    scores = [(name, f"{score:.2f}") for name, score in dev_scores(file).items()]
    sizes = sorted(part_sizes(file).items(), key=lambda item: -item[1])
    sections = [
        f"# {names.name} {names.version}",
        f"{summary(file)}. Install it with pip; then its name is `{names.short}`:",
        f"```python\n{code}\n```",
        f"```\nturbotree parse {names.short} INPUT\n```",
        _table(("", ""), about.items()),
        "## Scores",
        f"{_OF_DEV}\n\n{_table(('score', '%'), scores)}" if scores else "None are recorded.",
        "## Sizes",
        _table(("part", "size"), ((name, bytes_text(size)) for name, size in sizes if size)),
        "## Options of training",
        "\n".join(_options(component, chosen) for component, chosen in options_of(file).items()),
    ]
    return "\n\n".join(sections) + "\n"


def _options(component: str, chosen: dict[str, Any]) -> str:
    told = (f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in chosen.items())
    return f"- {component}: {', '.join(f'`{_line(text)}`' for text in told)}"


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "| --- | --- |"]
    lines += [f"| {_line(name)} | {_line(value)} |" for name, value in rows]
    return "\n".join(lines)


def _line(text: str) -> str:
    """Keep what a header says from ending a cell, a line or code."""
    return " ".join(text.split()).replace("|", "/").replace("`", "'")
