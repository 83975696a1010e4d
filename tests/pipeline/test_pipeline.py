"""A pipeline: text or sentences in, trees out, the same from a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import turbotree as tt
from turbotree.errors import InputError, ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.pipeline import Pipeline
from turbotree.text import Sentence, treebank
from turbotree.text.surface import raw_text

TEXT = "The dogs slept. Did a girl see them?\n\nNo."


def written(parses: list[tt.Parse]) -> str:
    return "".join(parse.to_sentence().to_text() for parse in parses)


def test_every_column_is_filled(nlp: Pipeline) -> None:
    parses = nlp(TEXT)
    assert [parse.sentence.text for parse in parses][-1] == "No."
    for parse in parses:
        sentence = parse.to_sentence()
        tt.text.check_tree(sentence)
        for name in ("lemma", "upos", "xpos", "deprel"):
            assert "_" not in sentence.column(name)


def test_a_file_holds_everything(nlp: Pipeline, tmp_path: Path) -> None:
    path = tmp_path / "all.safetensors"
    nlp.save(path)
    loaded = tt.load(path)
    assert isinstance(loaded, Pipeline)
    assert written(loaded(TEXT)) == written(nlp(TEXT))
    again = tmp_path / "again.safetensors"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_training_twice_gives_the_same_bytes(
    sentences: list[Sentence], quick: dict[str, Any], tmp_path: Path
) -> None:
    for name, threads in (("one", 1), ("two", 2)):
        Pipeline.train(sentences[:30], threads=threads, **quick).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_training_goes_on_from_a_checkpoint(
    sentences: list[Sentence], quick: dict[str, Any], tmp_path: Path
) -> None:
    some, folder = sentences[:30], tmp_path / "state"
    whole = Pipeline.train(some, **quick)
    Pipeline.train(some, checkpoint=folder, **quick)
    (folder / "parser" / "parts.checkpoint").unlink()
    resumed = Pipeline.train(some, checkpoint=folder, resume=True, **quick)
    whole.save(tmp_path / "whole")
    resumed.save(tmp_path / "resumed")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


@pytest.mark.parametrize("threads", [1, 3])
def test_texts_come_in_order(nlp: Pipeline, threads: int) -> None:
    texts = [f"{TEXT} The man saw {i} dogs." for i in range(8)]
    found = nlp.pipe(iter(texts), threads=threads)
    assert [written(parses) for parses in found] == [written(nlp(text)) for text in texts]


def test_known_words_are_kept_and_tags_replaced(nlp: Pipeline) -> None:
    gold = list(treebank(5, seed=4))
    wrong = [s.replace(upos=["X"] * len(s), lemma=["wrong"] * len(s)) for s in gold]
    found = [parse.to_sentence() for parse in nlp.annotate(wrong)]
    assert [s.forms for s in found] == [s.forms for s in gold]
    assert [s.comments for s in found] == [s.comments for s in gold]
    assert not any("X" in s.upos or "wrong" in s.lemmas for s in found)
    assert written(nlp.annotate(gold)) == written(nlp.annotate(wrong))
    assert written(list(nlp.annotate_stream(gold, threads=2))) == written(nlp.annotate(gold))


def test_given_tags_may_stay(nlp: Pipeline) -> None:
    gold = list(treebank(5, seed=4))
    found = nlp.annotate(gold, keep_tags=True)
    assert [parse.sentence for parse in found] == gold
    assert written(found) == written([nlp.parser.parse(s) for s in gold])


def test_empty_input_gives_nothing(nlp: Pipeline) -> None:
    assert nlp("") == nlp(" \n\n") == nlp.annotate([]) == list(nlp.pipe([])) == []


def test_what_is_no_text_is_refused(nlp: Pipeline) -> None:
    with pytest.raises(InputError, match="expected a text, got bytes"):
        nlp(b"dogs")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads is 0"):
        nlp.pipe([], threads=0)


def test_treebanks_may_lack_spaces_tags_and_lemmas(quick: dict[str, Any]) -> None:
    bare = [
        s.replace(**{name: ["_"] * len(s) for name in ("lemma", "xpos", "feats", "misc")})
        for s in treebank(30, seed=1)
    ]
    nlp = Pipeline.train(bare, **quick)
    assert nlp.tokenizer is None
    assert nlp.lemmatizer is None
    assert nlp.annotate(bare[:2])[0].sentence.lemmas == bare[0].lemmas
    # What the treebank has none of is not learnt, and no score of it is reported.
    assert [stage.column for stage in nlp.tagger.stages] == ["upos"]
    assert set(nlp.record["jackknife"]) == {"upos"}
    with pytest.raises(InputError, match="no tokenizer"):
        nlp("The dogs slept.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds is 1; expected a whole number from 2"),
        ({"bits": 8, "parser": {"model": "arc"}}, "bits is 8"),
        ({"unit": "bytes"}, "unknown unit 'bytes'"),
        ({"parser": {"bits": 16}}, "parser: bits is the same for the whole pipeline"),
        ({"parser": {"epochs": 0}}, "epochs is 0"),
        ({"tagger": {"colour": 1}}, "colour"),
        ({"colour": 1}, "train.*colour"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pipeline.train(treebank(3), **options)


def test_other_kinds_of_files_are_refused(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.parser.save(tmp_path / "parser")
    with pytest.raises(ModelFileError, match="is a 'parser' model, expected 'pipeline'"):
        Pipeline.load(tmp_path / "parser")
    assert isinstance(tt.load(tmp_path / "parser"), tt.Parser)
    write_model(tmp_path / "odd", {}, {}, kind="odd")
    with pytest.raises(ModelFileError, match="is a 'odd' model"):
        tt.load(tmp_path / "odd")


@pytest.mark.parametrize("component", ["tokenizer", "tagger", "lemmatizer", "parser"])
def test_files_that_make_no_sense_are_refused(
    nlp: Pipeline, tmp_path: Path, component: str
) -> None:
    nlp.save(tmp_path / "whole")
    file = read_model(tmp_path / "whole")
    header = {**file.header, component: {}}
    write_model(tmp_path / "broken", file.arrays, header, kind="pipeline")
    with pytest.raises(ModelFileError, match="broken"):
        Pipeline.load(tmp_path / "broken")


def test_sixteen_bits_say_the_same(sentences: list[Sentence], quick: dict[str, Any]) -> None:
    wide, narrow = (Pipeline.train(sentences[:40], bits=bits, **quick) for bits in (32, 16))
    text = raw_text(sentences[40:])
    one, other = wide(text), narrow(text)
    assert [p.sentence.forms for p in one] == [p.sentence.forms for p in other]
    same = sum(
        a == b
        for p, q in zip(one, other, strict=True)
        for a, b in zip(p.heads, q.heads, strict=True)
    )
    assert same / sum(len(p.heads) for p in one) > 0.98


ODD = [5, 1.5, None, b"ab", [], ["a"], {}, [None], [b"a"], object()]


@pytest.mark.parametrize("given", [*ODD, "text"])
def test_what_is_no_sentence_is_refused_in_one_line(nlp: Pipeline, given: Any) -> None:
    calls = (
        nlp.parser.parse,
        lambda x: nlp.parser.k_best(x, 2),
        lambda x: nlp.parser.sample(x, 2),
        nlp.tagger.tag,
        lambda x: nlp.tagger.k_best(x, 2),
        nlp.lemmatizer.lemmas,
    )
    for call in calls:
        with pytest.raises(InputError, match=r"^expected a Sentence, got \w+; .*make them$"):
            call(given)


@pytest.mark.parametrize("given", [5, None, b"ab", "text", {"a": 1}, Sentence.from_words(["Go"])])
def test_what_is_not_several_sentences_is_refused_at_once(nlp: Pipeline, given: Any) -> None:
    calls = (
        *(nlp.parser.parse_batch, nlp.parser.pipe, nlp.tagger.tag_batch, nlp.tagger.pipe),
        *(nlp.annotate, nlp.annotate_stream, nlp.tag, nlp.tag_stream),
        lambda x: nlp.parser.k_best_pipe(x, 2),
    )
    for call in calls:
        kind = type(given).__name__
        alone = rf"expected sentences, a list or any other iterable; got {kind}$"
        with pytest.raises(InputError, match=rf"^(expected a Sentence, got {kind}; .*|{alone})"):
            call(given)
    with pytest.raises(InputError, match=r"^expected texts, a list .*; got \w+$"):
        nlp.pipe(given)
    if not isinstance(given, str):
        with pytest.raises(InputError, match=r"^expected a text, got \w+$"):
            nlp(given)


@pytest.mark.parametrize(
    ("forms", "message"),
    [
        (5, "expected a list of words, got int"),
        ("Go", "expected a list of words, got str"),
        (b"Go", "expected a list of words, got bytes"),
        (None, "expected a list of words, got NoneType"),
        ([], "a sentence needs at least one word"),
        (["Go", ""], "word 2 has no form"),
        ([None], "word 1 has no form"),
        ([b"Go"], "value b'Go' is a bytes, expected text, integer or None"),
    ],
)
def test_what_is_no_list_of_words_is_refused(forms: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Sentence.from_words(forms)


def test_models_say_what_they_are(nlp: Pipeline, sentences: list[Any]) -> None:
    trained = "trained on 80 sentences, CC0"
    labels = len({label for sentence in sentences for label in sentence.labels})
    tags = len({tag for sentence in sentences for tag in sentence.upos})
    assert repr(nlp).startswith("<Pipeline: from raw text; tags upos, xpos, feats; lemmas; trees")
    assert repr(nlp).endswith(f"{trained}>")
    assert f"parts arc; {labels} labels; " in repr(nlp.parser)
    assert repr(nlp.tagger).startswith(f"<Tagger: task tag; upos {tags} labels, xpos ")
    assert trained in repr(nlp.parser)
    assert repr(nlp.tokenizer).startswith("<Tokenizer: of runs; ")
    assert " edit scripts; " in repr(nlp.lemmatizer)
    assert max(len(repr(model)) for model in (nlp, nlp.parser, nlp.tagger, nlp.tokenizer)) < 250
