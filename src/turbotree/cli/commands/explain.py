"""``turbotree explain``: what counts for an arc."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import typer

from turbotree.cli.inputs.reading import PARSE_FIRST, tree_layout
from turbotree.cli.inputs.tree_models import tree_model
from turbotree.cli.options import shared
from turbotree.cli.options.declaring import OUTPUT, Options, option, takes
from turbotree.errors import InputError
from turbotree.features import FiredFeature
from turbotree.networks import NetworkExplanation
from turbotree.parsing import Parse
from turbotree.text import Sentence, read_layout
from turbotree.text.drawing.common import printable


@dataclass(frozen=True, kw_only=True)
class SentenceOptions(Options):
    """One sentence of a file, and a model that finds its tree."""

    model: Path = shared.model()
    input: Path = shared.sentences()
    sentence: int = shared.sentence()
    input_format: shared.TreeFormat | None = shared.input_format()
    as_json: bool = shared.as_json()


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(SentenceOptions):
    """What ``turbotree explain`` takes."""

    arc: str = option(..., "Head and word, by their numbers; 0 is the root.", metavar="HEAD,WORD")
    most: int = option(
        20,
        "How many features to show; 0 for all. JSON has all.",
        metavar="N",
        least=0,
        panel=OUTPUT,
    )


@takes(ExplainOptions)
def explain(options: ExplainOptions) -> None:
    """List the features of an arc and their weights, largest first.

    The weights add up to the arc's score. Ask for the arc that the parser chose and for the one
    you expected, and see what made the difference. If the model has a network, its part of the
    score comes next, and which words' inputs moved it: gradient times input.
    """
    head, word = _numbers(options.arc)
    parser, prepare = tree_model(options.model)
    (chosen,) = prepare([chosen_sentence(options)])
    fired = parser.explain(chosen, head, word)
    network = parser.explain_network(chosen, head, word)
    score = sum(feature.weight for feature in fired)
    if network is not None:
        score += network.weight * network.log_probability
    parse = parser.parse(chosen)
    if options.as_json:
        record = {
            "head": head,
            "word": word,
            "score": score,
            "probability": float(parse.arc_probabilities[head, word]),
            "chosen_head": parse.heads[word - 1],
            "features": [asdict(feature) for feature in fired],
            **({} if network is None else {"network": asdict(network)}),
        }
        typer.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    lines = _head_lines(parse, head, word, score)
    if fired or network is None:
        lines += _feature_lines(fired, options.most or len(fired))
    if network is not None:
        lines += _network_lines(network, parse.sentence, options.most or len(network.inputs))
    typer.echo("\n".join(map(printable, lines)))


def _numbers(arc: str) -> tuple[int, int]:
    head, comma, word = arc.partition(",")
    if not (comma and head.strip().isdecimal() and word.strip().isdecimal()):
        raise InputError(f"--arc {arc}: expected two numbers, HEAD,WORD, as in --arc 2,1")
    return int(head), int(word)


def chosen_sentence(options: SentenceOptions) -> Sentence:
    """Read the sentence that is asked for."""
    path, number = options.input, options.sentence
    layout = tree_layout(path, options.input_format, advice=PARSE_FIRST)
    found = next(islice(read_layout(path, layout), number - 1, None), None)
    if found is None:
        raise InputError(f"{path}: there is no sentence {number}")
    return found


def _head_lines(parse: Parse, head: int, word: int, score: float) -> list[str]:
    forms = ("root", *parse.sentence.forms)
    chosen = parse.heads[word - 1]
    chances = parse.arc_probabilities
    return [
        parse.sentence.text or " ".join(parse.sentence.forms),
        "",
        f"{forms[head]} ({head}) → {forms[word]} ({word}): score {score:.3f}, "
        + (f"probability {chances[head, word]:.3f}" if chances[head, word] else "pruned"),
        "the parser chose this head"
        if chosen == head
        else f"the parser chose {forms[chosen]} ({chosen}), "
        f"probability {chances[chosen, word]:.3f}",
    ]


def _feature_lines(fired: list[FiredFeature], most: int) -> list[str]:
    lines = [
        "",
        "  weight  feature",
        *(f"{feature.weight:+8.3f}  {_described(feature)}" for feature in fired[:most]),
    ]
    if len(fired) > most:
        rest = sum(feature.weight for feature in fired[most:])
        lines.append(f"{rest:+8.3f}  the other {len(fired) - most} together")
    return lines


def _network_lines(network: NetworkExplanation, sentence: Sentence, most: int) -> list[str]:
    share = network.weight * network.log_probability
    lines = [
        "",
        f"{share:+8.3f}  network: {network.weight:g} times the logarithm of probability "
        f"{math.exp(network.log_probability):.4f}",
        "",
        "    moved  input of the network (gradient times input)",
    ]
    for own in network.inputs[:most]:
        lines.append(
            f"{own.share:+8.3f}  {own.kind} of {sentence.forms[own.word - 1]} ({own.word})"
        )
    if len(network.inputs) > most:
        rest = sum(own.share for own in network.inputs[most:])
        lines.append(f"{rest:+8.3f}  the other {len(network.inputs) - most} together")
    return lines


def _described(feature: FiredFeature) -> str:
    """Put each value to its atom: ``h.form=saw m.upos=PRON``."""
    atoms = feature.template.split()
    return " ".join(f"{atom}={value}" for atom, value in zip(atoms, feature.values, strict=True))
