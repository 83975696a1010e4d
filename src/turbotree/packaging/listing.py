"""All models that can be loaded by name, as their headers describe them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turbotree.errors import ModelFileError
from turbotree.modelfile import ModelHeader, read_header
from turbotree.models import BUNDLED, bundled_path
from turbotree.models.installed import installed_models
from turbotree.packaging.records import dev_scores, licence_of, trained_on


@dataclass(frozen=True)
class ListedModel:
    """A model that is bundled or installed.

    Attributes
    ----------
    name
        What it is loaded by.
    package
        The package that it comes with.
    version
        The package's version.
    path
        Its file.
    about
        Its header; None if that cannot be read.
    problem
        Why its name does not load it, in one line: the file is missing or damaged, or the name is
        that of another model. None if it does.
    """

    name: str
    package: str
    version: str
    path: str
    about: ModelHeader | None
    problem: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        facts: dict[str, Any] = {
            "name": self.name,
            "package": self.package,
            "version": self.version,
            "path": self.path,
            "problem": self.problem,
        }
        if self.about is not None:
            facts |= {
                "kind": self.about.kind,
                "licence": licence_of(self.about),
                "dev_scores": dev_scores(self.about),
                **trained_on(self.about),
                "bytes": self.about.size,
                "package_version": self.about.package_version,
                "checksum": self.about.checksum,
            }
        return facts


def list_models() -> list[ListedModel]:
    """List the bundled models, then those of installed packages. Only headers are read.

    >>> list_models()[0].name
    'en'
    """
    from turbotree import __version__  # late: turbotree imports the packages that import this

    bundled = [_listed(name, "turbotree", __version__, bundled_path(name)) for name in BUNDLED]
    usable = {one.name for one in bundled if one.problem is None}
    installed = installed_models()
    found = []
    for one in installed:
        rivals = [other for other in installed if other.name == one.name and other != one]
        problem = one.problem
        if problem is None and one.name in usable:
            problem = "the bundled model of that name comes first"
        elif problem is None and rivals:
            problem = f"{rivals[0].source} has a model of that name, too; uninstall one"
        found.append(_listed(one.name, one.package, one.version, one.path, problem))
    return bundled + found


def _listed(
    name: str, package: str, version: str, path: str, problem: str | None = None
) -> ListedModel:
    about = None
    try:
        about = read_header(path)
    except ModelFileError as error:
        problem = problem or str(error)
    return ListedModel(name, package, version, path, about, problem)
