"""Are the source distribution and the wheels in a folder what should be published?

    python tests/check_wheels.py dist [--wheels-only]

Looks at every file of this version of turbotree in the folder: what is inside, what is not, and
whether names and tags are right. Prints a line for each file; status 1 if anything is wrong.
`make wheels` calls it.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORES = ("chains", "features", "graphs", "networks", "parsing", "trees")
#: Everything that a source distribution has at its top, and all of it has to be there.
TOP = {
    *("CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "LICENSE", "NOTICE", "PKG-INFO"),
    *("README.md", "SECURITY.md", "core", "pyproject.toml", "src"),
}
MODEL = "turbotree/models/en.safetensors"
#: Where a build runs; such a path inside a file would tell of the machine that built it.
MACHINE_PATHS = (str(ROOT), f"{tempfile.gettempdir()}/build-", f"{tempfile.gettempdir()}/pip-")
#: The first version of Python whose stable ABI nanobind can use.
STABLE_SINCE = 12


def main() -> int:
    """Check all files of the folder; 1 if something is wrong, or missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--wheels-only", action="store_true", help="no source distribution is there"
    )
    options = parser.parse_args()
    folder, version = options.folder, own_version()
    sources = sorted(folder.glob(f"turbotree-{version}.tar.gz"))
    wheels = sorted(folder.glob(f"turbotree-{version}-*.whl"))
    wrong = [] if wheels else [f"{folder}: no wheel of {version}"]
    if not sources and not options.wheels_only:
        wrong.append(f"{folder}: no source distribution of {version}")
    for path in (*sources, *wheels):
        found = list(wheel_mistakes(path) if path.suffix == ".whl" else source_mistakes(path))
        print(f"{'FAIL' if found else 'pass'}  {path.name}, {path.stat().st_size / 1e6:.1f} MB")
        wrong += [f"{path.name}: {mistake}" for mistake in found]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def own_version() -> str:
    """Return the version of the sources, without importing them."""
    text = (ROOT / "src/turbotree/__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    return str(version)


def source_mistakes(path: Path) -> Iterator[str]:
    """Yield what is wrong with a source distribution."""
    with tarfile.open(path) as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        contents = {
            member.name.split("/", 1)[1]: archive.extractfile(member).read()  # type: ignore[union-attr]
            for member in members
        }
    top = {name.split("/")[0] for name in contents}
    yield from (f"{name} is missing" for name in sorted(TOP - top))
    yield from (f"{name} does not belong there" for name in sorted(top - TOP))
    yield from stray_mistakes(contents)
    yield from path_mistakes(contents)
    yield from model_mistakes(contents.get(f"src/{MODEL}"))
    yield from metadata_mistakes(contents.get("PKG-INFO", b""))


def wheel_mistakes(path: Path) -> Iterator[str]:
    """Yield what is wrong with a wheel."""
    version = own_version()
    about = f"turbotree-{version}.dist-info"
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    needed = [f"{about}/licenses/LICENSE", f"{about}/licenses/NOTICE", "turbotree/py.typed"]
    needed += [f"turbotree/{core}/_core.pyi" for core in CORES]
    yield from (f"{name} is missing" for name in needed if name not in contents)
    yield from (
        f"{name} does not belong there"
        for name in contents
        if not name.startswith(("turbotree/", f"{about}/"))
    )
    yield from stray_mistakes(name for name in contents if not name.endswith(".so"))
    yield from model_mistakes(contents.get(MODEL))
    yield from metadata_mistakes(contents.get(f"{about}/METADATA", b""))
    yield from tag_mistakes(path, contents)
    yield from path_mistakes(contents)


def tag_mistakes(path: Path, contents: dict[str, bytes]) -> Iterator[str]:
    """Yield what is wrong with the tags of a wheel and the names of its extension modules."""
    python, abi, platform = path.stem.split("-")[2:]
    minor = int(python.removeprefix("cp3"))
    stable = minor >= STABLE_SINCE
    if abi != ("abi3" if stable else python) or minor > STABLE_SINCE:
        yield f"{python}-{abi}: 3.10 and 3.11 have wheels of their own, the others cp312-abi3"
    if platform.startswith("linux"):
        yield f"{platform} is not a tag that PyPI takes: auditwheel repair"
    ending = r"\.abi3\.so" if stable else rf"\.cpython-3{minor}-[\w-]+\.so"
    for core in CORES:
        if not any(re.fullmatch(rf"turbotree/{core}/_core{ending}", name) for name in contents):
            yield f"turbotree/{core} has no extension module for {python}-{abi}"
    tags = message_from_bytes(contents[f"turbotree-{own_version()}.dist-info/WHEEL"])
    if {f"{python}-{abi}-{one}" for one in platform.split(".")} != set(tags.get_all("Tag", [])):
        yield "name and WHEEL have different tags"


def metadata_mistakes(metadata: bytes) -> Iterator[str]:
    """Yield what is wrong with the facts about the package."""
    facts = message_from_bytes(metadata)
    if facts["Version"] != own_version():
        yield f"version {facts['Version']} in the metadata"
    if facts["License-Expression"] != "Apache-2.0 AND CC-BY-SA-4.0":
        yield f"licence {facts['License-Expression']} in the metadata"
    if facts["Requires-Python"] != ">=3.10":
        yield f"Python {facts['Requires-Python']} in the metadata"


def model_mistakes(model: bytes | None) -> Iterator[str]:
    """Yield whether the English model differs from that of the repository."""
    ours = (ROOT / "src" / MODEL).read_bytes()
    if model is None or hashlib.sha256(model).digest() != hashlib.sha256(ours).digest():
        yield "the English model is missing, or another one"


def stray_mistakes(names: Iterable[str]) -> Iterator[str]:
    """Yield files that a build or a test left behind, or that are data."""
    endings = (".so", ".o", ".pyc", ".conllu", ".parquet", ".checkpoint", ".npz", ".safetensors")
    for name in names:
        if name.endswith(endings) and not name.endswith(MODEL):
            yield f"{name} does not belong there"


def path_mistakes(contents: dict[str, bytes]) -> Iterator[str]:
    """Yield files that contain a path of the machine."""
    for name, data in contents.items():
        yield from (f"{name} names {path}" for path in MACHINE_PATHS if path.encode() in data)


if __name__ == "__main__":
    sys.exit(main())
