"""Labelling the words of a sentence: parts of speech, chunks, entities."""

from turbotree.labeling.options import TASKS, TaggerOptions
from turbotree.labeling.schemes import SCHEMES, convert, detect_scheme, spans_to_tags
from turbotree.labeling.selecting import select_tagger
from turbotree.labeling.tagger import Tagger
from turbotree.labeling.tagging import Labelling, Tagging
from turbotree.labeling.training import train_tagger

__all__ = [
    "SCHEMES",
    "TASKS",
    "Labelling",
    "Tagger",
    "TaggerOptions",
    "Tagging",
    "convert",
    "detect_scheme",
    "select_tagger",
    "spans_to_tags",
    "train_tagger",
]
