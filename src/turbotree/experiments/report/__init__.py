"""What experiments found, as pages, tables and figures."""

from __future__ import annotations

from turbotree.experiments.report.page import report_html, write_report

__all__ = ["report_html", "write_report"]
