"""The solvers: each module or folder in `treemip/solvers` is one, found by listing that folder.

A new solver is a new file there; no list names it. A file whose name begins with an underscore is
none: what several solvers share. What depends on a solver, such as the order in
messages, is read from its `SOLVER`, an object of `treemip.solving.solver.Solver`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treemip.solving.solver import Solver


@cache
def solver_names() -> frozenset[str]:
    """The names of all solvers. Nothing is imported, so that reading a spec stays fast."""
    from pkgutil import iter_modules  # not loaded by every start of Python

    modules = (module.name for module in iter_modules([str(_FOLDER)]))
    return frozenset(name for name in modules if not name.startswith("_"))


_FOLDER = Path(__file__).with_name("solvers")


@cache
def solvers() -> dict[str, Solver]:
    """All solvers by name, in the order of messages and tables. Imports no solver's package."""
    found = [import_module(f"treemip.solvers.{name}").SOLVER for name in solver_names()]
    return {solver.name: solver for solver in sorted(found, key=lambda s: (s.order, s.name))}


def in_memory() -> dict[str, Solver]:
    """The solvers that run inside this process."""
    return {name: solver for name, solver in solvers().items() if solver.solve is not None}


def installed() -> dict[str, Solver]:
    """The solvers that run as a process of their own."""
    return {name: solver for name, solver in solvers().items() if solver.solve is None}
