"""The trees of a batch of sentences, whatever the decoder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.parsing.arcs import arc_marginals, best_trees, only_allowed
from turbotree.parsing.constraints import place
from turbotree.parsing.decoding.certificate import Certificate, FoundTree
from turbotree.parsing.decoding.decode import SOLVERS, decode, out_of_time, quick_tree
from turbotree.parsing.long_sentences import note_on
from turbotree.parsing.scored import ScoredBatch

#: Decoders of arc-factored models; the first is what they use if nothing is said.
ARC_DECODERS = ("mst", "eisner", "mbr")
#: Decoders of all models; the first is what models with parts of higher order use.
GRAPH_DECODERS = (*SOLVERS, "bp")
DECODERS = (*ARC_DECODERS, *GRAPH_DECODERS)
#: Decoders whose every answer obeys what is said of spans; they are one and the same then.
DECODERS_OF_SPANS = ("mst", "eisner", "auto", "exact")


#: What a search that heeds no limit by itself gets beyond its time.
_GRACE_SECONDS = 1.0


def best_trees_of(
    scored: ScoredBatch, decoder: str, decomposition: str, time_limit_seconds: float | None = None
) -> list[FoundTree]:
    """Return the tree of each sentence; the time limit is that of one sentence."""
    spans = scored.has_spans
    if spans and decoder not in DECODERS_OF_SPANS:
        raise InputError(
            f"decoder {decoder!r} cannot keep spans together; choose one of "
            + ", ".join(DECODERS_OF_SPANS)
        )
    if decoder in ARC_DECODERS and not spans:
        return _best_of_arcs(scored, decoder)
    if decoder in ARC_DECODERS:
        decoder = "exact"
    temperature = scored.parser.arc_temperature if decoder == "bp" else 1.0
    hard_limit = None if time_limit_seconds is None else time_limit_seconds + _GRACE_SECONDS
    found = []
    for sentence in scored:
        try:
            with time_limit(hard_limit):
                tree = decode(
                    sentence.scaled(temperature),
                    decoder,
                    decomposition=decomposition,
                    time_limit_seconds=time_limit_seconds,
                )
        except OutOfTimeError:
            assert time_limit_seconds is not None
            found.append(tree_without_time(scored, sentence.sentence, time_limit_seconds))
            continue
        found.append(tree._replace(score=tree.score * temperature))
    return found


def tree_without_time(scored: ScoredBatch, sentence: int, limit: float) -> FoundTree:
    """Return some good tree of a sentence whose time is over, with a bound."""
    one = scored.sentence(sentence)
    if one.has_spans:
        # That there is none is not proven.
        raise InputError(
            f"{place(scored.sentences[sentence])}: no tree that keeps the spans together was found "
            f"in {limit:g} seconds; allow more time"
        )
    found = quick_tree(one)
    return found._replace(certificate=replace(found.certificate, note=out_of_time(limit)))


def _best_of_arcs(scored: ScoredBatch, decoder: str) -> list[FoundTree]:
    parts, scores, shape = scored.parts, scored.scores["arc"], scored.shape
    arcs, lengths = parts.arcs, parts.lengths
    decoded = scores
    note = note_on(int(lengths.max()), "mst", projective=shape.projective)  # such stand alone
    if note:
        decoder = "mst"
    if decoder == "mbr":
        beliefs, _ = arc_marginals(lengths, arcs, scores / scored.parser.arc_temperature, shape)
        decoded = only_allowed(beliefs, scores)
    heads = best_trees(lengths, arcs, decoded, shape)
    # An arc is in the tree if its modifier's head is its own.
    sentence_of = np.repeat(np.arange(len(lengths)), np.diff(arcs.offsets))
    first_words = np.concatenate([[0], np.cumsum(lengths)])
    chosen = heads[first_words[sentence_of] + arcs.rows[:, 1] - 1] == arcs.rows[:, 0]
    values: list[float] = np.bincount(
        sentence_of[chosen], weights=scores[chosen], minlength=len(lengths)
    ).tolist()
    # With minimum risk, the tree is the best of another kind.
    unproven = decoder == "mbr" or (note and shape.projective)
    unknown = Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0, note) if unproven else None
    return [
        FoundTree(own, value, unknown or Certificate(Status.OPTIMAL, value, 0.0, 1, 0.0, note))
        for own, value in zip(np.split(heads, first_words[1:-1]), values, strict=True)
    ]
