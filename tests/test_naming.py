"""Names that nothing has: what may be meant is said, at the command line and in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turbotree as tt
from turbotree.errors import InputError
from turbotree.naming import nearest, options_of, suggest
from turbotree.parsing import compile_rules
from turbotree.text import column_layout, treebank

NAMES = ["mst", "eisner", "mbr", "subgradient", "lp-single", "single_root", "belief_propagation"]


@given(st.sampled_from(NAMES))
def test_a_name_is_nearest_to_itself_however_it_is_written(name: str) -> None:
    for written in (name, name.upper(), name.replace("-", "_"), name.replace("_", "-")):
        assert nearest(written, NAMES) == name


@given(st.sampled_from([name for name in NAMES if len(name) > 5]), st.data())
def test_one_slip_in_a_long_name_does_not_hide_it(name: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(name) - 2))
    swapped = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    lost = name[:at] + name[at + 1 :]
    assert nearest(swapped, NAMES) == nearest(lost, NAMES) == name


def test_what_is_like_nothing_is_answered_with_all_there_is() -> None:
    assert suggest("zebra", ["b", "a"]) == "; there are a, b"
    assert suggest("zebra", ["a"]) == "; there is only a"
    assert suggest("zebra", []) == "; there are none"
    assert suggest(3, ["b", "a"]) == "; there are a, b"


@pytest.fixture(scope="module")
def parser() -> tt.Parser:
    return tt.Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)


SENTENCE = next(treebank(1, seed=2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: p.parse(SENTENCE, decodr="mst"), "parse: unknown option 'decodr'; .*'decoder'"),
        (lambda p: p.parse(SENTENCE, requires=[]), "parse: unknown option .*mean 'require'"),
        (lambda p: p.pipe([], thread=2), "pipe: unknown option 'thread'; did you mean 'threads'"),
        (lambda p: p.k_best(SENTENCE, 2, diversty=1), "k_best: .* did you mean 'diversity'"),
        (lambda p: p.k_best_pipe([], 2, ruls="x"), "k_best_pipe: .* did you mean 'rules'"),
        (lambda p: p.sample(SENTENCE, 2, sed=1), "sample: .* did you mean 'seed'"),
        (lambda p: p.sample_pipe([], 2, projectiv=1), "sample_pipe: .* did you mean 'projective'"),
        (lambda p: p.parse(SENTENCE, decoder="mts"), "unknown decoder 'mts'; did you mean 'mst'"),
        (lambda p: p.parse(SENTENCE, forbid=[(2, 1, "nsub")]), "no label 'nsub'; .*'nsubj'"),
        (lambda p: p.parse(SENTENCE, decomposition="logics"), "did you mean 'logic'"),
    ],
)
def test_options_of_parsers(
    parser: tt.Parser, call: Callable[[tt.Parser], Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        call(parser)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tt.Parser.train([], epoch=1), "train: unknown option 'epoch'; .*'epochs'"),
        (lambda: tt.Parser.train([], chekpoint=""), "unknown option 'chekpoint'; .*'checkpoint'"),
        (lambda: tt.Parser.train([SENTENCE], model="ful"), "model kind 'ful'; did you mean 'full'"),
        (lambda: tt.Tagger.train([SENTENCE], tsk="tag"), "train: unknown option 'tsk'; .*'task'"),
        (lambda: tt.Tagger.train([SENTENCE], task="chunks"), "unknown task 'chunks'; .*'chunk'"),
        (lambda: tt.Pipeline.train([SENTENCE], fold=2), "train: unknown option 'fold'; .*'folds'"),
        (
            lambda: tt.Pipeline.train([SENTENCE], parser={"epoch": 2}),
            "parser: unknown option 'epoch'; did you mean 'epochs'",
        ),
        (lambda: tt.FactorGraph().solve("adm"), "unknown solver 'adm'; did you mean 'admm'"),
        (lambda: tt.FactorGraph().solve(max_iteration=1), "did you mean 'max_iterations'"),
        (lambda: compile_rules("one_rot"), "did you mean 'one-root'"),
        (lambda: column_layout().index("chunks"), "no column 'chunks' .* did you mean 'chunk'"),
    ],
)
def test_options_elsewhere(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_a_pipeline_knows_the_options_of_its_parser() -> None:
    nlp = tt.Pipeline(None, None, None, None, {})  # type: ignore[arg-type]
    for call in (
        lambda: nlp.annotate([], decodr="mst"),
        lambda: nlp.annotate_stream([], decodr="mst"),
        lambda: nlp.pipe([], decodr="mst"),
    ):
        with pytest.raises(InputError, match="unknown option 'decodr'; did you mean 'decoder'"):
            call()


def test_all_options_of_a_function_have_defaults() -> None:
    # Names are read from the defaults, so that looking them up costs nothing.
    import inspect

    for function in (tt.Parser.parse_batch, tt.Parser.k_best_batch, tt.Parser.sample_batch):
        parameters = inspect.signature(function).parameters.values()
        keyword_only = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        assert list(options_of(function)) == keyword_only
