"""Pictures of learning: the losses between CRF and SVM, and templates under a budget."""

from __future__ import annotations

from math import exp, inf, log1p

from pens import Picture


def _loss(difference: float, beta: float, gamma: float) -> float:
    """The loss of a problem with one wrong answer of cost 1, by how far it is ahead."""
    ahead = difference + gamma
    if beta == inf:
        return max(0.0, ahead)
    return max(0.0, ahead) + log1p(exp(-beta * abs(ahead))) / beta


def losses() -> Picture:
    picture = Picture(720, 270)

    def place(x: float, y: float) -> tuple[float, float]:
        return 200 + 65 * x, 220 - 55 * y

    x0, y0 = place(-2.6, 0)
    picture.line(x0, y0, place(3, 0)[0], y0, "ink", arrow=True)
    picture.line(200, y0, 200, 20, "pale")
    picture.text(200, 240, "0", kind="small")
    picture.text(395, 240, "the wrong answer is ahead", at="end", kind="small")
    picture.text(x0, 240, "the right one is", at="start", kind="small")
    picture.text(194, 28, "loss", "pale", "end", "small")
    drawn = (
        ("CRF: beta 1, gamma 0", 1.0, 0.0, "cool", False),
        ("softmax-margin: 1, 1", 1.0, 1.0, "cool", True),
        ("beta 5, gamma 1", 5.0, 1.0, "ink", True),
        ("SVM: beta ∞, gamma 1", inf, 1.0, "mark", False),
        ("perceptron: ∞, 0", inf, 0.0, "mark", True),
    )
    for number, (name, beta, gamma, pen, dash) in enumerate(drawn):
        points = []
        for step in range(108):
            x = -2.6 + step * 0.05
            y = _loss(x, beta, gamma)
            if y < 3.6:
                points.append("{:.1f} {:.1f}".format(*place(x, y)))
        picture.path("M" + "L".join(points), pen, dash=dash, width=2)
        y = 60 + 26 * number
        picture.line(450, y, 490, y, pen, dash=dash, width=2)
        picture.text(500, y + 4, name, at="start")
    picture.text(450, 205, "beta: how sharply the worst answer counts", "pale", "start", "small")
    picture.text(450, 221, "gamma: how far ahead the right one must be", "pale", "start", "small")
    return picture


def sparsity() -> Picture:
    """Norms of groups before and after a step with a budget of three."""
    picture = Picture(720, 250)
    norms = (("form", 150), ("upos", 52), ("shape", 86), ("suffix", 118), ("form+1", 30))
    budget = 3
    ordered = sorted((norm for _, norm in norms), reverse=True)
    amount = (ordered[budget - 1] + ordered[budget]) / 2  # as learning/sparse/budgets.py does
    for left, title, shrunk in (
        (40, "norms of five templates, over their d", False),
        (400, "after a step with a budget of 3", True),
    ):
        picture.text(left + 140, 20, title, kind="bold")
        picture.line(left, 200, left + 290, 200)
        for number, (name, norm) in enumerate(norms):
            x = left + 15 + 56 * number
            height = max(0.0, norm - amount) if shrunk else norm
            alive = norm > amount
            picture.text(x + 19, 216, name, "ink" if alive else "pale", kind="small")
            if height:
                pen, fill = ("cool", "fill") if alive else ("pale", "none")
                picture.box(x, 200 - height, 38, height, pen, fill)
            if shrunk and not alive:
                picture.text(x + 19, 194, "0", "mark", kind="small")
        if not shrunk:
            picture.line(left, 200 - amount, left + 290, 200 - amount, "mark", dash=True)
            picture.text(left + 292, 204 - amount, "cut", "mark", "start", "small")
    picture.line(350, 110, 390, 110, "pale", arrow=True)
    note = "every group moves towards zero by the same amount; all features of a dead one go"
    picture.text(360, 242, note, "pale", kind="small")
    return picture
