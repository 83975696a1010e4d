"""A parser that has learnt nothing: all trees are as likely, until the first one is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from turbotree.features import Weights
from turbotree.parsing.arcs import PruningOptions
from turbotree.parsing.labels import LabelDictionary
from turbotree.parsing.parser import Parser
from turbotree.parsing.root_label import with_root_label
from turbotree.parsing.training.blueprint import Blueprint
from turbotree.parsing.training.options import TrainingOptions
from turbotree.text import Sentence
from turbotree.text.universal import RELATIONS

_EVERY_HEAD = PruningOptions(0.0, 1_000_000)


def blank_parser(sentences: Sequence[Sentence]) -> Parser:
    """Return a parser without any weights, for sentences like these.

    It knows the words of the sentences, the relations of Universal Dependencies, and that a tree
    has one root; nothing else. So its probabilities are those of chance.

    >>> parser = blank_parser([Sentence.from_words(["Birds", "sing", "."])])
    >>> parse = parser.parse(Sentence.from_words(["Birds", "sing"]))
    >>> [round(p, 2) for p in parse.head_probabilities]
    [0.5, 0.5]
    """
    names = [name for name in RELATIONS if name != "root"]
    made = Sentence.from_words(
        ["_"] * (len(names) + 1),
        heads=[0] + [1] * len(names),
        labels=["root", *names],
    )
    chains = [
        sentence.with_tree(range(len(sentence)), ["root"] + ["dep"] * (len(sentence) - 1))
        for sentence in sentences
    ]
    blueprint, _ = Blueprint.of([*chains, made], TrainingOptions(model="arc"))
    # Every relation goes with every tag: who has seen no tree cannot exclude any.
    every = LabelDictionary.fit(blueprint.names, blueprint.encoder.id_limit("upos"), ())
    dictionary = with_root_label(every, blueprint.names.index("root"))
    blueprint = replace(blueprint, dictionary=dictionary)
    nothing = Weights().freeze()
    pruner = replace(
        blueprint.pruner(blueprint.pruner_model().with_weights(nothing)), options=_EVERY_HEAD
    )
    labels = blueprint.label_model()
    return Parser(
        blueprint.encoder,
        pruner,
        blueprint.part_model().with_weights(nothing),
        labels.with_weights(Weights().freeze(labels=len(blueprint.names))),
        blueprint.shape,
        1.0,
        1.0,
        {"options": {}},
    )
