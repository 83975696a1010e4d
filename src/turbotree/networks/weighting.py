"""How much a network counts beside sparse features: chosen by what is right most often."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from turbotree.text import Sentence

#: What the network's log-probabilities may be multiplied by. Little depends on it, so few will do.
WEIGHTS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
#: Where there is nothing to fit it on.
USUAL_WEIGHT = 0.7

_LEAST_TO_HOLD_OUT, _MOST_HELD_OUT = 100, 200


def best_weight(right: Callable[[float], float]) -> float:
    """Return the weight that is right most often; of several, that nearest to the usual one.

    >>> best_weight(lambda weight: -abs(weight - 1.4)), best_weight(lambda weight: 0.0)
    (1.5, 0.7)
    """
    return max(WEIGHTS, key=lambda weight: (right(weight), -abs(weight - USUAL_WEIGHT)))


def held_out(
    sentences: list[Sentence], usable: Sequence[int] | None = None
) -> tuple[list[Sentence], list[Sentence]]:
    """Part every tenth sentence, 200 at most, from the others; nothing of a small corpus.

    Parameters
    ----------
    sentences
        All there are to learn from.
    usable
        The numbers of those that may be taken; all, if nothing is said.

    >>> many = [Sentence.from_words(["Go"])] * 100
    >>> [len(part) for part in held_out(many)], [len(part) for part in held_out(many[:50])]
    ([90, 10], [50, 0])
    """
    numbers = range(len(sentences)) if usable is None else usable
    if len(numbers) < _LEAST_TO_HOLD_OUT:
        return sentences, []
    every = max(10, -(-len(numbers) // _MOST_HELD_OUT))
    chosen = set(numbers[::every])
    rest = [sentence for i, sentence in enumerate(sentences) if i not in chosen]
    return rest, [sentences[i] for i in sorted(chosen)]
