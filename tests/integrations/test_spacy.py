"""The component for spaCy."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from turbotree.errors import InputError
from turbotree.labeling import Tagger
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.text import treebank

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc  # noqa: E402

import turbotree.integrations.spacy  # noqa: E402, F401


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.safetensors"
    Parser.train(treebank(80, seed=1), model="arc", epochs=2, pruner_epochs=1).save(path)
    return path


@pytest.fixture(scope="module")
def sentences():
    return list(treebank(40, seed=2))


def doc_of(nlp, sentences):
    """The words of some sentences with their tags."""
    words = [form for s in sentences for form in s.forms]
    starts = [i == 0 for s in sentences for i in range(len(s))]
    doc = Doc(nlp.vocab, words=words, sent_starts=starts)
    tokens = iter(doc)
    for s in sentences:
        for lemma, upos, xpos, feats in zip(s.lemmas, s.upos, s.xpos, s.feats, strict=True):
            token = next(tokens)
            token.lemma_, token.pos_, token.tag_ = lemma, upos, xpos
            token.set_morph(feats if feats != "_" else "")
    return doc


def pipeline(model, **config):
    nlp = spacy.blank("en")
    nlp.add_pipe("turbotree", config={"model": str(model), **config})
    return nlp


def arcs(nlp, sentences):
    """What a pipeline finds in documents with tags."""
    return nlp(doc_of(nlp, sentences[:3])).to_array(["HEAD", "DEP"]).tolist()


def chances(nlp, words):
    """What a pipeline thinks of nouns; other processes run this."""
    doc = nlp(Doc(nlp.vocab, words=words, pos=["NOUN"] * len(words)))
    return [token._.head_probability for token in doc]


def heads_of(span):
    """Heads as turbotree counts them."""
    first = span[0].i
    return tuple(0 if t.head.i == t.i else t.head.i - first + 1 for t in span)


def test_documents_get_the_trees_of_the_parser(model, sentences):
    nlp, parser = pipeline(model), Parser.load(model)
    doc = nlp(doc_of(nlp, sentences))
    parses = parser.parse_batch(sentences)
    spans = list(doc.sents)
    assert [heads_of(span) for span in spans] == [parse.heads for parse in parses]
    for span, parse in zip(spans, parses, strict=True):
        expected = [
            "ROOT" if h == 0 else label for h, label in zip(parse.heads, parse.labels, strict=True)
        ]
        assert [token.dep_ for token in span] == expected


def test_crossing_arcs_survive(model):
    nlp, parser = pipeline(model), Parser.load(model)
    crossing = [
        parse
        for parse in parser.pipe(treebank(300, seed=5))
        if any(
            a < c < b < d
            for a, b in map(sorted, zip(parse.heads, range(1, 99), strict=False))
            for c, d in map(sorted, zip(parse.heads, range(1, 99), strict=False))
        )
    ][:5]
    assert crossing
    for parse in crossing:
        doc = nlp(doc_of(nlp, [parse.sentence]))
        assert heads_of(doc[:]) == parse.heads


def test_many_documents_and_threads_give_the_same(model, sentences):
    nlp = pipeline(model, threads=2)
    alone = [nlp(doc_of(nlp, [s])).to_array(["HEAD", "DEP"]).tolist() for s in sentences[:10]]
    piped = nlp.pipe([doc_of(nlp, [s]) for s in sentences[:10]], batch_size=4)
    assert [doc.to_array(["HEAD", "DEP"]).tolist() for doc in piped] == alone


def test_probabilities_come_along_if_asked_for(model, sentences):
    nlp = pipeline(model, marginals=True)
    doc = nlp(doc_of(nlp, sentences[:1]))
    expected = Parser.load(model).parse(sentences[0]).head_probabilities
    assert [t._.head_probability for t in doc] == pytest.approx(expected)


def test_what_is_saved_loads_where_the_model_is_not(model, sentences, tmp_path):
    moved = tmp_path / "moved.safetensors"
    moved.write_bytes(model.read_bytes())
    nlp = pipeline(moved)
    moved.unlink()
    nlp.to_disk(tmp_path / "saved")
    (tmp_path / "saved").rename(tmp_path / "elsewhere")
    again = spacy.load(tmp_path / "elsewhere")
    assert arcs(again, sentences) == arcs(nlp, sentences)


def test_bytes_carry_the_model(model, sentences):
    nlp, again = pipeline(model), spacy.blank("en")
    again.add_pipe("turbotree")
    again.from_bytes(nlp.to_bytes())
    assert arcs(again, sentences) == arcs(nlp, sentences)


def test_a_pickle_carries_the_model(model, sentences):
    nlp = pipeline(model, marginals=True)
    again = pickle.loads(pickle.dumps(nlp))
    assert arcs(again, sentences) == arcs(nlp, sentences)


def test_a_pickle_works_in_a_new_process(model):
    nlp = pipeline(model, marginals=True)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(chances, nlp, ["Dogs", "bark"]).result()
    assert found == chances(nlp, ["Dogs", "bark"])


def test_a_model_that_is_missing_is_named_when_it_is_needed(tmp_path):
    nlp = pipeline(tmp_path / "missing.safetensors")
    with pytest.raises(InputError, match=r"missing\.safetensors: no such file"):
        nlp("Birds sing")
    with pytest.raises(InputError, match=r"missing\.safetensors: no such file"):
        nlp.to_disk(tmp_path / "saved")
    with pytest.raises(InputError, match=r"missing\.safetensors: no such file"):
        nlp.to_bytes()


def test_a_component_without_a_model_is_saved_as_such(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("turbotree")
    nlp.to_disk(tmp_path / "saved")
    nlp.from_bytes(nlp.to_bytes())
    with pytest.raises(InputError, match="no model"):
        spacy.load(tmp_path / "saved")("Birds sing")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A pipeline of ours."""
    path = tmp_path_factory.mktemp("model") / "whole.safetensors"
    fast = {"fold_epochs": 1, "folds": 2, "token_epochs": 2, "tagger": {"epochs": 1}}
    fast["parser"] = {"model": "arc", "epochs": 1, "pruner_epochs": 1}
    Pipeline.train(treebank(60, seed=1), **fast).save(path)
    return path


