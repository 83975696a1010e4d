"""Models as objects: each is saved, pickled and copied by the bytes of the one file that it is."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from turbotree.errors import InputError, ModelFileError
from turbotree.files.headers import shown
from turbotree.files.safetensors import Array
from turbotree.modelfile import (
    ModelFile,
    model_bytes,
    model_from_bytes,
    read_model,
    write_model,
)

#: What comes of headers and arrays that do not fit, or ask for more memory than there is.
_MISFITS = (
    *(InputError, LookupError, TypeError, ValueError, AttributeError),
    *(ArithmeticError, RecursionError, MemoryError),
)

_Self = TypeVar("_Self", bound="Stored")


def training_facts(record: Mapping[str, Any]) -> list[str]:
    """Return what a model was trained on, as far as its record tells.

    >>> training_facts({"sentences": 1200, "options": {"licence": "CC0 (English)"}})
    ['trained on 1,200 sentences, CC0 (English)']
    >>> training_facts({})
    []
    """
    count = record.get("sentences")
    known = [f"trained on {count:,} sentences"] if count is not None else []
    licence = (record.get("options") or {}).get("licence")
    return [", ".join([*known, licence] if licence else known)] if known else []


def prefixed(component: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of a component as the file of the whole model names them.

    >>> prefixed("network", {"weights": 1})
    {'network.weights': 1}
    """
    return {f"{component}.{name}": array for name, array in arrays.items()}


def arrays_of(component: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of a component: undo :func:`prefixed`.

    >>> arrays_of("network", {"network.weights": 1, "parts.slots": 2})
    {'weights': 1}
    """
    start = f"{component}."
    return {
        name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)
    }


class Stored(ABC):
    """A model that one file holds.

    A pickle carries the bytes of that file, not its path: it can be read where the file is not, and
    means the same model when the file has changed. What it holds is verified as a file is.
    """

    __slots__ = ()

    #: What the file says that it holds.
    kind: ClassVar[str]

    @abstractmethod
    def contents(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""

    @classmethod
    @abstractmethod
    def from_contents(cls: type[_Self], arrays: dict[str, Array], header: dict[str, Any]) -> _Self:
        """Undo :meth:`contents`."""

    @abstractmethod
    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance, in a few words each."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {'; '.join(self.facts())}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file, whole or not at all."""
        write_model(path, *self.contents(), kind=self.kind)

    @classmethod
    def load(cls: type[_Self], path: str | os.PathLike[str]) -> _Self:
        """Read a model's file into memory."""
        return cls.from_file(read_model(path, kind=cls.kind))

    @classmethod
    def from_file(cls: type[_Self], file: ModelFile) -> _Self:
        """Make the model of a file that was read."""
        try:
            return cls.from_contents(file.arrays, file.header)
        except _MISFITS as error:
            # The checksum holds, so this is a file that another program wrote in our name.
            says_it = isinstance(error, ValueError) and str(error).isprintable()
            reason = str(error)[:400] if says_it else shown(error, 400)
            raise ModelFileError(f"{file.path}: not a usable {cls.kind}: {reason}") from error

    def to_bytes(self) -> bytes:
        """Return the bytes of the file that :meth:`save` would write."""
        return model_bytes(*self.contents(), kind=self.kind)

    @classmethod
    def from_bytes(cls: type[_Self], data: bytes) -> _Self:
        """Make the model of the bytes of its file."""
        return cls.from_file(model_from_bytes(data, kind=cls.kind))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __copy__(self: _Self) -> _Self:
        return self  # models never change
