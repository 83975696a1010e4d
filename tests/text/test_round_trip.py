"""What is read is written back, byte for byte."""

import gzip
import io
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from random_conllu import conllu_files

from turbotree.errors import InputError
from turbotree.text import (
    CONLLX,
    Sentence,
    column_layout,
    read_columns,
    read_conllu,
    read_conllx,
    read_sentences,
    write_conllu,
    write_conllx,
    write_sentences,
)

TREE = (
    b"# sent_id = 1\n# text = vamonos al mar\n"
    b"1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_\n"
    b"2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_\n"
    b"2.1\tal\t_\t_\t_\t_\t_\t_\t1:x\t_\n"
    b"3\tNew York\tx\tPROPN\t_\t_\t1\tobl\t_\tSpaceAfter=No\n\n"
)


def written(sentences: object) -> bytes:
    stream = io.BytesIO()
    write_conllu(sentences, stream)  # type: ignore[arg-type]
    return stream.getvalue()


@settings(max_examples=150, deadline=None)
@given(conllu_files())
def test_any_file_comes_back_byte_for_byte(case: tuple[bytes, list[int]]) -> None:
    data, counts = case
    sentences = list(read_conllu(io.BytesIO(data)))
    assert [len(sentence) for sentence in sentences] == counts
    assert written(sentences) == data


@settings(max_examples=60, deadline=None)
@given(conllu_files())
def test_replacing_a_column_leaves_every_other_character_alone(
    case: tuple[bytes, list[int]],
) -> None:
    for sentence in read_conllu(io.BytesIO(case[0])):
        changed = sentence.replace(deprel=["new"] * len(sentence))
        reread = Sentence(changed.to_text())
        assert reread.labels == changed.labels == ("new",) * len(sentence)
        assert changed.replace(deprel=sentence.labels) == sentence
        for column in sentence.layout.columns:
            if column != "deprel":
                assert reread.column(column) == sentence.column(column)


@settings(max_examples=60, deadline=None)
@given(conllu_files())
def test_sentences_may_be_written_in_any_order(case: tuple[bytes, list[int]]) -> None:
    sentences = list(read_conllu(io.BytesIO(case[0])))[::-1]
    again = list(read_conllu(io.BytesIO(written(sentences))))
    assert [sentence.forms for sentence in again] == [sentence.forms for sentence in sentences]


def test_multiword_tokens_and_empty_nodes_are_no_words() -> None:
    (sentence,) = read_conllu(io.BytesIO(TREE))
    assert sentence.forms == ("vamos", "nos", "New York")
    assert sentence.heads == (0, 1, 1)


def test_a_windows_file_keeps_its_line_ends_and_loses_them_in_values() -> None:
    data = TREE.replace(b"\n", b"\r\n")
    (sentence,) = read_conllu(io.BytesIO(data))
    assert sentence.column("misc") == ("_", "_", "SpaceAfter=No")
    assert sentence.text == "vamonos al mar"
    replaced = sentence.replace(misc=["a", "b", "c"]).with_comments(["x = y"])
    assert replaced.to_text().count("\n") == replaced.to_text().count("\r\n")
    assert written([sentence]) == data


@pytest.mark.parametrize("cut", [1, 2])
def test_a_missing_last_line_end_is_tolerated(cut: int) -> None:
    data = (TREE + TREE)[:-cut]
    sentences = list(read_conllu(io.BytesIO(data)))
    assert len(sentences) == 2
    assert written(sentences) == data


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\r\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_text_has_no_sentences(data: bytes) -> None:
    assert list(read_conllu(io.BytesIO(data))) == []


