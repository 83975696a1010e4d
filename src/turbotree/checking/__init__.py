"""Checking treebanks: suspicious annotation, ranked by what a look at it gains."""

from turbotree.checking.exceptions import (
    AcknowledgedException,
    acknowledge,
    exceptions_path,
    read_exceptions,
    without_exceptions,
)
from turbotree.checking.findings import (
    Annotation,
    BrokenRule,
    Doubt,
    Finding,
    Variation,
    read_findings,
    write_findings,
)

__all__ = [
    "AcknowledgedException",
    "Annotation",
    "BrokenRule",
    "Doubt",
    "Finding",
    "Variation",
    "acknowledge",
    "exceptions_path",
    "read_exceptions",
    "read_findings",
    "without_exceptions",
    "write_findings",
]
