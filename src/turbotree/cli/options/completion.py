"""What a shell offers for models, treebanks and networks (``turbotree --install-completion``)."""

from __future__ import annotations

import os
from pathlib import Path

from turbotree.models import names


def models(incomplete: str) -> list[str]:
    """Offer the bundled and installed models, model files and folders.

    >>> models("e")[0]
    'en'
    """
    known = [name for name in names() if name.startswith(incomplete)]
    return known + _files(incomplete, (".safetensors",))


def treebanks(incomplete: str) -> list[str]:
    """Offer treebanks and folders."""
    return _files(incomplete, (".conllu", ".conllu.gz", ".conllx", ".conllx.gz"))


def networks(incomplete: str) -> list[str]:
    """Offer networks of other programs, saved graphs and folders."""
    kinds = (".uai", ".wcsp", ".cfn")
    packed = tuple(kind + ending for kind in kinds for ending in (".gz", ".xz"))
    return _files(incomplete, (*kinds, *packed, ".npz"))


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Find files by the beginning of their path; a folder that is the only match is opened."""
    before, name = os.path.split(incomplete)
    found = []
    try:
        for path in sorted(Path(before or os.curdir).expanduser().iterdir()):
            hidden = path.name.startswith(".") and not name.startswith(".")
            if path.name.startswith(name) and not hidden:
                if path.is_dir():
                    found.append(os.path.join(before, path.name, ""))
                elif path.name.endswith(endings):
                    found.append(os.path.join(before, path.name))
    except OSError:
        return []
    # A shell puts a space after the only match, which is the end of a path.
    if len(found) == 1 and found[0].endswith(os.sep) and found[0] != incomplete:
        return _files(found[0], endings) or found
    return found
