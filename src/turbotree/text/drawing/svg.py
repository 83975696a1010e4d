"""A tree as an SVG picture: words in a row, arcs above them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from turbotree.errors import InputError
from turbotree.text.drawing.arcs import FOOT, Arc, feet, levels, positions
from turbotree.text.drawing.common import (
    Drawing,
    checked,
    is_from_right,
    isolated,
    printable,
    width,
)

_WORD_SIZE, _LABEL_SIZE, _TAG_SIZE = 15, 11, 10
_LEVEL_HEIGHT = 24.0
_MARGIN = 16.0
_RADIUS = 7.0
_NARROW, _BROAD = frozenset("iljtfrI.,:;!|'()[] "), frozenset("mwMW%@")
_STEPS = 5  # shades of probability

# Blue is certain and orange is doubtful, in both schemes; strong enough for colour-blind readers
# because doubtful arcs are dashed as well.
_LIGHT = ("#d95f02", "#e08a3c", "#a08f7a", "#5b83b5", "#1f5aa6")
_DARK = ("#ff8c42", "#f0a868", "#b3a594", "#82aee0", "#6cb0ff")

_STYLE = """
text { font-family: system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
.paper { fill: #ffffff; }
.word { unicode-bidi: plaintext; font-size: 15px; fill: #1a1a1a; text-anchor: middle; }
.tag { font-size: 10px; fill: #6a6a6a; text-anchor: middle; }
.label, .legend { font-size: 11px; fill: #333333; text-anchor: middle; }
.legend { text-anchor: start; }
.halo { fill: #ffffff; }
.arc path { fill: none; stroke-width: 1.6; }
.plain path { stroke: #44546a; } .plain polygon { fill: #44546a; }
.doubtful path { stroke-dasharray: 5 3; }
.arc:hover path { stroke-width: 3; }
"""
_DARK_STYLE = """
.paper, .halo { fill: #16181d; }
.word { fill: #f0f0f0; } .tag { fill: #9aa0a8; } .label, .legend { fill: #d0d4da; }
.plain path { stroke: #9fb2cc; } .plain polygon { fill: #9fb2cc; }
"""
_MARKED_STYLE = """
.marked path { stroke: #c8102e !important; stroke-width: 3; }
.marked polygon { fill: #c8102e !important; }
@media (prefers-color-scheme: dark) {
.marked path { stroke: #ff6b7d !important; } .marked polygon { fill: #ff6b7d !important; }
}
"""


def draw_svg(
    forms: Sequence[str],
    heads: Sequence[int | None],
    labels: Sequence[str],
    probabilities: Sequence[float] | None = None,
    tags: Sequence[str] | None = None,
    title: str | None = None,
    marked: Collection[int] = (),
) -> str:
    """Draw a tree as a standalone SVG document.

    Arcs go from head to dependent, labelled, and shaded by probability if that is given; low
    arcs lie within high ones. A sentence that is written from right to left has its first word at
    the right. Pointing at an arc shows its words, relation and probability. The
    colours follow the reader's light or dark scheme.

    Parameters
    ----------
    forms, heads, labels, probabilities
        As for :func:`turbotree.text.draw_text`; the label ``_`` is not shown.
    tags : sequence of str, optional
        Parts of speech, written under the words.
    title : str, optional
        The picture's title for screen readers and tooltips; the words if not given.
    marked : collection of int
        Words (1..n) whose arcs stand out: thick and red.

    Returns
    -------
    str
        The SVG document.

    Examples
    --------
    >>> picture = draw_svg(["Birds", "sing"], [2, 0], ["nsubj", "root"], [0.98, 0.99])
    >>> picture.startswith("<svg"), picture.count('class="word"')
    (True, 2)
    """
    tree = checked(forms, heads, labels, probabilities)
    if tags is not None and len(tags) != len(tree.forms):
        raise InputError(f"{len(tags)} tags for {len(tree.forms)} words")
    shown_tags = [printable(tag) for tag in tags] if tags is not None else []
    level = levels(tree)
    foot = feet(tree, level)
    captions = [_caption(tree, word) for word in range(1, len(tree.forms) + 1)]
    widths = _widths(tree, shown_tags, captions, foot)
    needs = {word: _text_width(caption) + 20 for word, caption in enumerate(captions, 1)}
    middles = positions(widths, needs, tree, foot)
    right = middles[-1] + widths[-1] / 2 if middles else 0.0
    from_right = is_from_right(" ".join(tree.forms))

    def place(x: float) -> float:
        return _MARGIN + (right - x if from_right else x)

    legend_width = 210.0 if tree.probabilities is not None else 0.0
    full_width = max(right, legend_width) + 2 * _MARGIN
    # The root arrows stand on the level above all that pass over them.
    base = _MARGIN + (max(level.values(), default=0) + 1) * _LEVEL_HEIGHT + 12
    words_y = base + 18
    height = words_y + (16 if shown_tags else 0) + (30 if legend_width else 0) + _MARGIN / 2
    name = escape(printable(title if title is not None else " ".join(tree.forms)))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full_width:.0f}" height="{height:.0f}" '
        f'direction="ltr" viewBox="0 0 {full_width:.1f} {height:.1f}" role="img">',
        f"<title>{name}</title>",
        f"<style>{_style()}{_MARKED_STYLE if marked else ''}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
    ]
    lines, texts = [], []
    for word, head in enumerate(tree.heads, 1):
        if head is None:
            continue
        word_x = place(middles[word - 1] + foot[word, word])
        if head == 0:
            line, text = _root(tree, word, word_x, base, captions[word - 1])
        else:
            head_x = place(middles[head - 1] + foot[head, word])
            arc = Arc(head, word, head_x, word_x, level[word])
            line, text = _arc(tree, arc, base, captions[word - 1])
        if word in marked:
            line = line.replace('class="', 'class="marked ', 1)
        lines.append(line)
        texts.append(text)
    parts += lines + texts  # all labels above all lines
    for number, form in enumerate(tree.forms):
        x = place(middles[number])
        parts.append(f'<text class="word" x="{x:.1f}" y="{words_y:.1f}">{escape(form)}</text>')
        if shown_tags:
            tag = escape(shown_tags[number])
            parts.append(f'<text class="tag" x="{x:.1f}" y="{words_y + 15:.1f}">{tag}</text>')
    if legend_width:
        parts.append(_legend(height - 16))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _widths(
    tree: Drawing, tags: list[str], captions: list[str], foot: dict[tuple[int, int], float]
) -> list[float]:
    """Return the space that each word needs for itself, its tag, its arcs and a root's label."""
    feet_at: dict[int, int] = {}
    for at, _ in foot:
        feet_at[at] = feet_at.get(at, 0) + 1
    widths = []
    for number, form in enumerate(tree.forms):
        tag = _extent(tags[number]) * _TAG_SIZE * 1.1 if tags else 0.0
        arcs = (feet_at.get(number + 1, 1) - 1) * FOOT
        root = 0.0
        if tree.heads[number] == 0:
            aside = abs(foot[number + 1, number + 1])
            root = _text_width(captions[number]) + 2 * aside + 4
        widths.append(max(_word_width(form), tag, arcs, root))
    return widths


def _word_width(form: str) -> float:
    return max(_extent(form) * _WORD_SIZE, 6.0)


def _text_width(text: str) -> float:
    return _extent(text) * _LABEL_SIZE


def _extent(text: str) -> float:
    """Estimate the width of a text in units of its font size, rather too wide than too narrow."""
    if not text.isascii():
        return 0.62 * width(text)
    return sum(
        0.36 if character in _NARROW else 0.95 if character in _BROAD else 0.62
        for character in text
    )


def _caption(tree: Drawing, word: int) -> str:
    """Return what stands on an arc: its label, and its probability if there is any doubt."""
    label = tree.labels[word - 1]
    label = "" if label == "_" else label
    if tree.probabilities is not None and tree.probabilities[word - 1] < 0.95:
        return f"{label} {tree.probabilities[word - 1]:.0%}".strip()
    return label


def _style() -> str:
    rules = [_STYLE]
    for colours, end in ((_LIGHT, ""), (_DARK, "}")):
        if end:
            rules.append("@media (prefers-color-scheme: dark) {" + _DARK_STYLE)
        for step, colour in enumerate(colours):
            rules.append(f".p{step} path {{ stroke: {colour}; }} .p{step} polygon, rect.p{step} ")
            rules.append(f"{{ fill: {colour}; }}\n")
        rules.append(end)
    return "".join(rules)


def _classes(tree: Drawing, word: int) -> str:
    if tree.probabilities is None:
        return "arc plain"
    chance = min(max(tree.probabilities[word - 1], 0.0), 1.0)
    shade = f"arc p{min(int(chance * _STEPS), _STEPS - 1)}"
    return shade + " doubtful" if chance < 0.5 else shade


def _tooltip(tree: Drawing, word: int) -> str:
    head = tree.heads[word - 1]
    source = isolated(tree.forms[head - 1]) if head else "root"
    text = f"{source} → {isolated(tree.forms[word - 1])}: {tree.labels[word - 1]}"
    if tree.probabilities is not None:
        text += f", probability {tree.probabilities[word - 1]:.3f}"
    return f"<title>{escape(text)}</title>"


def _arc(tree: Drawing, arc: Arc, base: float, caption: str) -> tuple[str, str]:
    top = base - arc.level * _LEVEL_HEIGHT
    turn = _RADIUS if arc.word_x > arc.head_x else -_RADIUS
    path = (
        f"M{arc.head_x:.1f},{base:.1f} V{top + _RADIUS:.1f} "
        f"Q{arc.head_x:.1f},{top:.1f} {arc.head_x + turn:.1f},{top:.1f} "
        f"H{arc.word_x - turn:.1f} "
        f"Q{arc.word_x:.1f},{top:.1f} {arc.word_x:.1f},{top + _RADIUS:.1f} V{base - 5:.1f}"
    )
    return _group(tree, arc.word, path, arc.word_x, base), _label(
        (arc.head_x + arc.word_x) / 2, top, caption
    )


def _root(tree: Drawing, word: int, x: float, base: float, caption: str) -> tuple[str, str]:
    passing = [
        level
        for other, level in levels(tree).items()
        if min(other, tree.heads[other - 1] or 0) <= word <= max(other, tree.heads[other - 1] or 0)
    ]
    top = base - (max(passing, default=0) + 1) * _LEVEL_HEIGHT
    path = f"M{x:.1f},{top:.1f} V{base - 5:.1f}"
    return _group(tree, word, path, x, base), _label(x, top, caption)


def _group(tree: Drawing, word: int, path: str, x: float, base: float) -> str:
    points = f"{x - 3.5:.1f},{base - 7:.1f} {x + 3.5:.1f},{base - 7:.1f} {x:.1f},{base:.1f}"
    return (
        f'<g class="{_classes(tree, word)}">{_tooltip(tree, word)}<path d="{path}"/>'
        f'<polygon points="{points}"/></g>'
    )


def _label(x: float, y: float, caption: str) -> str:
    if not caption:
        return ""
    half = _text_width(caption) / 2 + 2
    return (
        f'<rect class="halo" x="{x - half:.1f}" y="{y - 7:.1f}" width="{2 * half:.1f}" '
        f'height="14" rx="3"/>'
        f'<text class="label" x="{x:.1f}" y="{y + 3.8:.1f}">{escape(caption)}</text>'
    )


def _legend(y: float) -> str:
    boxes = "".join(
        f'<rect class="p{step}" x="{_MARGIN + 104 + 18 * step:.1f}" y="{y - 8:.1f}" width="18" '
        f'height="8"/>'
        for step in range(_STEPS)
    )
    return (
        f'<text class="legend" x="{_MARGIN:.1f}" y="{y:.1f}">arc probability 0</text>{boxes}'
        f'<text class="legend" x="{_MARGIN + 108 + 18 * _STEPS:.1f}" y="{y:.1f}">1</text>'
    )
