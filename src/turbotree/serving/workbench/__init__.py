"""Annotation with the parser in the loop: a queue, annotators, a model that learns as they save."""

from turbotree.serving.workbench.queue import Queue, read_queue
from turbotree.serving.workbench.workbench import Workbench, WorkbenchOptions

__all__ = ["Queue", "Workbench", "WorkbenchOptions", "read_queue"]
