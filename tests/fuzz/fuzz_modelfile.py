"""Damage model files at random and load them: nothing but ModelFileError may come out.

usage: fuzz_modelfile.py [--seconds 300] [--seed 0]

Every damaged file has to be refused, whichever byte changed. Half of the mutants of the table
get a fitting checksum, so that the checks behind it are reached as well; of those, some are
legal files, and then the arrays have to be readable to their last byte.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from turbotree.errors import ModelFileError
from turbotree.modelfile import read_model, write_model

ODD = [
    None, True, False, -1, 0, 1, 2, 7, 8, 28, 2**31, 2**32, 2**63 - 1, 2**63, 2**64, 10**40, 1.5,
    "", "F32", "I64", "BF16", "turbotree", "parser", "3", "-1", "1e9", "٣", "[" * 5000, "{}", "[]",
    [], [0], [0, 0], [0, 8], [8, 0], [1, 2, 3], [2**62, 2**62, 0], [[]], {}, {"a": {}},
    {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]},
]  # fmt: skip


def originals(folder: Path) -> list[bytes]:
    """Models of several sizes, to be damaged and to splice into each other."""
    contents: list[tuple[dict[str, np.ndarray], dict[str, Any]]] = [
        ({}, {}),
        ({"a": np.arange(5, dtype=np.float32)}, {"labels": ["nsubj", "obj"]}),
        (
            {
                "keys": np.arange(300, dtype=np.uint64),
                "weights": np.linspace(0, 1, 300, dtype=np.float32),
                "empty": np.zeros((0, 3)),
                "flags": np.ones(7, bool),
            },
            {"templates": ["h.form m.upos"] * 20, "record": {"epochs": 10, "loss": [1.5, 0.3]}},
        ),
    ]
    files = []
    for arrays, header in contents:
        write_model(folder / "original", arrays, header, kind="parser")
        files.append((folder / "original").read_bytes())
    return files


def truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 50])):
        damaged[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def set_bytes(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    at = rng.randrange(min(len(data), rng.choice([8, 60, 400, 10**9])))
    for place in range(at, min(len(data), at + rng.choice([1, 1, 4, 8, 64]))):
        damaged[place] = rng.choice([0, 255, 32, 34, 44, 91, 123, 125, rng.randrange(256)])
    return bytes(damaged)


def cut_or_insert(data: bytes, rng: random.Random) -> bytes:
    at, length = rng.randrange(len(data)), rng.choice([1, 2, 8, 64, 500])
    return (
        data[:at] + rng.choice([b"", rng.randbytes(length)]) + data[at + rng.choice([0, length]) :]
    )


def mutate_table(data: bytes, rng: random.Random) -> bytes:
    """Change values or keys anywhere in the JSON table; seal half of the results again."""
    length = int.from_bytes(data[:8], "little")
    table = json.loads(data[8 : 8 + length])
    for _ in range(rng.choice([1, 1, 2, 4])):
        place: Any = table
        while isinstance(place, (dict, list)) and place:
            key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
            inner = place[key]
            if not isinstance(inner, (dict, list)) or not inner or rng.random() < 0.3:
                change(place, key, rng)
                break
            place = inner
    text = json.dumps(table, ensure_ascii=rng.random() < 0.5, separators=(",", ":")).encode()
    text += b" " * rng.choice([0, 0, 1, 63])
    result = len(text).to_bytes(8, "little") + text + data[8 + length :]
    return seal(result) if rng.random() < 0.5 else result


def change(place: Any, key: Any, rng: random.Random) -> None:
    action = rng.random()
    if action < 0.15:
        del place[key]
    elif action < 0.3 and isinstance(place, dict):
        place[str(rng.choice(ODD))] = place[key]
    elif action < 0.5 and isinstance(place[key], int):
        place[key] += rng.choice([-8, -4, -1, 1, 4, 8])
    else:
        place[key] = copy.deepcopy(rng.choice(ODD))


def seal(data: bytes) -> bytes:
    at = data.find(b"crc32:")
    if at < 0:
        return data
    value = zlib.crc32(data[at + 14 :], zlib.crc32(data[:at]))
    return data[:at] + b"crc32:%08x" % value + data[at + 14 :]


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--seed", type=int, default=0)
    options = arguments.parse_args()
    rng = random.Random(options.seed)
    outcomes: Counter[str] = Counter()
    mutations = [truncate, flip_bits, set_bytes, cut_or_insert, mutate_table, mutate_table]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant"
        files = originals(Path(folder))
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            original = rng.choice(files)
            mutation = rng.choice(mutations)
            data = mutation(original, rng)
            if rng.random() < 0.1:  # splice: the beginning of one, the end of another
                data = (
                    data[: rng.randrange(len(data) + 1)] + original[rng.randrange(len(original)) :]
                )
            path.write_bytes(data)
            try:
                model = read_model(path)
            except ModelFileError as error:
                message = str(error)
                assert "\n" not in message, message
                outcomes[message.split(": ", 1)[1].split(":")[0][:30]] += 1
                continue
            except BaseException:
                keep = Path(tempfile.gettempdir()) / "fuzz_modelfile_failure"
                keep.write_bytes(data)
                print(f"seed {options.seed}: the failing file is kept as {keep}", file=sys.stderr)
                raise
            for array in model.arrays.values():
                array.tobytes()
            sealed = data == seal(data) and mutation is mutate_table
            assert data in files or sealed, f"damage by {mutation.__name__} was not found"
            outcomes["accepted: unchanged" if data in files else "accepted: legal"] += 1
    print(f"{sum(outcomes.values())} files:", dict(outcomes.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
