"""The committed type stubs say what the extension modules hold; `make stubs` writes them again."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import turbotree

PACKAGE = Path(turbotree.__file__).parent
CORE = Path(__file__).resolve().parent.parent / "core"
PACKAGES = sorted(path.parent.name for path in CORE.glob("*/bind.cpp"))


def declarations(stub: Path) -> str:
    """Give a stub without what differs between versions of the generator: imports, docstrings."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                item
                for item in body
                if not isinstance(item, (ast.Import, ast.ImportFrom))
                and not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
            ]
    return ast.unparse(tree)


def test_every_package_of_the_core_is_known() -> None:
    assert {"features", "trees"} <= set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_stub_of_a_package_is_up_to_date(package: str, tmp_path: Path) -> None:
    module = f"turbotree.{package}._core"
    if all(name.startswith("__") for name in dir(importlib.import_module(module))):
        pytest.skip(f"{module} is still empty")
    generated = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", module, "-o", str(generated)],
        check=True,
        capture_output=True,
    )
    committed = PACKAGE / package / "_core.pyi"
    assert committed.exists(), "run `make stubs`"
    assert declarations(committed) == declarations(generated), "run `make stubs`"
