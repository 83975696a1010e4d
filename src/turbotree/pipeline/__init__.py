"""From raw text to trees: tokens, sentences, tags, lemmas, all in one model."""

from turbotree.pipeline.jackknife import jackknife
from turbotree.pipeline.lemmatizer import Lemmatizer
from turbotree.pipeline.options import PipelineOptions
from turbotree.pipeline.pipeline import Pipeline
from turbotree.pipeline.tokenizer import Tokenizer
from turbotree.pipeline.tokenizer_training import train_tokenizer
from turbotree.pipeline.training import train_pipeline

__all__ = [
    "Lemmatizer",
    "Pipeline",
    "PipelineOptions",
    "Tokenizer",
    "jackknife",
    "train_pipeline",
    "train_tokenizer",
]
