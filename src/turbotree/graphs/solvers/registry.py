"""The solvers by name. Each one lies in a module of its own, loaded when first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from turbotree.naming import check_names, unknown
from turbotree.presets import PRESETS, presets_for

if TYPE_CHECKING:
    from turbotree.graphs.graph import FactorGraph
    from turbotree.graphs.solution import Marginals, Solution
    from turbotree.graphs.solvers.native import Prepared

#: For the best assignment: ``solver(graph, **options) -> Solution``.
SOLVERS = {
    "admm": "turbotree.graphs.solvers.admm:admm",
    "belief_propagation": "turbotree.graphs.solvers.belief_propagation:max_product",
    "branch_and_bound": "turbotree.graphs.solvers.branch_and_bound:branch_and_bound",
    "brute_force": "turbotree.graphs.solvers.brute_force:brute_force",
    "linear_program": "turbotree.graphs.linear_program:linear_program",
    "max_product": "turbotree.graphs.solvers.belief_propagation:max_product",
    "subgradient": "turbotree.graphs.solvers.subgradient:subgradient",
    "toulbar2": "turbotree.integrations.toulbar2:toulbar2",  # needs the extra
}

#: For probabilities: ``solver(graph, **options) -> Marginals``.
MARGINAL_SOLVERS = {
    "belief_propagation": "turbotree.graphs.solvers.belief_propagation:sum_product",
    "brute_force": "turbotree.graphs.solvers.brute_force:brute_force_marginals",
}

#: For the functions that compute assignments in the core: ``prepare(**options) -> Prepared``.
_PREPARATIONS = {
    "admm": "turbotree.graphs.solvers.admm:prepare",
    "branch_and_bound": "turbotree.graphs.solvers.branch_and_bound:prepare",
    "max_product": "turbotree.graphs.solvers.belief_propagation:prepare_max_product",
    "subgradient": "turbotree.graphs.solvers.subgradient:prepare",
}


def find_solver(name: str) -> Callable[..., Solution]:
    """Find the function that computes the best assignment.

    >>> find_solver("brute_force").__name__
    'brute_force'
    """
    solver: Callable[..., Solution] = _find(name, SOLVERS, "solver")
    return solver


def find_marginal_solver(name: str) -> Callable[..., Marginals]:
    """Find the function that computes probabilities.

    >>> find_marginal_solver("magic")
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: unknown solver of marginals 'magic'; there are
        belief_propagation, brute_force
    """
    solver: Callable[..., Marginals] = _find(name, MARGINAL_SOLVERS, "solver of marginals")
    return solver


def solver_with(name: str, options: Mapping[str, Any]) -> tuple[Callable[..., Solution], Any]:
    """Find a solver, or the one that a preset stands for, and check the options given.

    Returns
    -------
    callable
        The function that computes the best assignment.
    dict
        Its options: those of the preset, and those given, which count more.

    Examples
    --------
    >>> solver, options = solver_with("admm2011", {"max_iterations": 50})
    >>> solver.__name__, options["penalty"], options["max_iterations"]
    ('admm', 0.03, 50)
    """
    preset = PRESETS.get(name) if isinstance(name, str) else None
    if preset is None or not preset.solver:
        solver: Callable[..., Solution] = _find(name, SOLVERS, "solver", presets_for("solver"))
        check_options(solver, options)
        return solver, dict(options)
    solver = find_solver(preset.solver)
    check_options(solver, options)
    return solver, {**preset.solving, **options}


def check_options(solver: Callable[..., Any], options: Iterable[str]) -> None:
    """Refuse options that a solver does not have.

    >>> check_options(find_solver("brute_force"), {"magic": True})
    Traceback (most recent call last):
    ...
    turbotree.errors.InputError: brute_force: unknown option 'magic'; there are
        max_iterations, max_variables, time_limit_seconds, trace
    """
    check_names(solver.__name__, options, solver.__kwdefaults__ or {})


def find_preparation(solver: Callable[..., Solution]) -> Callable[..., Prepared] | None:
    """Find the function that checks the options of a solver of the core; None for other solvers.

    >>> find_preparation(find_solver("linear_program")) is None
    True
    """
    place = _PREPARATIONS.get(solver.__name__)
    return None if place is None else _load(place)


@lru_cache(maxsize=64, typed=True)
def prepare_solver(name: str, **options: Any) -> Callable[[FactorGraph], Solution]:
    """Return a solver with its options, which are looked at once for any number of graphs.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0]))
    >>> prepare_solver("admm", max_iterations=100)(graph).value
    2.0
    """
    solver, options = solver_with(name, options)
    prepare = find_preparation(solver)
    if prepare is None:
        return partial(solver, **options)
    return prepare(**{**(solver.__kwdefaults__ or {}), **options}).solve


@lru_cache(maxsize=64, typed=True)
def prepare_for_many(
    name: str, **options: Any
) -> Callable[[Iterable[FactorGraph]], Iterator[Solution]]:
    """Return a solver of the core with its options, which solves graphs one after the other.

    >>> from turbotree.graphs import FactorGraph
    >>> graph = FactorGraph()
    >>> graph.exactly_one(graph.variables([1.0, 2.0]))
    >>> [solution.value for solution in prepare_for_many("admm")([graph, graph])]
    [2.0, 2.0]
    """
    solver, options = solver_with(name, options)
    prepare = find_preparation(solver)
    if prepare is None:
        raise ValueError(f"{name} is not a solver of the core")
    return prepare(**{**(solver.__kwdefaults__ or {}), **options}).solve_in_turn


def _find(
    name: str, places: dict[str, str], what: str, others: Iterable[str] = ()
) -> Callable[..., Any]:
    if not isinstance(name, str) or name not in places:
        raise unknown(what, name, (*places, *others))
    return _load(places[name])


@cache
def _load(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