def test_paths_streams_and_gzip_files_are_all_read_and_written(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.conllu", tmp_path / "a.conllu.gz"
    sentences = list(read_conllu(io.BytesIO(TREE)))
    assert write_conllu(sentences, plain) == 1
    assert write_conllu(sentences, str(packed)) == 1
    assert plain.read_bytes() == gzip.decompress(packed.read_bytes()) == TREE
    assert list(read_conllu(plain)) == list(read_conllu(packed)) == sentences
    with open(plain, encoding="utf-8") as text:
        assert list(read_conllu(text)) == sentences
    with open(plain, encoding="utf-8", newline="") as text:
        assert list(read_conllu(text)) == sentences
    stream = io.StringIO()
    write_conllu(sentences, stream)
    assert stream.getvalue().encode() == TREE


def test_text_streams_that_cut_lines_at_carriage_returns_are_mended() -> None:
    odd = "1\ta\rb" + "\t_" * 8 + "\n\n"
    (sentence,) = read_conllu(io.TextIOWrapper(io.BytesIO(odd.encode()), "utf-8", newline=""))
    assert sentence.forms == ("a\rb",)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("old")

    def failing():  # type: ignore[no-untyped-def]
        yield from read_conllu(io.BytesIO(TREE))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_conllu(failing(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.conllu"]


def test_a_folder_that_is_not_there_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere"):
        write_conllu([], tmp_path / "nowhere" / "a.conllu")


def test_writing_keeps_links_and_access_rights(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_conllu(read_conllu(io.BytesIO(TREE)), link)
    assert link.is_symlink()
    assert real.read_bytes() == TREE
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_pipe_gives_each_sentence_at_its_blank_line() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as sink:
        sink.write(TREE)
        sink.flush()
        sentences = read_conllu(source)
        found: list[Sentence] = []
        # In a thread: were the sentence held back, reading would wait for ever.
        thread = threading.Thread(target=lambda: found.append(next(sentences)), daemon=True)
        thread.start()
        thread.join(timeout=10)
        assert len(found) == 1
        sink.write(b"\n\n" + TREE)
        sink.close()
        found += sentences
    assert written(found) == TREE + b"\n\n" + TREE


def test_column_files_keep_document_starts_and_blanks() -> None:
    data = b"-DOCSTART- -X- O\n\nHe PRP B-NP\n# CD O\n\n\n-DOCSTART- -X- O\nGo VB O\n"
    sentences = list(read_columns(io.BytesIO(data)))
    assert [sentence.forms for sentence in sentences] == [("He", "#"), ("Go",)]
    assert [sentence.column("chunk") for sentence in sentences] == [("B-NP", "O"), ("O",)]
    assert sentences[0].lemmas == ("_", "_")
    assert sentences[0].comments == ()
    stream = io.BytesIO()
    write_sentences(sentences, stream)
    assert stream.getvalue() == data
    changed = [sentence.replace(chunk=["X"] * len(sentence)).to_text() for sentence in sentences]
    expected = b"-DOCSTART- -X- O\n\nHe PRP X\n# CD X\n\n\n-DOCSTART- -X- O\nGo VB X\n"
    assert "".join(changed).encode() == expected


def test_columns_may_be_parted_by_runs_of_blanks() -> None:
    data = b" He  PRP\tB-NP \r\nwent   VBD  B-VP\n \t\n"
    (sentence,) = read_columns(io.BytesIO(data), separator=None)
    assert sentence.xpos == ("PRP", "VBD")
    assert sentence.to_text().encode() == data
    assert sentence.replace(xpos=["A", "B"]).to_text() == " He  A\tB-NP \r\nwent   B  B-VP\n \t\n"


def test_conllx_files_have_projective_heads() -> None:
    data = b"1\tGo\tgo\tV\tVB\t_\t0\tROOT\t0\tROOT\n\n"
    (sentence,) = read_conllx(io.BytesIO(data))
    assert sentence.column("phead") == ("0",)
    assert sentence.layout == CONLLX
    stream = io.BytesIO()
    write_conllx([sentence], stream)
    assert stream.getvalue() == data


def test_writing_another_layout_converts(tmp_path: Path) -> None:
    (sentence,) = read_columns(io.BytesIO(b"He PRP B-NP\n\n"))
    assert written([sentence]) == b"1\tHe\t_\t_\tPRP\t_\t_\t_\t_\t_\n\n"
    with pytest.raises(InputError, match="New York"):
        write_sentences(read_conllu(io.BytesIO(TREE)), io.BytesIO(), column_layout(["form"]))


@pytest.mark.parametrize(
    ("name", "data", "layout"),
    [
        ("a.conllu", b"", "CoNLL-U"),
        ("a.txt", TREE, "CoNLL-U"),
        ("a.conll", b"1\tGo\tgo\tV\tVB\t_\t0\tROOT\t0\tROOT\n\n", "CoNLL-X"),
        ("a.txt", b"He PRP B-NP\n\n", "columns"),
        ("a.txt", b"He\tPRP\tB-NP\n\n", "columns"),
        ("a.txt", b"He  PRP B-NP\nwent VBD  B-VP\n\n", "columns"),
        ("a.txt", b"He\nwent\n\n", "columns"),
        ("a.txt", b"He a b c d\n\n", "columns"),
    ],
)
def test_formats_are_sniffed(tmp_path: Path, name: str, data: bytes, layout: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    sentences = list(read_sentences(path))
    assert all(sentence.layout.name == layout for sentence in sentences)
    assert "".join(sentence.to_text() for sentence in sentences).encode() == data


def test_a_file_of_no_layout_is_not_sniffed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("This is a text.\nIt has words.\n")
    with pytest.raises(InputError, match=r"a\.txt: neither CoNLL-U nor columns"):
        read_sentences(path)
    with pytest.raises(InputError, match="name its format"):
        read_sentences(io.BytesIO())
    with pytest.raises(InputError, match="conllx"):
        read_sentences(path, "xml")
