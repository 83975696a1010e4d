"""What is written passes the validator of Universal Dependencies, up to level 2."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.level_two import problems_of

import turbotree as tt
from turbotree.pipeline import Pipeline
from turbotree.pipeline.lemmatizer import Lemmatizer
from turbotree.text import Sentence, treebank

TEXT = (
    "The dogs   slept. A girl,\nwho sang\tsongs, saw them!\n \nDon't they? 10 000 x_y _ # e\u0301 "
    "\u00a0a\u2028b\x1cc \u200b \U0001f642\U0001f642 (http://a.b/c?d=e&f=g)...\n\n\n  ok"
)


def written(parses) -> str:
    return "".join(parse.to_sentence().to_text() for parse in parses)


@pytest.fixture(scope="module")
def contracting(tmp_path_factory, quick) -> Pipeline:
    """A pipeline of a language that writes "to the" as "tothe", and ends sentences so, too."""
    lines = []
    for number in range(60):
        lines.append(f"# sent_id = {number}\n# text = go{number % 5} tothe dog{number % 7}.")
        words = [
            ("1", f"go{number % 5}", "VERB", 0, "root", "_"),
            ("2-3", "tothe", "_", "_", "_", "_"),
            ("2", "to", "ADP", 4, "case", "_"),
            ("3", "the", "DET", 4, "det", "_"),
            ("4", f"dog{number % 7}", "NOUN", 1, "obl", "SpaceAfter=No"),
            ("5", ".", "PUNCT", 1, "punct", "_"),
        ]
        for own, form, tag, head, label, misc in words:
            lemma = "_" if "-" in own else form
            lines.append(f"{own}\t{form}\t{lemma}\t{tag}\t_\t_\t{head}\t{label}\t_\t{misc}")
        lines.append("")
    file = tmp_path_factory.mktemp("contracting") / "train.conllu"
    file.write_text("\n".join([*lines, ""]))
    assert problems_of(file.read_text()) == []
    return Pipeline.train(file, **quick)


def test_the_training_data_pass():
    assert problems_of("".join(s.to_text() for s in treebank(50, seed=1))) == []


def test_text_passes(nlp):
    assert problems_of(written(nlp(TEXT))) == []


def test_multiword_tokens_pass(contracting):
    text = written(contracting("go1 tothe dog2. go3 tothe dog1. tothe tothe. go1 tothe\n\ntothe"))
    assert "2-3\ttothe" in text
    assert problems_of(text) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(max_size=60), name=st.none() | st.text(min_size=1, max_size=6))
def test_any_text_passes(nlp, text, name):
    text = text.encode(errors="ignore").decode()
    assert problems_of(written(nlp(text, name=name))) == []


def test_what_the_bundled_model_writes_passes():
    assert problems_of(written(tt.load("en")(TEXT))) == []


def test_names_of_documents_become_names_of_sentences(nlp):
    first, *_ = nlp("Dogs slept.", name="my files/one two.txt")
    assert first.sentence.sent_id == "my_files_one_two.txt-1"
    assert "newdoc id = my files/one two.txt" in first.sentence.comments
    both = written(nlp(TEXT, name="a")) + written(nlp(TEXT, name="b"))
    assert problems_of(both) == []


def test_lemmas_have_no_spaces_around_them(nlp, monkeypatch):
    monkeypatch.setattr(Lemmatizer, "_scripts", lambda _, words: ["keep\t0\t\t1\t"] * len(words))
    spaced = Sentence.from_words(["a s", "1 000s", "b"], upos=["X", "NUM", "X"])
    assert Lemmatizer(nlp.lemmatizer.model, {}).lemmas(spaced) == ["a", "1 000", "b"]


ENHANCED = """\
# sent_id = e1
# text = Let's go home
1-2\tLet's\t_\t_\t_\t_\t_\t_\t_\t_
1\tLet\tlet\tVERB\tVB\t_\t0\troot\t0:root\t_
2\t's\twe\tPRON\tPRP\t_\t1\tobj\t1:obj|3:nsubj:xsubj\t_
3\tgo\tgo\tVERB\tVB\t_\t1\txcomp\t1:xcomp\t_
3.1\tto\tto\tADP\tIN\t_\t_\t_\t4:case\t_
4\thome\thome\tNOUN\tNN\t_\t3\tobl\t3:obl\t_

"""


def test_what_is_parsed_again_keeps_what_it_has_beside_the_tree(nlp):
    assert problems_of(ENHANCED) == []
    sentence = Sentence(ENHANCED)
    for parse in (nlp.parser.parse(sentence), nlp.annotate([sentence])[0]):
        text = parse.to_sentence().to_text()
        assert problems_of(text) == []
        columns = [line.split("\t") for line in text.splitlines() if "\t" in line]
        old = [line.split("\t") for line in ENHANCED.splitlines() if "\t" in line]
        assert [(c[0], c[1], c[8], c[9]) for c in columns] == [
            (c[0], c[1], c[8], c[9]) for c in old
        ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("4\thome", "5\thome", "word 5 where 4"),
        ("\thome\thome", "\t\thome", "FORM is empty"),
        ("3\tobl\t3:obl", "4\tobl\t3:obl", "HEAD 4"),
        ("3\tobl\t3:obl", "9\tobl\t3:obl", "HEAD 9"),
        ("3\tobl\t3:obl", "3\troot\t3:obl", "root under 3"),
        ("0\troot\t0", "0\tobj\t0", "obj under 0"),
        ("3\tobl\t3:obl", "3\t_\t3:obl", "DEPREL '_'"),
        ("3\tobl\t3:obl", "0\troot\t3:obl", "2 roots"),
        ("1\txcomp", "4\txcomp", "does not hang from the root"),
        ("1:obj|3:nsubj:xsubj", "3:nsubj:xsubj|1:obj", "DEPS are not sorted"),
        ("1-2\t", "1-5\t", "range 1-5"),
        ("Let's go", "Lets go", "tokens spell"),
        ("# sent_id = e1", "# sent_id = e 1", "sent_id"),
        ("\tVERB\tVB\t_\t1\t", "\tverb\tVB\t_\t1\t", "UPOS verb"),
    ],
)
def test_the_oracle_sees_what_is_wrong(old, new, said):
    assert ENHANCED.count(old) == 1
    found = problems_of(ENHANCED.replace(old, new))
    assert any(said in problem for problem in found), found
    assert any("again" in problem for problem in problems_of(ENHANCED * 2))
