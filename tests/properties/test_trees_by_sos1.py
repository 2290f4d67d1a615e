"""With implications as special ordered sets trees cost and mean what they do with big-M."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import compiled, random_table, table
from suite import one_in

from treemip.core.solving.optional import is_installed

PACKAGES = {
    "scip": "pyscipopt",
    "gurobi": "gurobipy",
    "cplex": "cplex",
    "xpress": "xpress",
    "copt": "coptpy",
}


@pytest.mark.parametrize(("solver", "formulation"), one_in(2, PACKAGES, ["soct", "oct", "octh"]))
def test_every_solver_has_the_optimum_of_big_m(solver: str, formulation: str) -> None:
    """XOR and more: no split of one branch is right about all points."""
    if not is_installed(PACKAGES[solver]):
        pytest.skip(f"{PACKAGES[solver]} is not installed")
    x = np.array([[0, 0], [1, 1], [0, 1], [1, 0], [0.25, 0.25], [0.75, 0.25]])
    columns = table(x, np.array([0, 0, 1, 1, 1, 1]))
    expected = compiled(formulation, columns, 1).solve("highs", start="none", time_limit=60)
    made = compiled(formulation, columns, 1, implications="sos1")
    result = made.solve(solver, start="none", time_limit=60)
    assert result.status == "optimal"
    assert result.objective == pytest.approx(expected.objective)
    assert result.train_errors == expected.train_errors > 0
    assert result.verified, result.report


def test_a_start_is_completed_by_a_solver_that_has_sets() -> None:
    x, y = random_table(np.random.default_rng(1), 8, 2, 2)
    made = compiled("soct", table(x, y), 2, implications="sos1")
    values, warnings = made.start_values("cart", time_limit=20)
    assert values is not None and not warnings
    assert len(values) == made.model.column_count
    assert made.tree_of(values).verified
