"""The papers by name: each preset sets options as one of the papers has them.

turbotree's own ways are the defaults, because they are better. A preset is the paper's own way, so
that anyone can compare. Its name stands for a solver of graphs, a decoder, or both; options that
are given beside it count more. ``docs/papers.md`` has the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from turbotree.naming import unknown

TURBO_2010 = "Martins et al. 2010"
KOO_2010 = "Koo et al. 2010"
MARTINS_2011 = "Martins et al. 2011a"
SPARSITY_2011 = "Martins et al. 2011b"


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What one name sets.

    Attributes
    ----------
    paper
        Whose way it is.
    solver, solving
        The solver of graphs that it stands for, with its options.
    parsing
        Options of :meth:`turbotree.Parser.parse_batch`.
    training
        Options of :class:`turbotree.parsing.TrainingOptions`.
    selecting
        Options of :class:`turbotree.learning.SelectionOptions`.
    refitting
        Options of training again on what was selected, beside those of `selecting`.
    """

    paper: str
    solver: str = ""
    solving: Mapping[str, Any] = field(default_factory=dict)
    parsing: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    selecting: Mapping[str, Any] = field(default_factory=dict)
    refitting: Mapping[str, Any] = field(default_factory=dict)


_FULL = ("arc", "sibling", "grandparent", "all_siblings", "head_bigram", "path", "nonprojective")

_TURBO = {
    "parts": ("arc", "grandparent", "all_siblings"),
    "epochs": 10,
    "largest_step": 0.001,
    "features": "supported",
    "pruning_threshold": 1e-4,
    "max_heads": 10,
    "network": 0,
}

PRESETS: dict[str, Preset] = {
    "turbo2010-bp": Preset(
        paper=TURBO_2010,
        parsing={"decoder": "bp"},
        training={**_TURBO, "loss": "crf"},
    ),
    "turbo2010-lp": Preset(
        paper=TURBO_2010,
        parsing={"decoder": "lp2009"},
        training={**_TURBO, "loss": "svm"},
    ),
    "koo2010": Preset(
        paper=KOO_2010,
        solver="subgradient",
        solving={"literal": True, "tree_share": 0.001, "max_iterations": 5000},
        parsing={"decoder": "koo2010"},
    ),
    "admm2011": Preset(
        paper=MARTINS_2011,
        solver="admm",
        solving={"literal": True, "penalty": 0.03, "residual_threshold": 1e-3},
        parsing={"decoder": "admm2011"},
    ),
    "subgradient2011": Preset(
        paper=MARTINS_2011,
        solver="subgradient",
        solving={"literal": True, "projected": True, "step": "trial", "max_iterations": 1000},
        parsing={"decoder": "subgradient2011"},
    ),
    "full2011": Preset(
        paper=MARTINS_2011,
        # The relaxation is the paper's; its solver would stop long before it is solved.
        parsing={"decoder": "admm", "decomposition": "flows"},
        training={
            "parts": _FULL,
            "loss": "svm",
            "epochs": 10,
            "pruning_threshold": 1e-4,
            "max_heads": 10,
            "network": 0,
        },
    ),
    "sparsity2011": Preset(
        paper=SPARSITY_2011,
        selecting={
            "method": "group-lasso",
            "costs": "log2",
            "pseudo_budgets": True,
            "epochs": 5,
            "rounds_between": 1000,
            "refit": "selected",
        },
        # MIRA without regularisation: as far as the loss asks for, however far that is.
        refitting={"loss": "svm", "epochs": 10, "largest_step": 1e12},
    ),
}


def presets_for(what: str) -> dict[str, Mapping[str, Any]]:
    """Return the presets that set options of ``"parsing"`` and the like, with these options.

    >>> "koo2010" in presets_for("parsing")
    True
    """
    return {name: getattr(own, what) for name, own in PRESETS.items() if getattr(own, what)}


def preset_for(what: str, name: str) -> Mapping[str, Any]:
    """Return the options that a preset sets for something.

    >>> preset_for("parsing", "koo2010")["decoder"]
    'koo2010'
    >>> preset_for("parsing", "koo")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: unknown preset for parsing 'koo'; did you mean 'koo2010'?
    """
    known = presets_for(what)
    if name not in known:
        raise unknown(f"preset for {what}", name, known)
    return known[name]
