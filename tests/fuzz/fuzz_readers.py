"""Throw damaged files at the readers for some time.

Usage: python tests/fuzz/fuzz_readers.py --seconds 300 [--seed 1]

Whatever comes, a reader may only raise InputError; what it reads without error it must write
back to the same bytes, as a path, as a stream of bytes and as a stream of text alike; and what
is told of a sentence must agree with its text. Prints the input that broke a rule and stops.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import pickle
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from turbotree.errors import InputError
from turbotree.text import (
    CONLLU,
    CONLLX,
    Layout,
    Sentence,
    check_tree,
    column_layout,
    converted,
    read_layout,
    read_sentences,
    treebank,
    write_conllu,
    write_sentences,
)

LAYOUTS = (
    CONLLU,
    CONLLX,
    column_layout(),
    column_layout(("form", "chunk"), "\t"),
    column_layout(("form",), " "),
    column_layout(("form", "xpos", "chunk"), None),
)
# Pieces that mean something to some reader somewhere.
PIECES = [
    *(b"\n", b"\n\n", b"\r", b"\r\n", b"\t", b"\t\t", b" ", b"  ", b"#", b"# a = b\n", b"_"),
    *(b"1", b"2-3\t", b"1.1\t", b"0.1\t", b"-", b"-DOCSTART-", b"-DOCSTART- -X- O\n", b"0", b"-1"),
    *(b"999999999999999999999", b"1e5", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\xed\xa0\x80"),
    *(b"\x00", b"\x0b", b"\x0c", b"\x1c", b"\x85", "\x85".encode(), "\u2028".encode()),
    *("\u00a0".encode(), "１".encode(), "猫".encode(), b"\x1a", b"\x1f\x8b\x08"),
]


def seeds() -> list[bytes]:
    """Give the files to begin with."""
    trees = "".join(sentence.to_text() for sentence in treebank(6, seed=1)).encode()
    odd = (
        b"# c\n1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\t_\t_\t_\t_\t0\troot\t_\t_\n"
        b"2\tel\t_\t_\t_\t_\t1\tdet\t_\t_\n2.1\te\t_\t_\t_\t_\t_\t_\t1:x\t_\n\n"
    )
    columns = b"-DOCSTART- -X- O\n\nHe PRP B-NP\nwent VBD B-VP\n\nNo DT O\n\n"
    return [
        trees,
        odd + odd,
        odd.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + odd,
        odd[:-1],
        odd[:-2],
        columns,
        columns.replace(b" ", b"\t"),
        columns.replace(b" ", b"  "),
        b"He O\nwent O\n\n",
        b"",
    ]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Damage a file in one to six ways, by bytes, by pieces or by lines."""
    for _ in range(chance.randint(1, 6)):
        at, until = sorted(chance.randint(0, len(data)) for _ in range(2))
        until = min(until, at + chance.choice([0, 1, 4, 30]))
        kind = chance.randint(0, 6)
        if kind == 0:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        elif kind <= 2:
            data = data[:at] + chance.choice(PIECES) + data[until:]
        elif kind == 3:
            data = data[:at] + data[until:]
        elif kind == 4:
            data = data[:at] + data[at:until] * 2 + data[until:]
        elif kind == 5:
            lines = data.split(b"\n")
            i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            data = b"\n".join(lines)
        else:
            lines = [line.split(b"\t") for line in data.split(b"\n")]
            row = chance.choice(lines)
            row[chance.randrange(len(row))] = chance.choice(PIECES)
            data = b"\n".join(b"\t".join(row) for row in lines)
    return data


def sources(data: bytes, folder: Path) -> Iterator[Callable[[], object]]:
    """Give ways to open the same bytes."""
    path = folder / "fuzz"
    path.write_bytes(data)
    yield lambda: path
    yield lambda: io.BytesIO(data)
    with suppress(UnicodeDecodeError):
        text = data.decode()
        yield lambda: io.StringIO(text, newline="\n")
        yield lambda: io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")


