"""UDPipe 1 (``ufal.udpipe``, on PyPI) as the yardstick of the parsing benchmark.

Only its parser is trained and used, on gold tags. Its speed hardly depends on how long it was
trained, so one pass over the data makes the model, which is then kept in a folder.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

#: The published models' way of training a parser alone; everything else is UDPipe's default
#: (projective, dynamic oracle, 200 hidden units), which is what English was published with.
PARSER_OPTIONS = "iterations=1;use_gold_tags=1;structured_interval=0"


@dataclass(frozen=True)
class PeerModel:
    """A trained model's file, and what its training cost."""

    path: Path
    train_cpu_seconds: float


class UDPipe:
    """A loaded model, parsing with UDPipe's own classes."""

    def __init__(self, path: Path) -> None:
        self._udpipe = _module()
        self._model = self._udpipe.Model.load(os.fspath(path))
        if self._model is None:
            raise SystemExit(f"{path}: UDPipe cannot load this; delete it to have it made again")

    def read(self, text: str) -> list[Any]:
        """Read sentences from CoNLL-U."""
        return list(_read(self._udpipe, text))

    def parse(self, sentences: list[Any]) -> None:
        """Parse sentences in place: the parser alone, no reading and writing."""
        error = self._udpipe.ProcessingError()
        for sentence in sentences:
            if not self._model.parse(sentence, self._udpipe.Pipeline.DEFAULT, error):
                raise SystemExit(f"UDPipe: {error.message}")

    def process(self, text: str) -> str:
        """Go from CoNLL-U to CoNLL-U with UDPipe's pipeline, all of it native code."""
        udpipe = self._udpipe
        pipeline = udpipe.Pipeline(
            self._model, "conllu", udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT, "conllu"
        )
        error = udpipe.ProcessingError()
        parsed: str = pipeline.process(text, error)
        if error.occurred():
            raise SystemExit(f"UDPipe: {error.message}")
        return parsed


def trained(train: Path, cache: Path) -> PeerModel:
    """Train a model on a treebank, or find it in the folder."""
    text = train.read_text(encoding="utf-8")
    made_of = hashlib.sha256(f"{PARSER_OPTIONS}\n{text}".encode()).hexdigest()[:16]
    path = cache / f"{train.stem}-{made_of}.udpipe"
    record = path.with_suffix(".json")
    if path.exists() and record.exists():
        return PeerModel(path, json.loads(record.read_text())["train_cpu_seconds"])
    udpipe = _module()
    sentences, heldout = udpipe.Sentences(), udpipe.Sentences()
    for sentence in _read(udpipe, text):
        sentences.append(sentence)
    error = udpipe.ProcessingError()
    start = time.process_time()
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        heldout,
        udpipe.Trainer.NONE,
        udpipe.Trainer.NONE,
        PARSER_OPTIONS,
        error,
    )
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    made = PeerModel(path, time.process_time() - start)
    cache.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model)
    record.write_text(json.dumps({**asdict(made), "path": path.name}))
    return made


def _module() -> Any:
    try:
        return importlib.import_module("ufal.udpipe")
    except ImportError:
        raise SystemExit(
            "the benchmark needs its peer: pip install ufal.udpipe, or pass --no-peer"
        ) from None


def _read(udpipe: Any, text: str) -> Any:
    reader = udpipe.InputFormat.newInputFormat("conllu")
    reader.setText(text)
    error = udpipe.ProcessingError()
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        yield sentence
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
