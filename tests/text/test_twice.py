from __future__ import annotations

import io
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import examples

import turbotree as tt
from turbotree.errors import InputError
from turbotree.text import read_columns

# Neither half of a pair of surrogates is text.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@examples(60)
@given(texts)
def test_text_comes_back_and_is_what_the_mistake_makes_of_it(text):
    data = text.encode("utf-8-twice")
    assert data == text.encode().decode("latin-1").encode()
    assert data.decode("utf-8-twice") == text


@examples(60)
@given(st.lists(texts, max_size=4), st.integers(1, 9))
def test_streams_read_and_write_it(lines, size):
    data = io.BytesIO()
    with io.TextIOWrapper(data, encoding="utf-8-twice", newline="") as stream:
        for line in lines:
            stream.write(line)
            stream.write("\n")
        stream.flush()
        written = data.getvalue()
    text = "".join(line + "\n" for line in lines)
    assert written == text.encode("utf-8-twice")
    decoder = io.TextIOWrapper(io.BytesIO(written), encoding="utf-8-twice", newline="")
    pieces = iter(lambda: decoder.read(size), "")
    assert "".join(pieces) == text


@pytest.mark.parametrize("line", ["subrayó VMI O\n".encode(), "5 € O\n".encode(), b"\xff Z O\n"])
def test_what_was_encoded_once_is_refused_with_its_line(tmp_path, line):
    path = tmp_path / "data.txt"
    path.write_bytes(b"a DA O\n" + line)
    with pytest.raises(InputError, match=r"data.txt.*2.*not utf-8-twice"):
        list(read_columns(path, encoding="utf-8-twice"))


def test_columns_are_read_as_they_were_meant(tmp_path):
    path = tmp_path / "data.txt"
    path.write_text("subrayÃ³ VMI O\nEspaÃ±a NP B-LOC\n")
    (sentence,) = read_columns(path, encoding="utf-8-twice")
    assert sentence.forms == ("subrayó", "España")


def test_a_tagger_writes_what_it_reads(tmp_path):
    path, out = tmp_path / "data.txt", tmp_path / "out.txt"
    path.write_text("MarÃ\xada NP B-PER\nhablÃ³ VMI O\n\n" * 8)
    options = {"task": "entities", "encoding": "utf-8-twice", "epochs": 3}
    tt.Tagger.train(path, **options).save(tmp_path / "model")
    command = ["parse", tmp_path / "model", path, "-o", out, "--encoding", "utf-8-twice"]
    subprocess.run([sys.executable, "-m", "turbotree", *map(str, command)], check=True)
    assert out.read_bytes() == path.read_bytes()
