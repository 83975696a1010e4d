"""Findings as a page: both trees side by side, the disputed arc marked, a filter by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from turbotree.checking.findings import KINDS, TAG_COLUMNS, BrokenRule, Finding, Variation
from turbotree.text import Sentence, draw_svg
from turbotree.text.drawing.common import is_from_right
from turbotree.text.drawing.page import page

_STYLE = """:root { color-scheme: light dark; --line: #d0d4da; --red: #c8102e; --paper: #ffffff; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; background: var(--paper); }
header { position: sticky; top: 0; background: var(--paper); padding: .5rem 0; z-index: 1;
  border-bottom: 1px solid var(--line); }
h1 { font-size: 1.2rem; margin: 0 0 .4rem; }
header label { margin-right: 1rem; white-space: nowrap; }
article { border-bottom: 1px solid var(--line); padding: 1rem 0; }
article h2 { font-size: 1rem; margin: 0 0 .3rem; }
article h2 .score { font-variant-numeric: tabular-nums; margin-inline-end: .6rem; }
article small, figcaption { opacity: .75; }
mark { background: none; color: var(--red); font-weight: 700; }
.trees { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
figure { margin: 0; overflow-x: auto; min-width: 0; }
ul { margin: .3rem 0; padding-inline-start: 1.2rem; }
@media (max-width: 60rem) { .trees { grid-template-columns: 1fr; } }
@media (prefers-color-scheme: dark) {
  :root { --line: #3a3f47; --red: #ff6b7d; --paper: #16181d; }
  body { color: #f0f0f0; } a { color: #6cb0ff; }
}
"""
_SCRIPT = """<script>
const boxes = [...document.querySelectorAll("header input")];
const articles = [...document.querySelectorAll("article")];
const shown = document.getElementById("shown");
function choose() {
  const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  let count = 0;
  for (const article of articles) {
    const some = article.dataset.kinds.split(" ").some((kind) => wanted.has(kind));
    article.hidden = !some;
    count += some;
  }
  shown.textContent = `${count} of ${articles.length}`;
}
for (const figure of document.querySelectorAll("figure")) {
  const mark = figure.querySelector(".marked");
  if (mark) {
    const [arc, own] = [mark.getBoundingClientRect(), figure.getBoundingClientRect()];
    figure.scrollLeft = arc.left + arc.width / 2 - own.left - own.width / 2;
  }
}
boxes.forEach((box) => box.addEventListener("change", choose));
choose();
</script>
"""


def findings_page(pairs: Iterable[tuple[Finding, Sentence]], title: str) -> Iterator[str]:
    """Return the pieces of a page of findings, each with its sentence.

    Examples
    --------
    >>> "".join(findings_page([], "train.conllu")).count("<article")
    0
    """
    return page("Suspicious annotation", _STYLE, _body(list(pairs), title))


def _body(found: Sequence[tuple[Finding, Sentence]], title: str) -> Iterator[str]:
    counts = {kind: sum(kind in one.kinds for one, _ in found) for kind in KINDS}
    boxes = "".join(
        f'<label><input type="checkbox" value="{kind}" checked> {kind} ({count})</label>'
        for kind, count in counts.items()
        if count
    )
    yield (
        f"<header><h1>Suspicious annotation in {escape(title)}: "
        f'<span id="shown">{len(found)}</span></h1>{boxes}</header>\n<main>\n'
    )
    for finding, sentence in found:
        yield _article(finding, sentence)
    yield f"</main>\n{_SCRIPT}"


def _article(finding: Finding, sentence: Sentence) -> str:
    direction = "rtl" if is_from_right(" ".join(sentence.forms)) else "ltr"
    words = " ".join(
        f"<mark>{escape(form)}</mark>" if word == finding.word else escape(form)
        for word, form in enumerate(sentence.forms, 1)
    )
    where = f"{finding.path}:{finding.line}, {finding.sent_id}, word {finding.word}"
    return (
        f'<article data-kinds="{" ".join(finding.kinds)}">\n'
        f'<h2><span class="score">{finding.score:.2f}</span>'
        f'<mark dir="auto">{escape(finding.form)}</mark> <small>{escape(where)}</small></h2>\n'
        f'<p dir="{direction}">{words}</p>\n<ul>{"".join(_reasons(finding, sentence))}</ul>\n'
        f'<div class="trees">{_figures(finding, sentence)}</div>\n</article>\n'
    )


def _figures(finding: Finding, sentence: Sentence) -> str:
    """Draw the annotated tree, and the models' where it differs."""
    tags = list(sentence.upos)
    annotated = draw_svg(
        sentence.forms, sentence.heads, sentence.labels, tags=tags, marked={finding.word}
    )
    tags[finding.word - 1] = finding.alternative.upos
    found = draw_svg(
        sentence.forms, finding.heads, finding.labels, tags=tags, marked={finding.word}
    )
    return (
        f"<figure><figcaption>annotated</figcaption>{annotated}</figure>"
        f"<figure><figcaption>as the models see it</figcaption>{found}</figure>"
    )


def _reasons(finding: Finding, sentence: Sentence) -> Iterator[str]:
    forms = ("root", *sentence.forms)
    for doubt in finding.doubts:
        values = [doubt.annotated, doubt.alternative]
        if doubt.column == "head":
            values = [forms[int(value)] for value in values]
        name = doubt.column.upper() if doubt.column in TAG_COLUMNS else doubt.column
        yield (
            f"<li>{name} <b>{escape(values[0])}</b> has the probability {doubt.probability:.3f}, "
            f"<b>{escape(values[1])}</b> {doubt.alternative_probability:.3f}</li>"
        )
    yield from map(_rule, finding.rules)
    yield from map(_variation, finding.variations)


def _rule(rule: BrokenRule) -> str:
    name = escape(rule.name)
    if rule.address.startswith(("https://", "http://")):
        name = f'<a href="{escape(rule.address, quote=True)}">{name}</a>'
    return f"<li>{name}: {escape(rule.message)}</li>"


def _variation(variation: Variation) -> str:
    words = escape(" ".join(variation.words))
    places = f": {escape(', '.join(variation.places))}" if variation.places else ""
    return (
        f'<li>“<span dir="auto">{words}</span>” is <b>{escape(variation.annotated)}</b> here '
        f"({variation.here_count} in all), <b>{escape(variation.elsewhere)}</b> elsewhere "
        f"({variation.elsewhere_count}{places})</li>"
    )
