"""`import turbotree` stays light, because the heavy packages wait until they are needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["click", "pygments", "rich", "safetensors", "scipy", "torch", "typer", "turbotree.cli"]


@pytest.mark.parametrize(
    "statement", ["import turbotree", "import turbotree.modelfile", "import turbotree.evaluation"]
)
def test_no_heavy_module_comes_along(statement: str) -> None:
    program = f"import sys; {statement}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == []
