"""``turbotree parse`` under constraints, with several trees, with certificates."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from turbotree.interrupts import OutOfTimeError
from turbotree.parsing import Parser, scored
from turbotree.text import read_conllu, write_conllu

ROW = "{}\t{}\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n"


def text_of(*heads: object, labels: tuple[str, ...] = ()) -> str:
    words = ("Small", "birds", "sing")
    labels = labels or ("_",) * 3
    rows = [ROW.format(i, *row) for i, row in enumerate(zip(words, heads, labels, strict=True), 1)]
    return "".join(rows) + "\n"


def test_given_heads_and_relations_are_kept(run: Callable[..., Any], files: Any) -> None:
    text = text_of("_", 1, "_", labels=("_", "odd", "_"))
    result = run("parse", files.model, "--keep-given", input=text)
    assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines() if line]
    assert rows[1][6:8] == ["1", "odd"]
    assert all(row[6].isdecimal() and row[7] != "_" for row in rows)


def test_a_file_with_every_other_head_is_completed(
    run: Callable[..., Any], files: Any, tmp_path: Any
) -> None:
    partial = []
    for sentence in read_conllu(files.test):
        heads = [head if m % 2 else None for m, head in enumerate(sentence.heads)]
        partial.append(sentence.replace(head=heads, deprel=["_"] * len(sentence)))
    write_conllu(partial, tmp_path / "partial.conllu")
    result = run("parse", files.model, tmp_path / "partial.conllu", "--keep-given")
    expected = Parser.load(files.model).pipe(partial, keep_given=True)
    assert result.stdout == "".join(parse.to_sentence().to_text() for parse in expected)


def test_given_heads_that_clash_are_one_line(fails: Callable[..., str], files: Any) -> None:
    said = fails("parse", files.model, "--keep-given", input=text_of(2, 1, "_"))
    assert ":1: required arcs form a cycle: 1 'Small' under 2 'birds'" in said
    said = fails("parse", files.model, "--keep-given", input=text_of(9, "_", "_"))
    assert ":1: word 1 is under word 9" in said


def test_sentences_whose_given_heads_clash_can_be_skipped(
    run: Callable[..., Any], files: Any
) -> None:
    text = text_of(2, 1, "_") + text_of("_", 3, 0) + text_of(9, "_", "_")
    result = run("parse", files.model, "--keep-given", "--on-error", "skip", input=text)
    assert result.exit_code == 0
    (tree,) = trees_of(result.stdout)
    assert tree.heads[1:] == (3, 0)
    assert "skipped 2 sentences; the first: " in result.stderr
    assert "cycle" in result.stderr


def trees_of(text: str) -> list[Any]:
    return list(read_conllu(io.BytesIO(text.encode())))


def test_every_tree_of_a_list_obeys_rules(
    run: Callable[..., Any], fails: Callable[..., str], files: Any, tmp_path: Any
) -> None:
    rules = tmp_path / "right.rules"
    rules.write_text("forall h, m: arc(h, m) and h != root -> h > m")
    result = run("parse", files.model, "--k", 3, "--rules", rules, input=text_of("_", "_", "_"))
    found = [tree.heads for tree in trees_of(result.stdout)]
    assert sorted(found) == [(2, 3, 0), (3, 3, 0)]  # with one root there are no others
    said = fails("parse", files.model, "--samples", 2, "--rules", rules, input=text_of(2, 3, 0))
    assert "--rules and --samples: give only one of them" in said


def test_several_trees_are_numbered_and_scored(run: Callable[..., Any], files: Any) -> None:
    result = run("parse", files.model, files.test, "--k", 3, "--threads", 2)
    assert result.exit_code == 0, result.output
    expected = list(Parser.load(files.model).k_best_pipe(read_conllu(files.test), 3))
    written = trees_of(result.stdout)
    assert [sentence.heads for sentence in written] == [parse.heads for parse in expected]
    for sentence, parse in zip(written, expected, strict=True):
        assert sentence.metadata["k"] == str(parse.rank)
        assert float(sentence.metadata["score"]) == pytest.approx(parse.score, rel=1e-4)
    records = run("parse", files.model, files.test, "--k", 3, "--format", "json").stdout
    assert [json.loads(line)["k"] for line in records.splitlines()] == [p.rank for p in expected]


def test_diverse_trees_differ(run: Callable[..., Any], files: Any) -> None:
    text = run("parse", files.model, files.test, "--k", 2, "--diversity", 3).stdout
    by_name: dict[Any, list[Any]] = {}
    for sentence in trees_of(text):
        by_name.setdefault(sentence.sent_id, []).append(sentence.heads)
    for one, other in (pair for pair in by_name.values() if len(pair) == 2):
        assert sum(a != b for a, b in zip(one, other, strict=True)) >= 3


def test_samples_go_by_their_seed(run: Callable[..., Any], files: Any) -> None:
    first = run("parse", files.model, files.test, "--samples", 2, "--seed", 1).stdout
    assert first == run("parse", files.model, files.test, "--samples", 2, "--seed", 1).stdout
    assert first != run("parse", files.model, files.test, "--samples", 2, "--seed", 2).stdout
    assert [s.metadata["sample"] for s in trees_of(first)][:4] == ["1", "2", "1", "2"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--k", 2, "--samples", 2), "give only one"),
        (("--diversity", 2), "--diversity needs --k"),
        (("--k", 0), "k is 0"),
        (("--samples", 2, "--exact"), "--exact and --samples: give only one"),
        (("--k", 2, "--decomposition", "logic"), "--decomposition and --k: give only one"),
        (("--samples", 2, "--time-limit", 5), "--time-limit and --samples: give only one"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    fails: Callable[..., str], files: Any, options: tuple[Any, ...], said: str
) -> None:
    assert said in fails("parse", files.model, files.test, *options)


def test_a_time_limit_leaves_trees_with_a_note(
    run: Callable[..., Any], files: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = run("parse", files.model, files.test).stdout
    assert run("parse", files.model, files.test, "--time-limit", "inf").stdout == usual
    assert "# note" not in usual

    def slow(*_: object, **__: object) -> None:
        raise OutOfTimeError

    monkeypatch.setattr(scored, "decode_as", slow)
    limited = ("--decoder", "lp", "--time-limit", 5)
    said = "stopped by the time limit of 5 seconds"
    written = trees_of(run("parse", files.model, files.test, *limited).stdout)
    assert len(written) == len(list(read_conllu(files.test)))
    assert all(s.metadata["note"] == said for s in written)
    records = run("parse", files.model, files.test, *limited, "--format", "json").stdout
    assert {json.loads(line)["note"] for line in records.splitlines()} == {said}


def test_certificates_are_written_and_summed_up(
    run: Callable[..., Any], fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    out = tmp_path / "parsed.conllu"
    run("parse", files.model, files.test, "--certificates", "--decoder", "exact", "-o", out)
    written = list(read_conllu(out))
    assert all(s.metadata["certificate_status"] == "optimal" for s in written)
    rounds = sum(int(sentence.metadata["certificate_rounds"]) for sentence in written)
    sums = json.loads(run("eval", files.test, out, "--certificates", "--json").stdout)
    assert sums["certificates"]["trees"] == sums["certificates"]["proven"] == len(written)
    assert sums["certificates"]["rounds"] == rounds
    assert "100.00 % proven best" in run("eval", files.test, out, "--certificates").stdout
    record = run("parse", files.model, files.test, "--certificates", "--format", "json").stdout
    assert json.loads(record.splitlines()[0])["certificate"]["gap"] == 0.0
    unknown = run("parse", files.model, files.test, "--certificates", "--decoder", "mbr").stdout
    summed = run("eval", files.test, "-", "--certificates", input=unknown).stdout
    assert f"nothing is known of {len(written)}" in summed
    assert "no certificate in the comments" in fails(
        "eval", files.test, files.test, "--certificates"
    )


def test_the_rounds_of_a_sentence_are_drawn(
    run: Callable[..., Any], fails: Callable[..., str], files: Any, tmp_path: Path
) -> None:
    result = run("trace", files.model, files.test, "--sentence", 2, "-o", tmp_path / "a.svg")
    assert result.stdout.startswith("optimal: value")
    picture = ElementTree.parse(tmp_path / "a.svg").getroot()
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "bound = value" in texts
    trace = json.loads(run("trace", files.model, files.test, "--json").stdout)["trace"]
    assert trace["upper_bound"] == sorted(trace["upper_bound"], reverse=True)
    assert "no sentence 999" in fails("trace", files.model, files.test, "--sentence", 999)
