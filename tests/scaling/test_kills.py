"""``kill -9`` while a corpus is parsed; ``benchmarks/kills.py`` does more of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from turbotree.scaling import parse_corpus
from turbotree.scaling.engines import OneProcess
from turbotree.text import treebank, write_conllu

PARSE = """
import sys
from turbotree.scaling import open_engine, parse_corpus
model, corpus, out = sys.argv[1:]
with open_engine("processes", 1) as engine:
    parse_corpus(model, [corpus], out, engine, piece_bytes=2000)
"""


def someone_is_left(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing kills so hard here")
def test_a_killed_run_leaves_neither_half_a_file_nor_workers_and_goes_on(model, tmp_path):
    corpus, out = tmp_path / "in.conllu", tmp_path / "out.conllu"
    write_conllu(treebank(800, seed=3), corpus)
    process = subprocess.Popen(
        [sys.executable, "-c", PARSE, str(model), str(corpus), str(out)], start_new_session=True
    )
    deadline = time.monotonic() + 120
    while len(list(tmp_path.glob(".out.conllu.pieces/*/*.piece"))) < 3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.kill()
    process.wait()
    while someone_is_left(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not someone_is_left(process.pid)
    assert not out.exists()
    report = parse_corpus(model, [corpus], out, OneProcess(), piece_bytes=2000)
    assert report.resumed >= 3
    parse_corpus(model, [corpus], tmp_path / "whole.conllu", OneProcess())
    assert out.read_bytes() == (tmp_path / "whole.conllu").read_bytes()
