"""Parquet in and out."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from turbotree.cli.app import app
from turbotree.errors import InputError
from turbotree.parsing import Parser
from turbotree.pipeline import Pipeline
from turbotree.scaling import open_engine, parse_corpus
from turbotree.scaling.engines import OneProcess
from turbotree.scaling.parquet import join_tables, row_groups, write_trees
from turbotree.text import read_conllu, treebank, write_conllu

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TREES = list(treebank(14, seed=2))
# With what a table has to keep: a multiword token, an empty node, comments.
ODD = (
    "# sent_id = odd\n# text = cannot\n1-2\tcannot\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tcan\tcan\tAUX\tMD\t_\t0\troot\t_\tA=B\n1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tnot\tnot\tPART\tRB\t_\t1\tadvmod\t_\t_\n\n"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "small.safetensors"
    Parser.train(treebank(40, seed=1), model="arc", epochs=1, pruner_epochs=1).save(path)
    return path


@pytest.fixture
def corpus(tmp_path):
    """Documents of no, one or several sentences, in three row groups; and all of them as a file."""
    texts = [s.to_text() for s in TREES]
    documents = [texts[0], "".join(texts[1:4]), None, ODD, "".join(texts[4:9]), "", *texts[9:]]
    path = tmp_path / "corpus.parquet"
    table = pa.table({"name": [str(i) for i in range(len(documents))], "conllu": documents})
    pq.write_table(table, path, row_group_size=4)
    assert pq.ParquetFile(path).num_row_groups == 3
    flat = tmp_path / "corpus.conllu"
    flat.write_text("".join(text or "" for text in documents))
    return path, flat


@pytest.fixture
def expected(model, corpus, tmp_path):
    """What the parser finds in the same sentences as CoNLL-U."""
    out = tmp_path / "expected.conllu"
    parse_corpus(model, [corpus[1]], out, OneProcess())
    return out.read_text()


def tokens_of(sentences):
    names = ("form", "lemma", "upos", "xpos", "feats", "deprel", "misc")
    for number, s in enumerate(sentences):
        for i, head in enumerate(s.heads):
            values = {name: s.column(name)[i] for name in names}
            yield {"sentence": number, "sent_id": s.sent_id, "id": i + 1, "head": head, **values}


def test_a_column_of_conllu_comes_out_as_sentences_that_hold_all_of_it(
    model, corpus, expected, tmp_path
):
    out = tmp_path / "out.parquet"
    report = parse_corpus(model, [corpus[0]], out, OneProcess(), rows="sentence")
    assert report.pieces == 3
    table = pq.read_table(out).to_pylist()
    assert "".join(row["conllu"] for row in table) == expected
    assert [row["sentence"] for row in table] == list(range(report.sentences))
    assert [row["row"] for row in table] == [0, 1, 1, 1, 3, 4, 4, 4, 4, 4, 6, 7, 8, 9, 10]
    found = [(tuple(r["forms"]), tuple(r["heads"]), tuple(r["deprels"])) for r in table]
    trees = list(read_conllu(tmp_path / "expected.conllu"))
    assert found == [(s.forms, s.heads, s.labels) for s in trees]
    # Once more, from its own output.
    again = tmp_path / "again.parquet"
    parse_corpus(model, [out], again, OneProcess(), rows="sentence")
    assert [r["conllu"] for r in pq.read_table(again).to_pylist()] == [r["conllu"] for r in table]


def test_a_column_of_conllu_comes_out_as_words(model, corpus, expected, tmp_path):
    out = tmp_path / "out.parquet"
    parse_corpus(model, [corpus[0]], out, OneProcess())
    table = pq.read_table(out).to_pylist()
    rows = [row.pop("row") for row in table]
    assert rows == sorted(rows)
    assert table == list(tokens_of(read_conllu(tmp_path / "expected.conllu")))


@pytest.mark.parametrize("rows", ["token", "sentence"])
def test_files_of_sentences_become_tables_and_tables_files(model, corpus, expected, tmp_path, rows):
    parse_corpus(model, [corpus[0]], tmp_path / "back.conllu", OneProcess())
    assert (tmp_path / "back.conllu").read_text() == expected
    out = tmp_path / "out.parquet"
    parse_corpus(model, [corpus[1]], out, OneProcess(), rows=rows, piece_bytes=2000)
    table = pq.read_table(out).to_pylist()
    assert {row["row"] for row in table} == {None}
    assert table[-1]["sentence"] == len(TREES)  # and one odd one


def test_processes_write_the_bytes_of_one_process(model, corpus, tmp_path):
    with open_engine("processes", 2) as engine:
        parse_corpus(model, [corpus[0]], tmp_path / "two.parquet", engine)
    parse_corpus(model, [corpus[0]], tmp_path / "one.parquet", OneProcess())
    assert (tmp_path / "two.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()


def test_an_interrupted_run_goes_on(model, corpus, tmp_path):
    class Stopped(OneProcess):
        def run(self, function, calls):
            yield next(super().run(function, calls))
            raise KeyboardInterrupt

    out = tmp_path / "out.parquet"
    with pytest.raises(KeyboardInterrupt):
        parse_corpus(model, [corpus[0]], out, Stopped())
    assert not out.exists()
    assert parse_corpus(model, [corpus[0]], out, OneProcess()).resumed == 1
    parse_corpus(model, [corpus[0]], tmp_path / "whole.parquet", OneProcess())
    assert out.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_a_column_of_text_needs_a_pipeline_which_takes_it(model, tmp_path):
    texts = ["The dogs slept. A girl saw them.", None, "Birds sing."]
    pq.write_table(pa.table({"id": [1, 2, 3], "body": texts}), tmp_path / "in.parquet")
    with pytest.raises(InputError, match="plain text needs a pipeline"):
        parse_corpus(model, [tmp_path / "in.parquet"], tmp_path / "out", OneProcess())
    quick = {
        "folds": 2,
        "fold_epochs": 1,
        "tagger": {"epochs": 1},
        "parser": {"model": "arc", "epochs": 1},
    }
    nlp = Pipeline.train(treebank(30, seed=1), **quick)
    nlp.save(tmp_path / "nlp")
    out = tmp_path / "out.parquet"
    parse_corpus(tmp_path / "nlp", [tmp_path / "in.parquet"], out, OneProcess(), rows="sentence")
    found = [(r["row"], tuple(r["forms"])) for r in pq.read_table(out).to_pylist()]
    expected = [(i, p.sentence.forms) for i, t in enumerate(texts) if t for p in nlp(t)]
    assert found == expected


def test_broken_documents_are_told_by_their_row_or_skipped(model, corpus, tmp_path):
    documents = [TREES[0].to_text(), "1\tword\n\n", TREES[1].to_text()]
    pq.write_table(pa.table({"conllu": documents}), tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    with pytest.raises(InputError, match=r"in\.parquet row 1:1: "):
        parse_corpus(model, [tmp_path / "in.parquet"], out, OneProcess())
    assert not out.exists()
    given = (model, [tmp_path / "in.parquet"], out, OneProcess())
    assert len(parse_corpus(*given, skip_errors=True, rows="sentence").skipped) == 1
    assert [r["row"] for r in pq.read_table(out).to_pylist()] == [0, 2]


@pytest.mark.parametrize(
    ("columns", "column", "reason"),
    [
        ({"a": ["x"], "b": ["y"]}, None, "which column"),
        ({"a": [1]}, None, "There are none of strings"),
        ({"a": ["x"]}, "c", "no column 'c' of strings; there are a"),
    ],
)
def test_columns_that_cannot_be_found_are_named(tmp_path, columns, column, reason):
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    with pytest.raises(InputError, match=reason):
        row_groups(tmp_path / "in.parquet", column)


def test_what_is_no_parquet_is_said_to_be_none(tmp_path):
    (tmp_path / "in.parquet").write_text("no")
    with pytest.raises(InputError, match=r"in\.parquet: .*not a Parquet file"):
        row_groups(tmp_path / "in.parquet")


CONLLU = [s.to_text() for s in TREES[:3]]
KINDS = {
    "no rows": pa.array([], pa.string()),
    "nulls": pa.array([None, None], pa.string()),
    "nulls of no type": pa.nulls(3),
    "blank": pa.array(["", "\n"]),
    "some": pa.array([None, "", CONLLU[0], None, CONLLU[1], CONLLU[2]]),
    "large": pa.array(CONLLU, pa.large_string()),
    "dictionary": pa.array([*CONLLU, None]).dictionary_encode(),
    "large dictionary": pa.array(CONLLU, pa.large_string()).dictionary_encode(),
}


@pytest.mark.parametrize("rows", ["token", "sentence"])
@pytest.mark.parametrize("kind", KINDS)
def test_strings_of_any_kind_are_read_and_none_at_all(model, tmp_path, kind, rows):
    pq.write_table(pa.table({"conllu": KINDS[kind]}), tmp_path / "in.parquet", row_group_size=2)
    parse_corpus(model, [tmp_path / "in.parquet"], tmp_path / "o.parquet", OneProcess(), rows=rows)
    table = pq.read_table(tmp_path / "o.parquet").to_pylist()
    trees = TREES[:3] if any(KINDS[kind].to_pylist()) and kind != "blank" else []
    if rows == "sentence":
        assert [row["forms"] for row in table] == [list(s.forms) for s in trees]
    else:
        assert [row["form"] for row in table] == [form for s in trees for form in s.forms]


def test_a_table_without_row_groups_gives_a_table_without_rows(model, tmp_path):
    with pq.ParquetWriter(tmp_path / "in.parquet", pa.schema([("conllu", pa.string())])):
        pass
    assert pq.ParquetFile(tmp_path / "in.parquet").num_row_groups == 0
    parse_corpus(model, [tmp_path / "in.parquet"], tmp_path / "o.parquet", OneProcess())
    assert pq.read_table(tmp_path / "o.parquet").num_rows == 0


def test_what_is_not_utf_8_is_named_by_its_row(tmp_path):
    bad = pa.array([b"fine", b"\xff\xfe"])
    strings = pa.Array.from_buffers(pa.string(), 2, bad.buffers())
    pq.write_table(pa.table({"text": strings}), tmp_path / "in.parquet")
    groups, sentences = row_groups(tmp_path / "in.parquet")
    assert not sentences
    with pytest.raises(InputError, match=r"in\.parquet row 1: not UTF-8 text$"):
        list(groups[0].documents())


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_damage_is_told_with_the_name_of_the_file(tmp_path, compression):
    path = tmp_path / "in.parquet"
    pq.write_table(pa.table({"conllu": CONLLU * 50}), path, compression=compression)
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 97):
        path.write_bytes(whole[:at] + b"\xa5" * 8 + whole[at + 8 :])
        try:
            for group in row_groups(path)[0]:
                list(group.documents())
        except InputError as error:
            refused += 1
            message = str(error)
            assert message.startswith(str(path)), message
            assert "\n" not in message, message
    assert refused
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"in\.parquet: damaged, or not a Parquet file \("):
        row_groups(path)


@pytest.mark.parametrize("rows", ["token", "sentence"])
def test_tables_without_sentences_are_joined_too(tmp_path, rows):
    sizes = (0, 2, 0, 3)
    for number, size in enumerate(sizes):
        write_trees(((None, s) for s in TREES[:size]), tmp_path / str(number), rows)
    join_tables([tmp_path / str(i) for i in range(len(sizes))], tmp_path / "all", rows)
    numbers = {row["sentence"] for row in pq.read_table(tmp_path / "all").to_pylist()}
    assert numbers == set(range(5))


def test_the_command_line_reads_and_writes_tables(model, corpus, expected, tmp_path):
    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    out = tmp_path / "out.parquet"
    result = run("parse", model, corpus[0], "-o", out, "--rows", "sentence")
    assert result.exit_code == 0, result.output
    assert "".join(row["conllu"] for row in pq.read_table(out).to_pylist()) == expected
    for wrong, reason in (
        (("parse", model, corpus[0]), "an output"),
        (("parse", model, corpus[1], "-o", tmp_path / "x", "--rows", "token"), "--rows"),
        (("parse", model, corpus[0], "-o", out, "--workers", 2), "--workers needs --engine"),
        (
            ("parse", model, corpus[0], "-o", out, "--format", "json"),
            "--format and Parquet files: give only one of them",
        ),
        (("parse", model, corpus[0], "-o", out, "--parquet-column", "x"), "no column 'x'"),
    ):
        result = run(*wrong)
        assert result.exit_code == 2
        assert reason in result.stderr


def test_trees_written_as_words_can_be_read_back_as_they_were(tmp_path):
    write_trees(((None, s) for s in TREES), tmp_path / "trees.parquet", "token")
    table = pq.read_table(tmp_path / "trees.parquet").to_pylist()
    heads = [[r["head"] for r in table if r["sentence"] == i] for i in range(len(TREES))]
    assert heads == [list(s.heads) for s in TREES]
    write_conllu(TREES, tmp_path / "trees.conllu")
    assert [r["form"] for r in table] == [f for s in TREES for f in s.forms]
