"""A CART tree is a start of every formulation."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import KINDS, compiled
from suite import one_in

from treemip.answers.starts.cart import cart, of_cart
from treemip.answers.starts.fixed import fix_tree
from treemip.answers.starts.from_tree import ends_of
from treemip.core.model.answer import Limits
from treemip.core.solving.solve import solve

sklearn_datasets = pytest.importorskip("sklearn.datasets")


def iris_part(formulation: str, depth: int):  # type: ignore[no-untyped-def]
    """Every fifth flower."""
    x, y = sklearn_datasets.load_iris(return_X_y=True)
    columns = {f"a{j}": x[::5, j] for j in range(4)} | {"c": y[::5].astype(str)}
    return compiled(formulation, columns, depth)


@pytest.mark.parametrize(
    ("formulation", "depth", "solver"), one_in(3, KINDS, [1, 2], ["highs", "scip"])
)
def test_cart_is_completed_and_accepted(formulation: str, depth: int, solver: str) -> None:
    made = iris_part(formulation, depth)
    tree = of_cart(made.instance, cart(made.instance))
    ends, classes = ends_of(tree, made.instance.table.inputs)
    given = np.array([classes[int(end)] for end in ends])
    cart_errors = int((given != made.instance.table.y).sum())
    assert cart_errors == {1: 10, 2: 0}[depth]

    model = fix_tree(made.instance, made.model, ends, classes)
    fixed = made.result(solve(model, solver), {}, [])
    assert fixed.status == "optimal"
    assert fixed.train_errors == cart_errors
    assert fixed.verified, fixed.report

    assert fixed.objective is not None
    first = Limits(absolute_gap=1e6)  # met by any solution at all
    values = fixed.answer.values[: made.model.column_count]
    answer = solve(made.model, solver, first, values)
    assert answer.start_accepted is True
    better = -1.0 if made.model.objective.sense == "maximize" else 1.0
    assert better * answer.objective <= better * fixed.objective + 1e-6


@pytest.mark.parametrize("formulation", ["binoct", "oct", "soct", "flow_oct"])
def test_the_whole_path_begins_from_cart(formulation: str) -> None:
    result = iris_part(formulation, 2).solve("highs", start="cart")
    assert result.answer.start_accepted is True
    assert result.warnings == []
    assert result.train_errors == 0
    assert result.verified, result.report
