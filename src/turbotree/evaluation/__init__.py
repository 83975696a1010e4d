"""How good a prediction is: attachment scores, span F1, calibration, significance, agreement."""

from turbotree.evaluation.agreement import Agreement, agreement
from turbotree.evaluation.attachment import AttachmentScores, WordScores, attachment_scores
from turbotree.evaluation.calibration_error import Calibration, CalibrationBin, calibration
from turbotree.evaluation.certificates import CertificateSums
from turbotree.evaluation.counts import Counts
from turbotree.evaluation.raw_text import RawScores, raw_scores
from turbotree.evaluation.significance import (
    Difference,
    PairedBootstrap,
    paired_bootstrap,
    paired_difference,
)
from turbotree.evaluation.spans import Span, SpanScores, find_spans, span_scores
from turbotree.evaluation.tags import TagScores, tag_scores

__all__ = [
    "Agreement",
    "AttachmentScores",
    "Calibration",
    "CalibrationBin",
    "CertificateSums",
    "Counts",
    "Difference",
    "PairedBootstrap",
    "RawScores",
    "Span",
    "SpanScores",
    "TagScores",
    "WordScores",
    "agreement",
    "attachment_scores",
    "calibration",
    "find_spans",
    "paired_bootstrap",
    "paired_difference",
    "raw_scores",
    "span_scores",
    "tag_scores",
]
