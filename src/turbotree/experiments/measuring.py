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
    own_options: Sequence[Mapping[str, Any]] | None = None,
) -> Measured:
    """Decode everything in one way; give what each sentence came to.

    ``right`` has the words with the right head, ``every`` the same with punctuation, ``proven``
    whether the tree is proven best, ``settled`` whether the solver stopped before its last round,
    ``seconds`` the CPU time, ``rounds`` those of the solver, ``tree`` a number that tells trees
    apart. Options of the solver may differ from sentence to sentence.
    """
    rounds_of_solver: dict[str, Any] = (
        {} if max_iterations is None else {"max_iterations": max_iterations}
    )
    names = ("right", "every", "proven", "settled", "seconds", "rounds", "tree")
    found: Measured = {name: [] for name in names}
    for number, case in enumerate(cases):
        options = {} if own_options is None else own_options[number]
        started = process_time()
        heads, _, known = decode(
            case.scored, decoder, decomposition=decomposition, **{**options, **rounds_of_solver}
        )
        found["seconds"].append(process_time() - started)
        found["right"].append(case.right(heads))
        found["every"].append(int(np.count_nonzero(heads == case.heads)))
        found["proven"].append(int(known.status is Status.OPTIMAL))
        found["settled"].append(int(known.status is not Status.LIMIT))
        found["rounds"].append(known.iterations)
        found["tree"].append(crc32(heads.astype(np.int32).tobytes()))
    return found


def decode_along(
    cases: Sequence[Case],
    grid: Sequence[int],
    decoder: str,
    *,
    decomposition: str | None = None,
    own_options: Sequence[Mapping[str, Any]] | None = None,
) -> Any:
    """Decode with more and more rounds; give right words and proofs by the number of rounds.

    A tree that is proven best stays, so only the others are decoded again with fewer rounds.
    """
    most = max(grid)
    given = [{}] * len(cases) if own_options is None else own_options

    def decoded(numbers: Sequence[int], limit: int) -> Measured:
        return decode_cases(
            [cases[i] for i in numbers],
            decoder,
            decomposition=decomposition,
            max_iterations=limit,
            own_options=[given[i] for i in numbers],
        )

    full = decoded(range(len(cases)), most)
    along: dict[str, Measured] = {}
    for limit in grid:
        own = {name: list(full[name]) for name in ("right", "every", "proven", "tree")}
        late = [
            i
            for i, rounds in enumerate(full["rounds"])
            if limit < most and (rounds > limit or not full["proven"][i])
        ]
        if late:
            early = decoded(late, limit)
            for name, values in own.items():
                for j, i in enumerate(late):
                    values[i] = early[name][j]
        along[str(limit)] = own
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
