"""Pictures of algorithms on arc scores: spanning trees, projective trees, counting."""

from __future__ import annotations

from pens import Picture


def _words(picture: Picture, places: dict[str, tuple[float, float]]) -> None:
    for word, (x, y) in places.items():
        picture.circle(x, y, 19, "ink", "fill" if word != "root" else "none")
        picture.text(x, y + 4, word, kind="small")


def parse() -> Picture:
    """A parse with its probabilities.

    They are those of a `standard` parser trained on 400 sentences of the built-in treebank (seed 1,
    3 epochs, 60 sentences of seed 2 for development); the sentence is seed5-212.
    """
    picture = Picture(720, 205)
    words = ["They", "are", "writing", "an", "article", "with", "the", "pencil", "."]
    heads = (3, 3, 0, 5, 3, 8, 8, 3, 3)
    labels = ["nsubj", "aux", "root", "det", "obj", "case", "det", "obl", "punct"]
    xs = [45 + 78 * place for place in range(len(words))]
    heights = {1: 46, 2: 24, 4: 24, 5: 46, 6: 46, 7: 24, 8: 88, 9: 112}
    # Arcs of one head leave it side by side.
    beside = {1: -6, 2: -11, 4: -6, 5: 16, 6: -7, 7: -12, 8: 11, 9: 6}
    for modifier, head in enumerate(heads, 1):
        if head:
            start = xs[head - 1] + beside[modifier]
            pen = "mark" if modifier == 8 else "ink"
            end = xs[modifier - 1] + (5 if modifier == 8 else 0)
            picture.arc(start, end, 170, heights[modifier], pen)
            middle = (start + end) / 2 + (95 if modifier > 7 else 0)
            share = " 68 %" if modifier == 8 else ""
            label = labels[modifier - 1] + share
            picture.text(middle, 166 - heights[modifier], label, pen, kind="small")
    picture.line(xs[2], 40, xs[2], 170, arrow=True)
    picture.text(xs[2], 32, "root", kind="small")
    start, end = xs[4] + 6, xs[7] - 2
    picture.path(
        f"M{start:g} 170V112Q{start:g} 102 {start + 10:g} 102H{end - 10:g}"
        f"Q{end:g} 102 {end:g} 112V170",
        "cool",
        dash=True,
    )
    picture.text((start + end) / 2 - 50, 115, "or 32 %", "cool", kind="small")
    for x, word in zip(xs, words, strict=True):
        picture.text(x, 190, word)
    return picture


def spanning_trees() -> Picture:
    """John saw Mary, with the scores of McDonald et al. 2005."""
    picture = Picture(720, 260)
    root, john, saw, mary = (120, 70), (40, 190), (120, 190), (200, 190)

    def panel(left: int, title: str, note: str) -> None:
        picture.text(left + 120, 20, title, kind="bold")
        picture.text(left + 120, 248, note, "pale", kind="small")

    panel(0, "1  best head of each word", "John and saw are a cycle")
    _words(picture, {"root": root, "John": john, "saw": saw, "Mary": mary})
    x, y = picture.bow(107, 176, 53, 176, -30, "mark")
    picture.text(x, y - 6, "30", "mark", kind="small")
    x, y = picture.bow(53, 204, 107, 204, -30, "mark")
    picture.text(x, y + 14, "20", "mark", kind="small")
    picture.line(139, 190, 180, 190, arrow=True)
    picture.text(160, 183, "30", kind="small")

    panel(240, "2  the cycle is one node", "into it: arc + what it saves")
    picture.box(262, 160, 130, 60, "mark", "warm")
    picture.text(327, 194, "John, saw", "mark")
    _words(picture, {"root": (360, 70), "Mary": (445, 190)})
    picture.line(358, 90, 352, 160, "cool", arrow=True)
    picture.text(364, 132, "10 + 30 = 40", "cool", "start", "small")
    picture.line(348, 86, 290, 158, "pale", arrow=True, dash=True)
    picture.text(308, 116, "9 + 20 = 29", "pale", "end", "small")
    picture.line(392, 183, 426, 188, "cool", arrow=True)
    picture.text(408, 176, "30", "cool", kind="small")
    picture.bow(436, 208, 392, 212, 12, "pale")
    picture.text(418, 231, "11 + 20", "pale", kind="small")

    panel(480, "3  opened again", "score 10 + 30 + 30 = 70")
    _words(picture, {"root": (600, 70), "John": (520, 190), "saw": (600, 190), "Mary": (680, 190)})
    picture.line(600, 89, 600, 170, "cool", arrow=True)
    picture.text(608, 134, "10", "cool", "start", "small")
    picture.line(581, 190, 540, 190, "cool", arrow=True)
    picture.text(561, 183, "30", "cool", kind="small")
    picture.line(619, 190, 660, 190, "cool", arrow=True)
    picture.text(640, 183, "30", "cool", kind="small")
    return picture


