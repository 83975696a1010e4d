"""What tells of a release agrees: version, changelog, citation, README, and what is published."""

from __future__ import annotations

import ast
import re
import zipfile
from datetime import date
from importlib.metadata import metadata
from pathlib import Path

import pytest
from check_wheels import own_version, tag_mistakes, wheel_mistakes

import turbotree

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def text(name: str) -> str:
    """Read a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def releases() -> list[tuple[str, str]]:
    """Return versions and dates of the changelog, the newest first."""
    return re.findall(r"^## \[(\d[^\]]*)\](?: - (\S+))?$", text("CHANGELOG.md"), re.MULTILINE)


def test_the_installed_package_has_the_version_of_the_sources() -> None:
    assert metadata("turbotree")["Version"] == turbotree.__version__ == own_version()


def test_the_changelog_begins_with_this_version() -> None:
    (version, day), *older = releases()
    assert version == turbotree.__version__
    assert date.fromisoformat(day) > date(2020, 1, 1)
    numbers = [tuple(map(int, one.split("."))) for one, _ in [(version, day), *older]]
    assert numbers == sorted(set(numbers), reverse=True)


def test_the_citation_names_this_version_and_its_day() -> None:
    citation = text("CITATION.cff")
    ((version, day), *_) = releases()
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [version]
    assert re.findall(r"^date-released: (.*)$", citation, re.MULTILINE) == [day]


def test_the_citation_names_the_four_papers() -> None:
    assert text("CITATION.cff").count("type: conference-paper") == 4


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_pages_tell_the_version(page: str) -> None:
    minor = ".".join(turbotree.__version__.split(".")[:2])
    assert re.findall(r"[Vv]ersion (\d[\d.]*\d), alpha", text(page)) == [minor]


def test_no_page_tells_people_to_install_what_is_not_on_pypi() -> None:
    # Once it is there, this test goes, and README and docs/faq.md say so.
    told = re.compile(r"pip install (?:-\S+ )*['\"]?turbotree\b")
    assert not [page.name for page in PAGES if told.search(page.read_text(encoding="utf-8"))]


def test_classifiers_name_pythons_from_the_oldest_that_is_allowed() -> None:
    about = metadata("turbotree")
    named = re.findall(r"Python :: 3\.(\d+)$", "\n".join(about.get_all("Classifier")), re.MULTILINE)
    oldest = int(about["Requires-Python"].removeprefix(">=3."))
    assert named
    assert [int(minor) for minor in named] == list(range(oldest, oldest + len(named)))


#: Names of `typing` that Python 3.10 lacks: only type checkers may import them.
_LATER = {"LiteralString", "Never", "NotRequired", "Required", "Self", "TypeVarTuple", "Unpack"}


def late_imports(source: str) -> set[str]:
    """Find what a module imports from `typing` when it is loaded and Python 3.10 lacks."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {one.name for node in imports if node.module == "typing" for one in node.names} & _LATER


def test_modules_load_with_the_typing_of_python_3_10() -> None:
    assert late_imports("from typing import Any, Self") == {"Self"}
    modules = (ROOT / "src").rglob("*.py")
    found = {str(path): late_imports(path.read_text(encoding="utf-8")) for path in modules}
    assert not {path: names for path, names in found.items() if names}


def made_up_wheel(folder: Path, tag: str, ending: str, **more: bytes) -> Path:
    """Write a wheel with nothing but extension modules."""
    version = own_version()
    path = folder / f"turbotree-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for core in ("chains", "features", "graphs", "networks", "parsing", "trees"):
            archive.writestr(f"turbotree/{core}/_core{ending}", more.get(core, b""))
        archive.writestr(f"turbotree-{version}.dist-info/WHEEL", f"Tag: {tag}\n")
    return path


@pytest.mark.parametrize(
    ("tag", "ending", "right"),
    [
        ("cp310-cp310-manylinux_2_28_x86_64", ".cpython-310-x86_64-linux-gnu.so", True),
        ("cp311-cp311-macosx_11_0_arm64", ".cpython-311-darwin.so", True),
        ("cp312-abi3-manylinux_2_28_aarch64", ".abi3.so", True),
        ("cp312-cp312-manylinux_2_28_aarch64", ".abi3.so", False),
        ("cp313-abi3-manylinux_2_28_aarch64", ".abi3.so", False),
        ("cp311-abi3-manylinux_2_28_x86_64", ".abi3.so", False),
        ("cp312-abi3-manylinux_2_28_x86_64", ".cpython-312-x86_64-linux-gnu.so", False),
        ("cp312-abi3-linux_x86_64", ".abi3.so", False),
    ],
)
def test_wheels_have_the_tags_of_what_they_contain(
    tmp_path: Path, tag: str, ending: str, right: bool
) -> None:
    path = made_up_wheel(tmp_path, tag, ending)
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert (not list(tag_mistakes(path, contents))) == right


def test_what_a_wheel_lacks_and_what_it_tells_of_the_machine_is_found(tmp_path: Path) -> None:
    code = f"{ROOT}/core/trees/bind.cpp".encode()
    path = made_up_wheel(tmp_path, "cp312-abi3-manylinux_2_28_x86_64", ".abi3.so", trees=code)
    found = "\n".join(wheel_mistakes(path))
    for said in (
        f"turbotree/trees/_core.abi3.so names {ROOT}",
        "licenses/NOTICE is missing",
        "turbotree/py.typed is missing",
        "turbotree/graphs/_core.pyi is missing",
        "the English model is missing",
        "version None",
    ):
        assert said in found
