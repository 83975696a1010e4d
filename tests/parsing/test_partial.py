"""Training from trees that are known in part."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.part_cases import candidate_trees, cases

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.parsing import train_parser
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.decoding import decode, part_marginals
from turbotree.parsing.parts import MODELS, ScoredSentence
from turbotree.text import Sentence, treebank

QUICK = {"model": "arc", "epochs": 2, "pruner_epochs": 1}
MIXES = [("arc",), MODELS["standard"], MODELS["full"]]


def without_heads(sentence, keep):
    """Drop the heads and labels of the words that are not to keep them."""
    heads = [h if k else None for h, k in zip(sentence.heads, keep, strict=True)]
    labels = [label if k else "_" for label, k in zip(sentence.labels, keep, strict=True)]
    return sentence.replace(head=["_" if head is None else head for head in heads], deprel=labels)


def half_of(sentences, share, seed=0):
    rng = np.random.default_rng(seed)
    return [without_heads(s, rng.random(len(s)) < share) for s in sentences]


@pytest.mark.parametrize("families", MIXES, ids="+".join)
@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_arcs_of_score_minus_infinity_are_out_of_the_question(families, data):
    parts, scores = data.draw(cases(families=families))
    trees = candidate_trees(parts, 0, TreeShape())
    truth = data.draw(st.sampled_from(trees))
    known = data.draw(st.lists(st.booleans(), min_size=len(truth), max_size=len(truth)))
    rows = parts.arcs.rows
    contradicts = [known[m - 1] and truth[m - 1] != h for h, m in rows.tolist()]
    limited = {**scores, "arc": np.where(contradicts, -np.inf, scores["arc"])}
    allowed = [tree for tree in trees if all(tree[m] == truth[m] for m in np.flatnonzero(known))]
    worth = [
        ScoredSentence(parts, 0, scores).score(np.array(tree, dtype=np.int32)) for tree in allowed
    ]
    heads, score, _ = decode(ScoredSentence(parts, 0, limited, TreeShape()), "exact")
    assert score == pytest.approx(max(worth), abs=1e-6)
    assert tuple(heads.tolist()) in {tuple(tree) for tree in allowed}
    found = part_marginals(ScoredSentence(parts, 0, limited, TreeShape()), every_part=True)
    assert np.isfinite(found.log_partition)
    assert not found.arcs[contradicts].any()
    if families == ("arc",):
        assert found.log_partition == pytest.approx(
            math.log(sum(math.exp(w - max(worth)) for w in worth)) + max(worth), abs=1e-9
        )


@pytest.mark.parametrize(("model", "loss"), [("arc", "crf"), ("standard", "svm")])
def test_half_of_the_heads_teach_nearly_as_much_as_all(model, loss):
    train, test = list(treebank(120, seed=3)), list(treebank(40, seed=4))
    scores = []
    for sentences in (train, half_of(train, 0.5)):
        parser = train_parser(sentences, model=model, loss=loss, epochs=3, pruner_epochs=2)
        found = (parse.to_sentence() for parse in parser.pipe(test))
        scores.append(attachment_scores(test, found).uas)
    assert scores[1] > scores[0] - 10


def test_the_same_seed_gives_the_same_parser_with_any_number_of_threads(tmp_path):
    sentences = half_of(treebank(12, seed=1), 0.5)
    files = []
    for threads in (1, 3):
        train_parser(sentences, threads=threads, **QUICK).save(tmp_path / "model")
        files.append((tmp_path / "model").read_bytes())
    assert files[0] == files[1]


def test_the_record_counts_the_words_without_a_head():
    first, second, third = treebank(3, seed=1)
    sentences = [
        first,
        without_heads(second, [i == 0 for i in range(len(second))]),
        without_heads(third, [False] * len(third)),
    ]
    record = train_parser(sentences, **QUICK).record
    assert record["sentences"] == 2  # nothing is known of the third
    assert record["words without a head"] == len(second) - 1


def test_labels_of_words_without_a_head_are_not_learnt():
    known = Sentence.from_words(["a", "b"], heads=[2, 0], labels=["x", "root"])
    partial = Sentence.from_words(["a", "b"], heads=[None, 0], labels=["strange", "root"])
    parser = train_parser([known, partial], **QUICK)
    assert set(parser.labels.dictionary.names) == {"x", "root"}


def test_a_treebank_without_heads_is_refused():
    with pytest.raises(InputError, match="no word has a head"):
        train_parser(half_of(treebank(3, seed=1), 0.0), **QUICK)


def test_development_data_must_be_complete():
    sentences = list(treebank(3, seed=1))
    with pytest.raises(InputError, match="head missing"):
        train_parser(sentences, dev=half_of(sentences, 0.5), **QUICK)


def test_automata_alone_need_complete_trees():
    with pytest.raises(InputError, match="needs complete trees"):
        train_parser(half_of(treebank(3, seed=1), 0.5), model="standard", decoder="automata")


def test_known_heads_that_run_in_a_cycle_are_refused():
    sentence = Sentence.from_words(["a", "b", "c"], heads=[2, 1, None])
    with pytest.raises(InputError, match="cycle of heads"):
        train_parser([sentence], **QUICK)