TEXT = "The dogs slept. A girl sang."


def test_pipelines_tag_lemmatise_and_find_sentences(whole):
    nlp, own = pipeline(whole), Pipeline.load(whole)
    doc = nlp(TEXT)
    parses = own(TEXT)
    assert [[t.text for t in span] for span in doc.sents] == [
        list(p.sentence.forms) for p in parses
    ]
    for span, parse in zip(doc.sents, parses, strict=True):
        assert heads_of(span) == parse.heads
        for name, attribute in (("upos", "pos_"), ("xpos", "tag_"), ("lemma", "lemma_")):
            found = [getattr(token, attribute) or "_" for token in span]
            assert found == list(parse.sentence.column(name))
        assert [str(token.morph) or "_" for token in span] == list(parse.sentence.feats)


def test_sentences_that_are_known_are_kept(whole):
    nlp = pipeline(whole)
    words = TEXT.replace(".", " .").split()
    starts = [i in (0, 2) for i in range(len(words))]
    doc = nlp(Doc(nlp.vocab, words=words, sent_starts=starts))
    assert all(doc[i].head.i < 2 for i in range(2))
    assert all(doc[i].head.i >= 2 for i in range(2, len(words)))


def test_pipelines_may_keep_tags_and_be_saved(whole, tmp_path):
    nlp = pipeline(whole, options={"keep_tags": True})
    doc = nlp(Doc(nlp.vocab, words=["Dogs", "bark"], pos=["PROPN", "X"], lemmas=["Dog", "yap"]))
    assert [(t.pos_, t.lemma_) for t in doc] == [("PROPN", "Dog"), ("X", "yap")]
    nlp = pipeline(whole)
    nlp.to_disk(tmp_path / "saved")
    for again in (spacy.load(tmp_path / "saved"), pickle.loads(pickle.dumps(nlp))):
        assert again(TEXT).to_json() == nlp(TEXT).to_json()


def test_a_tagger_finds_no_trees(tmp_path):
    Tagger.train(treebank(20, seed=1), task="tag", epochs=1).save(tmp_path / "tagger")
    with pytest.raises(InputError, match="is a 'tagger' model, expected 'parser' or 'pipeline'"):
        pipeline(tmp_path / "tagger")("Birds sing")


def test_spaces_hang_from_the_word_before(model, sentences):
    nlp, sentence = pipeline(model), sentences[0]
    words = [sentence.forms[0], "\n", *sentence.forms[1:]]
    tags = [sentence.upos[0], "SPACE", *sentence.upos[1:]]
    doc = nlp(Doc(nlp.vocab, words=words, pos=tags))
    assert doc[1].head == doc[0]
    assert len(list(doc.sents)) == 1


def test_an_empty_document_stays_empty(model):
    nlp = pipeline(model)
    assert len(nlp(Doc(nlp.vocab))) == 0


def test_words_without_tags_are_refused(model):
    with pytest.raises(InputError, match="no tags"):
        pipeline(model)("Birds sing")


def test_a_component_without_a_model_says_so():
    nlp = spacy.blank("en")
    nlp.add_pipe("turbotree")
    with pytest.raises(InputError, match="no model"):
        nlp("Birds sing")
