"""Decoding a treebank in one way or another, and counting what comes of it sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, Any, TypedDict
from zlib import crc32

import numpy as np

from turbotree.arrays import BoolArray, IntArray
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.records import Measured
from turbotree.graphs import Status
from turbotree.parsing import Parser
from turbotree.parsing.decoding import decode
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.scoring import Batch
from turbotree.text import Sentence

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it


@dataclass(frozen=True)
class Case:
    """A sentence with scored parts, ready for any decoder.

    Attributes
    ----------
    scored
        What decoders take.
    heads
        The gold tree.
    counted
        Which words count: all but punctuation, as in the papers.
    """

    scored: ScoredSentence
    heads: IntArray
    counted: BoolArray

    def right(self, heads: IntArray) -> int:
        """Count the words that count and have the right head."""
        return int(np.count_nonzero((heads == self.heads) & self.counted))


def counted_words(sentence: Sentence) -> BoolArray:
    """Tell which words count.

    >>> counted_words(Sentence.from_words(["Go", "!"], upos=["VERB", "PUNCT"])).tolist()
    [True, False]
    """
    return np.array([tag != "PUNCT" for tag in sentence.upos], dtype=bool)


class ParsingOptions(TypedDict, total=False):
    """How the parsers of an experiment parse, if not by default."""

    decoder: str
    projective: bool


def words_of(sentences: Sequence[Sentence]) -> list[int]:
    """Count the words of each sentence that count."""
    return [int(counted_words(sentence).sum()) for sentence in sentences]


def make_cases(parser: Parser, sentences: Sequence[Sentence]) -> list[Case]:
    """Find and score the parts of sentences, once for all decoders."""
    found = []
    for sentence in sentences:
        batch = Batch([sentence])
        arcs = parser.pruner.candidates(batch, shape=parser.shape)
        parts = PartSet.build(batch.lengths, arcs, parser.parts.families)
        scores = parser.parts.score(batch, parts)
        scored = ScoredSentence(parts, 0, scores, parser.shape)
        heads = np.array(sentence.heads, dtype=np.int32)
        found.append(Case(scored, heads, counted_words(sentence)))
    return found


def decode_cases(
    cases: Sequence[Case],
    decoder: str,
    *,
    decomposition: str | None = None,
    max_iterations: int | None = None,
) -> Measured:
    """Decode everything in one way; give what each sentence came to.

    ``right`` has the words with the right head, ``proven`` whether the tree is proven best,
    ``seconds`` the CPU time, ``rounds`` those of the solver, ``tree`` a number that tells trees
    apart.
    """
    rounds_of_solver: dict[str, Any] = (
        {} if max_iterations is None else {"max_iterations": max_iterations}
    )
    right, proven, seconds, rounds, trees = [], [], [], [], []
    for case in cases:
        started = process_time()
        heads, _, known = decode(
            case.scored, decoder, decomposition=decomposition, **rounds_of_solver
        )
        seconds.append(process_time() - started)
        right.append(case.right(heads))
        proven.append(int(known.status is Status.OPTIMAL))
        rounds.append(known.iterations)
        trees.append(crc32(heads.astype(np.int32).tobytes()))
    return {
        "right": right,
        "proven": proven,
        "seconds": seconds,
        "rounds": rounds,
        "tree": trees,
    }


def decode_along(
    cases: Sequence[Case], grid: Sequence[int], decoder: str, *, decomposition: str | None = None
) -> Any:
    """Decode with more and more rounds; give right words and proofs by the number of rounds.

    A tree that is proven best stays, so only the others are decoded again with fewer rounds.
    """
    most = max(grid)
    full = decode_cases(cases, decoder, decomposition=decomposition, max_iterations=most)
    along: dict[str, Measured] = {}
    for limit in grid:
        right, proven, trees = list(full["right"]), list(full["proven"]), list(full["tree"])
        late = [
            i
            for i, rounds in enumerate(full["rounds"])
            if limit < most and (rounds > limit or not full["proven"][i])
        ]
        if late:
            early = decode_cases(
                [cases[i] for i in late],
                decoder,
                decomposition=decomposition,
                max_iterations=limit,
            )
            for j, i in enumerate(late):
                right[i], proven[i] = early["right"][j], early["proven"][j]
                trees[i] = early["tree"][j]
        along[str(limit)] = {"right": right, "proven": proven, "tree": trees}
    return {"along": along, **full}


def parse_right(
    parser: Parser, sentences: Sequence[Sentence], **options: Unpack[ParsingOptions]
) -> Measured:
    """Parse sentences as users do; give the right words and proofs of each sentence."""
    right, proven = [], []
    for parse in parser.pipe(sentences, **options):
        gold = parse.sentence
        correct = np.array(parse.heads) == np.array(gold.heads)
        right.append(int(np.count_nonzero(correct & counted_words(gold))))
        proven.append(int(parse.certificate.status is Status.OPTIMAL))
    return {"right": right, "proven": proven}


def trained_right(
    context: ExperimentContext,
    name: str,
    options: Mapping[str, Any],
    **parsing: Unpack[ParsingOptions],
) -> Measured:
    """Train a parser and score it, or take what an earlier experiment found of the same one."""
    inputs = {
        "what": "right words",
        "parser": context.parser_inputs(options),
        "parsing": parsing,
        "measured_on": context.dataset.fingerprint(context.split),
    }
    found = context.cache.load(inputs)
    if found is None:
        parser = context.parser(options)
        context.note(f"parsing with {name}")
        found = context.cache.get(inputs, lambda: parse_right(parser, context.gold, **parsing))
    return dict(found)


def trained_systems(
    context: ExperimentContext,
    models: Mapping[str, Mapping[str, Any]],
    **parsing: Unpack[ParsingOptions],
) -> Measured:
    """Train a parser for each name and score it; the usual measurement of a table of models."""
    systems = {}
    for name, options in models.items():
        systems[name] = trained_right(context, name, options, **parsing)
    return {"words": words_of(context.gold), "systems": systems}
