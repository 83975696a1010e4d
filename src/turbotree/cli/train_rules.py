"""``turbotree train --rules``: the weights of soft rules, learnt after the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from turbotree.errors import InputError
from turbotree.learning.progress import Progress
from turbotree.parsing import Parser, compile_rules, learn_rule_weights
from turbotree.parsing.rules.compiled import ParserRules
from turbotree.text import Sentence


def with_rule_weights(
    train: Callable[..., Parser], rules: list[str], trees: Sequence[Sentence]
) -> Callable[..., Parser]:
    """Give a function that trains, and then learns the weights that rules leave open."""
    compiled = compile_rules(rules)
    if not any(rule.learn for rule in compiled.rules):
        raise InputError(f"{compiled.source}: no rule has the weight [?], to be learnt")
    whole = [tree for tree in trees if None not in tree.heads]
    if not whole:
        raise InputError("weights of rules are learnt from whole trees; every one lacks some head")
    return partial(_train, train, compiled, whole)


def _train(
    train: Callable[..., Parser],
    rules: ParserRules,
    trees: list[Sentence],
    *,
    progress: Progress,
    **options: Any,
) -> Parser:
    parser = train(progress=progress, **options)
    progress.note("learning the weights of rules")
    knowing = learn_rule_weights(parser, rules, trees)
    for name, weight in knowing.record["rules"].items():
        progress.note(f"rule {name}  {weight:.3f}")
    return knowing
