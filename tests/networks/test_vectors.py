"""Pretrained word vectors: their files, and what they add to a network."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_networks import SMALL

from turbotree.errors import InputError
from turbotree.evaluation import attachment_scores
from turbotree.networks import Network, NetworkOptions, WordVectors, train_network
from turbotree.text import Sentence, treebank

#: What is written, as the programs write it: with their first line and space at the end, or not.
STYLES = ("glove", "fasttext", "word2vec")


def written(
    words: list[str], values: np.ndarray, style: str = "glove", line_end: str = "\n"
) -> bytes:
    """Write vectors in the manner of a program."""
    trailing = " " if style == "word2vec" else ""
    lines = [
        f"{word} {' '.join(str(float(value)) for value in row)}{trailing}"
        for word, row in zip(words, values, strict=True)
    ]
    if style != "glove":
        lines.insert(0, f"{len(words)} {values.shape[1]}")
    return "".join(line + line_end for line in lines).encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.vec"


_LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Z"])
_PLAIN = st.text(_LETTERS, min_size=1, max_size=8)
#: Words of several parts, the last of which is not written like a value.
_WORDS = st.one_of(_PLAIN, st.lists(_PLAIN, max_size=3).map(lambda own: " ".join([*own, "x2"])))


@st.composite
def some_vectors(draw: st.DrawFn) -> tuple[list[str], np.ndarray]:
    words = draw(st.lists(_WORDS, min_size=1, max_size=12, unique=True))
    size = draw(st.integers(2, 5))
    numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)
    rows = draw(
        st.lists(
            st.lists(numbers, min_size=size, max_size=size),
            min_size=len(words),
            max_size=len(words),
        )
    )
    if " " in words[0]:  # by the first line of GloVe, the size is known
        words[0] = "the"
        words = list(dict.fromkeys(words))
    return words, np.array(rows[: len(words)], dtype=np.float32)


@given(some_vectors(), st.sampled_from(STYLES), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    vectors: tuple[list[str], np.ndarray],
    style: str,
    line_end: str,
    packed: bool,
) -> None:
    words, values = vectors
    data = written(words, values, style, line_end)
    path = tmp_path_factory.mktemp("vectors") / ("some.vec.gz" if packed else "some.vec")
    path.write_bytes(gzip.compress(data) if packed else data)
    read = WordVectors.read(path)
    assert read.words == words
    assert read.table[1:].tobytes() == values.tobytes()
    assert not read.table[0].any()
    assert (len(read), read.size, read.name) == (len(words), values.shape[1], path.name)


@given(
    st.lists(st.sampled_from("abcdefgABCDEFG"), min_size=1, max_size=30),
    st.lists(st.sampled_from("abcdefgABCDEFGxyz"), max_size=5),
    st.integers(1, 12),
)
def test_words_of_the_treebank_are_kept_and_then_the_first(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], forms: list[str], limit: int
) -> None:
    path = tmp_path_factory.mktemp("vectors") / "some.txt"
    values = np.arange(2.0 * len(words)).reshape(-1, 2)
    path.write_bytes(written(words, values))
    read = WordVectors.read(path, keep=forms, limit=limit)
    wanted = {*forms, *(form.lower() for form in forms)}
    different = list(dict.fromkeys(words))
    ordered = sorted(different, key=lambda word: (word not in wanted, different.index(word)))
    assert set(read.words) == set(ordered[:limit])
    for word, row in zip(read.words, read.table[1:], strict=True):
        assert row.tolist() == values[words.index(word)].tolist()  # the first line counts


def test_a_form_finds_its_vector_or_that_of_its_lower_case(path: Path) -> None:
    path.write_text("the 1\nThe 2\nof 3\n")
    read = WordVectors.read(path)
    assert read.table[read.rows_of(["The", "the", "THE", "Of", "cat"])].tolist() == [
        [2.0], [1.0], [1.0], [3.0], [0.0],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"New York 0.5 1", b"World War 2 0.5 1", b"to infinity 0.5 1", b". . . 0.5 1",
        b"a\t0.5\t1", b"a  0.5  1 ", b"  a 0.5 1", b"12 0.5 1", b"0.5 0.5 1", b"a +5e-1 1E0",
        b"a\xc2\xa0b .5 1.",
    ],
)  # fmt: skip
def test_unusual_lines_are_read(path: Path, line: bytes) -> None:
    path.write_bytes(b"the 1 2\n" + line + b"\nof 3 4\n")
    read = WordVectors.read(path)
    assert len(read) == 3
    assert read.table[1:].tolist() == [[1.0, 2.0], [0.5, 1.0], [3.0, 4.0]]
    assert read.words[1] == line.decode().strip()[: len(read.words[1])]


WRONG = [
    (b"", "0 values, expected 2"),
    (b"a", "0 values, expected 2"),
    (b"a 1", "1 values, expected 2"),
    (b" 1 2", "1 values, expected 2"),
    (b"a 0.1 0.2 0.3", "more than 2 values"),
    (b"a 1 -2 3 4", "more than 2 values"),
    (b"a 1 x", "'x' is not a number"),
    (b"a 1 1.2.3", "'1.2.3' is not a number"),
    (b"a 1 --2", "'--2' is not a number"),
    (b"a 1 1_0", "'1_0' is not a number"),
    (b"a 1 \xc2\xb2", "'\N{SUPERSCRIPT TWO}' is not a number"),
    (b"a 1 nan", "'nan' is not a finite number"),
    (b"a -inf 2", "'-inf' is not a finite number"),
    (b"a 1e39 2", "'1e39' is not a finite number"),
    (b"a 1e999 2", "'1e999' is not a finite number"),
    (b"a\xff 1 2", "not UTF-8: byte 0xff (invalid start byte)"),
    (b"a\xc3 1 2", "not UTF-8: byte 0xc3 (unexpected end of data)"),
    (b"a " + b"1" * 2**20, "more than 1,048,576 bytes: no text file of word vectors"),
]


@pytest.mark.parametrize(("line", "reason"), WRONG)
@pytest.mark.parametrize("header", [b"", b"3 2\n"])
def test_a_malformed_line_is_named(path: Path, line: bytes, reason: str, header: bytes) -> None:
    path.write_bytes(header + b"the 1 2\n" + line + b"\nof 3 4\n")
    with pytest.raises(InputError) as raised:
        WordVectors.read(path)
    assert str(raised.value) == f"{path}:{3 if header else 2}: {reason}"


@pytest.mark.parametrize("line", [b"", b"a 1", b"a 0.1 0.2 0.3", b"a 1 nan", b"a\xff 1 2"])
def test_lines_that_are_not_kept_are_looked_at_too(path: Path, line: bytes) -> None:
    path.write_bytes(b"the 1 2\nof 3 4\n" + line + b"\n")
    with pytest.raises(InputError, match=rf"^{path}:3: "):
        WordVectors.read(path, limit=1)


@given(
    st.integers(0, 8),
    st.sampled_from([own for own in WRONG if len(own[0]) < 100]),
    st.integers(2, 9),
)
def test_a_malformed_line_is_named_wherever_it_is(
    tmp_path_factory: pytest.TempPathFactory, before: int, wrong: tuple[bytes, str], limit: int
) -> None:
    path = tmp_path_factory.mktemp("vectors") / "some.vec"
    lines = [b"w%d 1 2\n" % i for i in range(9)]
    lines.insert(before, wrong[0] + b"\n")
    path.write_bytes(b"10 2\n" + b"".join(lines))
    with pytest.raises(InputError) as raised:
        WordVectors.read(path, keep=["a"], limit=limit)
    assert str(raised.value) == f"{path}:{before + 2}: {wrong[1]}"


@given(st.binary(max_size=60))
def test_any_bytes_are_vectors_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("vectors") / "some.vec"
    path.write_bytes(data)
    try:
        assert len(WordVectors.read(path)) >= 1
    except InputError as error:
        message = str(error)
    else:
        message = "no error"
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "{path}: no word vectors"),
        (b"\n", "{path}: no word vectors"),
        (b"0 2\n", "{path}: no word vectors"),
        (b"the\n", "{path}:1: vectors of size 0, expected 1 to 4096"),
        (b"1 0\nthe\n", "{path}:1: vectors of size 0, expected 1 to 4096"),
        (b"1 4097\nthe\n", "{path}:1: vectors of size 4097, expected 1 to 4096"),
        (b"2 2\nthe 1 2\n", "{path}:1: the first line promises 2 words, 1 follow"),
        (b"1 2\nthe 1 2\nof 1 2\n", "{path}:1: the first line promises 1 words, 2 follow"),
        (b"999999999999999999 2\n", "{path}:1: the first line promises 999999999999999999 "
         "words, 0 follow"),
        (b"1 3\nthe 1 2\n", "{path}:2: 2 values, expected 3"),
        (b"9" * 5000 + b" 2\n", "{path}:1: the first line promises more than any file holds"),
    ],
)  # fmt: skip
def test_a_file_without_vectors_or_with_a_lying_header_is_refused(
    path: Path, data: bytes, reason: str
) -> None:
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        WordVectors.read(path)
    assert str(raised.value).startswith(reason.format(path=path))


def test_what_the_header_says_is_not_allocated(path: Path) -> None:
    path.write_bytes(b"100000000000 4096\nthe " + b"0 " * 4096 + b"\n")
    tracemalloc.start()
    with pytest.raises(InputError, match="promises"):
        WordVectors.read(path, limit=2**26 - 1)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**25


def test_a_file_without_line_ends_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.txt.gz"
    path.write_bytes(gzip.compress(b"1 " * 2**25))
    tracemalloc.start()
    with pytest.raises(InputError, match="more than 1,048,576 bytes"):
        WordVectors.read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**24


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        WordVectors.read(tmp_path / "none.vec")
    with pytest.raises(InputError, match="is a folder"):
        WordVectors.read(tmp_path)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"the 1 2\n" * 1000)[:-20])
    with pytest.raises(InputError, match="damaged gzip file"):
        WordVectors.read(tmp_path / "cut.gz")
    (tmp_path / "no.gz").write_bytes(b"the 1 2\n")
    with pytest.raises(InputError, match=r"no\.gz"):
        WordVectors.read(tmp_path / "no.gz")
    (tmp_path / "some.vec").write_bytes(b"the 1 2\n")
    for limit in (0, -1, 2**26, 1.5, "1"):
        with pytest.raises(InputError, match="whole number"):
            WordVectors.read(tmp_path / "some.vec", limit=limit)  # type: ignore[arg-type]


def test_words_that_a_file_cannot_hold_are_refused() -> None:
    for words in (["a", "a"], ["a", ""], ["a", "b\nc"]):
        with pytest.raises(InputError, match="word"):
            WordVectors(words, np.zeros((2, 3), np.float32))


def test_a_record_tells_vectors_apart(path: Path) -> None:
    path.write_bytes(b"the 1 2\nof 3 4\n")
    record = WordVectors.read(path).to_record()
    assert (record["file"], record["count"], record["size"]) == ("some.vec", 2, 2)
    assert WordVectors.read(path).to_record() == record
    path.write_bytes(b"the 1 2\nof 3 5\n")
    assert WordVectors.read(path).to_record()["checksum"] != record["checksum"]


def test_a_checkpoint_of_other_vectors_is_refused(
    sentences: list[Sentence], vectors: WordVectors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("turbotree.learning.checkpoint.Checkpoint.remove", lambda self: None)
        train_network(sentences, options=SMALL, vectors=vectors, checkpoint=tmp_path)
    others = WordVectors(vectors.words, vectors.table[1:] * 2)
    with pytest.raises(InputError, match=r"other settings \(vectors\)"):
        train_network(sentences, options=SMALL, vectors=others, checkpoint=tmp_path, resume=True)


@pytest.mark.parametrize("largest", [0.0, 1e-45, 2e-43, 1e-38, 1.0, 3e38])
def test_vectors_of_any_magnitude_are_stored(
    sentences: list[Sentence], vectors: WordVectors, largest: float
) -> None:
    values = np.zeros_like(vectors.table[1:])
    values[0, 0], values[0, 1] = largest, -largest / 2
    network = train_network(
        sentences[:5], options=SMALL, vectors=WordVectors(vectors.words, values)
    ).frozen()
    assert network.vectors is not None
    assert np.abs(network.vectors.table[1:] - values).max() <= max(largest / 200, 1e-30)
    assert Network.from_bytes(network.to_bytes()).to_bytes() == network.to_bytes()


def disguised(
    sentences: list[Sentence], chance: random.Random
) -> tuple[list[Sentence], dict[str, str]]:
    """Sentences in new words, each with its own meaning: nothing but a vector tells its tag."""
    tags: dict[str, str] = {}
    found = []
    for sentence in sentences:
        forms = ["".join(chance.choices("abcdefgh", k=8)) for _ in sentence.forms]
        tags |= dict(zip(forms, sentence.upos, strict=True))
        found.append(Sentence.from_words(forms, heads=sentence.heads, labels=sentence.labels))
    return found, tags


def test_vectors_that_carry_the_answer_help() -> None:
    chance = random.Random(1)
    train, tags = disguised(list(treebank(80, seed=1)), chance)
    test, more = disguised(list(treebank(30, seed=2)), chance)
    tags |= more
    names = sorted(set(tags.values()))
    values = np.array([[float(tag == name) for name in names] for tag in tags.values()])
    vectors = WordVectors(list(tags), values.astype(np.float32))
    options = NetworkOptions(
        hidden=24, arc_size=24, label_size=12, word_size=8, surface_size=8, tag_size=4,
        lemma_size=4, vector_size=16, updates=600, least_epochs=1, batch_words=100,
        surface_buckets=64,
    )  # fmt: skip
    las = [
        attachment_scores(test, train_network(train, options=options, vectors=own).parse(test)).las
        for own in (None, vectors)
    ]
    assert las[1] > las[0] + 20
