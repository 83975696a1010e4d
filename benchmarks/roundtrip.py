"""Read every file of the folders given, write it back, compare the bytes, and tell the speed.

Usage: python benchmarks/roundtrip.py FOLDER...
CoNLL-U files are known by their suffix; the rest are read as column files if they look so.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from turbotree.text import Sentence, read_columns, read_conllu, write_sentences


def sentences_of(path: Path) -> Iterator[Sentence]:
    """Read a file by its suffix."""
    return read_conllu(path) if path.suffix == ".conllu" else read_columns(path)


def measure(path: Path) -> tuple[bool, int, int, float, float]:
    """Give: same bytes, sentences, tokens, seconds to read, seconds to get at the columns."""
    start = time.perf_counter()
    sentences = list(sentences_of(path))
    read = time.perf_counter()
    tokens = 0
    for sentence in sentences:
        tokens += len(sentence.forms)
        _ = sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.labels
    accessed = time.perf_counter()
    stream = io.BytesIO()
    write_sentences(sentences, stream)
    same = stream.getvalue() == path.read_bytes()
    return same, len(sentences), tokens, read - start, accessed - read


def main(folders: list[str]) -> int:
    """Check every file and print a line for each."""
    files = [path for folder in folders for path in sorted(Path(folder).iterdir())]
    different = 0
    print(f"{'file':32} {'sentences':>9} {'tokens':>8} {'read µs/tok':>11} {'columns':>8}  bytes")
    for path in files:
        if path.suffix == ".md" or not path.is_file():
            continue
        same, sentences, tokens, reading, access = measure(path)
        different += not same
        per_token = 1e6 / max(tokens, 1)
        print(
            f"{path.name:32} {sentences:9,} {tokens:8,} {reading * per_token:11.2f} "
            f"{access * per_token:8.2f}  {'same' if same else 'DIFFERENT'}",
            flush=True,
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
