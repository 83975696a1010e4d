"""Spanning trees and marginals beside their peers, in one run.

Maximum spanning trees beside ``ufal.chu_liu_edmonds``; marginals with log partition beside the
same formulas in vectorised NumPy, on batches of random matrices. Everything runs on one thread;
the last column repeats NumPy in a second process with its default number of threads.

    python benchmarks/trees.py [--count 1000] [--repeats 5] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

if __name__ == "__main__" and "--default-threads" not in sys.argv:
    # Has to stand in the environment before NumPy is loaded.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"

import numpy as np
from numpy.typing import NDArray

from turbotree.trees import maximum_spanning_tree, tree_marginals

SIZES = (10, 20, 40, 80)


def numpy_marginals(
    scores: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Marginals and log partition by the matrix-tree theorem, the whole batch at once."""
    words = np.arange(scores.shape[1] - 1)
    shift = scores[:, :, 1:].max(axis=1)
    weights = np.exp(scores[:, :, 1:] - shift[:, np.newaxis, :])
    weights[:, words + 1, words] = 0.0
    laplacian = -weights[:, 1:, :]
    laplacian[:, words, words] = weights.sum(axis=1)
    inverse = np.linalg.inv(laplacian)
    log_determinant = np.linalg.slogdet(laplacian).logabsdet
    diagonal = inverse[:, words, words]
    probabilities = np.zeros_like(scores)
    probabilities[:, 0, 1:] = weights[:, 0] * diagonal
    probabilities[:, 1:, 1:] = weights[:, 1:] * (
        diagonal[:, np.newaxis, :] - inverse.transpose(0, 2, 1)
    )
    return probabilities, log_determinant + shift.sum(axis=1)


def random_scores(count: int, words: int) -> NDArray[np.float64]:
    return np.random.default_rng(words).normal(size=(count, words + 1, words + 1))


def fastest(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """Best time of each, taken in turn so that a busy machine hits all of them alike."""
    best = [float("inf")] * len(functions)
    for _ in range(repeats):
        for index, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[index] = min(best[index], time.perf_counter() - start)
    return best


def measure(count: int, repeats: int, words: int) -> dict[str, float]:
    from ufal.chu_liu_edmonds import chu_liu_edmonds

    scores = random_scores(count, words)
    # There a row is a modifier and a column its possible head.
    transposed = np.ascontiguousarray(scores.transpose(0, 2, 1))

    def peer_trees() -> list[object]:
        return [chu_liu_edmonds(matrix) for matrix in transposed]

    def own_trees_one_by_one() -> list[object]:
        return [maximum_spanning_tree(matrix, single_root=False) for matrix in scores]

    heads = maximum_spanning_tree(scores, single_root=False)
    for own, (peer, _) in zip(heads, peer_trees(), strict=True):
        assert own.tolist() == list(peer)[1:], "the two decoders disagree"
    result = tree_marginals(scores, single_root=False)
    probabilities, log_partition = numpy_marginals(scores)
    np.testing.assert_allclose(result.probabilities, probabilities, atol=1e-9)
    np.testing.assert_allclose(result.log_partition, log_partition, rtol=1e-9)

    own_tree, single_tree, peer_tree, own_sums, numpy_sums = fastest(
        repeats,
        lambda: maximum_spanning_tree(scores, single_root=False),
        own_trees_one_by_one,
        peer_trees,
        lambda: tree_marginals(scores, single_root=False),
        lambda: numpy_marginals(scores),
    )
    return {
        "words": words,
        "tree_us": own_tree / count * 1e6,
        "tree_one_by_one_us": single_tree / count * 1e6,
        "ufal_us": peer_tree / count * 1e6,
        "tree_ratio": peer_tree / own_tree,
        "tree_one_by_one_ratio": peer_tree / single_tree,
        "marginals_us": own_sums / count * 1e6,
        "numpy_us": numpy_sums / count * 1e6,
        "marginals_ratio": numpy_sums / own_sums,
    }


def default_threads_times(count: int, repeats: int) -> list[float]:
    """NumPy's times in a process without thread limits, in microseconds per matrix."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    command = [sys.executable, __file__, "--default-threads"]
    command += ["--count", str(count), "--repeats", str(repeats)]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return [float(value) for value in json.loads(output.stdout)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="matrices in a batch")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--default-threads", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.default_threads:
        times = []
        for words in SIZES:
            scores = random_scores(arguments.count, words)
            (seconds,) = fastest(arguments.repeats, lambda s=scores: numpy_marginals(s))
            times.append(seconds / arguments.count * 1e6)
        print(json.dumps(times))
        return

    rows = [measure(arguments.count, arguments.repeats, words) for words in SIZES]
    for row, numpy_us in zip(
        rows, default_threads_times(arguments.count, arguments.repeats), strict=True
    ):
        row["numpy_default_threads_us"] = numpy_us
        row["marginals_ratio_default_threads"] = numpy_us / row["marginals_us"]
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"batches of {arguments.count}, microseconds per matrix, ratio = peer / turbotree\n")
    print("maximum spanning tree      turbotree   one by one         ufal    ratio   one by one")
    for row in rows:
        print(
            f"  n = {row['words']:<18} {row['tree_us']:>12.1f} {row['tree_one_by_one_us']:>12.1f}"
            f" {row['ufal_us']:>12.1f} {row['tree_ratio']:>8.1f}"
            f" {row['tree_one_by_one_ratio']:>12.1f}"
        )
    print("\nmarginals, log partition   turbotree        NumPy    ratio   NumPy threads    ratio")
    for row in rows:
        print(
            f"  n = {row['words']:<18} {row['marginals_us']:>12.1f} {row['numpy_us']:>12.1f}"
            f" {row['marginals_ratio']:>8.1f} {row['numpy_default_threads_us']:>15.1f}"
            f" {row['marginals_ratio_default_threads']:>8.1f}"
        )


if __name__ == "__main__":
    main()
