"""What is SCIP's own: products in objectives and rows, the model it is given, its parameters."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from small_models import knapsack, products, rows, small

from treemip.core.model.answer import Limits
from treemip.core.model.blocks import Quadratic
from treemip.core.solvers.scip.model import CHUNK
from treemip.core.solvers.scip.solve import solve_scip, to_scip
from treemip.core.source.diagnostic import TreemipError

pyscipopt = pytest.importorskip("pyscipopt")


def random_form(random: np.random.Generator, columns: int, count: int) -> Quadratic:
    """Products in `count` rows, convex or not."""
    terms = [
        (row, first, second, float(random.integers(-4, 5)))
        for row in range(count)
        for first in range(columns)
        for second in range(first, columns)
        if random.random() < 0.5
    ]
    return products(*terms)


def value(form: Quadratic, row: int, point: np.ndarray) -> float:
    here = form.row == row
    return float(form.coef[here] @ (point[form.first[here]] * point[form.second[here]]))


@example(406, "bbib", False)  # SCIP 10.0.2 with its default presolve gets these wrong
@example(933, "bbib", False)
@example(1430, "ibib", False)
@example(3406, "ibb", True)
@example(4343, "ii", False)
@example(5329, "ib", True)
@given(st.integers(0, 2**32 - 1), st.text("bi", min_size=1, max_size=4), st.booleans())
def test_products_of_integers_against_enumeration(seed: int, kinds: str, maximize: bool) -> None:
    random = np.random.default_rng(seed)
    columns = len(kinds)
    objective, in_rows = random_form(random, columns, 1), random_form(random, columns, 2)
    matrix, costs = random.integers(-3, 4, (2, columns)), random.integers(-5, 6, columns)
    limit = float(random.integers(-3, 6))
    blocks = (
        rows(matrix[:1], -np.inf, 4),
        rows(matrix, [-np.inf, -limit], [limit, np.inf], in_rows),
    )
    sense = "maximize" if maximize else "minimize"
    model = small(kinds, costs, blocks, -1, 2, sense, 1.5, objective)
    worth = []
    for point in product(*([0, 1] if kind == "b" else [-1, 0, 1, 2] for kind in kinds)):
        x = np.array(point, float)
        first, second = (matrix[k] @ x + value(in_rows, k, x) for k in (0, 1))
        if matrix[0] @ x <= 4 and first <= limit and second >= -limit:
            worth.append(1.5 + costs @ x + value(objective, 0, x))
    answer = solve_scip(model, Limits(time=20))
    if worth:
        best = max(worth) if maximize else min(worth)
        assert (answer.status, answer.gap) == ("optimal", 0)
        assert answer.objective == pytest.approx(best, abs=1e-5)
        assert answer.bound == pytest.approx(best, abs=1e-4)
    else:
        assert answer.status == "infeasible"


def test_a_saddle() -> None:
    """x y on [-1, 1] x [-1, 2] is least in a corner."""
    model = small("cc", [0, 0], (), -1, [1, 2], quadratic=products((0, 0, 1, 1.0)))
    answer = solve_scip(model)
    assert answer.values == pytest.approx([-1, 2])
    assert answer.objective == pytest.approx(-2)
    maximised = small("cc", [], (), -1, [1, 2], "maximize", 0, products((0, 0, 1, 1.0)))
    assert solve_scip(maximised).objective == pytest.approx(2)


def test_a_start_for_products() -> None:
    model = small("bbc", [0, 0, 1], (), quadratic=products((0, 0, 1, -2.0)))
    answer = solve_scip(model, start=np.array([1, 1, np.nan]))
    assert answer.start_accepted
    assert answer.values == pytest.approx([1, 1, 0])
    assert answer.objective == pytest.approx(-2)


def test_the_model_as_scip_has_it() -> None:
    first = rows([[1, 0, 2], [0, 0, 0]], [-np.inf, 0], [4, 0])
    last = rows([[0, 3, -5]], 1, np.inf)
    model = small("bic", [1, 2], (first, last), [0, -3, -np.inf], [1, 5, 5], "maximize", 7.5)
    scip = to_scip(model)
    columns = scip.getVars()
    assert scip.getObjectiveSense() == "maximize"
    assert scip.getObjoffset() == 7.5
    assert [x.vtype() for x in columns] == ["BINARY", "INTEGER", "CONTINUOUS"]
    assert [x.getObj() for x in columns] == [1, 2, 0]
    assert [x.getLbOriginal() for x in columns] == [0, -3, -1e20]
    assert [x.getUbOriginal() for x in columns] == [1, 5, 5]
    conss = scip.getConss()
    assert [(scip.getLhs(c), scip.getRhs(c)) for c in conss] == [(-1e20, 4), (0, 0), (1, 1e20)]
    names = [x.name for x in columns]
    assert [scip.getValsLinear(c) for c in conss] == [
        {names[0]: 1, names[2]: 2},
        {},
        {names[1]: 3, names[2]: -5},
    ]


def test_products_add_a_column_and_a_row_behind_the_models_own() -> None:
    form = products((0, 0, 0, 1.0))
    scip = to_scip(small("bb", [1, 2], (rows([[1, 1]], 0, 1),), quadratic=form))
    assert [x.name for x in scip.getVars()] == ["v0(1)", "v0(2)", "objective_products"]
    assert [c.getConshdlrName() for c in scip.getConss()] == ["linear", "nonlinear"]


def test_more_coefficients_than_are_passed_at_once() -> None:
    width = 400
    random = np.random.default_rng(1)
    count = CHUNK // width + 3
    matrix = random.integers(1, 9, (count, width))
    quadratic = products((1, 0, 1, 1.0))  # and one row that goes another way
    scip = to_scip(small("c" * width, [1], (rows(matrix, 0, 1, quadratic),)))
    conss = scip.getConss()
    for row in (0, 2, count // 2, count - 2, count - 1):
        expected = {f"v0({k + 1})": matrix[row, k] for k in range(width)}
        assert scip.getValsLinear(conss[row]) == expected
    assert conss[1].getConshdlrName() == "nonlinear"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object]]:
    """The parameters that SCIP is given."""
    asked: list[tuple[str, object]] = []

    class Noting(pyscipopt.Model):
        def setParam(self, name: str, value: object) -> None:
            asked.append((name, value))
            super().setParam(name, value)

    monkeypatch.setattr(pyscipopt, "Model", Noting)
    return asked


def test_parameters_reach_the_solver(asked: list[tuple[str, object]]) -> None:
    limits = Limits(time=9, gap=0.25, absolute_gap=2, threads=4, feasibility=1e-9, seed=7)
    answer = solve_scip(knapsack(10, 2), limits)
    assert answer.message == "SCIP searches on one thread"
    last = dict(asked)
    assert 8 < float(str(last.pop("limits/time"))) <= 9
    assert last == {
        "limits/gap": 0.25,
        "limits/absgap": 2,
        "numerics/feastol": 1e-9,
        "randomization/randomseedshift": 7,
        "misc/catchctrlc": False,
    }


def test_a_start_is_completed_within_a_part_of_the_limits(asked: list[tuple[str, object]]) -> None:
    start = np.array([np.nan, *np.zeros(9)])
    solve_scip(knapsack(10, 2), Limits(time=10), start)
    assert [value for name, value in asked if name == "limits/nodes"] == [500, -1]
    parts = [float(str(value)) for name, value in asked if name == "limits/time"]
    assert parts == [pytest.approx(2, rel=0.3), pytest.approx(10, rel=0.3)]


def test_a_start_that_is_a_solution_goes_in_as_it_is(asked: list[tuple[str, object]]) -> None:
    answer = solve_scip(knapsack(10, 2), Limits(time=10, absolute_gap=1e9), np.zeros(10))
    assert [value for name, value in asked if name == "limits/nodes"] == []
    assert answer.start_accepted is True
    assert answer.values is not None


def test_dropped_coefficients_are_told() -> None:
    answer = solve_scip(small("bb", [1], (rows([[1, 1e-10]], 1, 1),)))
    assert answer.message == "SCIP treats 1 coefficients of at most 1e-09 as zero"


def test_a_solution_that_scip_itself_would_not_accept_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Doubting(pyscipopt.Model):
        def checkSol(self, solution: object, **options: bool) -> bool:
            assert options["original"]
            return False

    monkeypatch.setattr(pyscipopt, "Model", Doubting)
    assert "misses SCIP's own tolerance" in solve_scip(knapsack(10, 2)).message


def test_a_limit_of_scips_own_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Hasty(pyscipopt.Model):
        def optimizeNogil(self) -> None:
            self.setParam("limits/solutions", 1)
            super().optimizeNogil()

    monkeypatch.setattr(pyscipopt, "Model", Hasty)
    answer = solve_scip(knapsack(60, 20))
    assert (answer.status, answer.message) == ("solver_limit", "sollimit")
    assert answer.has_solution


def test_a_failure_inside_scip_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(pyscipopt.Model):
        def optimizeNogil(self) -> None:
            raise Exception("SCIP: error in LP solver!")

    monkeypatch.setattr(pyscipopt, "Model", Broken)
    with pytest.raises(TreemipError, match="error in LP solver") as raised:
        solve_scip(knapsack(10, 2))
    assert raised.value.diagnostics[0].code == "E604"
