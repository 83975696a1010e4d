"""The quick way through a block against the slow one, which looks at every line."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.text import read_layout, write_sentences
from turbotree.text.blocks import BlockError, _parse_lines, _parse_plain
from turbotree.text.layouts import Layout, column_layout

LAYOUTS = [
    Layout("numbered", ("id", "form", "head"), "\t", numbered=True, extended=True),
    Layout("numbered", ("id",), "\t", numbered=True),
    column_layout(("form",), " "),
    column_layout(("form",), "\t"),
    column_layout(("form", "chunk"), " "),
    column_layout(("form", "xpos", "chunk"), "\t"),
]
pieces = ["1", "2", "\n1\ta\t0", "\n2\tb\t0", "\t", " ", "\n", "\n\n", "#", "a", "\r"]
pieces += ["-DOCSTART-", "\ufeff", "1-2", "\na b", "\na\tb\tc", "\x85"]
texts = st.lists(st.sampled_from(pieces), max_size=9).map(lambda parts: "".join(parts) + "\n\n")


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=300, deadline=None)
@given(texts)
def test_the_quick_way_gives_what_the_slow_way_gives_or_nothing(layout: Layout, text: str) -> None:
    quick = _parse_plain(text, layout)
    try:
        lines, columns = _parse_lines(text, layout)
    except BlockError:
        assert quick is None
        return
    if quick is not None:
        assert list(quick[0]) == list(lines)
        assert [tuple(column) for column in quick[1]] == columns


def test_the_quick_way_is_taken_by_plain_sentences() -> None:
    assert _parse_plain("# c\n1\ta\t2\n2\tb\t0\n\n", LAYOUTS[0]) is not None
    assert _parse_plain("a B\nc D\n\n", LAYOUTS[4]) is not None


def test_byte_order_marks_stand_at_the_beginning_of_a_block():
    layout = column_layout(("form",))
    joined = b"a\n\n\xef\xbb\xbfb\n\n"
    sentences = list(read_layout(io.BytesIO(joined), layout))
    assert [sentence.forms for sentence in sentences] == [("a",), ("b",)]
    stream = io.BytesIO()
    write_sentences(sentences, stream)
    assert stream.getvalue() == joined
    with pytest.raises(InputError, match=":2: a byte order mark that is not at the beginning"):
        list(read_layout(io.BytesIO(b"\n\xef\xbb\xbf\n\n"), layout))


@pytest.mark.parametrize("cut", [b"a\r\nb\r", b"b\r", b"b", b"a\r\nb"])
def test_a_cut_last_line_keeps_its_words_when_more_is_written_behind_it(cut):
    layout = column_layout(("form",))
    sentences = list(read_layout(io.BytesIO(cut), layout)) * 2
    stream = io.BytesIO()
    write_sentences(sentences, stream)
    again = list(read_layout(io.BytesIO(stream.getvalue()), layout))
    assert [sentence.forms for sentence in again] == [sentence.forms for sentence in sentences]
