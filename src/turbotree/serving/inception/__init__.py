"""An external recommender for INCEpTION: suggestions for its documents, learnt from its users."""

from turbotree.serving.inception.recommender import Recommender

__all__ = ["Recommender"]
