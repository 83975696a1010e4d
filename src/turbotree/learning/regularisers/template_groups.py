"""The groups that models of language have: templates, features under all labels, coarse to fine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from turbotree.arrays import LongArray
from turbotree.errors import InputError
from turbotree.features import Template
from turbotree.features._core import LABEL_BITS, MAX_TEMPLATES
from turbotree.features.templates import Atom, WordAtom
from turbotree.learning.regularisers.groups import Groups

#: Attributes that see less come before those that see more.
COARSENESS: Mapping[str, tuple[str, ...]] = {
    "upos": ("xpos", "lemma", "form"),
    "xpos": ("form",),
    "shape": ("form",),
    "lemma": ("form",),
}


def templates_of_keys(keys: npt.ArrayLike) -> LongArray:
    """Return the number of each feature's template.

    >>> templates_of_keys(np.array([(3 + 1) << 12 | 5], dtype=np.uint64)).tolist()
    [3]
    """
    shifted = np.asarray(keys, dtype=np.uint64) >> np.uint64(LABEL_BITS)
    return (shifted & np.uint64(MAX_TEMPLATES)).astype(np.int64) - 1


def template_groups(
    keys: npt.ArrayLike,
    *,
    templates: int | None = None,
    weights: str | npt.ArrayLike = "log2",
    names: Sequence[str] | None = None,
) -> Groups:
    """Put features into one group per template.

    Parameters
    ----------
    keys
        The features, as a table of weights has them.
    templates
        How many templates there are; by default, up to the last one that has a feature.
    weights
        A rule of :func:`~.group_weights`, or one number per group.
    names
        The templates' texts.

    Examples
    --------
    >>> keys = np.array([1 << 12, 1 << 12 | 1, 2 << 12], dtype=np.uint64)
    >>> template_groups(keys).sizes.tolist()
    [2, 1]
    """
    return Groups.of_assignment(
        templates_of_keys(keys), count=templates, weights=weights, names=names
    )


def label_groups(keys: npt.ArrayLike, *, weights: str | npt.ArrayLike = "one") -> Groups:
    """Put each feature under all its labels into one group.

    >>> keys = np.array([1 << 12, 1 << 12 | 1, 2 << 12], dtype=np.uint64)
    >>> [label_groups(keys).of_group(g).tolist() for g in range(2)]
    [[0, 1], [2]]
    """
    features = np.asarray(keys, dtype=np.uint64) >> np.uint64(LABEL_BITS)
    _, assignment = np.unique(features, return_inverse=True)
    return Groups.of_assignment(assignment, weights=weights)


def precedes(
    coarse: Template, fine: Template, order: Mapping[str, tuple[str, ...]] = COARSENESS
) -> bool:
    """Return whether a template sees nothing that another does not see as well or finer.

    Each atom of the coarse one has to be met by an equal one of the fine one, or by one of the
    same word whose attribute is finer (``order`` names the finer ones of each).

    Examples
    --------
    >>> from turbotree.features import PartKind
    >>> kind = PartKind(("h", "m"))
    >>> tags, words, far = (
    ...     Template.parse(text, kind)
    ...     for text in ["h.upos m.upos", "h.form m.form dir", "h+1.form m.form"]
    ... )
    >>> precedes(tags, words), precedes(words, tags), precedes(tags, far)
    (True, False, False)
    """
    return all(any(_met(atom, other, order) for other in fine.atoms) for atom in coarse.atoms)


def _met(coarse: Atom, fine: Atom, order: Mapping[str, tuple[str, ...]]) -> bool:
    if coarse == fine:
        return True
    return (
        isinstance(coarse, WordAtom)
        and isinstance(fine, WordAtom)
        and (coarse.slot, coarse.offset) == (fine.slot, fine.offset)
        and fine.attribute in order.get(coarse.attribute, ())
    )


def coarse_to_fine_groups(
    templates: Sequence[Template],
    *,
    order: Mapping[str, tuple[str, ...]] = COARSENESS,
    weights: str | npt.ArrayLike = "one",
) -> Groups:
    """Group each template with all that it precedes: none is selected before coarser ones.

    The groups are over the templates; a regulariser of them, applied to the lengths of the
    templates' weights, gives the lengths after the step.

    Examples
    --------
    >>> from turbotree.features import PartKind, parse_templates
    >>> texts = ["h.upos", "h.form", "h.upos m.upos"]
    >>> groups = coarse_to_fine_groups(parse_templates(texts, PartKind(("h", "m"))))
    >>> [groups.of_group(g).tolist() for g in range(3)]
    [[0, 1, 2], [1], [2]]
    """
    if not templates:
        raise InputError("no templates; expected at least one")
    before = _order_of(templates, order)
    groups = [np.flatnonzero(row) for row in before]
    return Groups.of(
        groups, size=len(templates), weights=weights, names=[t.text for t in templates]
    )


def _order_of(
    templates: Sequence[Template], order: Mapping[str, tuple[str, ...]]
) -> npt.NDArray[np.bool_]:
    """Compare all templates at once: an entry says whether its row's precedes its column's."""
    atoms = list(dict.fromkeys(atom for template in templates for atom in template.atoms))
    numbers = {atom: number for number, atom in enumerate(atoms)}
    has = np.zeros((len(templates), len(atoms)))
    for row, template in enumerate(templates):
        has[row, [numbers[atom] for atom in template.atoms]] = 1.0
    meets = np.array([[_met(coarse, fine, order) for coarse in atoms] for fine in atoms])
    lacks = has @ meets.astype(np.float64) == 0  # of each template: atoms that it does not meet
    before: npt.NDArray[np.bool_] = has @ lacks.T.astype(np.float64) == 0
    return before
