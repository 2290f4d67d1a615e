"""The Local SVM start: each branch's hyperplane is its own problem's, and the whole is feasible."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

import treemip
from treemip.answers.starts.local_svm import NodeModels, local_svm
from treemip.answers.starts.problem import WarmStart, within
from treemip.answers.starts.warm_start import warm_start
from treemip.core.model.answer import Answer, Limits
from treemip.core.model.model import Model
from treemip.core.model.values import objective_value, violation
from treemip.core.source.diagnostic import Severity, TreemipError
from treemip.core.strategy.solvers import solve_with

DATA = np.random.default_rng(3)
X = np.round(DATA.random((24, 2)), 3)
Y = ["y" if (a > 0.5) == (b > 0.4) else "n" for a, b in X]
TABLE = {"a": X[:, 0].tolist(), "b": X[:, 1].tolist(), "class": Y}
DEPTH = "topology complete(depth = 2);"
BUDGET = "subject to budget {t in branches}: sum {j in features} uses[t,j] <= 1"

SPECS = {
    "MARGOT": "margot(C = 4)",
    "prices by level": "margot(C = level(1: 1, 2: 10))",
    "HFS-MARGOT": "margot(C = 4); " + BUDGET,
    "SFS-MARGOT": "margot(C = 4); minimize svm + 2 * sum {t in branches} "
    "max(0, sum {j in features} uses[t,j] - 1)",
    "1-norm, linear": "margot(C = 4); minimize l1 + hinge",
    "errors too": "margot(C = 4); minimize svm + misclassified",
    "MM-SVM-OCT": "mm_svm_oct(c1 = 4)",
    "leaves too": "margot(C = 4); minimize svm + leaves_used",
}


def compiled(text: str, topology: str = DEPTH) -> treemip.Compiled:
    head = f'data "t" {{ label class positive "y"; }} {topology} split margin by '
    return treemip.loads(f"{head}{text};", data=TABLE).compile()


def started(made: treemip.Compiled, limits: Limits | None = None) -> WarmStart:
    return warm_start("local_svm", made.instance, made.model, "auto", limits or Limits())


@pytest.mark.parametrize("text", SPECS.values(), ids=list(SPECS))
def test_a_start_is_feasible_and_no_better_than_the_optimum(text: str) -> None:
    made = compiled(text)
    begun = started(made)
    assert begun.values is not None
    assert begun.values.shape == (made.model.column_count,)
    assert violation(made.model, begun.values) <= 1e-6
    tree = made.tree_of(begun.values)
    assert tree.verified
    best = made.solve("scip", start=tree.values, time_limit=0.3)
    assert best.objective is not None
    worth = objective_value(made.model, begun.values)
    assert worth >= (best.answer.bound or -np.inf) - 1e-5 * max(1.0, worth)
    (note,) = begun.notes
    assert note.severity is Severity.NOTE
    assert note.message == f"the local_svm start has the objective {worth:.9g}"


@pytest.mark.parametrize("topology", [DEPTH, 'topology shape "((. .) .)";'])
def test_each_hyperplane_is_the_svm_of_the_points_that_reach_it(topology: str) -> None:
    """scikit-learn's SVC, by another method, on the points that the branches above send there."""
    svm = pytest.importorskip("sklearn.svm")
    made = compiled("margot(C = 4)", topology)
    begun = started(made)
    assert begun.values is not None
    result = made.tree_of(begun.values)
    coef, offset = result.values["coef"].reshape(-1, 2), result.values["offset"]
    tree, sign = result.tree, np.where(np.array(Y) == "y", 1, -1)
    passes = tree.path(X)
    checked = 0
    for number, branch in enumerate(tree.topology.branches):
        here = passes[:, branch] > 0
        if len(set(sign[here])) < 2:
            # What a solver's tolerance lets pass: 0 is the least worth.
            assert 0.5 * coef[number] @ coef[number] <= 1e-6
            continue
        other = svm.SVC(C=4, kernel="linear", tol=1e-10).fit(X[here], sign[here])

        def worth(w: np.ndarray, b: float, here: np.ndarray = here) -> float:
            return 0.5 * w @ w + 4 * np.maximum(0, 1 - sign[here] * (X[here] @ w + b)).sum()

        own = worth(coef[number], offset[number])
        assert own == pytest.approx(worth(other.coef_[0], other.intercept_[0]), rel=1e-5)
        checked += 1
    assert checked >= 1


