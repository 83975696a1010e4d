"""The house rule on folders: a level of a package has few enough modules to be seen at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MOST = 15
FOLDERS = sorted(
    folder
    for top in (ROOT / "src" / "turbotree", ROOT / "core")
    for folder in (top, *top.rglob("*"))
    if folder.is_dir() and folder.name != "__pycache__"
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_level_of_a_package_has_few_modules(folder: Path) -> None:
    names = {
        file.stem
        for file in folder.iterdir()
        if file.suffix in (".py", ".h", ".cpp") and not file.stem.startswith("__")
    }
    assert len(names) <= MOST, sorted(names)
