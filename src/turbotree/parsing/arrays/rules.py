"""Rules for trees from scores of your own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turbotree.errors import InfeasibleError, InputError
from turbotree.parsing.decoding.certificate import FoundTree
from turbotree.parsing.parts import ScoredSentence
from turbotree.parsing.rules.compiled import ParserRules, RulesLike, compile_rules
from turbotree.parsing.rules.groundings import TreeWorld
from turbotree.parsing.rules.lazy_grounding import broken_rules, rewards
from turbotree.parsing.rules.searching import search_tree
from turbotree.parsing.rules.words import Words
from turbotree.text import Sentence, as_sentence


@dataclass(frozen=True)
class ArrayRules:
    """Rules with the words of each sentence that they are about."""

    rules: ParserRules
    words: list[Words]

    @classmethod
    def of(
        cls, rules: RulesLike, sentences: Sentence | Sequence[Sentence] | None, sizes: Sequence[int]
    ) -> ArrayRules:
        """Compile rules, and see that the sentences are as long as their scores say."""
        compiled = compile_rules(rules)
        if compiled.of_labels:
            raise InputError(
                f"rule {compiled.of_labels[0].name!r} speaks of labels, which have no names here; "
                "a parser can obey it"
            )
        if sentences is None:
            given = [Sentence.from_words(["_"] * size) if size else None for size in sizes]
        else:
            given = [sentences] if isinstance(sentences, Sentence) else list(sentences)
        if len(given) != len(sizes):
            raise InputError(f"{len(given)} sentences for the scores of {len(sizes)}")
        words = []
        for number, (sentence, size) in enumerate(zip(given, sizes, strict=True)):
            if sentence is None:
                raise InputError(f"sentence {number} has no words; rules need some")
            words.append(Words(as_sentence(sentence)))
            if words[-1].size != size:
                raise InputError(
                    f"sentence {number} has {words[-1].size} words, but scores of {size}"
                )
        return cls(compiled, words)

    def obey(
        self,
        item: int,
        heads: Any,
        scored: ScoredSentence,
        decoder: str,
    ) -> FoundTree | None:
        """Return the best tree that obeys the rules; None if the one that is given does."""
        rules, words = self.rules.of_trees, self.words[item]
        first = np.asarray(heads, dtype=np.int32)
        if not rewards(rules) and not broken_rules(rules, TreeWorld(words, first)):
            return None
        try:
            return search_tree(
                words, scored, rules, self.rules.source, decoder=decoder, first=first
            )
        except InfeasibleError:
            raise InfeasibleError(
                f"sentence {item}: no tree of arcs that are not forbidden obeys the rules"
            ) from None
