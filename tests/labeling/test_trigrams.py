"""Labels that see the two before them."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from turbotree.chains import Transitions
from turbotree.errors import InputError
from turbotree.features import Encoder, Weights
from turbotree.labeling import Tagger, select_tagger
from turbotree.labeling.model import ChainModel
from turbotree.labeling.trigrams import TrigramModel, TrigramTask, seen_triples
from turbotree.learning import SelectionOptions
from turbotree.text import Sentence, column_layout

TEMPLATES = ["w.form", "prev", "prevprev", "prevprev w.form"]
LABELS = ["A", "B", "C"]


def rhythm(count: int, seed: int) -> list[Sentence]:
    """Words say nothing; a label is the sum of the two before it, so only trigrams can tell."""
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        row = rng.integers(3, size=2).tolist()
        while len(row) < 8:
            row.append((row[-1] + row[-2]) % 3)
        lines = [f"{'xyz'[x] if i < 2 else 'w'} {LABELS[x]}" for i, x in enumerate(row)]
        sentences.append(Sentence("\n".join([*lines, "", ""]), column_layout(("form", "tag"))))
    return sentences


def test_trigrams_learn_what_bigrams_cannot() -> None:
    train, test = rhythm(80, 1), rhythm(30, 2)

    def accuracy(tagger: Tagger) -> float:
        pairs = [
            (a, b)
            for sentence in test
            for a, b in zip(tagger.tag(sentence).labels, sentence.column("tag"), strict=True)
        ]
        return sum(a == b for a, b in pairs) / len(pairs)

    templates = {"chunk": ["w.form", "prev"]}
    options = {"task": "chunk", "templates": templates, "epochs": 10, "largest_step": 0.5}
    assert accuracy(Tagger.train(train, trigrams=True, **options)) == 1.0
    assert accuracy(Tagger.train(train, **options)) < 0.9


@pytest.mark.parametrize("words", [1, 2, 4])
def test_problems_are_those_of_enumeration(words: int) -> None:
    sentence = Sentence.from_words(list("abcd")[:words])
    encoder = Encoder.fit([sentence] * 2, ["form"], [])
    allowed = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    transitions = Transitions(allowed, starts=[1, 1, 0])
    seen = seen_triples([[0, 1, 1, 2], [1, 0, 0]])
    model = TrigramModel(TEMPLATES, LABELS, transitions, seen, encoder)
    gold = np.array([0, 1, 1, 2][:words], dtype=np.int32)
    task = TrigramTask(model, [encoder.encode([sentence])], [gold])
    problem = task.problem(0)
    rng = np.random.default_rng(words)
    scores = rng.normal(size=len(problem.gold))
    rows = [
        row
        for row in product(range(3), repeat=words)
        if row[0] < 2 and all(allowed[a, b] for a, b in pairwise(row))
    ]
    indicators = np.array([problem._indicator(np.array(row, dtype=np.int32)) for row in rows])
    values = indicators @ scores
    np.testing.assert_array_equal(problem.decode(scores), indicators[np.argmax(values)])
    found = problem.marginals(scores)
    shares = np.exp(values - np.logaddexp.reduce(values))
    np.testing.assert_allclose(found.probabilities, shares @ indicators, atol=1e-9)
    assert found.log_partition == pytest.approx(np.logaddexp.reduce(values))
    np.testing.assert_array_equal(problem.gold, problem._indicator(gold))
    # Labels and pairs always count; triples if they are among those seen, all of gold's here.
    assert problem.gold.sum() == words + 2 * (words - 1)
    assert problem.cost[problem.gold > 0].sum() == 0
    # Scores are sums of features: a step along a gradient changes them as it should.
    weights = Weights()
    gradient = problem.gradient(scores)
    weights.add(gradient, 0.5)
    assert problem.scores(weights) @ scores == pytest.approx(0.5 * gradient.squared_norm, rel=1e-5)


def test_a_model_of_trigrams_is_kept_in_a_file(
    training: list[Sentence], held_out: list[Sentence], tmp_path: Path
) -> None:
    tagger = Tagger.train(training, task="chunk", epochs=2, trigrams=True, dev=held_out)
    tagger.save(tmp_path / "model")
    again = Tagger.load(tmp_path / "model")
    for sentence, batched in zip(held_out, again.pipe(held_out, batch_size=7), strict=True):
        one = tagger.tag(sentence)
        assert one.labels == again.tag(sentence).labels == batched.labels
        best = again.k_best(sentence, 3)
        assert best[0].labels == one.labels
        assert best[0].score == pytest.approx(one.score)
        shares = one.distributions["chunk"]
        assert all(sum(word.values()) == pytest.approx(1.0) for word in shares)
        assert np.allclose(one.probabilities, [max(word.values()) for word in shares], atol=0.5)


def test_templates_of_trigrams_can_be_selected(training: list[Sentence]) -> None:
    how = SelectionOptions(epochs=1, rounds_between=20)
    (tagger,), _ = select_tagger(
        training, [4], selection=how, task="chunk", epochs=1, trigrams=True
    )
    model = tagger.stages[0].model
    assert isinstance(model, TrigramModel)
    assert {"prev", "prevprev"} <= set(model.templates)
    assert len(model.templates) == 6
    assert not isinstance(model.with_templates(model.templates[:1]), TrigramModel)


def test_mistakes_are_told() -> None:
    encoder = Encoder.fit([Sentence.from_words(["a"])], ["form"], [])
    transitions = Transitions([[1, 0], [1, 1]])
    with pytest.raises(InputError, match="no template of three labels"):
        TrigramModel(["w.form"], ["A", "B"], transitions, [], encoder)
    with pytest.raises(InputError, match="may not follow"):
        TrigramModel(["prevprev"], ["A", "B"], transitions, [[0, 0, 1]], encoder)
    assert isinstance(ChainModel(["w.form"], ["A", "B"], transitions, encoder), ChainModel)
