"""``turbotree suggest``."""

from __future__ import annotations

from turbotree.text import read_conllu


def test_sentences_come_as_trees_to_correct_the_most_open_first(run, files, tmp_path):
    out = tmp_path / "todo.conllu"
    assert run("suggest", files.model, files.test, "--top", 3, "-o", out).exit_code == 0
    sentences = list(read_conllu(out))
    entropies = [float(sentence.metadata["entropy"]) for sentence in sentences]
    assert len(sentences) == 3
    assert entropies == sorted(entropies, reverse=True)
    assert all("Entropy=" in misc for s in sentences for misc in s.column("misc"))


def test_words_come_as_a_table(run, files):
    result = run("suggest", files.model, files.test, "--words", "--top", 5)
    header, *rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert header == ["entropy", "sentence", "word", "form", "heads"]
    assert len(rows) == 5
    assert all(len(row) == len(header) for row in rows)


def test_sentences_and_words_are_not_mixed(fails, files):
    assert "--by" in fails("suggest", files.model, files.test, "--words", "--by", "total")


def test_words_without_a_head_are_free_in_training(run, files, tmp_path):
    lines = files.train.read_text().splitlines(keepends=True)
    half = tmp_path / "half.conllu"
    for i, line in enumerate(lines):
        columns = line.split("\t")
        if len(columns) == 10 and i % 2:
            columns[6] = columns[7] = "_"
            lines[i] = "\t".join(columns)
    half.write_text("".join(lines))
    result = run("train", half, "-o", tmp_path / "model", *files.training)
    assert result.exit_code == 0, result.stderr
    assert "words have no head" in result.stderr
    assert "words had no head" in result.stdout
