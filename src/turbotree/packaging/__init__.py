"""Models as packages that pip installs, and the list of the models that are there.

>>> names = PackageNames("turbotree-pt", "1.0")
>>> names.short, names.wheel
('pt', 'turbotree_pt-1.0-py3-none-any.whl')
"""

from __future__ import annotations

from turbotree.packaging.listing import ListedModel, list_models
from turbotree.packaging.names import PackageNames
from turbotree.packaging.package import write_package

__all__ = ["ListedModel", "PackageNames", "list_models", "write_package"]
