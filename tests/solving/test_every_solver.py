"""What each solver of the registry owes, in memory or not; a new one is in it by its file alone."""

from __future__ import annotations

import pytest
from driven_models import all_solvers, model

from treemip.core.registry import solvers
from treemip.core.strategy.solvers import solve_with

UNPROVEN = ("lp_solve", "cpsat")
"""lp_solve's proofs are not believed, nor are CP-SAT's where columns are real."""


@all_solvers
@pytest.mark.parametrize("sense", ["minimize", "maximize"])
def test_a_bound_is_on_the_objective_as_the_model_states_it(solver: str, sense: str) -> None:
    """Constant and sense are those of the model, whatever the solver makes of them."""
    sign = 1 if sense == "maximize" else -1
    local = solvers()[solver].local
    kinds, costs = "ccc" if local else "bic", [sign * 1, sign * 2, sign * 3]
    stated = model(kinds, costs, [[1, 1, 1]], 2.5, [1, 3, 0.7], sense=sense, constant=10)
    answer = solve_with(stated, solver)
    assert answer.values == pytest.approx([0, 1.8, 0.7] if local else [0, 2, 0.5], abs=1e-6)
    assert answer.objective == pytest.approx(10 + sign * (5.7 if local else 5.5))
    assert answer.contradiction == ""
    if local:
        assert (answer.status, answer.bound) == ("locally_optimal", None)
    elif solver in UNPROVEN:
        assert (answer.status, answer.bound) == ("feasible", None)
    else:
        assert (answer.status, answer.gap) == ("optimal", 0)
        assert answer.bound == pytest.approx(answer.objective)
    assert (answer.solver, answer.start_accepted) == (solver, None)
    assert answer.seconds > 0 and (answer.solver_version or solver == "lp_solve")  # it tells none