def projective_trees() -> Picture:
    """The two ways in which Eisner's items are joined."""
    picture = Picture(720, 250)

    def triangle(left: float, right: float, base: float, to_right: bool) -> None:
        peak, foot = (left, right) if to_right else (right, left)
        picture.path(f"M{peak} {base - 60}L{peak} {base}H{foot}z", "cool", fill="fill")

    def trapezoid(left: float, right: float, base: float) -> None:
        picture.path(f"M{left} {base - 60}V{base}H{right}V{base - 35}z", "mark", fill="warm")

    def ends(base: float, *named: tuple[float, str]) -> None:
        for x, name in named:
            picture.text(x, base + 16, name, kind="small")

    picture.text(10, 24, "an arc is added: two halves that meet", at="start", kind="bold")
    triangle(20, 110, 110, True)
    ends(110, (20, "h"), (108, "r"))
    triangle(130, 220, 110, False)
    ends(110, (134, "r + 1"), (220, "m"))
    picture.text(117, 80, "+", kind="bold")
    picture.line(250, 80, 290, 80, "pale", arrow=True)
    trapezoid(320, 520, 110)
    picture.arc(320, 520, 48, 22, "mark")
    ends(110, (320, "h"), (520, "m"))
    picture.text(540, 75, "m hangs from h;", at="start")
    picture.text(540, 93, "both may still grow", at="start")

    picture.text(10, 152, "a modifier is finished", at="start", kind="bold")
    trapezoid(20, 120, 228)
    ends(228, (20, "h"), (120, "m"))
    picture.text(134, 205, "+", kind="bold")
    triangle(148, 220, 228, True)
    ends(228, (148, "m"), (220, "e"))
    picture.line(250, 200, 290, 200, "pale", arrow=True)
    triangle(320, 520, 228, True)
    ends(228, (320, "h"), (520, "e"))
    picture.text(540, 195, "all of h's modifiers", at="start")
    picture.text(540, 213, "from h to e", at="start")
    return picture


def matrix_tree() -> Picture:
    """All trees of two words, and the determinant that sums them."""
    picture = Picture(720, 200)
    trees = (
        ("r₁ r₂", ((0, 1), (0, 2))),
        ("r₁ a₁₂", ((0, 1), (1, 2))),
        ("r₂ a₂₁", ((0, 2), (2, 1))),
    )
    for number, (weight, arcs) in enumerate(trees):
        left = 30 + number * 135
        xs = (left, left + 42, left + 84)
        for head, modifier in arcs:
            picture.arc(xs[head], xs[modifier], 92, 26 + 20 * (abs(head - modifier) > 1), "cool")
        for x, name in zip(xs, ("root", "1", "2"), strict=True):
            picture.text(x, 110, name, kind="small")
        picture.text(left + 42, 145, weight, "cool", kind="bold")
        if number < 2:
            picture.text(left + 110, 145, "+")
    picture.text(430, 100, "=", kind="bold")
    picture.text(456, 100, "det", at="start")
    for x, turn in ((490, 1), (702, -1)):
        picture.path(f"M{x + 8 * turn} 55H{x}V130H{x + 8 * turn}")
    for x, y, entry in (
        (545, 82, "r₁ + a₂₁"),
        (648, 82, "− a₁₂"),
        (545, 115, "− a₂₁"),
        (648, 115, "r₂ + a₁₂"),
    ):
        picture.text(x, y, entry)
    note = "weights are e^score; column m holds all that may head m, and what m takes from others"
    picture.text(360, 185, note, "pale", kind="small")
    return picture
