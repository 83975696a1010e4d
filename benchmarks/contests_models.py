"""Contests of whole models: parsing, several trees, training, chunking.

Without data they run on the built-in treebank. Models are trained here, on one thread: a few
seconds each.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from contests import Contest, Run

from turbotree.experiments.data.chunks import chunked
from turbotree.labeling import Tagger
from turbotree.labeling.templates import load_templates
from turbotree.parsing import Parser
from turbotree.text import Sentence, read_conllu, treebank, write_conllu

_TRAIN, _TEST, _EPOCHS = 250, 150, 2
_TREEBANK = "nl_lassysmall"  # small files, and all that parsing has to cope with


def model_contests(data: Path | None) -> Iterator[Contest]:
    """All contests of models, on the built-in treebank and on one of the data folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, test = list(treebank(_TRAIN, seed=1)), list(treebank(_TEST, seed=2))
        yield from _parsing("built-in", train, test, folder)
        yield from _chunking(chunked(train), chunked(test), folder)
        files = (
            [data / "treebanks" / f"{_TREEBANK}-ud-{p}.conllu" for p in ("train", "test")]
            if data
            else []
        )
        if files and all(file.exists() for file in files):
            first, second = (
                list(islice(read_conllu(f), n)) for f, n in zip(files, (_TRAIN, _TEST), strict=True)
            )
            yield from _parsing(_TREEBANK, first, second, folder)


def _parsing(
    name: str, train: Sequence[Sentence], test: Sequence[Sentence], folder: Path
) -> Iterator[Contest]:
    makers = {
        model: partial(_parser, folder / f"{name}-{model}.safetensors", train, model)
        for model in ("arc", "standard")
    }
    if _installed("ufal.udpipe"):
        text = "".join(sentence.to_text() for sentence in test)
        peer = partial(_peer_parses, folder / f"{name}-train.conllu", train, text)
        for model, make in makers.items():
            ours = partial(_parse, make, test)
            yield Contest(f"parsing {name}, {model}", "UDPipe 1", ours, peer, again=False)
    yield Contest(
        f"ten best trees, {name}",
        "the best one",
        partial(_k_best, makers["standard"], test, 10),
        partial(_parse, makers["standard"], test),
        again=False,
    )
    yield Contest(
        f"training {name}, arc",
        "standard",
        lambda: partial(Parser.train, train[:100], model="arc", epochs=1),
        lambda: partial(Parser.train, train[:100], model="standard", epochs=1),
        again=False,
    )


def _parser(path: Path, train: Sequence[Sentence], model: str) -> Parser:
    """Load a parser, trained when it is first asked for: contests may be skipped."""
    if not path.exists():
        Parser.train(train, model=model, epochs=_EPOCHS).save(path)
    # Loaded again each time: a parser remembers the words that it has seen.
    return Parser.load(path)


def _parse(make: Callable[[], Parser], sentences: Sequence[Sentence]) -> Run:
    parser = make()
    return lambda: list(parser.pipe(sentences))


def _k_best(make: Callable[[], Parser], sentences: Sequence[Sentence], k: int) -> Run:
    parser = make()
    return lambda: parser.k_best_batch(sentences, k)


def _peer_parses(train_file: Path, train: Sequence[Sentence], text: str) -> Run:
    from udpipe_peer import UDPipe, trained

    if not train_file.exists():
        write_conllu(train, train_file)
    with _quietly():
        peer = UDPipe(trained(train_file, train_file.parent).path)
    sentences = peer.read(text)
    return lambda: peer.parse(sentences)


def _chunking(
    train: Sequence[Sentence], test: Sequence[Sentence], folder: Path
) -> Iterator[Contest]:
    if not _installed("pycrfsuite"):
        return
    from crfsuite_peer import CrfSuite

    def train_peer() -> CrfSuite:
        peer = CrfSuite(load_templates("chunk"), "chunk", 50)
        peer.train(train)
        return peer

    yield Contest(
        "training a chunker",
        "python-crfsuite",
        lambda: partial(Tagger.train, train, task="chunk", epochs=5),
        lambda: train_peer,
        again=False,
    )
    trained_peer = cache(train_peer)
    yield Contest(
        "chunking",
        "python-crfsuite",
        partial(_tag, folder / "chunker.safetensors", train, test),
        lambda: partial(trained_peer().tag, test),
        again=False,
    )


def _tag(path: Path, train: Sequence[Sentence], sentences: Sequence[Sentence]) -> Run:
    if not path.exists():
        Tagger.train(train, task="chunk", epochs=_EPOCHS).save(path)
    tagger = Tagger.load(path)
    return lambda: [tagging.labels for tagging in tagger.pipe(sentences)]


@contextmanager
def _quietly() -> Iterator[None]:
    """Drop what native code prints on stderr: UDPipe tells all about its training."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _installed(name: str) -> bool:
    return all(
        find_spec(name.rsplit(".", i)[0]) is not None for i in range(name.count("."), -1, -1)
    )
