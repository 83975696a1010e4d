"""Every malformed input gives an InputError that names file, line and reason."""

import gzip
import io
from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.text import Sentence, check_tree, read_columns, read_conllu

REST = "\t_" * 8
GOOD = f"1\tGo{REST}\n\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("1\tGo\t_\n\n", 1, "3 columns, expected 10"),
        (f"1\tGo{REST}\t_\n\n", 1, "11 columns, expected 10"),
        (f"# c\n1\tGo{REST}\n2\tto\t_\t_", 3, "4 columns, expected 10 (the file looks truncated)"),
        (f"1\tGo{REST}\n1\tto{REST}\n\n", 2, "duplicate id 1, expected 2"),
        (f"1\tGo{REST}\n3\tto{REST}\n\n", 2, "missing id: 3 follows 1, expected 2"),
        (f"2\tGo{REST}\n\n", 1, "missing id: 2 follows 0, expected 1"),
        (f"0\tGo{REST}\n\n", 1, "id '0' is not a word number, expected 1"),
        (f"x\tGo{REST}\n\n", 1, "id 'x' is not a word number, expected 1"),
        (f"01\tGo{REST}\n\n", 1, "id '01' is not a word number, expected 1"),
        (f"１\tGo{REST}\n\n", 1, "id '１' is not a word number, expected 1"),
        (f"2-3\tGo{REST}\n1\tGo{REST}\n\n", 1, "multiword token 2-3 does not stand before word 2"),
        (
            f"1-2\tGo{REST}\n1\tGo{REST}\n\n",
            1,
            "multiword token up to word 2 in a sentence of 1 word",
        ),
        (f"1\tGo{REST}\n3-2\tGo{REST}\n\n", 2, "multiword token 3-2 ends before it begins"),
        (
            f"1-2\tGo{REST}\n1\tGo{REST}\n2-3\tGo{REST}\n2\tGo{REST}\n3\tGo{REST}\n\n",
            3,
            "multiword token 2-3 overlaps the one before",
        ),
        (f"1\tGo{REST}\n1.2\tGo{REST}\n\n", 2, "empty node 1.2, expected 1.1 here"),
        (f"2.1\tGo{REST}\n1\tGo{REST}\n\n", 1, "empty node 2.1, expected 0.1 here"),
        ("# only\n# comments\n\n", 1, "a sentence without words"),
        (f"1-1\tGo{REST}\n\n", 1, "a sentence without words"),
        ("   \n\n", 1, "1 column, expected 10"),
    ],
)
def test_a_malformed_sentence_is_named_with_its_line(text: str, line: int, reason: str) -> None:
    stream = io.BytesIO((GOOD + text).encode())
    stream.name = "bad.conllu"
    sentences = read_conllu(stream)
    assert next(sentences).forms == ("Go",)
    with pytest.raises(InputError) as error:
        next(sentences)
    assert str(error.value) == f"bad.conllu:{line + 2}: {reason}"


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.conllu"
    path.write_bytes(GOOD.encode() + f"# c\n1\tna\u00efve{REST}\n\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.conllu:4: not UTF-8: byte 0xef"):
        list(read_conllu(path))


def test_a_text_stream_of_another_encoding_is_an_input_error() -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"1\t\xff\n"), "utf-8")
    with pytest.raises(InputError, match="not Unicode text"):
        list(read_conllu(stream))


def test_half_a_surrogate_pair_is_an_input_error() -> None:
    with pytest.raises(InputError, match="not Unicode text"):
        list(read_conllu(io.StringIO(f"1\t\ud800{REST}\n\n")))
    with pytest.raises(InputError, match="not Unicode text"):
        Sentence.from_words(["\ud800"])
    with pytest.raises(InputError, match="not Unicode text"):
        Sentence(f"1\t\ud800{REST}\n\n")


def test_skipping_goes_on_with_the_next_sentence_and_tells() -> None:
    text = GOOD + "1\tbroken\n2\tbroken\n\n" + GOOD
    told: list[InputError] = []
    assert len(list(read_conllu(io.StringIO(text), on_error=told.append))) == 2
    assert [str(error) for error in told] == ["<stream>:3: 2 columns, expected 10"]
    assert len(list(read_conllu(io.StringIO(text), on_error="skip"))) == 2
    with pytest.raises(InputError, match="on_error"):
        read_conllu(io.StringIO(text), on_error="ignore")


def test_an_error_of_the_reader_of_sentences_is_not_swallowed() -> None:
    def use() -> None:
        for _ in read_conllu(io.StringIO(GOOD), on_error="skip"):
            raise InputError("mine")

    with pytest.raises(InputError, match="mine"):
        use()


def test_files_that_cannot_be_read_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such file"):
        read_conllu(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a folder, expected a file"):
        list(read_conllu(tmp_path))
    packed = tmp_path / "a.gz"
    packed.write_bytes(gzip.compress(GOOD.encode() * 100)[:-9])
    with pytest.raises(InputError, match=r"a\.gz: damaged"):
        list(read_conllu(packed))
    packed.write_bytes(GOOD.encode())
    with pytest.raises(InputError, match=r"a\.gz"):
        list(read_conllu(packed))


def test_column_files_are_checked_too() -> None:
    # One column and one more, with the line end between, are no three columns.
    with pytest.raises(InputError, match="<stream>:1: 1 column, expected 3"):
        list(read_columns(io.BytesIO(b"He\nwent\n\n")))
    with pytest.raises(InputError, match="<stream>:2: 2 columns, expected 3"):
        list(read_columns(io.BytesIO(b"He PRP B-NP\nwent VBD\n\n")))
    with pytest.raises(InputError, match="<stream>:1: a sentence without words"):
        list(read_columns(io.BytesIO(b"-DOCSTART- -X- O\n\n")))
    with pytest.raises(InputError, match="separator"):
        read_columns(io.BytesIO(), separator=";")
    with pytest.raises(InputError, match="twice"):
        read_columns(io.BytesIO(), ["form", "form"])


@pytest.mark.parametrize(
    ("heads", "line", "reason"),
    [
        (["_", "0"], 2, "head missing"),
        (["x", "0"], 2, "head 'x' is not a word number, 0 or '_'"),
        (["2", "-1"], 3, "head '-1' is not a word number, 0 or '_'"),
        (["9" * 5000, "0"], 2, f"head '{'9' * 5000}' is not a word number, 0 or '_'"),
        (["2", "17"], 3, "head 17 is outside the sentence (2 words)"),
        (["1", "0"], 2, "word 1 is its own head"),
        (["2", "1"], 2, "no root, the heads run in a cycle: 1 (a) -> 2 (b) -> 1 (a)"),
        (["0", "3", "4", "2"], 3, "cycle of heads: 2 (b) -> 3 (c) -> 4 (d) -> 2 (b)"),
    ],
)
def test_only_training_looks_at_heads(heads: list[str], line: int, reason: str) -> None:
    rows = [
        f"{m}\t{'abcd'[m - 1]}\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for m, head in enumerate(heads, 1)
    ]
    (sentence,) = read_conllu(io.StringIO("# c\n" + "".join(rows) + "\n"))
    assert len(sentence.forms) == len(heads)
    with pytest.raises(InputError) as error:
        check_tree(sentence)
    assert str(error.value) == f"<stream>:{line}: {reason}"


def test_several_roots_are_a_tree() -> None:
    assert check_tree(Sentence.from_words(["a", "b"], heads=[0, 0])) == (0, 0)
