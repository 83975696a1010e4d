from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from oracles.trees import (
    TreeDistribution,
    all_trees,
    arcs_of,
    is_projective,
    is_tree,
    tree_score,
)

from turbotree.errors import InputError, ModelFileError
from turbotree.modelfile import read_model, write_model
from turbotree.parsing import DECODERS, Parser, TreeShape
from turbotree.parsing.parts import PartSet
from turbotree.scoring import Batch
from turbotree.text import Sentence, treebank

SHAPES = [
    TreeShape(single_root, projective)
    for single_root in (False, True)
    for projective in (False, True)
]
# Linear programs that no graph stands for are about trees whose arcs may cross.
DECODERS_AND_SHAPES = [
    (decoder, shape)
    for decoder in DECODERS
    for shape in SHAPES
    if not (decoder.startswith(("lp-", "lp2009")) and shape.projective)
]


def options_of(shape):
    return {"single_root": shape.single_root, "projective": shape.projective}


def arc_scores(parser, sentence, shape):
    """Score the arcs that are left after pruning, one by one."""
    batch = Batch([sentence])
    arcs = parser.pruner.candidates(batch, shape=shape)
    parts = PartSet(batch.lengths, arcs)
    scores = parser.parts.score(batch, parts)["arc"].tolist()
    return dict(zip(map(tuple, arcs.rows.tolist()), scores, strict=True))


def answers(parses):
    return [(parse.heads, parse.labels, parse.score) for parse in parses]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_a_stream_is_parsed_as_its_sentences_alone(parser, held_out, threads, batch_size):
    alone = [parser.parse(sentence) for sentence in held_out]
    piped = list(parser.pipe(iter(held_out), threads=threads, batch_size=batch_size))
    assert [parse.sentence for parse in piped] == held_out
    assert answers(piped) == answers(alone)
    for one, other in zip(alone[:5], piped[:5], strict=True):
        assert one.head_probabilities == other.head_probabilities
        assert one.label_probabilities == pytest.approx(other.label_probabilities, rel=1e-12)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stream_is_read_as_parsing_goes_on(parser, threads):
    read = count()

    def endless():
        while True:
            for sentence in treebank(5, seed=9):
                next(read)
                yield sentence

    parses = parser.pipe(endless(), threads=threads, batch_size=2)
    for _ in range(3):
        next(parses)
    parses.close()
    assert next(read) <= 20


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_of_the_stream_reaches_the_reader(parser, held_out, threads):
    def broken():
        yield from held_out[:3]
        raise InputError("train.conllu:7: oops")

    with pytest.raises(InputError, match="oops"):
        list(parser.pipe(broken(), threads=threads, batch_size=1))


@pytest.mark.parametrize("decoder", DECODERS)
def test_given_trees_are_not_looked_at(parser, held_out, decoder):
    for sentence in held_out[:8]:
        garbled = sentence.replace(
            head=["nonsense"] * len(sentence), deprel=["no:such"] * len(sentence)
        )
        expected = parser.parse(sentence, decoder=decoder)
        assert answers([parser.parse(garbled, decoder=decoder)]) == answers([expected])


@pytest.mark.parametrize(("decoder", "shape"), DECODERS_AND_SHAPES)
def test_every_answer_is_a_tree_of_the_kind_asked_for(parser, held_out, decoder, shape):
    names = set(parser.labels.dictionary.names)
    for parse in parser.pipe(held_out, decoder=decoder, **options_of(shape)):
        assert len(parse.heads) == len(parse.labels) == len(parse.sentence)
        assert is_tree(parse.heads)
        assert not shape.single_root or parse.heads.count(0) == 1
        assert not (shape.projective or decoder == "eisner") or is_projective(parse.heads)
        assert set(parse.labels) <= names


def test_by_default_trees_have_as_many_roots_as_in_training(parser, held_out):
    assert parser.shape == TreeShape(single_root=True)
    assert all(parse.heads.count(0) == 1 for parse in parser.pipe(held_out))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("decoder", ["mst", "eisner"])
