"""Documents of UIMA: sentences out of a CAS, suggestions into it, and what cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from turbotree.errors import InputError

cassis = pytest.importorskip("cassis")

from oracles.cas import (  # noqa: E402
    DEPENDENCY,
    LEMMA,
    MORPHOLOGY,
    POS,
    TOKEN,
    cas_of,
    draw,
    suggested,
    type_system,
)

from turbotree.integrations.cassis import CasDocument, Suggestion  # noqa: E402

BIRDS = [["Birds", "sing", "."], ["Go", "!"]]


def document_of(cas: Any) -> CasDocument:
    return CasDocument(cas.to_xmi(), cas.typesystem.to_xml())


def test_sentences_come_with_their_words_tags_and_relations() -> None:
    cas = cas_of(BIRDS, tags=[["NOUN", "VERB", "PUNCT"], ["", ""]])
    draw(cas, 1, 0, "nsubj")
    draw(cas, 1, 1, "root")
    birds, go = [one.sentence for one in document_of(cas).sentences(name="42-")]
    assert (birds.forms, birds.upos) == (("Birds", "sing", "."), ("NOUN", "VERB", "PUNCT"))
    assert (birds.heads, birds.labels) == ((2, 0, None), ("nsubj", "root", "_"))
    assert (go.forms, go.upos, go.heads) == (("Go", "!"), ("_", "_"), (None, None))
    assert [birds.sent_id, go.sent_id] == ["42-1", "42-2"]


def test_lemmas_features_and_tags_of_treebanks_are_read() -> None:
    cas = cas_of([["sang"]])
    (token,) = cas.select(TOKEN)
    types = cas.typesystem
    place = {"begin": token.begin, "end": token.end}
    token.lemma = types.get_type(LEMMA)(value="sing", **place)
    token.pos = types.get_type(POS)(PosValue="VBD", coarseValue="VERB", **place)
    token.morph = types.get_type(MORPHOLOGY)(value="Tense=Past|VerbForm=Fin", **place)
    cas.add_all([token.lemma, token.pos, token.morph])
    (word,) = document_of(cas).sentences()[0].sentence.words
    assert (word.lemma, word.upos, word.xpos) == ("sing", "VERB", "VBD")
    assert word.feats == "Tense=Past|VerbForm=Fin"


@pytest.mark.parametrize(
    "words",
    [
        ["😀", "dogs", "👩‍👩‍👧", "sleep"],
        ["𝔊𝔬", "a𐍈b", "!"],
        ["ראיתי", "את", "האיש", "😀", "."],
        ["رأيت", "الرجل", "بالتلسكوب"],
        ["e\u0301te\u0301", "नमस्ते", "\u200bx"],
    ],
)
def test_places_are_counted_in_units_of_utf_16(words: list[str]) -> None:
    cas = cas_of([words, words])
    document = document_of(cas)
    layer = document.layer(DEPENDENCY, "DependencyType")
    for sentence in document.sentences(layer):
        assert list(sentence.sentence.forms) == words
        own = [Suggestion(word, "dep", 0.5, "why", word - 1) for word in range(1, len(words) + 1)]
        document.suggest(layer, sentence, own)
    xmi = document.to_xmi()
    # As Java reads it: the text in UTF-16, places by its units.
    text = cas.sofa_string.encode("utf-16-le")
    from lxml import etree

    found = []
    for element in etree.fromstring(xmi.encode()):
        if element.tag.endswith("}Dependency"):
            begin, end = int(element.get("begin")), int(element.get("end"))
            found.append(text[2 * begin : 2 * end].decode("utf-16-le"))
    assert found == words + words
    again = suggested(xmi, cas.typesystem)
    assert [one.get_covered_text() for one in again] == words + words
    assert [one.Governor.get_covered_text() for one in again[: len(words)]] == [
        words[0],
        *words[:-1],
    ]


def test_an_offset_in_utf_16_becomes_a_character() -> None:
    document = document_of(cas_of([["a😀b", "c"]]))
    assert [document.python_offset(n) for n in (-1, 0, 1, 3, 4, 99)] == [0, 0, 1, 2, 3, 6]


def test_the_root_is_its_own_head_and_old_suggestions_go() -> None:
    cas = cas_of(BIRDS)
    document = document_of(cas)
    layer = document.layer(DEPENDENCY, "DependencyType")
    go = document.sentences(layer)[1]
    document.suggest(layer, go, [Suggestion(1, "root", 0.75, "sure", 0)])
    once = document.to_xmi()
    (root,) = suggested(once, cas.typesystem)
    assert root.Governor is root.Dependent
    assert (root.DependencyType, root.flavor) == ("root", "basic")
    assert (root.DependencyType_score, root.DependencyType_score_explanation) == (0.75, "sure")
    again = CasDocument(once, cas.typesystem.to_xml())
    assert again.sentences(layer)[1].sentence.heads == (None, None)
    again.clear(layer)
    assert suggested(again.to_xmi(), cas.typesystem) == []


def test_what_no_tree_can_hold_is_left_open() -> None:
    cas = cas_of([["a", "b", "c", "d"]])
    draw(cas, 1, 0, "x")
    draw(cas, 2, 1, "x")
    draw(cas, 0, 2, "x")  # closes a circle
    draw(cas, 0, 3, "x")
    draw(cas, 1, 3, "x")  # a second head
    (sentence,) = [one.sentence for one in document_of(cas).sentences()]
    assert sentence.heads == (2, 3, None, None)


def test_enhanced_relations_and_those_across_sentences_are_not_looked_at() -> None:
    cas = cas_of(BIRDS)
    draw(cas, 1, 0, "nsubj")
    draw(cas, 3, 0, "ref")
    cas.select(DEPENDENCY)[-1].flavor = "enhanced"
    draw(cas, 1, 4, "punct")
    birds, go = [one.sentence for one in document_of(cas).sentences()]
    assert (birds.heads, go.heads) == ((2, None, None), (None, None))


@pytest.mark.parametrize(
    ("name", "anchor"), [("custom.Relation", POS), ("custom.Any", "uima.tcas.Annotation")]
)
def test_relations_of_other_layers_connect_what_they_are_made_for(name: str, anchor: str) -> None:
    cas = cas_of([["Birds", "sing"]], tags=[["NOUN", ""]])
    document = document_of(cas)
    layer = document.layer(name, "label")
    assert layer.anchor == anchor
    (birds,) = document.sentences(layer)
    document.suggest(layer, birds, [Suggestion(1, "a", 1.0, "", 0), Suggestion(2, "b", 1.0, "", 1)])
    # "sing" has nothing that a relation could begin at.
    (one,) = suggested(document.to_xmi(), cas.typesystem, name)
    assert one.Dependent.type.name == POS
    assert one.label == "a"


@pytest.mark.filterwarnings("ignore:Not mapping")
def test_words_outside_sentences_and_without_letters_are_passed_over() -> None:
    cas = cas_of(BIRDS)
    kind = cas.typesystem.get_type(TOKEN)
    cas.add(kind(begin=5, end=6))  # the blank after "Birds"
    cas.add(kind(begin=3, end=3))
    cas.add(kind(begin=900, end=905))
    assert [one.sentence.forms for one in document_of(cas).sentences()] == [
        ("Birds", "sing", "."),
        ("Go", "!"),
    ]


def test_layers_that_are_not_there_are_named() -> None:
    document = document_of(cas_of(BIRDS))
    with pytest.raises(InputError, match=r"no layer 'a\.B'"):
        document.layer("a.B", "value")
    with pytest.raises(InputError, match="has no feature 'valu'"):
        document.layer(LEMMA, "valu")
    with pytest.raises(InputError, match="nothing is known about feature 'mood'"):
        document.layer("custom.Words", "mood")
    assert document.layer("custom.Words", "XPOS").column == "xpos"
    plain = document_of(cas_of(BIRDS, types=type_system(predicted=False)))
    with pytest.raises(InputError, match="no feature 'inception_internal_predicted'"):
        plain.layer(LEMMA, "value")


ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize(
    ("xmi", "message"),
    [
        ("", "is not XML"),
        ("not XML", "is not XML"),
        ("<a", "no CAS in XMI"),
        ("<a/>", "no CAS in XMI"),
        ('<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmi:version="2.0"/>', "no text"),
        (f'<?xml version="1.0"?>{ENTITY}<a>&e;</a>', "document type"),
        ("<\0?\0x\0", "is not XML"),
        ('<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE x+AD4-', "is not XML"),
        ("<a>\ud800</a>", "no CAS in XMI"),
    ],
)
def test_documents_that_cannot_be_read_are_one_error(xmi: str, message: str) -> None:
    types = type_system().to_xml()
    with pytest.raises(InputError, match=message) as caught:
        CasDocument(xmi, types)
    assert "\n" not in str(caught.value)


def test_a_type_that_the_type_system_lacks_is_one_error() -> None:
    with pytest.raises(InputError, match=r"no CAS in XMI: .*Sentence"):
        CasDocument(cas_of(BIRDS).to_xmi(), cassis.TypeSystem().to_xml())


@pytest.mark.parametrize("types", ["", "types", "<a", f"{ENTITY}<a/>"])
def test_type_systems_that_cannot_be_read_are_one_error(types: str) -> None:
    with pytest.raises(InputError, match="type system"):
        CasDocument(cas_of(BIRDS).to_xmi(), types)


def test_a_document_without_words_has_no_sentences_and_one_without_types_is_refused() -> None:
    empty = cassis.Cas(type_system())
    empty.sofa_string = "Birds sing."
    assert document_of(empty).sentences() == []
    bare = cassis.Cas(cassis.TypeSystem())
    bare.sofa_string = "Birds sing."
    with pytest.raises(InputError, match=r"type system has no '.*Sentence'"):
        document_of(bare).sentences()
