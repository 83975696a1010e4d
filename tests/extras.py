"""Print what the extras of the installed package need, for pip: ``extras.py serve torch``."""

from __future__ import annotations

import re
import sys
from importlib.metadata import requires


def needs_of(extras: set[str]) -> list[str]:
    """List the requirements of some extras, one a line of a requirements file."""
    found = []
    for line in requires("turbotree") or ():
        needed, _, condition = line.partition(";")
        extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", condition)
        if extra and extra[1] in extras and not needed.startswith("turbotree"):
            found.append(needed.strip())
    return found


if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    found = needs_of(wanted)
    if not found:
        sys.exit(f"no requirements found for the extras {', '.join(sorted(wanted))}")
    print("\n".join(found))
