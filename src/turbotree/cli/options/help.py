"""``--help`` in panels, as plain text: boxes leave too little width in a terminal."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

from turbotree.cli.options.declaring import COMMON, PANELS


class PanelCommand(TyperCommand):
    """A command whose options stand in panels."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments as everybody writes them: ``MODEL [INPUT]``."""
        return [re.sub("[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each panel under its title."""
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{p: [] for p in PANELS}}
        parameters: list[Any] = list(self.get_params(ctx))
        for parameter in parameters:
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                # Typer adds the type and that it is required, which the usage shows already.
                panels["Arguments"].append((parameter.metavar, parameter.help))
            else:
                panels[getattr(parameter, "rich_help_panel", None) or COMMON].append(record)
        for title, records in panels.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
