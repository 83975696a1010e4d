"""Throw damaged Parquet files at the reader for some time.

Usage: python tests/fuzz/fuzz_parquet.py --seconds 300 [--seed 1]

Whatever comes, the reader gives documents or raises InputError, with one line that begins with the
name of the file. Columns come in every type that strings have, with nulls and without, packed in
several ways. A child process reads them, so that a crash in the library that unpacks files is
found, too: it is told apart, because it is not ours. Skips itself without pyarrow.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from turbotree.errors import InputError
from turbotree.scaling.parquet import row_groups
from turbotree.text import treebank

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = None

# Files a child reads before it makes way for the next.
_FILES_A_CHILD = 400


def table(chance: random.Random) -> Any:
    """Make a table with a column of documents, and maybe others."""
    texts = [s.to_text() for s in treebank(5, seed=chance.randrange(1000))]
    odd = [
        None,
        "",
        "\n",
        "# only a comment\n",
        "A text.\n\nTwo.",
        "\ufeffx",
        "1\tone\n",
        "🐦" * 50,
    ]
    documents = [chance.choice(texts + odd) for _ in range(chance.choice([0, 1, 5, 40]))]
    kind = chance.choice([pa.string(), pa.large_string()])
    column = pa.array(documents, kind)
    if chance.random() < 0.3:
        column = column.dictionary_encode()
    if chance.random() < 0.05:
        column = pa.nulls(len(documents))
    columns = {chance.choice(["conllu", "text", "a.b"]): column}
    if chance.random() < 0.5:
        columns["number"] = pa.array(range(len(documents)))
    if chance.random() < 0.2:
        columns["list"] = pa.array([["a"]] * len(documents), pa.list_(pa.string()))
    return pa.table(columns)


def damaged(data: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.choice([0, 1, 1, 2, 5])):
        # The footer at the end says what is where.
        at = (
            chance.randrange(len(data))
            if chance.random() < 0.5
            else chance.randrange(max(0, len(data) - 600), len(data))
        )
        kind = chance.randint(0, 3)
        if kind == 0:
            data = data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + chance.randbytes(chance.choice([1, 4, 16])) + data[at:]
        elif kind == 2:
            data = data[:at] + chance.choice([b"\0", b"\xff", b"\x7f"]) * 4 + data[at + 4 :]
        else:
            data = data[:at] + data[at + chance.choice([1, 8, 100]) :]
        if not data:
            return b"PAR1"
    return data


def check(path: Path) -> str:
    """Read one file; tell what came of it."""
    message = None
    count = 0
    try:
        groups, _ = row_groups(path)
        for group in groups:
            for row, document in group.documents():
                assert isinstance(document, str)
                assert row >= 0
                count += 1
    except InputError as error:
        message = str(error)
    if message is not None:
        assert message.startswith(str(path)), message
        assert "\n" not in message, message
        return "refused"
    return "read" if count else "nothing in it"


def child(seed: int, end: float, path: str, results: Any) -> None:
    """Read damaged files, and tell of each before it is read."""
    chance = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for _ in range(_FILES_A_CHILD):
        if time.monotonic() > end:
            break
        whole = Path(path)
        compression = chance.choice(["none", "snappy", "zstd", "gzip"])
        size = chance.choice([1, 3, 100])
        pq.write_table(table(chance), whole, compression=compression, row_group_size=size)
        whole.write_bytes(damaged(whole.read_bytes(), chance))
        try:
            outcomes[check(whole)] += 1
        except BaseException:
            results.put(traceback.format_exc())
            return
    results.put(dict(outcomes))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=random.randrange(10**9))
    options = arguments.parse_args()
    if pa is None:
        print("pyarrow is not there: nothing to do")
        return 0
    print(f"seed {options.seed}", flush=True)
    total: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    seed = options.seed
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.parquet"
        while time.monotonic() < end:
            results = context.SimpleQueue()
            process = context.Process(target=child, args=(seed, end, str(path), results))
            process.start()
            process.join()
            if process.exitcode:  # the library crashed
                keep = Path(tempfile.gettempdir()) / f"fuzz_parquet_crash_{seed}.parquet"
                keep.write_bytes(path.read_bytes())
                print(f"pyarrow ended with status {process.exitcode} on {keep}", flush=True)
                total["pyarrow crashed"] += 1
            else:
                found = results.get()
                if isinstance(found, str):
                    keep = Path(tempfile.gettempdir()) / "fuzz_parquet_failure.parquet"
                    keep.write_bytes(path.read_bytes())
                    print(f"seed {seed}: the file is kept as {keep}\n{found}", file=sys.stderr)
                    return 1
                total.update(found)
            seed += 1
    print(f"{sum(total.values()):,} files:", dict(total.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