def test_a_branch_s_problem_has_its_own_columns_and_points_only() -> None:
    made = compiled("margot(C = 4); " + BUDGET)
    parts = NodeModels(made.instance, made.model)
    points = np.arange(24) % 2 == 0
    branch = int(made.instance.topology.branches[1])
    small = parts.of_branch(branch, points)
    assert {r.name: r.length for r in small.rows} == {
        "margin_side": 12,
        "budget": 1,
        "uses_off_lower": 2,
        "uses_off_upper": 2,
    }
    free = small.lower < small.upper
    names = {b.name: int(free[b.start : b.stop].sum()) for b in small.variables}
    assert names == {"coef": 2, "offset": 1, "slack": 12, "assign": 0, "uses": 2}


def test_rows_that_say_where_a_point_goes_are_no_part_of_it() -> None:
    made = compiled("mm_svm_oct(c1 = 4)")
    parts = NodeModels(made.instance, made.model)
    small = parts.of_branch(0, np.ones(24, bool))
    assert {r.name for r in small.rows} == {
        "separate",
        "no_split_lower",
        "no_split_upper",
        "min_margin",
    }


@pytest.mark.parametrize("split", ["oblique by soct", "univariate by oct", "oblique by svm1_odt"])
def test_formulations_without_margins_refuse_it(split: str) -> None:
    text = f'data "t" {{ label class; scale minmax; }} {DEPTH} split {split};'
    with pytest.raises(TreemipError) as caught:
        started(treemip.loads(text, data=TABLE).compile())
    (found,) = caught.value.diagnostics
    assert (found.code, found.remedy) == (
        "E205",
        "it is for margin trees, such as margot; for others use: start cart;",
    )


def test_a_routing_that_the_spec_forbids_is_a_warning() -> None:
    begun = started(
        compiled("margot(C = 4); subject to none: sum {i in points} reach[i,root] <= 3")
    )
    assert begun.values is None
    (note,) = begun.notes
    assert note.message == (
        "the Local SVM heuristic's routing is not feasible for this model: "
        "it violates 1 row of 'none'; solving without a start"
    )


def test_a_point_in_the_strip_that_no_side_takes_moves_the_hyperplane() -> None:
    """With eps = 1 many points lie between -eps and 0."""
    made = compiled("margot(C = 4, eps = 1)")
    begun = started(made)
    assert begun.values is None or violation(made.model, begun.values) <= 1e-6


def test_ctrl_c_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled("margot(C = 4)")

    def stopped(*arguments: object, **options: object) -> Answer:
        answer = solve_with(*arguments, **options)  # type: ignore[arg-type]
        return replace(answer, status="interrupted", values=None)

    monkeypatch.setattr("treemip.answers.starts.warm_start.solve_with", stopped)
    assert made.solve("scip", start="local_svm", on_interrupt="keep").status == "interrupted"


def test_it_takes_no_more_than_its_share_of_the_time() -> None:
    given: list[float | None] = []

    def solve(model: Model, seconds: float | None) -> Answer:
        given.append(seconds)
        return solve_with(model, "scip", Limits(time=seconds))

    made = compiled("margot(C = 4)")
    assert local_svm(made.instance, made.model, within(8.0, solve)).values is not None
    assert len(given) == 4
    times = [seconds for seconds in given if seconds is not None]
    assert times == sorted(times, reverse=True)
    assert 0 < times[-1] < times[0] <= 8.0


def test_a_spec_can_ask_for_it() -> None:
    head = 'data "t" { label class positive "y"; } strategy { start local_svm; }'
    text = f"{head} {DEPTH} split margin by margot(C = 4);"
    result = treemip.loads(text, data=TABLE).compile().solve("scip", time_limit=60, gap=0.9)
    assert result.verified
    assert result.answer.start_accepted


@pytest.mark.parametrize("way", ["sos1", "indicator"])
def test_implications_without_big_m_are_refused(way: Literal["sos1", "indicator"]) -> None:
    made = compiled("margot(C = 4)").program.compile(implications=way)
    with pytest.raises(TreemipError, match="as big-M rows") as caught:
        started(made)
    assert caught.value.diagnostics[0].code == "E601"
