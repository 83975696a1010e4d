"""A model as a package that pip installs: a wheel with the model file and what tells of it."""

from __future__ import annotations

import os
from pathlib import Path

from turbotree.errors import InputError, ModelFileError
from turbotree.files.atomic import atomic_path
from turbotree.modelfile import ModelFile, model_bytes, model_from_bytes, read_model
from turbotree.models.installed import GROUP
from turbotree.packaging.card import model_card, summary
from turbotree.packaging.names import PackageNames, is_version
from turbotree.packaging.records import licence_of, with_licence
from turbotree.packaging.wheel import write_wheel

#: What :func:`turbotree.load` takes.
KINDS = ("parser", "tagger", "pipeline")
_KINDS_TEXT = "a parser, a tagger or a pipeline"

_MODULE = '''\
"""{summary}.

``turbotree.load("{short}")`` loads it.
"""

from pathlib import Path

__version__ = "{version}"

#: The model file.
PATH = Path(__file__).with_name("{file}")
'''


def write_package(
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    names: PackageNames,
    *,
    licence: str | None = None,
) -> Path:
    """Write the wheel of a model, whole or not at all; one of the same name is replaced.

    The same model, names and turbotree give the same bytes.

    Parameters
    ----------
    model
        A model file, or the name of a model.
    folder
        Where the wheel goes; made if needed. The wheel's name follows from `names`.
    names
        What the package and its model are called.
    licence
        The licence of the data, for a model that names none.

    Returns
    -------
    pathlib.Path
        The wheel.

    Raises
    ------
    InputError
        If the licence is not known, or another one than the model names.
    ModelFileError
        If there is no such model, or its file is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from turbotree import Tagger
    >>> from turbotree.text import treebank
    >>> folder = tempfile.mkdtemp()
    >>> path = folder + "/small.safetensors"
    >>> Tagger.train(treebank(20, seed=1), task="tag", epochs=1, licence="CC0").save(path)
    >>> write_package(path, folder, PackageNames("turbotree-small", "1.0")).name
    'turbotree_small-1.0-py3-none-any.whl'
    """
    file = read_model(model)
    if file.kind not in KINDS:
        raise ModelFileError(f"{file.path}: is a {file.kind!r} model, expected {_KINDS_TEXT}")
    data = _licensed(file, licence)
    target = Path(folder, names.wheel)
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(target) as temporary:
        write_wheel(temporary, _contents(data, names), names.metadata_folder)
    return target


def _licensed(file: ModelFile, licence: str | None) -> bytes:
    """Return the bytes of a model that names its licence."""
    own = licence_of(file)
    given = " ".join((licence or "").split())
    if own is None and not given:
        raise InputError(
            f"{file.path}: names no licence, and a package has to; give that of its data "
            "with --licence"
        )
    if own is not None:
        if given and given != own:
            raise InputError(f"{file.path}: names another licence than {given!r}: {own!r}")
        return Path(file.path).read_bytes()
    return model_bytes(file.arrays, with_licence(file.header, given), kind=file.kind)


def _contents(data: bytes, names: PackageNames) -> dict[str, bytes]:
    """Return the files of the wheel by name."""
    from turbotree import __version__  # late: turbotree imports the packages that import this

    file = model_from_bytes(data)
    card = model_card(file, names)
    module = _MODULE.format(
        summary=summary(file), short=names.short, version=names.version, file=names.file
    )
    wheel = {
        "Wheel-Version": "1.0",
        "Generator": f"turbotree {__version__}",
        "Root-Is-Purelib": "true",
        "Tag": "py3-none-any",
    }
    return {
        f"{names.module}/__init__.py": module.encode(),
        f"{names.module}/README.md": card.encode(),
        f"{names.module}/{names.file}": data,
        f"{names.metadata_folder}/METADATA": f"{_metadata(file, names)}\n{card}".encode(),
        f"{names.metadata_folder}/WHEEL": _fields(wheel).encode(),
        f"{names.metadata_folder}/entry_points.txt": (
            f"[{GROUP}]\n{names.short} = {names.module}:PATH\n".encode()
        ),
    }


def _metadata(file: ModelFile, names: PackageNames) -> str:
    # An older turbotree may not know what the model is made of.
    version = file.package_version
    needed = f"turbotree>={version}" if is_version(version) else "turbotree"
    return _fields(
        {
            "Metadata-Version": "2.1",
            "Name": names.name,
            "Version": names.version,
            "Summary": summary(file),
            "License": licence_of(file) or "",
            "Classifier": "Topic :: Text Processing :: Linguistic",
            "Requires-Python": ">=3.10",
            "Requires-Dist": needed,
            "Description-Content-Type": "text/markdown",
        }
    )


def _fields(values: dict[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in values.items())
