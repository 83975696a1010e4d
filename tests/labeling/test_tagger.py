"""Taggers: labels, probabilities, k best, threads, files."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from turbotree.errors import InputError, ModelFileError
from turbotree.evaluation import span_scores
from turbotree.labeling import Tagger, convert
from turbotree.labeling.answers import ChainAnswer, answer
from turbotree.modelfile import read_model, write_model
from turbotree.parsing import Parser
from turbotree.scoring import Batch
from turbotree.text import Sentence, column_layout, read_columns, treebank, write_sentences


def scored_labellings(tagger: Tagger, sentence: Sentence) -> dict[tuple[str, ...], float]:
    """Enumerate what spans allow, each with the sum of its scores."""
    stage = tagger.stages[0]
    found = answer(stage.model, Batch([sentence]))
    assert isinstance(found, ChainAnswer)
    names, transitions = stage.model.labels, found.model.transitions
    nodes, edges = found.of_sentence(0)
    nodes = nodes.reshape(len(sentence), -1)
    edges = edges.reshape(len(sentence) - 1, -1)
    scored = {}
    for row in itertools.product(range(len(names)), repeat=len(sentence)):
        tags = [names[x] for x in row]
        if convert(tags, "bioes") != tags:
            continue
        score = sum(nodes[i, x] for i, x in enumerate(row))
        steps = enumerate(itertools.pairwise(row))
        score += sum(edges[i, transitions.places[a, b]] for i, (a, b) in steps)
        scored[tuple(convert(tags, "bio"))] = float(score)
    return scored


@pytest.fixture(scope="module")
def short() -> Sentence:
    return Sentence("the DT x\ndog NN x\nis VB x\n\n", column_layout())


def test_a_small_language_is_learned(tagger: Tagger, held_out: list[Sentence]) -> None:
    taggings = [tagger.tag(sentence) for sentence in held_out]
    gold = [sentence.column("chunk") for sentence in held_out]
    assert span_scores(gold, [tagging.labels for tagging in taggings]).f1 > 95.0
    assert tagger.record["stages"]["chunk"][-1]["scores"]["dev F1"] > 95.0


def test_the_labels_are_the_best_of_all_that_spans_allow(tagger: Tagger, short: Sentence) -> None:
    scored = scored_labellings(tagger, short)
    tagging = tagger.tag(short)
    best = max(scored, key=scored.__getitem__)
    assert tagging.labels == best
    assert tagging.score == pytest.approx(scored[best])


def test_k_best_are_the_first_of_all(tagger: Tagger, short: Sentence) -> None:
    scored = scored_labellings(tagger, short)
    found = tagger.k_best(short, 5)
    expected = sorted(scored.values(), reverse=True)[:5]
    assert [one.score for one in found] == pytest.approx(expected)
    assert [scored[one.labels] for one in found] == pytest.approx(expected)


def test_probabilities_are_shares_of_all_labellings(tagger: Tagger, short: Sentence) -> None:
    temperature = tagger.stages[0].temperature
    weights = {
        labels: math.exp(score / temperature)
        for labels, score in scored_labellings(tagger, short).items()
    }
    total = math.fsum(weights.values())
    tagging = tagger.tag(short)
    assert tagging.probability == pytest.approx(weights[tagging.labels] / total)
    for word, distribution in enumerate(tagging.distributions["chunk"]):
        for name, probability in distribution.items():
            share = math.fsum(w for labels, w in weights.items() if labels[word] == name) / total
            assert probability == pytest.approx(share, abs=1e-9)
    assert tagging.probabilities == tuple(
        pytest.approx(row[label])
        for row, label in zip(tagging.distributions["chunk"], tagging.labels, strict=True)
    )


def test_one_word_is_a_sentence_too(tagger: Tagger) -> None:
    tagging = tagger.tag(Sentence("dog NN _\n\n", column_layout()))
    assert tagging.labels == ("B-NP",)
    assert 0.0 < tagging.probabilities[0] <= 1.0


def test_batches_and_threads_change_nothing(tagger: Tagger, held_out: list[Sentence]) -> None:
    one_by_one = [tagger.tag(sentence) for sentence in held_out]
    for options in ({}, {"threads": 2, "batch_size": 3}):
        together = list(tagger.pipe(held_out, **options))
        assert [t.labels for t in together] == [t.labels for t in one_by_one]
        assert [t.score for t in together] == [t.score for t in one_by_one]
        for a, b in zip(together, one_by_one, strict=True):
            assert a.probabilities == pytest.approx(b.probabilities)


def test_a_tagged_sentence_keeps_everything_else(tagger: Tagger, tmp_path: Path) -> None:
    text = "-DOCSTART- -X- O\n\nthe DT O\n\tdog  NN\tO\n\n\nis VB O\n"
    path = tmp_path / "odd.txt"
    path.write_text(text)
    names = ("form", "xpos", "chunk")
    tagged = [t.to_sentence() for t in tagger.pipe(read_columns(path, names, None))]
    written = tmp_path / "tagged.txt"
    write_sentences(tagged, written)
    assert written.read_text() == text.replace("DT O", "DT B-NP").replace(
        "NN\tO", "NN\tI-NP"
    ).replace("VB O", "VB B-VP")


def test_a_column_that_is_lacking_is_added(tagger: Tagger) -> None:
    unlabelled = Sentence("the DT\ndog NN\n\n", column_layout(("form", "xpos")))
    assert tagger.tag(unlabelled).to_sentence().to_text() == "the DT B-NP\ndog NN I-NP\n\n"
    tree = Sentence.from_words(["the", "dog"], xpos=["DT", "NN"], misc=["_", "SpaceAfter=No"])
    misc = tagger.tag(tree).to_sentence().column("misc")
    assert misc == ("Chunk=B-NP", "SpaceAfter=No|Chunk=I-NP")


@pytest.mark.parametrize("outer", ["iob1", "bio", "bioes", "bilou"])
@pytest.mark.parametrize("inner", ["bio", "bioes"])
def test_labels_come_out_as_the_training_data_write_them(
    training: list[Sentence], held_out: list[Sentence], outer: str, inner: str
) -> None:
    def rewritten(sentences: list[Sentence]) -> list[Sentence]:
        return [s.replace(chunk=convert(s.column("chunk"), outer)) for s in sentences]

    tagger = Tagger.train(rewritten(training), task="chunk", scheme=inner, epochs=2)
    stage = tagger.stages[0]
    assert (stage.scheme, stage.outer_scheme) == (inner, outer)
    right = 0
    for sentence in rewritten(held_out):
        labels = tagger.tag(sentence).labels
        assert convert(labels, outer) == list(labels)
        right += labels == sentence.column("chunk")
    assert right > len(held_out) // 2


def test_a_saved_tagger_is_the_same_tagger(
    tagger: Tagger, held_out: list[Sentence], tmp_path: Path
) -> None:
    path = tmp_path / "chunks.safetensors"
    tagger.save(path)
    loaded = Tagger.load(path)
    assert read_model(path).kind == "tagger"
    assert loaded.record == tagger.record
    assert loaded.features == tagger.features > 0
    for a, b in zip(loaded.pipe(held_out), tagger.pipe(held_out), strict=True):
        assert (a.labels, a.score, a.probabilities) == (b.labels, b.score, b.probabilities)
    again = tmp_path / "again.safetensors"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_a_model_of_another_kind_is_refused(tagger: Tagger, tmp_path: Path) -> None:
    path = tmp_path / "chunks.safetensors"
    tagger.save(path)
    with pytest.raises(ModelFileError, match="is a 'tagger' model, expected 'parser'"):
        Parser.load(path)
    file = read_model(path)
    for change in (
        {"stages": []},
        {"stages": [{**file.header["stages"][0], "temperature": 0}]},
        {"stages": [{**file.header["stages"][0], "scheme": "iob1"}]},
        {"stages": [{**file.header["stages"][0], "labels": []}]},
        {"encoder": None},
    ):
        other = tmp_path / "other.safetensors"
        write_model(other, file.arrays, {**file.header, **change}, kind="tagger")
        with pytest.raises(ModelFileError, match="not a usable tagger"):
            Tagger.load(other)


def test_tags_and_bundles_are_found_together() -> None:
    tagger = Tagger.train(treebank(150, seed=1), dev=treebank(10, seed=2), task="tag", epochs=3)
    sentences = list(treebank(20, seed=3))
    seen = {
        (tag, feats)
        for sentence in treebank(150, seed=1)
        for tag, feats in zip(sentence.upos, sentence.feats, strict=True)
    }
    right = words = 0
    for sentence, tagging in zip(sentences, tagger.pipe(sentences), strict=True):
        assert list(tagging.columns) == ["upos", "xpos", "feats"]
        pairs = set(zip(tagging.columns["upos"], tagging.columns["feats"], strict=True))
        assert pairs <= seen  # a bundle goes with its part of speech
        for distribution in tagging.distributions["feats"]:
            assert sum(distribution.values()) == pytest.approx(1.0)
        tagged = tagging.to_sentence()
        assert (tagged.forms, tagged.heads) == (sentence.forms, sentence.heads)
        right += sum(map(str.__eq__, tagged.upos, sentence.upos))
        words += len(sentence)
    assert right / words > 0.85


def test_what_a_sentence_already_says_is_not_looked_at() -> None:
    tagger = Tagger.train(treebank(30, seed=1), task="tag", epochs=1)
    sentence = next(treebank(1, seed=3))
    blank = Sentence.from_words(sentence.forms)
    assert tagger.tag(blank).columns == tagger.tag(sentence).columns


def test_odd_arguments_are_refused(tagger: Tagger, short: Sentence) -> None:
    with pytest.raises(InputError, match="expected a Sentence, got str"):
        tagger.tag("the dog")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="k is 0"):
        tagger.k_best(short, 0)
    with pytest.raises(InputError, match="threads is 0"):
        tagger.pipe([short], threads=0)
    with pytest.raises(InputError, match="batch size is 0"):
        tagger.pipe([short], batch_size=0)
    assert tagger.tag_batch([]) == []


def test_many_labels_choose_by_themselves() -> None:
    layout = column_layout(("form", "lemma"))
    words = [f"w{i}s" for i in range(70)]
    sentences = [Sentence(f"{word} {word[:-1]}\n\n", layout) for word in words] * 2
    tagger = Tagger.train(sentences, task="tag", epochs=5)
    assert [tagger.tag(s).labels for s in sentences[:70]] == [(word[:-1],) for word in words]
    with pytest.raises(InputError, match="no k best"):
        tagger.k_best(sentences[0], 2)
    assert np.isfinite(tagger.tag(sentences[0]).probability)
