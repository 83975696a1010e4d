"""What a model package is called: by pip, by Python, and where a model's name is asked for."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass

from turbotree.errors import InputError

# Names are those of PEP 508, versions the canonical ones of PEP 440.
_NAME = re.compile(r"[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]")
_SHORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_NUMBER = "(?:0|[1-9][0-9]*)"
_VERSION = re.compile(
    rf"(?:[1-9][0-9]*!)?{_NUMBER}(?:\.{_NUMBER})*"
    rf"(?:(?:a|b|rc){_NUMBER})?(?:\.post{_NUMBER})?(?:\.dev{_NUMBER})?"
)
_LONGEST = 100
#: What the names of packages with models usually begin with.
_PREFIX = "turbotree-"


@dataclass(frozen=True)
class PackageNames:
    """The names of one model package.

    Parameters
    ----------
    name
        What pip calls it: ``turbotree-pt``.
    version
        Its version: ``1.0``.
    short
        What the model is loaded by: ``pt``. Empty: `name`, without ``turbotree-``.

    Raises
    ------
    InputError
        If one of them is no such name or version.

    Examples
    --------
    >>> names = PackageNames("turbotree-pt", "1.0")
    >>> names.short, names.module, names.wheel
    ('pt', 'turbotree_pt', 'turbotree_pt-1.0-py3-none-any.whl')
    >>> PackageNames("turbotree-pt", "one")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: 'one' is not the version of a package; expected 1.0, 1.2rc1, ...
    """

    name: str
    version: str
    short: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name) or len(self.name) > _LONGEST:
            raise InputError(
                f"{self.name!r} is not the name of a package; expected letters and digits, and "
                f"between them '-', '_' and '.', at most {_LONGEST}"
            )
        if not self.module.isidentifier() or keyword.iskeyword(self.module):
            raise InputError(
                f"{self.name!r} cannot be the name of a package: Python could not import "
                f"{self.module!r}"
            )
        if self.module == "turbotree" or self.module in sys.stdlib_module_names:
            raise InputError(
                f"{self.name!r} cannot be the name of a package: it would take the place of the "
                f"module {self.module!r}"
            )
        if not _VERSION.fullmatch(self.version) or len(self.version) > _LONGEST:
            raise InputError(
                f"{self.version!r} is not the version of a package; expected 1.0, 1.2rc1, "
                "2.0.post1 or the like"
            )
        if not self.short:
            object.__setattr__(self, "short", self._plain.removeprefix(_PREFIX))
        if not _SHORT.fullmatch(self.short) or len(self.short) > _LONGEST:
            raise InputError(
                f"{self.short!r} cannot be the name of a model; expected letters, digits, '-' and "
                f"'_', at most {_LONGEST}"
            )

    @property
    def _plain(self) -> str:
        return re.sub(r"[-_.]+", "-", self.name).lower()

    @property
    def module(self) -> str:
        """The module in the package."""
        return self._plain.replace("-", "_")

    @property
    def file(self) -> str:
        """The name of the model file in the module."""
        return f"{self.short}.safetensors"

    @property
    def metadata_folder(self) -> str:
        """The folder with the package's metadata."""
        return f"{self.module}-{self.version}.dist-info"

    @property
    def wheel(self) -> str:
        """The name of the wheel."""
        return f"{self.module}-{self.version}-py3-none-any.whl"


def is_version(text: str) -> bool:
    """Return whether a text is the version of a package.

    >>> is_version("0.1.0"), is_version("None")
    (True, False)
    """
    return bool(_VERSION.fullmatch(text))
