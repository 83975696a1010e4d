"""Martins et al. 2011a, appendix G: words that the full model gets right, and smaller ones not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from turbotree.experiments.catalogue.admm2011.models import DATA, MODELS
from turbotree.experiments.comparing import claim_units
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.measuring import make_cases, words_of
from turbotree.experiments.records import ADMM_2011, Experiment, Measured, Shown, Table
from turbotree.parsing.decoding import decode
from turbotree.text import Sentence

_SMALL, _LARGE = "+G+CS", "Full"
#: Examples for each treebank, and words before and after one that are shown.
_SHOWN, _AROUND = 4, 3


def _measure(context: ExperimentContext) -> Measured:
    heads: dict[str, list[list[int]]] = {}
    for name in (_SMALL, _LARGE):
        cases = make_cases(context.parser(MODELS[name]), context.hard_gold)
        context.note(f"parsing with {name}")
        heads[name] = [decode(case.scored, "admm").heads.tolist() for case in cases]
    examples = []
    right: dict[str, list[int]] = {_SMALL: [], _LARGE: []}
    for number, sentence in enumerate(context.hard_gold):
        small, large = heads[_SMALL][number], heads[_LARGE][number]
        counted = [tag != "PUNCT" for tag in sentence.upos]
        gold = [int(head or 0) for head in sentence.heads]
        for name, own in ((_SMALL, small), (_LARGE, large)):
            same = [h == g for h, g, c in zip(own, gold, counted, strict=True) if c]
            right[name].append(sum(same))
        better = [m for m in range(len(gold)) if counted[m] and large[m] == gold[m] != small[m]]
        if better and large == gold:  # as in the paper, the whole sentence is right
            examples += [_example(sentence, m, small[m]) for m in better]
    return {"words": words_of(context.hard_gold), "right": right, "examples": examples[:_SHOWN]}


def _example(sentence: Sentence, place: int, wrong: int) -> list[str]:
    """Describe a word: its surroundings, its gold head, and the head that is not right."""
    forms = ["root", *sentence.forms]
    first, last = max(0, place - _AROUND), place + _AROUND + 1
    around = " ".join(
        f"[{form}]" if at == place else form
        for at, form in enumerate(sentence.forms[first:last], first)
    )
    return [around, forms[int(sentence.heads[place] or 0)], forms[wrong]]


def _show(measured: Mapping[str, Measured]) -> Shown:
    rows = [
        (dataset, *example) for dataset, found in measured.items() for example in found["examples"]
    ]
    counts = tuple(
        (dataset, *(str(int(np.sum(found["right"][name]))) for name in (_SMALL, _LARGE)))
        for dataset, found in measured.items()
    )
    tables = (
        Table(
            "Words in sentences that the full model has right as a whole",
            ("treebank", "word", "its head", "head by G+CS"),
            tuple(rows),
            "The paper shows four sentences, and guesses which parts help: non-projective arcs, "
            "all siblings, directed paths, head bigrams.",
        ),
        Table("Words with the right head", ("treebank", "G+CS", "Full"), counts),
    )
    tests = {
        name: (found["right"][_SMALL], found["right"][_LARGE], found["words"])
        for name, found in measured.items()
    }
    claim = claim_units("Full above G+CS on the sentences looked at", "UAS, %", tests)
    return Shown(tables, (), (claim,))


EXPERIMENT = Experiment(
    "admm2011-examples",
    ADMM_2011,
    "Appendix G",
    "sentences that the full model parses correctly, and the model with grandparents and "
    "consecutive siblings does not",
    "there are such sentences, and more of them than of the opposite kind",
    DATA,
    "dev",
    _measure,
    _show,
)
