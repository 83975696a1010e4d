"""The best trees of a sentence that obey rules, each with its best labels that do."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter, thread_time

import numpy as np

from turbotree.errors import InfeasibleError
from turbotree.graphs import k_best
from turbotree.graphs.rules.syntax import Rule
from turbotree.parsing.decoding import Certificate, FoundTree, heads_of
from turbotree.parsing.decoding.k_best import diverse_solutions, search_options
from turbotree.parsing.parse import Parse
from turbotree.parsing.rules.compiled import ParserRules
from turbotree.parsing.rules.constrained_decoding import ConstrainedBatch, LabelledTree
from turbotree.parsing.rules.searching import RuledTrees
from turbotree.parsing.scored import ScoredBatch


def k_best_under_rules(
    scored: ScoredBatch, rules: ParserRules, decoder: str, k: int, diversity: int
) -> list[list[Parse]]:
    """Return the best parses of each sentence that obey rules, best trees first.

    Parameters are those of :meth:`turbotree.parsing.Parser.k_best_batch`. Where no tree of the
    candidate arcs obeys, the list has one tree, found among all arcs.
    """
    constrained = ConstrainedBatch(scored, rules, decoder)
    found = [
        _of_sentence(constrained, sentence, k, diversity)
        for sentence in range(len(scored.sentences))
    ]
    scored.ends["decoding"] = thread_time()
    trees = [[one.tree for one in own] for own in found]
    heads = np.concatenate([tree.heads for own in trees for tree in own])
    of_tree = [sentence for sentence, own in enumerate(trees) for _ in own]
    parser = scored.parser
    place = {name: number for number, name in enumerate(parser.labels.dictionary.names)}
    labels = [place[label] for own in found for one in own for label in one.labels]
    scores = parser.labels.label(
        scored.batch.repeated(of_tree), heads, scored.label_limits(of_tree, heads)
    )
    return scored.label(trees, (scores, np.array(labels, dtype=np.int32)))


def _of_sentence(
    constrained: ConstrainedBatch, sentence: int, k: int, diversity: int
) -> list[LabelledTree]:
    """Look for trees first, and for trees that can be labelled only if one of those cannot."""
    alone = constrained.alone(sentence)
    try:
        trees = _trees(constrained, sentence, k, diversity, ())
        return [constrained.labelled(sentence, alone, tree) for tree in trees]
    except InfeasibleError:
        pass
    try:
        trees = _trees(constrained, sentence, k, diversity, constrained.hard_label_rules())
    except InfeasibleError:
        trees = [constrained.search(sentence, None, joint=True)]
    return [constrained.labelled(sentence, alone, tree) for tree in trees]


def _trees(
    constrained: ConstrainedBatch,
    sentence: int,
    k: int,
    diversity: int,
    label_rules: Sequence[Rule],
) -> list[FoundTree]:
    """Return the best trees of the candidate arcs that obey.

    As long as one of the best trees breaks a rule, that rule is added and the search begun again:
    the best trees without some rules are the best with them if none of them breaks one.
    """
    started, scored = perf_counter(), constrained.scored.sentence(sentence)
    ruled = RuledTrees(
        constrained.words[sentence],
        scored,
        constrained.rules.of_trees,
        constrained.rules.source,
        label_rules=label_rules,
        labels_of=constrained.labels_of(sentence) if label_rules else None,
    )
    arcs, rounds = len(ruled.arcs), 0
    options = search_options(k, exact=constrained.decoder == "exact")
    while True:
        if diversity > 1:
            found = diverse_solutions(ruled.graph, arcs, k, diversity)
        else:
            found = k_best(ruled.graph, k, keys=arcs, same_size=True, **options)
        if not found:
            raise InfeasibleError("no tree was found that obeys the rules")
        rounds += max(solution.iterations for solution in found)
        heads = [heads_of(scored, solution) for solution in found]
        added = [ruled.add_broken_by(own) for own in heads]
        if not any(added):
            break
    seconds = perf_counter() - started
    return [
        FoundTree(
            own,
            solution.value + ruled.constant,
            Certificate(
                solution.status,
                solution.upper_bound + ruled.constant,
                solution.gap,
                rounds,
                seconds,
            ),
        )
        for own, solution in zip(heads, found, strict=True)
    ]
