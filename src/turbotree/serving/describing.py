"""Parses as data for JSON: trees, probabilities, alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from turbotree.graphs import Solution
from turbotree.graphs.solution import recorded
from turbotree.parsing import Parse
from turbotree.parsing.suggesting import LIKELY

#: At most so many other heads, and other labels, of a word are given.
MOST = 8


def described(parses: Sequence[Parse], *, marginals: bool) -> dict[str, Any]:
    """Describe a sentence and its trees, best first.

    >>> from turbotree import Parser
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
    >>> answer = described([parser.parse(next(treebank(1, seed=2)))], marginals=True)
    >>> sorted(answer)
    ['alternatives', 'marginals_converged', 'text', 'trees', 'words']
    """
    first = parses[0]
    sentence = first.sentence
    columns = zip(
        sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, strict=True
    )
    names = ("form", "lemma", "upos", "xpos", "feats")
    answer: dict[str, Any] = {
        "text": sentence.text or " ".join(sentence.forms),
        "words": [dict(zip(names, word, strict=True)) for word in columns],
        "trees": [_tree(parse, marginals) for parse in parses],
    }
    if marginals:
        answer["alternatives"] = _alternatives(first)
        answer["marginals_converged"] = bool(first.marginals.converged)
    return answer


def described_trace(solution: Solution) -> dict[str, Any]:
    """Describe the rounds of a solver that recorded them: bound and value of each."""
    trace = recorded(solution).to_dict()
    return {
        "status": solution.status.value,
        "gap": solution.gap if math.isfinite(solution.gap) else None,
        "rounds": trace["iteration"],
        "bound": trace["upper_bound"],
        "value": trace["value"],
    }


def _tree(parse: Parse, marginals: bool) -> dict[str, Any]:
    tree: dict[str, Any] = {
        "rank": parse.rank,
        "heads": list(parse.heads),
        "labels": list(parse.labels),
        "score": round(parse.score, 6),
        "certificate": parse.certificate.to_dict(),
        "conllu": parse.to_sentence().to_text(),
    }
    if marginals:
        tree["probability"] = _chance(parse.probability)
        tree["head_probabilities"] = [_chance(p) for p in parse.head_probabilities]
        tree["label_probabilities"] = [_chance(p) for p in parse.label_probabilities]
    return tree


def _alternatives(parse: Parse) -> list[dict[str, Any]]:
    """List the likely heads of each word, and the likely labels of its arc in this tree."""
    found = []
    for word, labels in enumerate(parse.label_distributions, 1):
        chances = parse.arc_probabilities[:, word]
        heads = [h for h in np.argsort(-chances, kind="stable").tolist() if chances[h] >= LIKELY]
        likely = sorted(
            ((p, label) for label, p in labels.items() if p >= LIKELY), key=lambda at: -at[0]
        )
        found.append(
            {
                "heads": [
                    {"head": h, "probability": _chance(float(chances[h]))} for h in heads[:MOST]
                ],
                "labels": [
                    {"label": label, "probability": _chance(p)} for p, label in likely[:MOST]
                ],
            }
        )
    return found


def _chance(probability: float) -> float:
    """Cut off what belief propagation may give just outside 0 and 1, and digits without meaning."""
    return float(f"{min(1.0, max(0.0, probability)):.6g}")
