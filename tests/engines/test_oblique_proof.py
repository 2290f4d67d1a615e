"""The engine for oblique trees against every routing, and against a solver on the stated model."""

from __future__ import annotations

import time

import numpy as np
import pytest
from reference.oblique_trees import least_loss
from suite import one_in

import treemip
from treemip.answers.engines.oblique import proof
from treemip.answers.engines.oblique.enumeration import is_small
from treemip.answers.engines.oblique.fits import oblique_problem
from treemip.answers.engines.oblique.problem import ObliqueProblem
from treemip.answers.engines.oblique.proof import Proof, prove
from treemip.answers.engines.reports import Reports
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.complete import complete
from treemip.answers.search.start import as_columns
from treemip.api.compiled import Compiled
from treemip.core.model.values import objective_value
from treemip.core.solving.solve import solve

PACKAGES = {"ways": "highspy", "sat": "pysat", "scip": "pyscipopt"}


@pytest.fixture(params=PACKAGES)
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How it is proven: by all ways to part the points, by clauses, or as a program."""
    name = str(request.param)
    pytest.importorskip(PACKAGES[name])
    by_method(name, monkeypatch)
    return name


def by_method(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "is_small", is_small if name == "ways" else lambda _: False)
    monkeypatch.setattr(proof, "is_installed", lambda package: package == PACKAGES[name])


COSTS = "param cost_of {k in classes, m in classes} = if k = m then 0 else ord(k) + 2 * ord(m);"
OBJECTIVES = {
    "errors": "",
    "weights": "minimize lost: misclassified;",
    "costs": COSTS
    + "minimize paid: sum {k in classes, m in classes} cost_of[k,m] * confusion[k,m];",
}


def compiled(
    x: np.ndarray, y: np.ndarray, depth: int, split: str, objective: str = "errors", rest: str = ""
) -> Compiled:
    """Points with weights 1, 2, 3, 1, 2, ... where the objective is "weights"."""
    columns = {f"a{j}": column for j, column in enumerate(x.T)} | {"c": [str(k) for k in y]}
    weighed = ""
    if objective == "weights":
        columns["w"] = (1.0 + np.arange(len(y)) % 3).tolist()
        weighed = "weight w;"
    text = (
        f'data "t.csv" {{ label c; {weighed} }} topology complete(depth = {depth});'
        f"split oblique by {split}; {OBJECTIVES[objective]} {rest}"
    )
    return treemip.loads(text, data=columns).compile()


def losses(y: np.ndarray, classes: int, objective: str) -> np.ndarray:
    """What each label costs each point, float64 (N, classes)."""
    wrong = y[:, None] != np.arange(classes)
    if objective == "weights":
        return wrong * (1.0 + np.arange(len(y)) % 3)[:, None]
    if objective == "costs":
        return wrong * (y[:, None] + 1 + 2.0 * (np.arange(classes) + 1))
    return wrong.astype(float)


def problem_of(made: Compiled) -> ObliqueProblem:
    return oblique_problem(made.instance, made.stated)


def proof_of(made: Compiled, goal: float = np.inf, seconds: float = 120) -> tuple[Proof, float]:
    """The proof and the objective of the stated model that it proves."""
    instance, problem = made.instance, problem_of(made)
    sign = -1.0 if made.stated.objective.sense == "maximize" else 1.0

    def judge(tree: Candidate) -> float | None:
        completion = complete(instance, made.stated, tree)
        if completion.violations:
            return None
        return sign * objective_value(made.stated, as_columns(made.stated, completion.values))

    found = prove(problem, goal, judge, seconds)
    return found, sign * problem.objective(found.low)


def points(seed: int, count: int, features: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Points with duplicates and ties; each class is there."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (count, features)) / 5.0
    x[count - 1] = x[0]
    y = rng.integers(0, classes, count)
    y[:classes] = np.arange(classes)
    return x, y


@pytest.mark.parametrize(
    ("size", "objective", "seed"),
    one_in(13, [(1, 0.01), (1, 0.15), (2, 0.15)], OBJECTIVES, range(6)),
)
def test_the_best_of_every_routing(
    size: tuple[int, float], objective: str, seed: int, method: str
) -> None:
    """In a wide gap there are wrong points, which the model does not allow."""
    depth, gap = size
    classes = 2 + seed % 2
    x, y = points(seed, 8, 2, classes)
    made = compiled(x, y, depth, f"soct(eps = {gap})", objective)
    found, value = proof_of(made)
    least = least_loss(x, losses(y, classes, objective), depth, gap)
    assert found.proven
    assert value == pytest.approx(len(y) - least if objective == "errors" else least)


@pytest.mark.parametrize(
    ("size", "objective", "seed"),
    one_in(11, [(1, 0.01), (1, 0.15), (2, 0.15)], OBJECTIVES, range(30, 34)),
)
def test_no_bound_on_the_way_is_above_the_optimum(
    size: tuple[int, float],
    objective: str,
    seed: int,
    method: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is known already and wherever the time runs out."""
    depth, gap = size
    classes = 2 + seed % 2
    x, y = points(seed, 8, 2, classes)
    made = compiled(x, y, depth, f"soct(eps = {gap})", objective)
    least = least_loss(x, losses(y, classes, objective), depth, gap)
    optimum = least - len(y) if objective == "errors" else least
    told: list[float] = []
    true = Reports.ruled_out

    def kept(self: Reports, low: float) -> None:
        told.append(low)
        true(self, low)

    monkeypatch.setattr(Reports, "ruled_out", kept)
    for goal in (np.inf, optimum + 2.0, optimum):
        for seconds in (60.0, 0.0, 0.01, 0.05):
            found, value = proof_of(made, goal, seconds)
            low = -value if objective == "errors" else value
            assert low <= optimum + 1e-9
            assert not found.proven or low == pytest.approx(optimum)
    assert not told or max(told) <= optimum + 1e-9


