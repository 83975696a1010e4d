"""A parse in each of the formats that ``turbotree parse`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import IO, Any, Literal

from turbotree.errors import InputError
from turbotree.parsing import Parse
from turbotree.text import CONLLU, CONLLX, Sentence, converted, draw_svg, draw_text, write_sentences
from turbotree.text.drawing.common import is_from_right, isolated, printable
from turbotree.text.drawing.page import page


@dataclass(frozen=True)
class Notes:
    """What to say of a parse beside its tree.

    Attributes
    ----------
    marginals
        Probabilities.
    certificates
        Whether the tree is proven best, and what it took.
    numbered
        What the place of a tree among several is called: ``"k"``, ``"sample"``; None for one.
    """

    marginals: bool = False
    certificates: bool = False
    numbered: str | None = None


_NOT_CONVERGED = "approximate, not converged"
#: Heads at least this likely are listed as alternatives.
_LIKELY = 0.01


OutputFormat = Literal["conllu", "conllx", "json", "text", "svg", "html"]

_BY_ENDING: dict[str, OutputFormat] = {
    ".conllu": "conllu",
    ".conllx": "conllx",
    ".json": "json",
    ".jsonl": "json",
    ".svg": "svg",
    ".html": "html",
}


def format_of(output: Path | None) -> OutputFormat | None:
    """Guess the format from the name of the output; None if it says nothing.

    >>> format_of(Path("trees.html")), format_of(Path("parsed.conllu.gz"))
    ('html', 'conllu')
    """
    if output is None:
        return None
    plain = output.with_suffix("") if output.suffix == ".gz" else output
    return _BY_ENDING.get(plain.suffix)


def chosen_format(
    given: OutputFormat | None, output: Path | None, usual: OutputFormat, *, marginals: bool
) -> OutputFormat:
    """Return the format asked for, or that of the output's name, or the usual one."""
    chosen = given or format_of(output) or usual
    if marginals and chosen == "conllx":
        raise InputError(
            "CoNLL-X has no column for probabilities; choose another --format with --marginals"
        )
    return chosen


def write_parses(
    parses: Iterable[Parse],
    out: IO[bytes],
    format: OutputFormat,
    notes: Notes,
    *,
    color: bool = False,
) -> None:
    """Write parses to a stream as they come."""
    if format in ("conllu", "conllx"):
        layout = CONLLU if format == "conllu" else CONLLX
        write_sentences((_predicted(parse, notes) for parse in parses), out, layout)
        return
    pieces: Iterable[str]
    if format == "json":
        pieces = (
            json.dumps(parse_record(parse, notes), ensure_ascii=False) + "\n" for parse in parses
        )
    elif format == "text":
        pieces = (_text(parse, notes, color) for parse in parses)
    elif format == "svg":
        pieces = [_single_svg(parses)]
    else:
        pieces = page("Dependency trees", _STYLE, _figures(parses, notes))
    for piece in pieces:
        out.write(piece.encode())


def parse_record(parse: Parse, notes: Notes) -> dict[str, Any]:
    """Return a parse as JSON-ready data."""
    sentence = parse.sentence
    columns = (sentence.forms, sentence.lemmas, sentence.upos, parse.heads, parse.labels)
    names = ("form", "lemma", "upos", "head", "deprel")
    words: list[dict[str, Any]] = [
        {"id": number, **dict(zip(names, row, strict=True))}
        for number, row in enumerate(zip(*columns, strict=True), 1)
    ]
    record: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
    if notes.numbered is not None:
        record[notes.numbered] = parse.rank
    record["score"] = round(parse.score, 6)
    if notes.certificates:
        record["certificate"] = parse.certificate.to_dict()
    if parse.certificate.note:
        record["note"] = parse.certificate.note
    if notes.marginals:
        record["tree_probability"] = _rounded(parse.probability)
        record["marginals_converged"] = parse.marginals.converged
        chances = zip(words, parse.head_probabilities, parse.label_probabilities, strict=True)
        for word, head_chance, label_chance in chances:
            word["head_probability"] = _rounded(head_chance)
            word["label_probability"] = _rounded(label_chance)
            column = parse.arc_probabilities[:, word["id"]]
            likely = sorted((-chance, head) for head, chance in enumerate(column.tolist()))
            word["heads"] = [
                {"head": head, "probability": _rounded(-chance)}
                for chance, head in likely
                if -chance > _LIKELY
            ]
    record["words"] = words
    return record


