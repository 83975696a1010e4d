"""The models of installed packages, such as ``turbotree package`` writes.

A package names its models as entry points of the group ``turbotree.models``. The entry
``pt = turbotree_pt:PATH`` says that there is a model ``pt``, in the file ``pt.safetensors`` of the
module ``turbotree_pt``. No code of the package runs: the file is found beside the package's
metadata.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUP = "turbotree.models"


@dataclass(frozen=True)
class InstalledModel:
    """A model that a package brings.

    Attributes
    ----------
    name
        What it is loaded by: ``pt``.
    package
        The package: ``turbotree-pt``.
    version
        The package's version.
    path
        Where its file should be.
    """

    name: str
    package: str
    version: str
    path: str

    @property
    def source(self) -> str:
        """The package with its version."""
        return f"{self.package} {self.version}"

    @property
    def problem(self) -> str | None:
        """What is wrong with the package; None if its file is there."""
        if os.path.isfile(self.path):
            return None
        return (
            f"{self.name}: the package {self.source} is installed without its model file "
            f"{self.path}; install it again"
        )


def installed_models(name: str | None = None) -> list[InstalledModel]:
    """Find the models of installed packages: all, or those of one name.

    >>> installed_models("no-such-model")
    []
    """
    # Only names that nothing else has wait for it, and for the search of all packages.
    from importlib.metadata import entry_points

    chosen = entry_points(group=GROUP) if name is None else entry_points(group=GROUP, name=name)
    found = {}
    for entry in chosen:
        if entry.dist is None:
            continue
        module = entry.value.partition(":")[0].strip().replace(".", "/")
        path = entry.dist.locate_file(f"{module}/{entry.name}.safetensors")
        package, version = _named(entry.dist) or (module, "(version unknown)")
        # A package that is found by two ways is one package.
        found[str(path)] = InstalledModel(entry.name, package, version, str(path))
    return sorted(found.values(), key=lambda one: (one.name, one.package))


def _named(package: Distribution) -> tuple[str, str] | None:
    """Return the name and version of a package; None if its metadata are damaged."""
    try:
        name, version = package.metadata["Name"], package.metadata["Version"]
    except Exception:  # every version of Python has its own answer to that
        return None
    return (name, version) if name and version else None
