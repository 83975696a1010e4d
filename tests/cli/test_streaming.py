"""Live input is answered as it comes, and a reader that goes away is no error."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.cli.inputs.live import LiveInput, batches
from turbotree.text import read_conllu

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes cannot be asked there")

WORD = b"1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"


def arriving(read_end: int) -> tuple[LiveInput, io.BufferedReader]:
    stream = os.fdopen(read_end, "rb")
    return LiveInput(stream), stream


def test_a_batch_ends_when_no_whole_sentence_is_at_hand() -> None:
    read_end, write_end = os.pipe()
    source, stream = arriving(read_end)
    found = batches(read_conllu(source), source, 10)
    with stream:
        os.write(write_end, (WORD + b"\n") * 3 + WORD)
        assert len(next(found)) == 3
        os.write(write_end, b"\r\n\n")
        assert len(next(found)) == 1
        os.write(write_end, (WORD + b"\n") * 12)
        assert [len(next(found)), len(next(found))] == [10, 2]
        os.write(write_end, WORD)
        os.close(write_end)
        assert [len(batch) for batch in found] == [1]


@given(
    st.lists(st.sampled_from([WORD, b"\n", b"\r\n", b"# x\n", b"#"]), max_size=30),
    st.lists(st.integers(1, 40), max_size=20),
)
def test_lines_come_through_however_they_are_cut(lines: list[bytes], cuts: list[int]) -> None:
    content = b"".join(lines)
    read_end, write_end = os.pipe()

    def write() -> None:
        rest = content
        for cut in cuts:
            os.write(write_end, rest[:cut])
            rest = rest[cut:]
        os.write(write_end, rest)
        os.close(write_end)

    writer = threading.Thread(target=write)
    writer.start()
    source, stream = arriving(read_end)
    with stream:
        found = []
        for line in source:
            found.append(line)
            source.sentence_at_hand()  # looking ahead must not change anything
    writer.join()
    assert found == content.splitlines(keepends=True)


def test_a_live_input_is_answered_up_to_a_malformed_sentence(files: Any) -> None:
    with start(files) as process:
        answers, complaints = process.communicate((WORD + b"\n") * 3 + b"1\tbroken\n\n")
    assert answers == (WORD + b"\n") * 3
    assert complaints == b"turbotree: error: <stdin>:7: 2 columns, expected 10\n"
    assert process.returncode == 2


def start(files: Any, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "turbotree", "parse", str(files.model), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_an_answer_comes_while_the_input_is_still_open(files: Any) -> None:
    with start(files) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        guard = threading.Timer(60, process.kill)  # or a failure would hang
        guard.start()
        for _ in range(2):
            process.stdin.write(WORD + b"\n")
            process.stdin.flush()
            assert process.stdout.readline() == WORD
            assert process.stdout.readline() == b"\n"
        process.stdin.close()
        assert process.stdout.read() == b""
        guard.cancel()
    assert process.returncode == 0


def test_a_reader_that_goes_away_is_no_error(files: Any, tmp_path: Path) -> None:
    many = tmp_path / "many.conllu"
    many.write_bytes(files.test.read_bytes() * 20)  # more than a pipe holds
    with start(files, str(many)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"# sent_id")
        process.stdout.close()
        complaints = process.stderr.read()
    assert (process.returncode, complaints) == (141, b"")
