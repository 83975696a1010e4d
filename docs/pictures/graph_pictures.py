"""Pictures of factor graphs: dual decomposition, ADMM, belief propagation."""

from __future__ import annotations

from math import exp

from pens import Picture


def dual_decomposition() -> Picture:
    """A tree and the automata of its heads, each with its own copy of the arcs."""
    picture = Picture(720, 270)
    picture.box(15, 50, 205, 150, "cool", "fill")
    picture.text(117, 40, "one tree", "cool", kind="bold")
    xs = (45, 95, 145, 195)
    for head, modifier, height in ((0, 2, 62), (2, 1, 26), (2, 3, 40)):
        picture.arc(xs[head], xs[modifier], 150, height, "cool")
    for x, word in zip(xs, ("root", "she", "saw", "him"), strict=True):
        picture.text(x, 168, word, kind="small")
    picture.text(117, 190, "knows: no cycles", "pale", kind="small")

    picture.text(570, 40, "an automaton for each head and side", "mark", kind="bold")
    for top, name, steps in (
        (50, "saw, to the right", ("start", "him", "stop")),
        (104, "saw, to the left", ("start", "she", "stop")),
        (158, "him, to the left", ("start", "stop")),
    ):
        picture.box(440, top, 260, 44, "mark", "warm")
        picture.text(452, top + 15, name, at="start", kind="small")
        for place, step in enumerate(steps):
            x = 500 + 75 * place
            picture.text(x, top + 35, step, "mark", kind="small")
            if place:
                picture.line(x - 54, top + 31, x - 20, top + 31, "mark", arrow=True)
    picture.text(570, 218, "knows: which modifiers stand side by side", "pale", kind="small")

    picture.line(230, 90, 430, 90, "ink", arrow=True)
    picture.line(430, 160, 230, 160, "ink", arrow=True)
    picture.text(330, 80, "my arcs")
    picture.text(330, 180, "my arcs")
    picture.text(330, 118, "where they differ, shift", "pale", kind="small")
    picture.text(330, 134, "scores from one to the other", "pale", kind="small")
    picture.text(360, 255, "when all agree, the tree is proven best", kind="bold")
    return picture


def admm() -> Picture:
    """A projection found by corners, and bound and value that meet."""
    picture = Picture(720, 270)
    picture.text(150, 20, "a factor's step", kind="bold")
    picture.path("M60 210L40 110L130 55L235 95L225 200z", "cool", fill="fill")
    for x, y in ((60, 210), (40, 110), (130, 55)):
        picture.circle(x, y, 4, "cool", "cool")
    for x, y in ((235, 95), (225, 200)):
        picture.circle(x, y, 6, "mark", "mark")
    picture.line(300, 150, 233, 143.6, "ink", dash=True)
    picture.circle(300, 150, 4, "ink", "ink")
    picture.text(300, 138, "target a")
    picture.circle(230.5, 143.4, 5, "mark", "mark")
    picture.text(220, 148, "nearest point z", "mark", "end")
    picture.text(150, 240, "corners are assignments; z mixes the two in", "pale", kind="small")
    picture.text(150, 256, "the active set; the others are never listed", "pale", kind="small")

    picture.text(545, 20, "all of them together", kind="bold")
    picture.line(400, 220, 400, 40, arrow=True)
    picture.line(400, 220, 700, 220, arrow=True)
    picture.text(690, 238, "rounds", "pale", kind="small")
    picture.text(394, 50, "score", "pale", "end", "small")
    bound = " ".join(f"{405 + 9 * t:g},{120 - 70 * exp(-t / 7):.1f}" for t in range(27))
    picture.path("M" + bound.replace(" ", "L"), "cool", width=2)
    picture.path("M405 195H460V165H530V140H595V120H640", "mark", width=2)
    picture.circle(595, 119, 6, "ink")
    picture.text(440, 62, "bound: no assignment is above", "cool", "start", "small")
    picture.text(470, 190, "best assignment so far", "mark", "start", "small")
    picture.text(606, 150, "they meet:", at="start", kind="small")
    picture.text(606, 165, "a proof", at="start", kind="small")
    picture.text(550, 256, "schematic", "pale", kind="small")
    return picture


def belief_propagation() -> Picture:
    """What a factor hears and says, and where loops mislead."""
    picture = Picture(720, 250)
    picture.text(165, 20, "one message", kind="bold")
    for x, y, name in ((50, 70, "b"), (50, 190, "c"), (280, 130, "a")):
        picture.circle(x, y, 20, "cool", "fill")
        picture.text(x, y + 5, name)
    picture.box(145, 112, 36, 36, "mark", "warm")
    picture.text(163, 135, "f", "mark")
    picture.line(69, 77, 143, 114, "cool", arrow=True)
    picture.text(108, 78, "what others", "cool", "start", "small")
    picture.text(118, 92, "think of b", "cool", "start", "small")
    picture.line(69, 183, 143, 147, "cool", arrow=True)
    picture.text(112, 186, "… and of c", "cool", "start", "small")
    picture.line(183, 130, 258, 130, "mark", arrow=True)
    picture.text(219, 120, "so a is …", "mark", kind="small")
    picture.text(165, 235, "a's own message is excluded", "pale", kind="small")

    for left, title, note, looped in (
        (400, "a tree: exact", "each opinion arrives once", False),
        (580, "a loop: approximate", "opinions come back as echoes", True),
    ):
        picture.text(left + 50, 20, title, kind="bold")
        places = [(left, 70), (left + 100, 70), (left + 50, 180)]
        links = [(0, 1), (1, 2)] + [(2, 0)] * looped
        for one, other in links:
            (x1, y1), (x2, y2) = places[one], places[other]
            picture.line(x1, y1, x2, y2, "pale")
        for one, other in links:
            (x1, y1), (x2, y2) = places[one], places[other]
            picture.path(
                f"M{(x1 + x2) / 2 - 7:g} {(y1 + y2) / 2 - 7:g}h14v14h-14z", "mark", fill="mark"
            )
        for x, y in places:
            picture.circle(x, y, 13, "cool", "cool")
        picture.text(left + 50, 235, note, "pale", kind="small")
    return picture
