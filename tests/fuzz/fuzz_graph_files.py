"""Throw damaged UAI, WCSP and CFN files at their readers for some time.

Usage: python tests/fuzz/fuzz_graph_files.py --seconds 300 [--seed 1]

A file gives a graph, or an InputError of one line that begins with its name. The process may not
take more than a few gigabytes, whatever a file asks for. Prints the file that broke a rule and
stops.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import lzma
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from turbotree.errors import InfeasibleError, InputError
from turbotree.graphs import read_network

WORDS = [
    *("0", "1", "2", "3", "-1", "-2", "7", "99", "1000000", "999999999999", "9" * 30, "9" * 5000),
    *("nan", "inf", "-inf", "1e999", "1e-999", "0x10", "1_0", "1.5", ">=", "=", "disj", "salldiff"),
    *("MARKOV", "BAYES", "\0", "é", "\x85", "x" * 5000, "\n", "#", '"', "'", "+3"),
]
ITEMS = [
    *(None, True, -1, 0, 1, 2, 3.5, 1e308, -1e308, 10**25, "", "a", "v0", "inf", "<9", ">0.5", "<"),
    *([], {}, [[]], [1, 2], ["a", "b", "c"], {"scope": ["v0"], "costs": [1]}, [0] * 70),
]


def plain(chance: random.Random) -> tuple[list[int], list[tuple[list[int], int]]]:
    sizes = [chance.choice([1, 2, 2, 3, 5]) for _ in range(chance.randint(1, 5))]
    functions = []
    for _ in range(chance.randint(0, 5)):
        scope = chance.sample(range(len(sizes)), chance.randint(0, min(3, len(sizes))))
        entries = 1
        for v in scope:
            entries *= sizes[v]
        functions.append((scope, entries))
    return sizes, functions


def uai(chance: random.Random) -> str:
    sizes, functions = plain(chance)
    lines = [chance.choice(["MARKOV", "BAYES"]), str(len(sizes)), " ".join(map(str, sizes))]
    lines.append(str(len(functions)))
    lines += [f"{len(scope)} {' '.join(map(str, scope))}" for scope, _ in functions]
    for _, entries in functions:
        shown = " ".join(f"{chance.choice([0, 0.5, chance.random()])}" for _ in range(entries))
        lines.append(f"{entries}\n{shown}")
    return "\n".join(lines)


def wcsp(chance: random.Random) -> str:
    sizes, functions = plain(chance)
    lines = [f"name {len(sizes)} 5 {len(functions)} 100", " ".join(map(str, sizes))]
    for scope, _ in functions:
        arity = len(scope) if chance.random() < 0.9 else -len(scope)
        start = f"{arity} {' '.join(map(str, scope))}"
        if len(scope) == 2 and chance.random() < 0.2:
            lines.append(f"{start} -1 {chance.choice(['>=', '<', '='])} 1 2")
            continue
        count = chance.randint(0, 2) if scope else 0
        lines.append(f"{start} {chance.choice([0, 3, 100])} {count}")
        for _ in range(count):
            values = [chance.randrange(sizes[v]) for v in scope]
            lines.append(" ".join(map(str, [*values, chance.choice([0, 7, 100])])))
    return "\n".join(lines)


def cfn(chance: random.Random) -> str:
    sizes, functions = plain(chance)
    listed = {}
    for number, (scope, entries) in enumerate(functions):
        function: dict[str, object] = {"scope": [f"v{v}" for v in scope]}
        if chance.random() < 0.3:
            function["defaultcost"] = 1.5
            function["costs"] = [*(0 for _ in scope), 2.25]
        else:
            function["costs"] = [chance.randint(-3, 9) for _ in range(entries)]
        listed[f"f{number}"] = function
    variables = {f"v{v}": size for v, size in enumerate(sizes)}
    whole = {"problem": {"name": "n", "mustbe": chance.choice(["<50", ">-9.50"])}}
    network: dict[str, object] = {**whole, "variables": variables, "functions": listed}
    if chance.random() < 0.6:
        changed(network, chance)
    return json.dumps(network)


def changed(item: object, chance: random.Random) -> None:
    """Put something odd into a value of JSON."""
    while isinstance(item, (dict, list)) and item:
        key = chance.choice(list(item) if isinstance(item, dict) else range(len(item)))
        if not isinstance(item[key], (dict, list)) or chance.random() < 0.3:  # type: ignore[index]
            item[key] = chance.choice(ITEMS)  # type: ignore[index]
            return
        item = item[key]  # type: ignore[index]


def damaged(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice([1, 1, 2, 5])):
        if chance.random() < 0.5:
            words = text.split(" ")
            words[chance.randrange(len(words))] = chance.choice(WORDS)
            text = " ".join(words)
        else:
            at, until = sorted(chance.randint(0, len(text)) for _ in range(2))
            text = text[:at] + chance.choice(["", *WORDS]) + text[until:]
    return text


def check(path: Path) -> str:
    """Read a file, and solve it if it is small; tell what came of it."""
    try:
        network = read_network(path)
    except InputError as error:
        message = str(error)
        assert "\n" not in message, message
        assert message.startswith(str(path)), message
        assert len(message) < 400, message
        return "refused"
    if len(network.graph) > 16:
        return "large"
    try:
        network.answer(network.graph.solve("brute_force"))
    except InfeasibleError:
        return "infeasible"
    return "solved"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=random.randrange(10**9))
    options = arguments.parse_args()
    print(f"seed {options.seed}", flush=True)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    chance = random.Random(options.seed)
    folder = Path(tempfile.mkdtemp())
    outcomes: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        ending, make = chance.choice([("uai", uai), ("wcsp", wcsp), ("cfn", cfn)])
        text = make(chance)
        if chance.random() < 0.8:
            text = damaged(text, chance)
        data = text.encode()
        packed = chance.choice(["", "", "", ".gz", ".xz"])
        if packed:
            data = (gzip.compress if packed == ".gz" else lzma.compress)(data)
            if chance.random() < 0.5:
                at = chance.randrange(len(data))
                data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        path = folder / f"a.{ending}{packed}"
        path.write_bytes(data)
        try:
            outcomes[check(path)] += 1
        except BaseException:
            print(f"FAILED on {path.name}: {data!r}", file=sys.stderr, flush=True)
            raise
    print(f"{sum(outcomes.values()):,} files:", dict(outcomes.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
