"""The papers' tables and figures, run again on data of your own."""

from turbotree.experiments.cache import Cache
from turbotree.experiments.catalogue import EXPERIMENTS
from turbotree.experiments.context import ExperimentContext
from turbotree.experiments.data import Dataset, built_in, find_datasets, given_files
from turbotree.experiments.data.chunks import read_chunks
from turbotree.experiments.data.entities import read_entities
from turbotree.experiments.records import Claim, Experiment, Figure, Paper, Series, Shown, Table
from turbotree.experiments.report.page import report_html, write_report
from turbotree.experiments.running import ExperimentResult, choose, run_experiments
from turbotree.experiments.settings import MEDIUM, SMALL, Settings

__all__ = [
    "EXPERIMENTS",
    "MEDIUM",
    "SMALL",
    "Cache",
    "Claim",
    "Dataset",
    "Experiment",
    "ExperimentContext",
    "ExperimentResult",
    "Figure",
    "Paper",
    "Series",
    "Settings",
    "Shown",
    "Table",
    "built_in",
    "choose",
    "find_datasets",
    "given_files",
    "read_chunks",
    "read_entities",
    "report_html",
    "run_experiments",
    "write_report",
]
