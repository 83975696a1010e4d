"""Any of the files by its name's ending."""

from __future__ import annotations

import os
from collections.abc import Callable

from turbotree.errors import InputError
from turbotree.graphs.formats.cfn import read_cfn
from turbotree.graphs.formats.network import Network, Variable
from turbotree.graphs.formats.sources import plain_name
from turbotree.graphs.formats.uai import read_evidence, read_uai
from turbotree.graphs.formats.wcsp import read_wcsp
from turbotree.graphs.graph import FactorGraph


def read_network(
    path: str | os.PathLike[str], *, evidence: str | os.PathLike[str] | None = None
) -> Network:
    """Read a network of another program, or a saved graph, as a factor graph.

    Parameters
    ----------
    path : path-like
        ``.uai``, ``.wcsp`` or ``.cfn``, which may be packed (``.gz``, ``.xz``), or the ``.npz``
        of :meth:`FactorGraph.save`.
    evidence : path-like, optional
        A file of evidence (``.evid``): the number of observed variables, then each one's number
        and that of its value.

    Returns
    -------
    Network
        The graph, and what turns its answers into those of the file.

    Raises
    ------
    InputError
        When the file cannot be read; the message has the place and the reason.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "coin.uai")
    >>> with open(path, "w") as file:
    ...     _ = file.write("MARKOV 1 2 1  1 0  2 0.25 0.75")
    >>> network = read_network(path)
    >>> print(network.answer(network.graph.solve("brute_force")).assignment)
    {'0': 1}
    """
    name = os.fspath(path)
    ending = os.path.splitext(plain_name(name))[1]
    if ending not in _READERS:
        known = ", ".join(_READERS)
        raise InputError(f"{name}: unknown ending {ending!r}; there are {known}")
    network = _READERS[ending](name)
    if evidence is not None:
        where = os.fspath(evidence)
        network.fix(read_evidence(where), where)
    return network


def _read_graph(path: str) -> Network:
    graph = FactorGraph.load(path)
    names = graph.names
    if len(set(names)) < len(names):  # an assignment needs names that differ
        names = [f"{name}#{number}" for number, name in enumerate(names)]
    variables = tuple(Variable(name, (0, 1), (~v, v)) for v, name in enumerate(names))
    return Network(graph, variables, "score")


#: By the ending of the file's name.
_READERS: dict[str, Callable[[str], Network]] = {
    ".uai": read_uai,
    ".wcsp": read_wcsp,
    ".cfn": read_cfn,
    ".npz": _read_graph,
}
