"""Claims as HTML: what was expected, what came, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from turbotree.experiments.records import Claim, Experiment

#: A paper's ordering by its verdict: how the summary counts it, and how it is coloured.
_KINDS = {
    (True, True): ("hold, beyond chance", "holds"),
    (True, False): ("have the paper's sign, but within chance", "open"),
    (False, False): ("do not have the paper's sign, within chance", "open"),
    (False, True): ("DO NOT HOLD, beyond chance", "fails"),
}

_COLUMNS = (
    "expected",
    "measure",
    "data sets",
    "from → to",
    "difference",
    "95 % interval",
    "p",
    "verdict",
)


def summary(claims: Sequence[tuple[Experiment, Claim]]) -> str:
    """Lay out the main orderings, and all of them to be unfolded."""
    if not claims:
        return ""
    main = [(experiment, claim) for experiment, claim in claims if claim.main]
    parts = ["<h2>What holds</h2>"]
    if main:
        parts += [f"<p>Of the {len(main)} main orderings {counted(main)}.</p>", _linked(main)]
    parts += [
        f"<details{'' if main else ' open'}><summary>All {len(claims)} orderings: "
        f"{counted(claims)}</summary>{_linked(claims)}</details>",
        '<p class="note">“From” is what the paper has below, “to” what it has above: a positive '
        "difference is the paper's ordering. Where the interval holds zero, chance may have "
        "decided.</p>",
    ]
    return "\n".join(parts)


def counted(claims: Sequence[tuple[Experiment, Claim]]) -> str:
    """Say how many claims have which verdict: ``3 hold, beyond chance; 1 ...``."""
    found = []
    for kind, (words, _) in _KINDS.items():
        count = sum((claim.holds, _sure(claim)) == kind for _, claim in claims)
        if count:
            found.append(f"{count} {words}")
    return "; ".join(found)


def claim_table(claims: Sequence[Claim]) -> str:
    """Lay out the claims of one experiment, each with those of the treebanks by themselves."""
    rows = []
    for claim in claims:
        rows.append([escape(claim.text), escape(claim.measure), _data_sets(claim), *_cells(claim)])
        for name, difference in claim.each:
            alone = replace(claim, difference=difference, each=())
            rows.append([f'<span class="note">on {escape(name)}</span>', "", "", *_cells(alone)])
    return _table(rows)


def _linked(claims: Sequence[tuple[Experiment, Claim]]) -> str:
    return _table(
        [
            [
                f'{escape(claim.text)} <a class="note keep" href="#{escape(experiment.id)}">'
                f"{escape(experiment.id)}</a>",
                escape(claim.measure),
                _data_sets(claim),
                *_cells(claim),
            ]
            for experiment, claim in claims
        ]
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in _COLUMNS)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n" for cells in rows
    )
    return (
        '<div class="scroll"><table class="claims"><caption>Does the ordering hold?</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>"
    )


def _data_sets(claim: Claim) -> str:
    return str(max(1, len(claim.each)))


def _cells(claim: Claim) -> list[str]:
    found = claim.difference
    kind = _KINDS[claim.holds, _sure(claim)][1]
    numbers = (
        f"{found.a:.2f} → {found.b:.2f}",
        f"{found.difference:+.2f}",
        f"{found.low:+.2f} … {found.high:+.2f}",
        f"{found.p_value:.3f}",
    )
    return [
        *(f'<span class="keep">{number.replace("-", "−")}</span>' for number in numbers),
        f'<span class="{kind}">{escape(claim.verdict)}</span>',
    ]


def _sure(claim: Claim) -> bool:
    """Whether there is no doubt left: a tie that keeps to its claim is as good as a difference."""
    tie = claim.difference.low == claim.difference.high == 0
    return claim.beyond_chance or (tie and claim.or_equal)
