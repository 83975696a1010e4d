"""A small model and a corpus of a few files."""

from __future__ import annotations

import pytest

from turbotree.parsing import Parser
from turbotree.text import treebank, write_conllu


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("scaling") / "small.safetensors"
    Parser.train(treebank(40, seed=1), model="arc", epochs=1, pruner_epochs=1).save(path)
    return path


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number, size in enumerate((30, 1, 12)):
        write_conllu(treebank(size, seed=number + 10), folder / f"{number}.conllu")
    return sorted(folder.iterdir())


@pytest.fixture
def expected(model, corpus):
    """What one process makes of the corpus."""
    import io

    from turbotree.text import read_conllu

    parser = Parser.load(model)
    texts = []
    for file in corpus:
        stream = io.BytesIO()
        write_conllu((p.to_sentence() for p in parser.pipe(read_conllu(file))), stream)
        texts.append(stream.getvalue())
    return texts