@pytest.mark.parametrize("objective", list(OBJECTIVES))
@pytest.mark.parametrize(
    ("formulation", "seed"), one_in(3, ["octh(mu = 0.1)", "soct(eps = 0.1)"], [20, 21, 22])
)
def test_the_solvers_optimum(seed: int, objective: str, formulation: str, method: str) -> None:
    x, y = points(seed, 9, 2, 2)
    made = compiled(x, y, 1, formulation, objective)
    found, value = proof_of(made)
    answer = solve(made.model, "scip")
    assert found.proven
    assert answer.status == "optimal"
    assert answer.objective == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("formulation", ["soct(eps = 0.1)", "octh(mu = 0.1)"])
def test_a_bound_holds_under_side_constraints(formulation: str, method: str) -> None:
    """They are not part of the proof, so it stops short of an optimum that they make worse."""
    x, y = points(20, 9, 2, 2)
    free = compiled(x, y, 1, formulation, "weights")
    bounded = compiled(x, y, 1, formulation, "weights", 'subject to all: recall["0"] >= 1;')
    least, value = proof_of(free)
    found, bound = proof_of(bounded)
    answer = solve(bounded.model, "scip")
    assert least.proven
    assert bound <= answer.objective + 1e-6
    assert found.proven is (answer.objective == pytest.approx(value))


def test_a_known_optimum_is_proven_without_a_tree(method: str) -> None:
    x, y = points(3, 12, 2, 2)
    made = compiled(x, y, 2, "soct(eps = 0.1)")
    first, value = proof_of(made)
    again, same = proof_of(made, goal=-value)
    assert first.proven and first.tree is not None
    assert again.proven and again.tree is None
    assert same == value


def test_without_time_the_bound_is_the_trivial_one(method: str) -> None:
    x, y = points(3, 12, 2, 2)
    found, value = proof_of(compiled(x, y, 2, "soct(eps = 0.1)"), seconds=0.0)
    assert not found.proven
    of_point = np.unique(x, axis=0, return_inverse=True)[1].ravel()
    most = (
        np.bincount(of_point * 2 + y, minlength=2 * of_point.max() + 2).reshape(-1, 2).max(axis=1)
    )
    assert value == most.sum()


def test_clauses_are_set_up_anew_where_they_cannot_tell_losses_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pysat")
    by_method("sat", monkeypatch)
    x, y = points(5, 12, 2, 2)
    made = compiled(x, y, 1, "soct(eps = 0.15)", "weights")
    _, value = proof_of(made)
    monkeypatch.setattr("treemip.answers.engines.oblique.proof.ROOM", 1)
    again, same = proof_of(made)
    assert again.proven
    assert same == value


def test_the_ways_are_not_gone_through_where_there_are_too_many() -> None:
    few, many = points(1, 30, 2, 2), points(1, 200, 4, 2)
    for (x, y), small in ((few, True), (many, False)):
        made = compiled(x + 0.0, y, 2, "soct(eps = 0.1)")
        assert is_small(problem_of(made)) is small


def test_a_bound_survives_where_time_runs_out_among_the_ways(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = points(8, 14, 2, 2)
    made = compiled(x, y, 2, "soct(eps = 0.1)")
    monkeypatch.setattr("treemip.answers.engines.oblique.enumeration.CHUNK", 1)
    _, value = proof_of(made)
    monkeypatch.setattr(proof, "is_installed", lambda _: False)
    for seconds in (0.0, 0.01, 0.03):
        found, bound = proof_of(made, seconds=seconds)
        assert bound >= value
        assert not found.proven or bound == value


def test_the_gap_is_to_the_proven_bound_where_the_solver_has_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = points(20, 9, 2, 2)
    rest = 'subject to all: recall["0"] >= 1;'
    _, value = proof_of(compiled(x, y, 1, "soct(eps = 0.1)", "weights"))
    monkeypatch.setattr("treemip.api.solving.has_time_for", lambda *_: False)
    result = compiled(x, y, 1, "soct(eps = 0.1)", "weights", rest).solve(time_limit=20)
    assert result.bound == value
    assert result.optimality is not None
    assert not result.optimality.proven
    assert result.objective is not None
    assert result.gap == pytest.approx((result.objective - value) / result.objective)


def test_the_time_limit_is_kept(method: str) -> None:
    """Among points that no tree of this depth gets right, each for longer than it has."""
    rng = np.random.default_rng(1)
    depth, count = (2, 55) if method == "ways" else (3, 60)
    x, y = rng.random((count, 3)).round(3), rng.integers(0, 2, count)
    made = compiled(x, y, depth, "soct(eps = 0.02)")
    problem = problem_of(made)
    began = time.perf_counter()
    found = prove(problem, np.inf, lambda _: None, 2.0)
    assert time.perf_counter() - began < 4
    assert not found.proven
