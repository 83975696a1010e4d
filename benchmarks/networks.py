"""A network on a treebank: accuracy, time to train beside PyTorch, words per second by kernels.

    python benchmarks/networks.py FOLDER/en_ewt-ud [--hidden 200] [--updates 2400] [--loss heads]
        [--seed 1] [--threads 1] [--rival-updates 40] [--json]

FOLDER/en_ewt-ud-train.conllu, -dev and -test are read. Everything is in CPU seconds of one thread
unless said otherwise. With 0 rival updates, PyTorch is not needed; with 0 updates, nothing is
trained, and only times are measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from turbotree.evaluation import attachment_scores
from turbotree.learning.epochs import EpochRecord
from turbotree.learning.progress import Silent
from turbotree.networks import Network, NetworkOptions, _core, train_network
from turbotree.networks.training import NetworkTask
from turbotree.text import Sentence, read_conllu

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


class Shown(Silent):
    """Prints a line per epoch."""

    def epoch(self, name: str, record: EpochRecord) -> None:
        scores = ", ".join(f"{name} {value:.2f}" for name, value in record.scores.items())
        print(f"  epoch {record.epoch}: loss {record.loss:,.0f}, {scores}", file=sys.stderr)


def seconds_per_epoch(run: NetworkTask, updates: int) -> float:
    """Time some updates, and scale them to all words."""
    batches = run.batches(0)[:updates]
    begin = time.process_time()
    for number, batch in enumerate(batches):
        run.update(number, len(batches), batch, 1)
    words = sum(int(run.lengths[batch].sum()) for batch in batches)
    return (time.process_time() - begin) * run.words / words


def rival_seconds_per_epoch(run: NetworkTask, train: list[Sentence], updates: int) -> float:
    """The same updates of the same network with PyTorch on one thread."""
    import torch
    from benchmarks.networks_torch import TorchNetwork

    torch.set_num_threads(1)
    flat, at, weights = run.training.state()[0], 0, {}
    for name, rows, columns in run.sizes.blocks():
        weights[name] = flat[at : at + rows * columns].reshape(rows, columns)
        at += rows * columns
    rival = TorchNetwork(weights, dropout=run.options.dropout)
    trained = [own for own in rival.parameters() if own.requires_grad]
    adam = torch.optim.Adam(trained, lr=run.options.learning_rate)
    arrays = run.encoder.arrays(train)
    heads, labels = torch.tensor(run.heads), torch.tensor(run.labels)
    batches = run.batches(0)[:updates]
    begin = time.process_time()
    for batch in batches:
        adam.zero_grad()
        rival.loss(arrays, heads, labels, torch.tensor(batch).long()).backward()
        torch.nn.utils.clip_grad_norm_(trained, run.options.largest_norm)
        adam.step()
    words = sum(int(run.lengths[batch].sum()) for batch in batches)
    return (time.process_time() - begin) * run.words / words


def words_per_second(network: Network, sentences: list[Sentence]) -> dict[str, float]:
    """Forward speed: encoding, likely arcs and their labels."""
    words = sum(map(len, sentences))
    figures = {}
    begin = time.process_time()
    network.inputs.arrays(sentences)
    figures["strings to ids, cold"] = words / (time.process_time() - begin)
    for kernels in _core.kernel_names():
        own = network.with_kernels(kernels)
        own.inputs = network.inputs
        begin = time.process_time()
        for first in range(0, len(sentences), 256):
            own.encode(sentences[first : first + 256])
        figures[f"{kernels}, encoding"] = words / (time.process_time() - begin)
        begin = time.process_time()
        for first in range(0, len(sentences), 256):
            own.trees(own.encode(sentences[first : first + 256]))
        figures[f"{kernels}, trees"] = words / (time.process_time() - begin)
    begin = time.process_time()
    for sentence in sentences:
        network.encode([sentence])
    figures["one sentence at a time"] = words / (time.process_time() - begin)
    return figures


def accuracy(network: Network, sentences: list[Sentence]) -> tuple[float, float]:
    """UAS and LAS of the network alone."""
    scores = attachment_scores(sentences, network.parse(sentences))
    return round(scores.uas, 2), round(scores.las, 2)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank")
    parser.add_argument("--hidden", type=int, default=200)
    parser.add_argument("--updates", type=int, default=NetworkOptions().updates)
    parser.add_argument("--loss", default="heads")
    parser.add_argument("--average", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rival-updates", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    train, dev, test = (
        list(read_conllu(f"{given.treebank}-{part}.conllu")) for part in ("train", "dev", "test")
    )
    small = {"arc_size": 128, "label_size": 48} if given.hidden < 200 else {}
    options = NetworkOptions(
        hidden=given.hidden,
        updates=max(1, given.updates),
        loss=given.loss,
        average=given.average,
        seed=given.seed,
        **small,
    )
    figures: dict[str, Any] = {"treebank": Path(given.treebank).name, "hidden": given.hidden}
    run = NetworkTask(train, options)
    figures["weights"] = len(run.training.state()[0])
    if given.rival_updates:
        own = seconds_per_epoch(run, given.rival_updates)
        rival = rival_seconds_per_epoch(run, train, given.rival_updates)
        figures["CPU s per epoch"] = round(own, 1)
        figures["CPU s per epoch, torch"] = round(rival, 1)
        figures["ratio to torch"] = round(own / rival, 2)
    if given.updates:
        begin, clock = time.process_time(), time.monotonic()
        network = train_network(train, dev, options, progress=Shown(), threads=given.threads)
        figures["training, CPU s"] = round(time.process_time() - begin, 1)
        figures["training, s"] = round(time.monotonic() - clock, 1)
        for bits in (16, 8):
            frozen = network.frozen(bits=bits)
            figures[f"dev UAS/LAS, {bits} bits"] = accuracy(frozen, dev)
            figures[f"test UAS/LAS, {bits} bits"] = accuracy(frozen, test)
            figures[f"bytes, {bits} bits"] = len(frozen.to_bytes())
    else:
        network = run.network()
    for name, value in words_per_second(network, test).items():
        figures[f"words/s: {name}"] = int(np.round(value, -2))
    if given.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:32} {value}")


if __name__ == "__main__":
    main()
