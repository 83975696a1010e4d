"""The trees of a batch of sentences, whatever the decoder."""

from __future__ import annotations

import numpy as np

from turbotree.errors import InputError
from turbotree.graphs import Status
from turbotree.parsing.arcs import arc_marginals, best_trees, only_allowed
from turbotree.parsing.certificate import Certificate
from turbotree.parsing.decoding import SOLVERS, decode
from turbotree.parsing.scored import FoundTree, Scored

#: Decoders of arc-factored models; the first is what they use if nothing is said.
ARC_DECODERS = ("mst", "eisner", "mbr")
#: Decoders of all models; the first is what models with parts of higher order use.
GRAPH_DECODERS = (*SOLVERS, "bp")
DECODERS = (*ARC_DECODERS, *GRAPH_DECODERS)
#: Decoders whose every answer obeys what is said of spans; they are one and the same then.
DECODERS_OF_SPANS = ("mst", "eisner", "auto", "exact")


def best_trees_of(scored: Scored, decoder: str, decomposition: str) -> list[FoundTree]:
    """Return the tree of each sentence."""
    spans = scored.has_spans
    if spans and decoder not in DECODERS_OF_SPANS:
        raise InputError(
            f"decoder {decoder!r} cannot keep spans together; choose one of "
            + ", ".join(DECODERS_OF_SPANS)
        )
    if decoder in ARC_DECODERS and not spans:
        return _best_of_arcs(scored, decoder)
    temperature = scored.parser.arc_temperature if decoder == "bp" else 1.0
    found = []
    for sentence in range(len(scored.sentences)):
        own = {name: values / temperature for name, values in scored.scores_of(sentence).items()}
        amend = scored.amend(sentence)
        heads, score, certificate = decode(
            scored.parts,
            sentence,
            own,
            scored.shape,
            decoder if amend is None else "exact",
            decomposition=decomposition if amend is None else "structured",
            amend=amend,
        )
        found.append(FoundTree(heads, score * temperature, certificate))
    return found


def _best_of_arcs(scored: Scored, decoder: str) -> list[FoundTree]:
    parts, scores, shape = scored.parts, scored.scores["arc"], scored.shape
    arcs, lengths = parts.arcs, parts.lengths
    decoded = scores
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
    unknown = Certificate(Status.LIMIT, np.inf, np.inf, 0, 0.0) if decoder == "mbr" else None
    return [
        FoundTree(own, value, unknown or Certificate(Status.OPTIMAL, value, 0.0, 1, 0.0))
        for own, value in zip(np.split(heads, first_words[1:-1]), values, strict=True)
    ]
