"""What makes a model file large."""

from __future__ import annotations

from collections.abc import Mapping

from turbotree.files.sizes import bytes_text
from turbotree.modelfile import ModelFile


def part_sizes(file: ModelFile) -> dict[str, int]:
    """Return the bytes of each part of a file: weights by name, then what its header holds."""
    sizes = {
        name.removesuffix(".slots"): array.nbytes
        for name, array in sorted(file.arrays.items())
        if name.endswith(".slots")
    }
    others = {name: own for name, own in file.arrays.items() if not name.endswith(".slots")}
    networks = {name for name in others if "network" in name.split(".")[:2]}
    if networks:
        sizes["network"] = sum(others[name].nbytes for name in networks)
    sizes["lists of labels"] = sum(
        own.nbytes for name, own in others.items() if name not in networks
    )
    sizes["vocabularies and records"] = file.size - sum(x.nbytes for x in file.arrays.values())
    return sizes


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Say how large each part is, those that take much first.

    >>> sizes_text({"parts": 2_000, "labels": 3_000_000})
    'labels 3.0 MB, parts 2.0 kB'
    """
    ordered = sorted(sizes.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {bytes_text(size)}" for name, size in ordered if size)