def test_the_tree_is_the_best_over_the_candidate_arcs(parser, short, decoder, shape):
    if decoder == "eisner":
        shape = TreeShape(shape.single_root, True)
    for sentence in short:
        parse = parser.parse(sentence, decoder=decoder, **options_of(shape))
        scores = arc_scores(parser, sentence, shape)
        trees = all_trees(len(sentence), single_root=shape.single_root, projective=shape.projective)
        distribution = TreeDistribution(trees, scores)
        assert parse.score == pytest.approx(distribution.best_score, abs=1e-9)
        assert parse.score == pytest.approx(tree_score(parse.heads, scores), abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
def test_minimum_risk_takes_the_tree_with_most_arcs_right_in_expectation(parser, short, shape):
    for sentence in short:
        parse = parser.parse(sentence, decoder="mbr", **options_of(shape))
        scores = arc_scores(parser, sentence, shape)
        cooled = {arc: score / parser.arc_temperature for arc, score in scores.items()}
        trees = all_trees(len(sentence), single_root=shape.single_root, projective=shape.projective)
        distribution = TreeDistribution(trees, cooled)
        likely = {arc: distribution.marginal(arc) for arc in scores}

        def right(heads, likely=likely):
            return sum(likely[arc] for arc in arcs_of(heads))

        best = max(right(heads) for heads in distribution.scores)
        assert right(parse.heads) == pytest.approx(best, abs=1e-9)


def test_a_tight_pruner_still_leaves_trees_of_every_kind():
    sentences = list(treebank(60, seed=1))
    parser = Parser.train(sentences, model="arc", epochs=1, max_heads=1, pruning_threshold=0.9)
    crossing = [s for s in sentences if not is_projective(s.heads)]
    assert crossing
    for shape in SHAPES:
        for parse in parser.pipe(crossing, **options_of(shape)):
            assert not shape.projective or is_projective(parse.heads)


def test_no_sentences_have_no_parses(parser):
    assert parser.parse_batch([]) == []
    assert list(parser.pipe([])) == []


@pytest.mark.parametrize("decoder", DECODERS)
def test_a_sentence_of_one_word_hangs_from_the_root(parser, decoder):
    parse = parser.parse(Sentence.from_words(["Go"], upos=["VERB"]), decoder=decoder)
    assert parse.heads == (0,)
    assert parse.probability == pytest.approx(1.0)


def test_words_and_tags_that_nobody_has_seen_are_parsed_all_the_same(parser):
    strange = Sentence.from_words(
        ["☃", "qwxyz", "\u200b", "x" * 500],
        upos=["NO", "_", "SUCH", "TAG"],
        feats=["☃=1|Q", *"___"],
    )
    bare = Sentence.from_words(["Dogs", "bark", "."])
    for parse in parser.parse_batch([strange, bare]):
        assert is_tree(parse.heads)
        assert set(parse.labels) <= set(parser.labels.dictionary.names)


@pytest.mark.parametrize(
    ("options", "culprit"),
    [
        ({"decoder": "viterbi"}, "'viterbi'.*mst"),
        ({"decoder": "admm", "decomposition": "poetry"}, "'poetry'.*logic"),
        ({"decoder": "mst", "decomposition": "logic"}, "'mst'"),
        ({"decoder": "lp-single", "projective": True}, "projective"),
        ({"threads": 0}, "threads"),
        ({"batch_size": 0}, "batch size"),
        ({"batch_size": -1}, "batch size"),
    ],
)
def test_options_that_make_no_sense_are_refused(parser, held_out, options, culprit):
    with pytest.raises(InputError, match=culprit):
        list(parser.pipe(held_out, **options))


def test_unknown_options_are_refused_before_the_stream_is_read(parser, held_out):
    with pytest.raises(InputError, match="unknown option 'colour'"):
        parser.pipe(held_out, colour="red")


def test_what_is_no_sentence_is_refused_with_a_hint(parser):
    for wrong in (lambda: parser.parse("Dogs bark."), lambda: list(parser.pipe("dev.conllu"))):
        with pytest.raises(InputError, match=r"expected a Sentence, got str; .*read_conllu"):
            wrong()


def test_an_explanation_adds_up_to_the_score_of_its_arc(parser, held_out):
    sentence = held_out[0]
    scores = arc_scores(parser, sentence, parser.shape)
    for (head, modifier), score in list(scores.items())[:10]:
        fired = parser.explain(sentence, head, modifier)
        assert sum(feature.weight for feature in fired) == pytest.approx(score, abs=1e-5)
        assert {f.template for f in fired} <= set(parser.templates()["arc"])


@pytest.mark.parametrize(("head", "modifier"), [(-1, 1), (4, 1), (0, 0), (1, 4), (2, 2)])
def test_only_arcs_of_the_sentence_are_explained(parser, head, modifier):
    with pytest.raises(InputError, match=r"head|modifier"):
        parser.explain(Sentence.from_words(["a", "b", "c"]), head, modifier)


def test_a_saved_parser_parses_as_before(parser, held_out, tmp_path):
    path = tmp_path / "parser.safetensors"
    parser.save(path)
    loaded = Parser.load(path)
    assert answers(loaded.pipe(held_out)) == answers(parser.pipe(held_out))
    assert loaded.shape == parser.shape
    assert loaded.templates() == parser.templates()
    assert loaded.record == parser.record
    for sentence in held_out[:3]:
        before, after = parser.parse(sentence), loaded.parse(sentence)
        assert np.array_equal(before.arc_probabilities, after.arc_probabilities)
        assert before.label_distributions == after.label_distributions
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


def rewritten(parser, tmp_path, change):
    """Save a parser, and change what the file holds behind its back."""
    path = tmp_path / "parser"
    parser.save(path)
    file = read_model(path)
    arrays, header = dict(file.arrays), dict(file.header)
    change(arrays, header)
    write_model(tmp_path / "changed", arrays, header, kind="parser")
    return tmp_path / "changed"


@pytest.mark.parametrize(
    "name",
    [
        "encoder",
        "labels",
        "pruning",
        "single_root",
        "temperature",
        "templates",
        "training",
        "weights",
    ],
)
def test_a_file_without_a_part_of_its_header_is_no_parser(parser, tmp_path, name):
    path = rewritten(parser, tmp_path, lambda arrays, header: header.pop(name))
    with pytest.raises(ModelFileError, match="not a usable parser"):
        Parser.load(path)


@pytest.mark.parametrize(
    "name", ["pruner.slots", "parts.slots", "labels.slots", "labels.lists", "labels.list_offsets"]
)
@pytest.mark.parametrize("damage", ["missing", "short", "other shape"])
def test_a_file_with_odd_arrays_is_no_parser(parser, tmp_path, name, damage):
    def change(arrays, header):
        if damage == "missing":
            del arrays[name]
        elif damage == "short":
            arrays[name] = arrays[name][:1]
        else:
            arrays[name] = arrays[name].reshape(-1)[::-1].reshape(1, -1)

    path = rewritten(parser, tmp_path, change)
    with pytest.raises(ModelFileError, match="not a usable parser"):
        Parser.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", {"arcs": 0.0, "labels": 1.0}),
        ("temperature", {"arcs": "hot", "labels": 1.0}),
        ("single_root", "yes"),
        ("labels", []),
        ("labels", [1, 2]),
        ("pruning", {"threshold": 2, "max_heads": 3}),
        ("templates", {"pruner": ["h.bogus"], "arc": [], "label": [], "label_pair": []}),
        ("templates", []),
        ("encoder", {"attributes": [], "set_attributes": [], "vocabularies": {}}),
        ("encoder", "none"),
    ],
)
def test_a_file_with_an_odd_header_is_no_parser(parser, tmp_path, name, value):
    path = rewritten(parser, tmp_path, lambda arrays, header: header.update({name: value}))
    with pytest.raises(ModelFileError, match="not a usable parser"):
        Parser.load(path)


def test_a_model_of_another_kind_is_no_parser(tmp_path):
    write_model(tmp_path / "tagger", {}, {}, kind="tagger")
    with pytest.raises(ModelFileError, match="'tagger'"):
        Parser.load(tmp_path / "tagger")


@pytest.mark.parametrize("change", [{"families": ["arc", "cousin"]}, {"families": None}])
def test_parts_that_this_version_does_not_know_are_named(parser, tmp_path, change):
    path = rewritten(parser, tmp_path, lambda arrays, header: header.update(change))
    with pytest.raises(ModelFileError, match=r"with the parts .*; this version knows arc, sibling"):
        Parser.load(path)
