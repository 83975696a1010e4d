"""Rules at parse time: obeyed or not, beside the integer program, accuracy, and time.

    python benchmarks/rules.py MODEL TREEBANK.conllu [--rules NAME ...] [--sentences N] [--ilp 100]

For each set of rules: how many trees break it without it and with it, the attachment scores, how
many trees are proven best, whether HiGHS finds the same score with every instance of the rules
written out (on random sentences, and on some that break the rules without them), and the CPU time
as a multiple of that without rules, measured by turns.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np

from turbotree.errors import InfeasibleError
from turbotree.evaluation import attachment_scores
from turbotree.graphs import Status
from turbotree.graphs.rules.circuit import Circuit
from turbotree.parsing import Parse, Parser, ParserRules, compile_rules, shipped_rules
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.rules.groundings import ArcWorld, LabelWorld, TreeWorld
from turbotree.parsing.rules.labelling import LabelGraph
from turbotree.parsing.rules.lazy_grounding import LazyRules, broken_rules
from turbotree.parsing.rules.words import Words
from turbotree.scoring import Batch
from turbotree.text import Sentence, read_conllu

#: Scores are equal if they differ by no more than this share.
_EQUAL = 1e-5


def breaking(rules: ParserRules, parses: Sequence[Parse]) -> int:
    """Count the parses that break a rule."""
    count = 0
    for parse in parses:
        world = TreeWorld(Words(parse.sentence), np.array(parse.heads), parse.labels)
        count += bool(broken_rules(rules.rules, world))
    return count


def agreeing(
    parser: Parser, rules: ParserRules, sentences: Sequence[Sentence], parses: Sequence[Parse]
) -> str:
    """Count the parses whose score is that of the integer program with every rule written out.

    Trees are compared where the candidate arcs have one that obeys, and if they were not replaced
    for the sake of their labels; labels given the tree.
    """
    same = compared = 0
    for sentence, parse in zip(sentences, parses, strict=True):
        try:
            exact = program_scores(parser, rules, sentence, parse)
        except InfeasibleError:
            continue
        compared += 1
        same += all(abs(a - b) <= _EQUAL * max(1.0, abs(a)) for a, b in exact)
    return f"{same:4} of {compared:4}"


def program_scores(
    parser: Parser, rules: ParserRules, sentence: Sentence, parse: Parse
) -> list[tuple[float, float]]:
    """Return the best score by HiGHS beside the parse's: of its tree, and of its labels."""
    words, names = Words(sentence), parser.labels.dictionary.names
    batch = Batch([sentence])
    arcs = parser.pruner.candidates(batch, shape=parser.shape)
    parts = PartSet.build(batch.lengths, arcs, parser.parts.families)
    scores = parser.parts.score(batch, parts)
    graph, circuit = ScoredSentence(parts, 0, scores, parser.shape).graph(), Circuit()
    world = ArcWorld(words, arcs.rows, graph, circuit)
    LazyRules(graph, circuit, world, rules.of_trees, "").add_whole(rules.of_trees)
    found = []
    if parse.certificate.status is Status.OPTIMAL:  # not taken for the sake of its labels
        found.append((graph.solve("linear_program", exact=True).value, parse.score))
    if rules.of_labels:
        heads = np.array(parse.heads, dtype=np.int32)
        written = LabelGraph(parser.labels.label(batch, heads), names)
        value = written.score(parse.labels)
        circuit = Circuit()
        labelled = LabelWorld(words, heads, written.states, circuit)
        LazyRules(written.graph, circuit, labelled, rules.of_labels, "").add_whole(rules.of_labels)
        found.append((written.graph.solve("linear_program", exact=True).value, value))
    return found


def times(
    parser: Parser, rules: ParserRules, sentences: Sequence[Sentence], rounds: int
) -> tuple[float, float]:
    """Return the least CPU seconds without and with rules, run by turns."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for place, options in enumerate(({}, {"rules": rules})):
            gc.collect()
            begin = process_time()
            for _parse in parser.pipe(sentences, **options):
                pass
            found[place].append(process_time() - begin)
    return min(found[0]), min(found[1])


def accuracy(gold: Sequence[Sentence], parses: Sequence[Parse]) -> str:
    """Lay out UAS and LAS."""
    scores = attachment_scores(gold, [parse.to_sentence() for parse in parses])
    return f"{scores.uas:6.2f} {scores.las:6.2f}"


def main() -> None:
    """Print one line for each set of rules."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("model", type=Path)
    arguments.add_argument("treebank", type=Path)
    arguments.add_argument("--rules", nargs="*", default=[*shipped_rules(), "one-root,one-subject"])
    arguments.add_argument("--sentences", type=int)
    arguments.add_argument("--ilp", type=int, default=100, help="sentences to hold against HiGHS")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    parser = Parser.load(chosen.model)
    gold = list(islice(read_conllu(chosen.treebank), chosen.sentences))
    plain = list(parser.pipe(gold))
    print(f"{len(gold)} sentences; without rules: UAS and LAS {accuracy(gold, plain)}")
    print(
        f"{'rules':24} broken before after   UAS    LAS   proven  HiGHS agrees: any, broken  time"
    )
    for name in chosen.rules:
        rules = compile_rules(name)
        parses = list(parser.pipe(gold, rules=rules))
        proven = sum(parse.certificate.status is Status.OPTIMAL for parse in parses)
        before, after = breaking(rules, plain), breaking(rules, parses)
        some = np.random.default_rng(chosen.seed).permutation(len(gold))[: chosen.ilp].tolist()
        worst = [i for i, parse in enumerate(plain) if breaking(rules, [parse])][: chosen.ilp]
        agreement = [
            agreeing(parser, rules, [gold[i] for i in those], [parses[i] for i in those])
            for those in (some, worst)
        ]
        without, with_rules = times(parser, rules, gold, chosen.rounds)
        print(
            f"{name:24} {before:13} {after:5} {accuracy(gold, parses)} {proven:8} "
            f"{agreement[0]} {agreement[1]} {with_rules / without:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
