"""The report: one HTML page that needs nothing but itself."""

from __future__ import annotations

import platform
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path

from turbotree import __version__
from turbotree.experiments.data import Dataset
from turbotree.experiments.records import Experiment, Figure, Table
from turbotree.experiments.report.claims import claim_table, summary
from turbotree.experiments.report.drawing import draw, file_name
from turbotree.experiments.running import ExperimentResult
from turbotree.experiments.settings import Settings
from turbotree.files.atomic import atomic_path
from turbotree.text.drawing.page import page

_STYLE = """:root { color-scheme: light dark; --ink: #1f2933; --soft: #667085; --line: #d0d5dd;
  --back: #ffffff; --stripe: #f5f7fa; --good: #15803d; --bad: #b91c1c; --link: #1d4ed8;
  --doubt: #92600a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e5e9f0; --soft: #98a2b3; --line: #3b4656;
  --back: #14181f; --stripe: #1c222c; --good: #4ade80; --bad: #f87171; --link: #7aa2ff;
  --doubt: #e3b341; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back);
  max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
a { color: var(--link); }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 3rem; border-top: 1px solid var(--line);
  padding-top: 1.5rem; } h3 { margin-top: 2rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: .5rem 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; white-space: nowrap; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child, th.text, td.text { text-align: left; }
td.text { white-space: normal; min-width: 12rem; }
.claims td, .claims th { white-space: normal; text-align: left; } .keep { white-space: nowrap; }
.claims td:first-child { min-width: 16rem; } .claims td:last-child { min-width: 8.5rem; }
tbody tr:nth-child(even) { background: var(--stripe); } td.paper, th.paper { color: var(--soft); }
.note { color: var(--soft); font-size: .9rem; max-width: 50rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(28rem, 100%), 1fr));
  gap: 1rem; }
figure { margin: 0; } figure img { width: 100%; height: auto; }
.holds, .fails, .open { font-weight: 600; }
.holds { color: var(--good); } .fails { color: var(--bad); } .open { color: var(--doubt); }
dl { display: grid; grid-template-columns: 10.5rem 1fr; gap: .3rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; max-width: 50rem; }
summary { cursor: pointer; padding: .3rem 0; }
@media (max-width: 40rem) { dl { display: block; } dd { margin-bottom: .4rem; } }
"""


_TEXTS = ("about", "solver, model", "templates", "method", "model", "what")
_MANY_ROWS = 24  # longer tables are folded: their figures tell more


def _class_of(column: str) -> str:
    """Name how a column is set: papers in grey, sentences as text."""
    kind = "paper" if column.startswith("paper") else "text" if column in _TEXTS else ""
    return f' class="{kind}"' if kind else ""


def write_report(
    path: Path,
    outcomes: Sequence[ExperimentResult],
    datasets: Sequence[Dataset],
    settings: Settings,
) -> None:
    """Write the report, whole or not at all."""
    text = report_html(outcomes, datasets, settings)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def report_html(
    outcomes: Sequence[ExperimentResult], datasets: Sequence[Dataset], settings: Settings
) -> str:
    """Write the report as text."""
    parts = [
        "<h1>The papers, re-run</h1>",
        f"<p>Made by turbotree {escape(__version__)} on Python "
        f"{escape(platform.python_version())}. Values of the papers stand beside ours, in grey. "
        "Every difference comes with its 95 % interval (paired bootstrap over sentences; of "
        "several treebanks, the mean of their differences).</p>",
        _data(datasets, settings),
        _contents(outcomes),
        summary([(o.experiment, claim) for o in outcomes for claim in o.shown.claims]),
    ]
    paper = ""
    for outcome in outcomes:
        if outcome.experiment.paper.text != paper:
            paper = outcome.experiment.paper.text
            parts.append(f"<h2>{escape(paper)}</h2>")
        parts.append(_section(outcome))
    return "".join(page("The papers, re-run", _STYLE, ["\n".join([*parts, ""])]))


def _data(datasets: Sequence[Dataset], settings: Settings) -> str:
    rows = tuple(
        (d.name, f"{len(d.train):,}", f"{len(d.dev):,}", f"{len(d.test):,}", d.about)
        for d in datasets
    )
    options = ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in settings.to_record().items())
    columns = ("treebank", "train", "dev", "test", "about")
    return _table(Table("Sentences", columns, rows, f"Settings: {options}."))


def _contents(outcomes: Sequence[ExperimentResult]) -> str:
    """Link to every experiment, one line per paper."""
    lines = []
    for paper in dict.fromkeys(outcome.experiment.paper for outcome in outcomes):
        links = ", ".join(
            f'<a href="#{escape(o.experiment.id)}">{escape(o.experiment.place)}</a>'
            for o in outcomes
            if o.experiment.paper == paper
        )
        lines.append(f"<li>{escape(paper.text)}: {links}</li>")
    return f"<ul>{''.join(lines)}</ul>"


def _section(outcome: ExperimentResult) -> str:
    experiment = outcome.experiment
    parts = [
        f'<section id="{escape(experiment.id)}"><h3>{escape(experiment.place)} '
        f'<span class="note">{escape(experiment.id)}</span></h3><dl>',
    ]
    for name, text in (
        ("Compared", experiment.compares),
        ("The paper found", experiment.expected),
        ("How the data differ", experiment.data),
        ("Preset", experiment.preset or "none: as turbotree does it"),
        ("Measured on", f"the {experiment.split} sentences of {', '.join(outcome.datasets)}"),
    ):
        parts.append(f"<dt>{name}</dt><dd>{escape(text)}</dd>")
    parts.append("</dl>")
    figures = "".join(_figure(experiment, figure) for figure in outcome.shown.figures)
    if figures:
        parts.append(f'<div class="figures">{figures}</div>')
    parts += [_table(table) for table in outcome.shown.tables]
    if outcome.shown.claims:
        parts.append(claim_table(outcome.shown.claims))
    return "\n".join([*parts, "</section>"])


def _table(table: Table) -> str:
    kinds = [_class_of(name) for name in table.columns]
    head = "".join(f"<th{k}>{escape(c)}</th>" for k, c in zip(kinds, table.columns, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{k}>{escape(c)}</td>" for k, c in zip(kinds, row, strict=True))
        + "</tr>\n"
        for row in table.rows
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    text = (
        f'<div class="scroll"><table><caption>{escape(table.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>"
    )
    if len(table.rows) > _MANY_ROWS:
        shown = f"{escape(table.title)}: {len(table.rows)} rows"
        text = f"<details><summary>{shown}</summary>{text}</details>"
    return text + note


def _figure(experiment: Experiment, figure: Figure) -> str:
    picture = draw(figure)
    name = f"{experiment.id}-{file_name(figure.title)}"
    svg = f"data:image/svg+xml;base64,{b64encode(picture.svg).decode()}"
    png = f"data:image/png;base64,{b64encode(picture.png).decode()}"
    note = f" {escape(figure.note)}" if figure.note else ""
    return (
        f'<figure><img alt="{escape(figure.title)}" src="{svg}"/>'
        f'<figcaption class="note">{escape(figure.title)}.{note} '
        f'<a download="{escape(name)}.svg" href="{svg}">SVG</a> '
        f'<a download="{escape(name)}.png" href="{png}">PNG</a></figcaption></figure>'
    )