def _rounded(probability: float) -> float:
    return float(f"{probability:.4g}")


def _predicted(parse: Parse, notes: Notes) -> Sentence:
    """Return the sentence with its predicted tree, and what else is wanted: comments, MISC."""
    sentence = parse.to_sentence()
    comments = []
    if notes.numbered is not None:
        comments += [f"{notes.numbered} = {parse.rank}", f"score = {parse.score:.6g}"]
    if notes.certificates:
        known = parse.certificate.to_dict()
        known.pop("note", None)  # a comment of its own, wanted or not
        comments += [f"certificate_{key} = {_said(value)}" for key, value in known.items()]
    sentence = sentence.with_comments(comments)
    if not notes.marginals:
        return sentence
    sentence = converted(sentence, CONLLU)  # the layout that has MISC
    chances = {"HeadProb": parse.head_probabilities, "LabelProb": parse.label_probabilities}
    for name, values in chances.items():
        sentence = sentence.with_misc(name, (f"{chance:.4f}" for chance in values))
    comments = [f"tree_probability = {parse.probability:.4g}"]
    if not parse.marginals.converged:
        comments.append(f"marginals = {_NOT_CONVERGED}")
    elif "marginals" in sentence.metadata:  # what a file that comes from us says is no longer true
        comments.append("marginals = converged")
    return sentence.with_comments(comments)


def _said(value: object) -> str:
    return (
        "unknown" if value is None else f"{value:.6g}" if isinstance(value, float) else f"{value}"
    )


def _text(parse: Parse, notes: Notes, color: bool) -> str:
    sentence = parse.sentence
    title = printable(sentence.text or " ".join(sentence.forms))
    name = printable(f"{sentence.sent_id}: ") if sentence.sent_id else ""
    picture = draw_text(
        sentence.forms, parse.heads, parse.labels, parse.head_probabilities, color=color
    )
    return f"# {name}{isolated(title)}\n{picture}\n{_remarks(parse, notes)}\n\n"


def _remarks(parse: Parse, notes: Notes) -> str:
    note = "" if parse.marginals.converged else f" ({_NOT_CONVERGED})"
    remarks = [f"probability of the tree {parse.probability:.4g}{note}"]
    if notes.numbered is not None:
        remarks.insert(0, f"{notes.numbered} {parse.rank}, score {parse.score:.6g}")
    if notes.certificates:
        remarks.append(str(parse.certificate))
    if parse.certificate.note:
        remarks.append(parse.certificate.note)
    return ", ".join(remarks)


def _svg(parse: Parse) -> str:
    sentence = parse.sentence
    return draw_svg(
        sentence.forms, parse.heads, parse.labels, parse.head_probabilities, sentence.upos
    )


def _single_svg(parses: Iterable[Parse]) -> str:
    several = iter(parses)
    first = next(several, None)
    if first is None:
        raise InputError("no sentence to draw")
    if next(several, None) is not None:
        raise InputError(
            "an SVG picture holds one sentence and the input has more; "
            "write a page with --format html or -o trees.html"
        )
    return _svg(first)


_STYLE = """:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; margin: 2rem; }
figure { margin: 0 0 3rem; overflow-x: auto; }
figcaption { margin-bottom: .5rem; }
figcaption small { opacity: .7; }
@media (prefers-color-scheme: dark) { body { background: #16181d; } }
"""


def _figures(parses: Iterable[Parse], notes: Notes) -> Iterator[str]:
    for number, parse in enumerate(parses, 1):
        sentence = parse.sentence
        name = escape(sentence.sent_id or str(number))
        title = escape(sentence.text or " ".join(sentence.forms))
        remarks = escape(_remarks(parse, notes))
        direction = "rtl" if is_from_right(" ".join(sentence.forms)) else "ltr"
        yield (
            f'<figure dir="{direction}">\n<figcaption>{title}<br>'
            f'<small dir="ltr">{name}, {remarks}</small></figcaption>\n'
            f"{_svg(parse)}</figure>\n"
        )
