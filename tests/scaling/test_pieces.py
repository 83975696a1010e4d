"""Cutting files."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.scaling import cut
from turbotree.text import CONLLU, read_conllu, treebank, write_conllu

SENTENCES = list(treebank(8, seed=1))


@given(
    st.lists(st.tuples(st.sampled_from(SENTENCES), st.integers(1, 3)), max_size=8),
    st.integers(1, 3000),
)
def test_pieces_are_the_file_and_their_sentences_know_their_lines(tmp_path_factory, blocks, size):
    file = tmp_path_factory.mktemp("cut") / "file.conllu"
    file.write_text("".join(s.to_text() + "\n" * (blank - 1) for s, blank in blocks))
    pieces = cut(file, size)
    content = file.read_bytes()
    assert b"".join(content[p.start : p.end] for p in pieces) == content
    assert [p.number for p in pieces] == list(range(len(pieces)))
    whole = [(s.to_text().strip(), s.line) for s in read_conllu(file)]
    parts = [(s.to_text().strip(), s.line) for p in pieces for s in p.sentences(CONLLU)]
    assert parts == whole


def test_pieces_end_after_about_so_many_bytes(tmp_path):
    file = tmp_path / "file.conllu"
    write_conllu(treebank(200, seed=1), file)
    longest = max(len(s.to_text().encode()) for s in read_conllu(file))
    pieces = cut(file, 5000)
    assert all(5000 <= p.end - p.start < 5000 + longest for p in pieces[:-1])


def test_a_packed_file_is_one_piece(tmp_path):
    file = tmp_path / "file.conllu.gz"
    with gzip.open(file, "wt") as out:
        out.write("".join(s.to_text() for s in SENTENCES))
    (piece,) = cut(file, 10)
    assert list(piece.sentences(CONLLU)) == SENTENCES


def test_an_empty_file_is_one_piece_without_sentences(tmp_path):
    file = tmp_path / "file.conllu"
    file.touch()
    (piece,) = cut(file, 10)
    assert list(piece.sentences(CONLLU)) == []


def test_mistakes_are_told_by_their_line_in_the_whole_file(tmp_path):
    file = tmp_path / "file.conllu"
    broken = "1\tword\n\n"
    file.write_text(SENTENCES[0].to_text() + SENTENCES[1].to_text() + broken)
    line = file.read_text().splitlines().index("1\tword") + 1
    *_, last = cut(file, 1)
    with pytest.raises(InputError, match=rf"file\.conllu:{line}: "):
        list(last.sentences(CONLLU))
