"""The component for spaCy."""

from __future__ import annotations

import pytest

from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.text import treebank

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc  # noqa: E402

import turbotree.integrations.spacy  # noqa: E402, F401


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.safetensors"
    Parser.train(treebank(80, seed=1), epochs=2, pruner_epochs=1).save(path)
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


def test_a_pipeline_goes_to_disk_and_back(model, sentences, tmp_path):
    nlp = pipeline(model)
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved", config={"components": {"turbotree": {"model": None}}})
    docs = [each(doc_of(each, sentences[:3])) for each in (nlp, again)]
    assert docs[0].to_array(["HEAD"]).tolist() == docs[1].to_array(["HEAD"]).tolist()


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
