"""Read every file of the folders given, write it back, compare the bytes, and tell the speed.

The time is CPU time for reading and for taking all columns.

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
    """Give: same bytes, sentences, tokens, CPU seconds to read and to get at the columns."""
    start = time.process_time()
    sentences = list(sentences_of(path))
    read = time.process_time()
    tokens = 0
    for sentence in sentences:
        tokens += len(sentence.forms)
        _ = sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats, sentence.labels
    accessed = time.process_time()
    stream = io.BytesIO()
    write_sentences(sentences, stream)
    same = stream.getvalue() == path.read_bytes()
    return same, len(sentences), tokens, read - start, accessed - read


def main(folders: list[str]) -> int:
    """Check every file and print a line for each."""
    files = [path for folder in folders for path in sorted(Path(folder).iterdir())]
    different = 0
    print(f"{'file':32} {'sentences':>9} {'tokens':>8} {'sentences/s':>11} {'tokens/s':>9}  bytes")
    for path in files:
        if path.suffix == ".md" or not path.is_file():
            continue
        same, sentences, tokens, reading, access = measure(path)
        different += not same
        seconds = max(reading + access, 1e-9)
        print(
            f"{path.name:32} {sentences:9,} {tokens:8,} {sentences / seconds:11,.0f} "
            f"{tokens / seconds:9,.0f}  {'same' if same else 'DIFFERENT'}",
            flush=True,
        )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
