"""Small models for solvers, and which solvers are here."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

import numpy as np
import pytest
from small_models import rows, small

from treemip.core.model.blocks import Index, Kind, Variables
from treemip.core.model.model import Model
from treemip.core.registry import in_memory, installed
from treemip.core.registry import solvers as every
from treemip.core.solving.optional import is_installed
from treemip.core.source.diagnostic import TreemipError

INF = float("inf")


def model(
    kinds: str, costs: list[float], matrix: object, upper: object, most: object = 1.0, **how: object
) -> Model:
    """least <= matrix x <= upper; a column a letter, b, i or c, from `low` to `most`."""
    dense = np.atleast_2d(np.asarray(matrix, float))
    width = dense.shape[1]
    assert width == len(kinds)
    kind = {"b": Kind.BINARY, "i": Kind.INTEGER, "c": Kind.CONTINUOUS}
    high = np.broadcast_to(np.asarray(most, float), width)
    low = np.broadcast_to(np.asarray(how.pop("low", 0.0), float), width)
    index = Index(("k",), ("number",), (np.array([7]),), 1)
    blocks = tuple(
        Variables(f"x_{j}", index, j, low[[j]].copy(), high[[j]].copy(), kind[k])
        for j, k in enumerate(kinds)
    )
    family = rows(dense, how.pop("least", -INF), upper, name="limit")
    made = small(kinds, costs, (family,), **how)  # type: ignore[arg-type]
    return made.with_(variables=blocks)


def maximum() -> Model:
    """Optimum 15.5 at (0, 2, 0.5), maximized, with a constant."""
    return model("bic", [1, 2, 3], [[1, 1, 1]], 2.5, [1, 3, 0.7], sense="maximize", constant=10)


def infeasible() -> Model:
    return model("bic", [1, 1, 1], [[1, 1, 1]], 99, least=9)


def unbounded() -> Model:
    return model("cb", [-1, 1], [[1, 1]], INF, [INF, 1], least=0)


def knapsack() -> Model:
    """Takes minutes to prove, no time to find a solution of."""
    random = np.random.default_rng(5)
    matrix = random.integers(1, 100, (40, 80)).astype(float)
    worth = (random.integers(300, 400, 80) / 4).tolist()
    return model("b" * 80, worth, matrix, matrix.sum(1) // 2, sense="maximize")


def market_split() -> tuple[Model, np.ndarray]:
    """Hard to find a solution of; one (Cornuejols and Dawande, 1999)."""
    random = np.random.default_rng(3)
    matrix = random.integers(1, 100, (6, 50)).astype(float)
    solution = random.integers(0, 2, 50).astype(float)
    share = matrix @ solution
    return model("b" * 50, [0.0] * 50, matrix, share, least=share), solution


def missing(name: str) -> str:
    """Why the solver cannot be run here; empty when it can."""
    entry = every()[name]
    programs = entry.program.programs if entry.program else ()
    if name == "mosek" and not (is_installed("mosek") and licensed()):
        return "MOSEK has no licence here"
    if any(map(shutil.which, programs)) or (entry.package and is_installed(entry.package)):
        return ""
    return f"{entry.title} is not installed"


def licensed() -> bool:
    import mosek

    try:
        mosek.Env().checkoutlicense(mosek.feature.pton)
    except mosek.Error:
        return False
    return True


def of(names: Iterable[str], suite: Iterable[str] | None = None) -> pytest.MarkDecorator:
    """A case for each solver, skipped where it is not here; those that are not of the suite are run
    by `make truth`."""
    cases = []
    for name in names:
        marks = [pytest.mark.skipif(bool(missing(name)), reason=missing(name))]
        marks += [] if suite is None or name in suite else [pytest.mark.truth]
        cases.append(pytest.param(name, marks=marks))
    return pytest.mark.parametrize("solver", cases)


solvers = of(installed())
some_solvers = of(installed(), suite=("cbc", "gurobi", "cpsat"))
"""Programs, packages and CP-SAT, for what takes seconds of each."""
exact_in_memory = of(name for name, entry in in_memory().items() if not entry.local)
all_solvers = of(every())

NO_CBC = pytest.mark.skipif(bool(missing("cbc")), reason=missing("cbc"))


def code_of(raised: pytest.ExceptionInfo[TreemipError]) -> str:
    (diagnostic,) = raised.value.diagnostics
    return diagnostic.code
