"""``turbotree explain``: which features spoke for an arc."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from turbotree.cli.inputs.reading import PARSE_FIRST, InputFormat, tree_layout
from turbotree.cli.inputs.tree_models import tree_model
from turbotree.errors import InputError
from turbotree.features import FiredFeature
from turbotree.parsing import Parse
from turbotree.text import Sentence, read_layout
from turbotree.text.drawing.common import printable


def explain(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that turbotree train wrote, or en.")
    ],
    input: Annotated[Path, typer.Argument(metavar="INPUT", help="A file of sentences.")],
    arc: Annotated[
        str,
        typer.Option(
            metavar="HEAD,WORD", help="The numbers of the head (0 is the root) and the word."
        ),
    ],
    sentence: Annotated[
        int, typer.Option(metavar="K", help="Which sentence of the file, from 1.", min=1)
    ] = 1,
    most: Annotated[
        int, typer.Option(metavar="N", help="Features to show, at most; 0 for all.", min=0)
    ] = 20,
    input_format: Annotated[
        InputFormat | None,
        typer.Option(help="Without it, what the file looks like.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON with all features, for programs.")
    ] = False,
) -> None:
    """List the features of an arc with their weights, heaviest first.

    The weights add up to the arc's score. Ask for the arc that the parser chose and for the one
    you expected, and see what made the difference.
    """
    head, word = _numbers(arc)
    parser, prepare = tree_model(model)
    (chosen,) = prepare([sentence_of(input, sentence, input_format)])
    fired = parser.explain(chosen, head, word)
    parse = parser.parse(chosen)
    if as_json:
        record = {
            "head": head,
            "word": word,
            "score": sum(feature.weight for feature in fired),
            "probability": float(parse.arc_probabilities[head, word]),
            "chosen_head": parse.heads[word - 1],
            "features": [asdict(feature) for feature in fired],
        }
        typer.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    typer.echo(_page(parse, head, word, fired, most or len(fired)))


def _numbers(arc: str) -> tuple[int, int]:
    head, comma, word = arc.partition(",")
    if not (comma and head.strip().isdecimal() and word.strip().isdecimal()):
        raise InputError(f"--arc {arc}: expected two numbers, HEAD,WORD, as in --arc 2,1")
    return int(head), int(word)


def sentence_of(path: Path, number: int, format: InputFormat | None) -> Sentence:
    """Read one sentence of a file, by its number from 1."""
    sentences = read_layout(path, tree_layout(path, format, advice=PARSE_FIRST))
    found = next(islice(sentences, number - 1, None), None)
    if found is None:
        raise InputError(f"{path}: there is no sentence {number}")
    return found


def _page(parse: Parse, head: int, word: int, fired: list[FiredFeature], most: int) -> str:
    forms = ("root", *parse.sentence.forms)
    chosen = parse.heads[word - 1]
    score = sum(feature.weight for feature in fired)
    chances = parse.arc_probabilities
    lines = [
        parse.sentence.text or " ".join(parse.sentence.forms),
        "",
        f"{forms[head]} ({head}) → {forms[word]} ({word}): score {score:.3f}, "
        + (f"probability {chances[head, word]:.3f}" if chances[head, word] else "pruned"),
        "the parser chose this head"
        if chosen == head
        else f"the parser chose {forms[chosen]} ({chosen}), "
        f"probability {chances[chosen, word]:.3f}",
        "",
        "  weight  feature",
        *(f"{feature.weight:+8.3f}  {_described(feature)}" for feature in fired[:most]),
    ]
    if len(fired) > most:
        rest = sum(feature.weight for feature in fired[most:])
        lines.append(f"{rest:+8.3f}  the other {len(fired) - most} together")
    return "\n".join(map(printable, lines))


def _described(feature: FiredFeature) -> str:
    """Put each value to its atom: ``h.form=saw m.upos=PRON``."""
    atoms = feature.template.split()
    return " ".join(f"{atom}={value}" for atom, value in zip(atoms, feature.values, strict=True))
