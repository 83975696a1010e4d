"""Every error that turbotree raises on purpose.

The type says whose fault it is; the message says what was expected, what came, and where.
The command line prints the message as one line and exits with status 2.
"""

from __future__ import annotations


class TurbotreeError(Exception):
    """Base of all errors raised on purpose; anything else is a bug."""


class InputError(TurbotreeError, ValueError):
    """The data or the arguments given are wrong: ``train.conllu:1042: head 17 is outside ...``."""

    @classmethod
    def at(cls, path: str, line: int, reason: str) -> InputError:
        """Build the error of one place in a file.

        >>> print(InputError.at("train.conllu", 12, "9 columns, expected 10"))
        train.conllu:12: 9 columns, expected 10
        """
        return cls(f"{path}:{line}: {reason}")


class ModelFileError(TurbotreeError):
    """A model file is damaged, truncated, foreign, or newer than this package."""


class InfeasibleError(TurbotreeError):
    """No answer satisfies the constraints: required and forbidden arcs clash, for instance."""


class MissingExtraError(TurbotreeError, ImportError):
    """An optional dependency is needed for what was asked; the message names the extra."""
