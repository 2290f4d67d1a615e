"""A CART tree is a start of every formulation."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import KINDS, compiled

from treemip.emit.solve import solve
from treemip.strategy.cart import cart_routes, fixed_model

sklearn_datasets = pytest.importorskip("sklearn.datasets")


def iris_part(formulation: str, depth: int):  # type: ignore[no-untyped-def]
    """Every fifth flower."""
    x, y = sklearn_datasets.load_iris(return_X_y=True)
    columns = {f"a{j}": x[::5, j] for j in range(4)} | {"c": y[::5].astype(str)}
    return compiled(formulation, columns, depth)


@pytest.mark.parametrize("solver", ["highs", "scip"])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("formulation", KINDS)
def test_cart_is_completed_and_accepted(formulation: str, depth: int, solver: str) -> None:
    made = iris_part(formulation, depth)
    ends, classes = cart_routes(made.instance)
    given = np.array([classes[int(end)] for end in ends])
    cart_errors = int((given != made.instance.table.y).sum())
    assert cart_errors == {1: 10, 2: 0}[depth]

    fixed = made.result(solve(fixed_model(made.instance, made.model), solver), {}, [])
    assert fixed.status == "optimal"
    assert fixed.train_errors == cart_errors
    assert fixed.verified, fixed.report

    started = made.solve(solver, start="cart", time_limit=1)
    assert started.answer.start_accepted is True
    assert started.warnings == []
    assert started.train_errors is not None
    assert started.train_errors <= cart_errors
    assert started.verified, started.report