def check_sentence(sentence: Sentence, chance: random.Random) -> None:
    """Check one sentence against its own text."""
    text, layout = sentence.to_text(), sentence.layout
    assert Sentence(text, layout) == sentence
    assert pickle.loads(pickle.dumps(sentence)) == sentence
    count = len(sentence)
    assert count > 0
    assert all(len(sentence.column(name)) == count for name in layout.columns)
    _ = sentence.comments, sentence.metadata, sentence.sent_id, sentence.text, repr(sentence)
    with suppress(InputError):
        assert len(sentence.words) == count
    with suppress(InputError):
        assert len(check_tree(sentence)) == count
    name = chance.choice([name for name in layout.columns if name != "id"])
    changed = sentence.replace(**{name: ["new"] * count})
    assert Sentence(changed.to_text(), layout).column(name) == ("new",) * count
    if layout.numbered:
        more = changed.with_comments(["fuzz = 1"])
        assert more.metadata["fuzz"] == "1"
        assert [more.column(c) for c in layout.columns] == [
            changed.column(c) for c in layout.columns
        ]
    with suppress(InputError):
        assert converted(sentence, CONLLU).forms == sentence.forms
    with suppress(InputError):
        assert converted(sentence, column_layout()).forms == sentence.forms


def check(data: bytes, layout: Layout, folder: Path, chance: random.Random) -> bool:
    """Check one input; say whether it could be read."""
    errors: list[InputError] = []
    results: list[object] = []
    for opened in sources(data, folder):
        try:
            sentences = list(read_layout(opened(), layout))  # type: ignore[arg-type]
        except InputError as error:
            results.append(str(error).partition(":")[2])
            continue
        stream = io.BytesIO()
        write_sentences(sentences, stream)
        # A file of blank lines has no sentence that could carry them.
        assert stream.getvalue() == data or not (sentences or data.strip(b"\xef\xbb\xbf\r\n\t "))
        results.append(sentences)
    assert all(result == results[0] for result in results), results
    kept = list(read_layout(io.BytesIO(data), layout, on_error=errors.append))
    readable = isinstance(results[0], list)
    assert readable == (not errors)
    for sentence in kept:
        check_sentence(sentence, chance)
    shuffled = chance.sample(kept, len(kept))
    stream = io.BytesIO()
    write_sentences(shuffled, stream)
    again = list(read_layout(io.BytesIO(stream.getvalue()), layout))
    assert [s.forms for s in again] == [s.forms for s in shuffled]
    with suppress(InputError):
        list(read_sentences(folder / "fuzz"))
    return readable


def check_packed(data: bytes, folder: Path, chance: random.Random) -> None:
    """Damage a gzip file: it is read or refused, and what is read can be packed again."""
    path = folder / "fuzz.gz"
    packed = gzip.compress(data, mtime=0)
    path.write_bytes(mutated(packed, chance) if chance.random() < 0.8 else packed)
    with suppress(InputError):
        sentences = list(read_layout(path, CONLLU))
        write_conllu(sentences, path)
        assert list(read_layout(path, CONLLU)) == sentences


def main() -> int:
    """Fuzz until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(10**9))
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    end = time.monotonic() + options.seconds
    corpus = seeds()
    tried = readable = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < end:
            data = mutated(chance.choice(corpus), chance)
            layout = chance.choice(LAYOUTS)
            try:
                good = check(data, layout, folder, chance)
                if tried % 20 == 0:
                    check_packed(data, folder, chance)
            except BaseException:
                print(f"FAILED on {data!r} with {layout}", file=sys.stderr, flush=True)
                raise
            tried += 1
            readable += good
            # Odd but readable files are the best to go on from.
            if good and len(data) < 4000 and chance.random() < 0.3:
                corpus.append(data)
                if len(corpus) > 300:
                    corpus[chance.randrange(11, len(corpus))] = corpus.pop()
    print(f"{tried:,} inputs, {readable:,} readable, nothing found ({os.cpu_count()} cores)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
