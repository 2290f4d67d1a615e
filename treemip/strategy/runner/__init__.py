"""Solvers by their Python packages, each in a Python process of its own; see __main__.py.

One file for each: a class made from the path of an MPS file. `set` takes an option by the
solver's own name, `start` a file of a start and its values by name; `solve` returns at the end
or after `stop`; `finish` writes the solution and tells status, bound and nodes. The package is
imported when the class is made, and nothing of treemip ever is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treemip.strategy.runner.copt import Copt
from treemip.strategy.runner.cplex import Cplex
from treemip.strategy.runner.gurobi import Gurobi
from treemip.strategy.runner.mosek import Mosek
from treemip.strategy.runner.xpress import Xpress

SOLVERS: dict[str, Callable[[str], Any]] = {
    "gurobi": Gurobi,
    "cplex": Cplex,
    "xpress": Xpress,
    "copt": Copt,
    "mosek": Mosek,
}
