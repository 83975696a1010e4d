"""``turbotree parse`` under constraints, with several trees, with certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turbotree.parsing import Parser
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
