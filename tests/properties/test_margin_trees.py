"""Margin trees: the optimum of full enumeration, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from formulations import table
from reference.margins import margot, mm_svm_stump, svm
from suite import one_in

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result

pytest.importorskip("pyscipopt")

BUDGET = "subject to budget {t in branches}: sum {j in features} uses[t,j] <= B[t];\n"


def compiled(x: np.ndarray, sign: np.ndarray, by: str, depth: int = 2, rest: str = "") -> Compiled:
    text = (
        f'data "t" {{ label c positive "1"; }} topology complete(depth = {depth});\n'
        f"split margin by {by};\n{rest}"
    )
    return treemip.loads(text, data=table(x, sign)).compile()


def solved(x: np.ndarray, sign: np.ndarray, by: str, depth: int = 2, rest: str = "") -> Result:
    result = compiled(x, sign, by, depth, rest).solve("scip", start="none", time_limit=60)
    assert result.status == "optimal"
    assert result.verified, result.report
    return result


def random_points(seed: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Points on a grid in [0, 1]^2 with both signs, equal points of two signs among them."""
    rng = np.random.default_rng(seed)
    sign = rng.permutation(np.r_[1, -1, rng.choice([-1, 1], points - 2)])
    return rng.integers(0, 5, (points, 2)) / 4, sign


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("seed", one_in(2, range(4)))
def test_margot_is_the_best_of_all_routings(seed: int) -> None:
    x, sign = random_points(seed, 6)
    result = solved(x, sign, "margot(C = level(1: 0.5, 2: 20))")
    assert result.objective == close(margot(x, sign, (0.5, 20.0)))


@pytest.mark.parametrize("seed", range(3))
def test_one_feature_a_split_is_the_best_choice_of_features(seed: int) -> None:
    """One branch, so that enumeration is over features alone."""
    x, sign = random_points(seed, 8)
    result = solved(x, sign, "margot(C = 50)", 1, "param B {t in branches} = 1;\n" + BUDGET)
    assert result.objective == close(
        min(svm(x, sign, 50.0, None, u) for u in np.eye(2, dtype=bool))
    )
    assert (result.tree.weights != 0).sum() == 1


def test_a_single_branch_is_a_support_vector_machine() -> None:
    svc = pytest.importorskip("sklearn.svm").SVC
    x, sign = random_points(7, 30)
    machine = svc(kernel="linear", C=10.0, tol=1e-10).fit(x, sign)
    weights = machine.coef_[0]
    margin = sign * (x @ weights + machine.intercept_[0])
    expected = weights @ weights / 2 + 10 * np.maximum(0, 1 - margin).sum()
    result = solved(x, sign, "margot(C = 10)", 1)
    assert result.objective == close(expected)
    assert result.tree.weights[0] == pytest.approx(weights, abs=1e-4)


@pytest.mark.parametrize("seed", one_in(2, range(3)))
@pytest.mark.parametrize(("c1", "c3"), [(1, 1), (30, 0.5)])
def test_mm_svm_oct_with_one_branch_is_the_best_of_all_sides(
    seed: int, c1: float, c3: float
) -> None:
    x, sign = random_points(seed, 6)
    result = solved(x, sign, f"mm_svm_oct(c1 = {c1}, c3 = {c3})", 1)
    assert result.objective == close(mm_svm_stump(x, sign, c1, c3))


@pytest.mark.parametrize("formulation", ["margot", "mm_svm_oct"])
def test_slack_is_the_hinge_loss_of_the_points_that_pass(formulation: str) -> None:
    """Recomputed here from the decoded tree's weights and thresholds alone."""
    x, sign = random_points(3, 12)
    result = solved(x, sign, formulation)
    tree, passed = result.tree, result.tree.path(x)
    losses = 0.0
    for node in tree.topology.branches:
        height = x @ tree.weights[node] - tree.threshold[node]
        losses += np.maximum(0, 1 - sign * height)[passed[:, node]].sum()
    slack = next(t for t in result.report.terms if "hinge" in t.text or "slack" in t.text)
    assert losses == close(slack.solution) == close(slack.tree)


