"""What a solve begins with where nobody says: an exact engine, a search, or the solver alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.answers.search import start
from treemip.answers.search.sums import NoSums
from treemip.api import solving
from treemip.api.result import Result
from treemip.core.source.diagnostic import TreemipError
from treemip.core.strategy.solvers import load_packages

pytest.importorskip("highspy", reason="a solver is needed")

DRAW = np.random.default_rng(7)
NOISE = {
    "a": DRAW.random(30).tolist(),
    "b": DRAW.random(30).tolist(),
    "c": np.where(DRAW.random(30) < 0.5, "y", "n").tolist(),
}
"""No tree of depth 1 has no errors, so a proof takes an engine or a solver."""

FEW = {name: values[:12] for name, values in NOISE.items()}

HEAD = 'data "t" { label c; scale minmax; } topology complete(depth = 1); '
UNIVARIATE = HEAD + "split univariate by oct; minimize misclassified;"
OBLIQUE = HEAD + "split oblique by soct;"


def solved(text: str, data: dict[str, Any] = NOISE, solver: str = "highs", **how: Any) -> Result:
    return treemip.loads(text, data=data).compile().solve(solver, **how)


def proof(result: Result) -> str:
    assert result.optimality is not None and result.verified, result.report
    return result.optimality.text("verified")


# ------------------------------------------------------------------ who answers


def test_an_exact_engine_answers_where_no_solver_is_named() -> None:
    result = solved(UNIVARIATE, solver="auto")
    assert proof(result) == "proven optimal by an exact engine"
    assert "engine" in result.seconds and "search" not in result.seconds


@pytest.mark.parametrize("solver", ["highs", "mip"])
def test_with_a_solver_that_is_named_the_proof_is_the_solvers(solver: str) -> None:
    result, engine = solved(UNIVARIATE, solver=solver), solved(UNIVARIATE, solver="auto")
    assert result.answer.solver in ("highs", "scip") and proof(result).startswith("proven optimal")
    assert result.objective == pytest.approx(engine.objective)
    assert "search" in result.seconds and "engine" not in result.seconds


def test_the_spec_may_ask_for_the_model_as_well() -> None:
    result = solved(UNIVARIATE + " strategy { solver mip; }", solver=None)  # type: ignore[arg-type]
    assert result.answer.solver in ("highs", "scip")


def test_a_search_gives_the_solver_its_start(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = []
    real = solving.solve_with

    def watched(model: Any, solver: str, limits: Any, values: Any, *rest: Any) -> Any:
        starts.append(values)
        return real(model, solver, limits, values, *rest)

    monkeypatch.setattr(solving, "solve_with", watched)
    result = solved(OBLIQUE, FEW)
    assert "proven optimal by HiGHS" in proof(result)
    assert len(starts) == 1 and starts[0] is not None


@pytest.mark.parametrize(
    ("more", "how"),
    [("", {"start": "none"}), (" strategy { start none; }", {}), ("", {"start": "cart"})],
)
def test_none_or_another_start_takes_its_place(more: str, how: dict[str, str]) -> None:
    assert "search" not in solved(OBLIQUE + more, time_limit=0.2, **how).seconds


@pytest.mark.parametrize(
    ("name", "stands_in", "status"),
    [
        ("asked_to_stop", lambda: True, "interrupted"),
        ("remaining", lambda limits, seconds: replace(limits, time=0.0), "time_limit"),
    ],
)
def test_a_solver_that_was_not_run_is_not_named(
    monkeypatch: pytest.MonkeyPatch, name: str, stands_in: Any, status: str
) -> None:
    """The search was stopped, or has used all the time."""
    monkeypatch.setattr(solving, name, stands_in)
    result = solved(OBLIQUE, FEW, on_interrupt="keep")
    assert (result.answer.solver, result.status) == ("search", status)
    assert result.verified


def test_nor_where_the_search_has_used_the_time_and_found_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solving, "remaining", lambda limits, seconds: replace(limits, time=0.0))
    result = solved(OBLIQUE + " subject to never {l in leaves}: points_in[l] >= 7;", FEW)
    assert (result.answer.solver, result.status, result.tree) == ("search", "time_limit", None)


# ------------------------------------------------------- where there is no search


def test_nothing_is_said_of_a_spec_that_cannot_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "refusal", lambda instance: "its trees are not searched")
    result = solved(OBLIQUE, FEW)
    assert (result.warnings, "search" in result.seconds) == ([], False)
    (warning,) = solved(OBLIQUE + " strategy { start search; }", FEW).warnings
    assert warning.message == "the spec's start 'search' is ignored: its trees are not searched"
    with pytest.raises(TreemipError, match="its trees are not searched"):
        solved(OBLIQUE, start="search")


def test_nor_of_one_that_has_no_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*arguments: object, **named: object) -> None:
        raise NoSums("it multiplies other things")

    monkeypatch.setattr(start, "search", none)
    result = solved(OBLIQUE, FEW)
    assert (result.status, result.warnings) == ("optimal", [])


def test_but_where_the_answer_is_not_proven_a_warning_says_why() -> None:
    """Only a solution has the value of a square of coefficients in an exponent."""
    squares = "minimize misclassified + exp(sum {t in branches, j in features} coef[t,j] ^ 2);"
    result = solved(OBLIQUE + squares, solver="scip", time_limit=1)
    assert result.status == "time_limit"
    assert [(w.code, w.message) for w in result.warnings] == [
        (
            "W601",
            "the spec cannot be searched: it has a nonlinear function of variables that do not "
            "follow from the tree; solving without a start",
        )
    ]


# ------------------------------------------------ functions of sums that are searched


def test_a_sum_of_squares_is_as_small_as_any_tree_makes_it() -> None:
    """Leaves of 6 points each and no errors, by a tree of depth 2 with the thresholds 1, 2, 3."""
    x = np.repeat(np.arange(4.0), 6)
    data = {"a": x.tolist(), "b": DRAW.random(24).tolist(), "c": np.where(x % 2, "y", "n").tolist()}
    text = (
        'data "t" { label c; scale minmax; } topology complete(depth = 2); '
        "split univariate by oct; minimize sum {l in leaves} (points_in[l] - 6)^2 + misclassified;"
    )
    result = solved(text, data, solver="auto", time_limit=20)
    assert proof(result) == "proven optimal by an exact engine"
    assert result.objective == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        pytest.param("misclassified ^ 2", lambda e: e**2, marks=pytest.mark.truth),
        ("exp(0.1 * misclassified)", lambda e: np.exp(0.1 * e)),
        pytest.param("log(1 + misclassified)", lambda e: np.log(1 + e), marks=pytest.mark.truth),
    ],
)
def test_functions_of_the_errors_are_searched_and_solved(objective: str, expected: Any) -> None:
    pytest.importorskip("pyscipopt")
    least = solved(UNIVARIATE, FEW, solver="auto").objective
    text = UNIVARIATE.replace("minimize misclassified", f"minimize {objective}")
    result = solved(text, FEW, solver="scip", time_limit=20)
    assert "search" in result.seconds and result.verified and not result.warnings
    assert result.objective == pytest.approx(expected(least), abs=1e-6)


# ---------------------------------------------------------------------- seconds


def test_search_and_solver_share_the_time_limit() -> None:
    draw = np.random.default_rng(0)
    data = {"a": draw.random(200).tolist(), "b": draw.random(200).tolist()}
    data["c"] = np.where(draw.random(200) < 0.5, "y", "n").tolist()
    text = OBLIQUE.replace("depth = 1", "depth = 2")
    compiled = treemip.loads(text, data=data).compile()
    load_packages("scip", compiled.model)
    began = time.perf_counter()
    result = compiled.solve("scip", time_limit=2)
    assert time.perf_counter() - began < 5.0
    assert result.verified and result.seconds["search"] < 1.7 and result.seconds["solve"] > 0.2
    assert result.to_json()["time_limit"] == 2


def test_seconds_in_the_spec_are_all_used() -> None:
    result = solved(OBLIQUE + " strategy { start search seconds 0.6 seed 2; }", FEW)
    assert 0.5 < result.seconds["search"] < 4.0


# ------------------------------------------------------------------- last resort


def test_a_tree_of_one_class_is_tried_last() -> None:
    """All points go left: no tree that parts any is a solution."""
    text = OBLIQUE + " subject to one_side {i in points}: reach[i,left(root)] = 1;"
    result = solved(text, start="search", time_limit=20)
    assert result.verified and result.warnings == []
    assert result.train_errors == min(NOISE["c"].count("y"), NOISE["c"].count("n"))


def test_a_class_that_the_constraints_allow_is_taken() -> None:
    text = OBLIQUE + " subject to rare {l in leaves}: label[l,rarest] = 1;"
    rare = min("yn", key=NOISE["c"].count)
    result = solved(text.replace("rarest", f'"{rare}"'), start="search", time_limit=20)
    assert result.verified
    assert result.train_errors == 30 - NOISE["c"].count(rare)


def test_without_time_carts_tree_is_looked_at_all_the_same() -> None:
    from treemip.answers.search.tree_search import TreeSearch

    compiled = treemip.loads(OBLIQUE, data=NOISE).compile()
    report = TreeSearch(compiled.instance, compiled.stated, 0.0, 0).run()
    assert report.starts == 1 and report.best is not None
    assert report.best.objective >= max(NOISE["c"].count("y"), NOISE["c"].count("n"))


def test_what_no_tree_keeps_is_named() -> None:
    text = OBLIQUE + " subject to never {l in leaves}: points_in[l] >= 7;"
    result = solved(text, FEW)
    (warning,) = [w for w in result.warnings if w.code == "W601"]
    assert "trees tried is feasible (rows that they violate: 'never' " in warning.message
    assert result.status == "infeasible"


def test_cart_is_the_first_tree() -> None:
    """What the search returns after no start of its own is at least as good as CART."""
    from treemip.answers.search.tree_search import TreeSearch
    from treemip.answers.starts.cart import cart, of_cart
    from treemip.api.other_trees import other_trees

    data = {"c": NOISE["c"]} | {name: np.round(NOISE[name], 1).tolist() for name in "ab"}
    compiled = treemip.loads(OBLIQUE.replace("depth = 1", "depth = 2"), data=data).compile()
    tree = of_cart(compiled.instance, cart(compiled.instance))
    table, leaves = compiled.instance.table, tree.topology.leaves
    labels = tree.labels[np.searchsorted(leaves, tree.ends(table.x))]
    errors = other_trees(compiled.instance, compiled.stated)[0].errors
    assert errors is not None
    assert int((labels != table.y).sum()) == errors
    report = TreeSearch(compiled.instance, compiled.stated, 0.0, 0).run(first=[tree])
    assert report.best is not None and report.best.objective == 30 - errors