@pytest.mark.parametrize("rest", ["", "param B {t in branches} = level(1: 1, 2: 2);\n" + BUDGET])
def test_greater_big_m_change_nothing(rest: str) -> None:
    x, sign = random_points(11, 10)
    once = solved(x, sign, "margot(C = 5)", 2, rest)
    twice = solved(x, sign, "margot(C = 5, M_xi = 100, M_H = 200, M_w = 100)", 2, rest)
    assert once.objective == close(twice.objective)


def test_a_budget_of_all_features_is_none() -> None:
    x, sign = random_points(12, 10)
    free = solved(x, sign, "margot(C = 5)")
    all_of_them = "param B {t in branches} = card(features);\n" + BUDGET
    assert solved(x, sign, "margot(C = 5)", 2, all_of_them).objective == close(free.objective)


SOFT = "minimize svm + alpha * sum {t in branches} max(0, sum {j in features} uses[t,j] - B);\n"


def test_soft_feature_selection_lies_between_free_and_hard() -> None:
    """At a price of 0 it is MARGOT, at a very high one HFS-MARGOT, and it rises with the price."""
    x, sign = random_points(20, 7)
    soft = [
        solved(x, sign, "margot(C = 5)", 2, f"param B = 1; param alpha = {price};\n" + SOFT)
        for price in (0, 0.5, 1000)
    ]
    free, middle, hard = (s.objective for s in soft)
    assert free == close(solved(x, sign, "margot(C = 5)").objective)
    one = "param B {t in branches} = 1;\n" + BUDGET
    assert hard == close(solved(x, sign, "margot(C = 5)", 2, one).objective)
    assert free < middle < hard


def test_the_1_norm_makes_the_model_linear() -> None:
    x, sign = random_points(14, 8)
    made = compiled(x, sign, "margot(C = 5)", 1, "minimize l1 + hinge;")
    assert made.model.is_linear
    by_scip, by_highs = (made.solve(name, start="none") for name in ("scip", "highs"))
    assert by_scip.verified and by_highs.verified
    assert by_scip.objective == close(by_highs.objective)
    p = x.shape[1]
    line = np.hstack([x, -x, np.ones((8, 1))]) * sign[:, None]
    from scipy.optimize import linprog

    lp = linprog(
        np.r_[np.ones(2 * p), 0, np.full(8, 5.0)],
        A_ub=-np.hstack([line, np.eye(8)]),
        b_ub=-np.ones(8),
        bounds=[(0, None)] * (2 * p) + [(None, None)] + [(0, None)] * 8,
    )
    assert by_scip.objective == close(lp.fun)


CONCEPTS = [
    "minimize misclassified;",
    "minimize svm + splits;",
    "minimize svm + 0.1 * features_used + 0.1 * distinct_features;",
    "minimize svm + total_slack + linf + l1;",
    "subject to size {l in leaves}: sum {i in points} reach[i,l] >= 2 * occupied[l];",
    "subject to passing {t in branches : t != root}: sum {i in points} reach[i,t] >= 2;",
    'subject to recall: sum {i in points : y[i] = "1"} predicts[i,"1"] >= 3;',
    "subject to low {t in branches}: bias[t] >= -2;",
    "predict class if l in right_children then positive else negative;",
]


@pytest.mark.parametrize(("by", "rest"), one_in(2, ["margot(C = 2)", "mm_svm_oct"], CONCEPTS))
def test_every_concept_works(by: str, rest: str) -> None:
    x, sign = random_points(21, 8)
    named = rest.replace("svm", "cost") if by == "mm_svm_oct" else rest
    solved(x, sign, by, 1 if "misclassified" in rest else 2, named)


def test_leaves_are_brought_in_only_where_they_are_asked_for() -> None:
    x, sign = random_points(22, 6)
    plain = compiled(x, sign, "margot")
    assert not {"side", "uses", "active"} & {b.name for b in plain.model.variables}
    asked = compiled(x, sign, "margot", 2, "minimize svm + misclassified;")
    assert "side" in {b.name for b in asked.model.variables}


@pytest.mark.parametrize("formulation", ["margot", "mm_svm_oct"])
def test_cart_is_a_start(formulation: str) -> None:
    pytest.importorskip("sklearn")
    x, sign = random_points(23, 10)
    result = compiled(x, sign, formulation).solve("scip", start="cart", time_limit=60)
    assert result.answer.start_accepted is True
    assert result.warnings == [] and result.verified


@pytest.mark.parametrize("depth", [2, 3])
def test_the_size_is_that_of_table_1(depth: int) -> None:
    x, sign = random_points(24, 9)
    n, points, branches = 2, 9, 2**depth - 1
    inner = 2 ** (depth - 1) - 1
    columns = (n + 1 + points) * branches + points * 2 ** (depth - 1)
    rows = 2 * inner * points + branches * points + points
    plain = compiled(x, sign, "margot", depth).model
    assert (plain.column_count, plain.row_count) == (columns, rows)
    hard = compiled(x, sign, "margot", depth, "param B {t in branches} = 1;\n" + BUDGET).model
    assert hard.column_count == columns + n * branches
    assert hard.row_count == rows + 2 * n * branches + branches


def test_big_m_are_advised_until_they_are_proven() -> None:
    """||w_t|| <= sqrt(2 UB): a good value of UB makes the paper's big-M proven ones."""
    x, sign = random_points(25, 8)
    warned = compiled(x, sign, "margot(C = 1000)")
    assert [w.code for w in warned.warnings] == ["W301"]
    assert "the big-M may cut off the best tree" in warned.warnings[0].message
    assert compiled(x, sign, "margot(C = 1000, UB = 100)").warnings == []
    proven = "margot(C = 1000, M_w = 1000, M_xi = 1000, M_H = 1000)"
    assert compiled(x, sign, proven).warnings == []
    assert [w.code for w in compiled(x, sign, "mm_svm_oct(c1 = 1000)").warnings] == ["W301"]


BOTH = "subject to all {k in classes}: recall[k] >= 0;\n"


@pytest.mark.parametrize(
    ("by", "rest", "codes"),
    [
        ("margot", "minimize l1 + hinge;", ["W301"]),
        ("margot(UB = 10)", "minimize l1 + hinge;", []),
        ("margot(UB = 200)", "minimize l1 + hinge;", ["W301"]),
        ("margot(UB = 200)", "", []),
        ("margot", BOTH, ["W301"]),
        ("margot(UB = 10)", BOTH, []),
        ("margot(UB = 10)", "subject to far: offset[root] >= 60;", ["W301"]),
        ("margot(UB = 10)", "minimize svm + (-2) * splits;", ["W301"]),
        ("margot(UB = -50)", "param w = -2; minimize svm + w * splits;", ["W301"]),
        ("margot", "minimize svm + splits;", ["W301"]),
        ("margot(UB = 10)", "minimize svm + splits;", []),
        ("margot(UB = 10)", "minimize misclassified;", ["W301"]),
        ("mm_svm_oct", "minimize l1 + total_slack + splits;", ["W301"]),
        ("mm_svm_oct(UB = 10)", "minimize l1 + total_slack + splits;", []),
        ("mm_svm_oct", BOTH, ["W301"]),
    ],
)
def test_what_is_proven_depends_on_objective_and_rows(by: str, rest: str, codes: list[str]) -> None:
    """||w_t|| <= UB for 1-norms; and the tree without splits need not keep a row."""
    x, sign = random_points(25, 8)
    assert [w.code for w in compiled(x, sign, by, rest=rest).warnings] == codes


def test_the_paper_s_big_m_cut_off_the_best_tree_of_1_norms() -> None:
    """Four points on a line at 0, 0.01, 0.99 and 1: 1172 with 92, 200 with 1000 for all three."""
    x, sign = np.array([[0.0], [0.01], [0.99], [1.0]]), np.array([-1, 1, 1, -1])
    rest = "param C {t in branches} = level(1: 0.01, 2: 1000);\nminimize l1 + hinge;\n"
    found = {m: compiled(x, sign, f"margot(M_xi = {m}, M_H = {m}, M_w = {m})", rest=rest)
             for m in (92, 1000)}  # fmt: skip
    best = {
        m: made.solve("scip", start="none", time_limit=60).objective for m, made in found.items()
    }
    assert best[92] > best[1000] + 900
    assert [w.code for w in found[92].warnings] == ["W301"]
