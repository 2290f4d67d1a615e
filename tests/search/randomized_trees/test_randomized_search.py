"""`start search` of randomized trees: solutions of the stated model, better than random starts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import treemip
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.randomized_trees import randomized_search
from treemip.answers.search.randomized_trees.chance_splits import ChanceSplits
from treemip.answers.search.randomized_trees.proposals import LabelRows
from treemip.answers.search.randomized_trees.randomized_search import (
    MULTIPLIERS,
    Polish,
    RandomizedReport,
    RandomizedSearch,
)
from treemip.answers.search.start import search
from treemip.answers.search.sums import NoSums
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Limits
from treemip.core.model.tolerances import COMPLETE
from treemip.core.model.values import objective_value, violation
from treemip.core.solvers.ipopt.solve import Ipopt
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.readout import by_name, readout

pytest.importorskip("casadi")

IRIS = 'data "specs/data/iris.csv" { label class; scale minmax; } '
DEPTH2 = "topology complete(depth = 2); split randomized by mrct; "


def clusters(points: int = 30) -> dict[str, object]:
    """Three classes around three corners of a square, a few points astray."""
    draw = np.random.default_rng(1)
    y = np.arange(points) % 3
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[y]
    x = (corner + draw.normal(0, 0.6, (points, 2))).round(3)
    return {"a": x[:, 0].tolist(), "b": x[:, 1].tolist(), "c": [f"k{k}" for k in y]}


def compiled(more: str = "", solver: str = "ipopt") -> Compiled:
    text = 'data "t" { label c; scale minmax; } ' + DEPTH2 + more
    return treemip.loads(text, data=clusters()).compile().for_solver(solver)


@cache
def iris() -> Compiled:
    return treemip.loads(IRIS + DEPTH2).compile().for_solver("ipopt")


def searched(of: Compiled, trees: int, seed: int = 0) -> RandomizedReport:
    """The report after so many trees, without a clock."""
    one = RandomizedSearch(of.instance, of.stated, of.model, 600.0, seed)
    one._over = lambda best: len(one.tried) + sum(one.failed.values()) >= trees  # type: ignore[method-assign]
    return one.run()


def drawn_tree(of: Compiled, seed: int) -> Candidate:
    topology, table = of.instance.topology, of.instance.table
    assert topology is not None
    draw = np.random.default_rng(seed)
    tree = Candidate.empty(topology, table.inputs.shape[1])
    tree.weights[topology.branches] = draw.normal(size=(len(topology.branches), 2))
    tree.threshold[topology.branches] = draw.normal(size=len(topology.branches))
    tree.labels[:] = [0, 1, 2, 0]
    return tree


def test_the_best_of_few_trees_is_better_than_random_starts() -> None:
    of = iris()
    ipopt = Ipopt(of.model, Limits(seed=0))
    random = ipopt.solve([ipopt.point(k) for k in range(3)])
    report = searched(of, 6)
    assert report.values is not None and random.objective is not None
    assert violation(of.model, report.values) <= COMPLETE
    assert objective_value(of.model, report.values) <= 1.19 < random.objective


def test_the_seed_fixes_the_trees() -> None:
    first, again = (searched(compiled(), 4, seed=3) for _ in range(2))
    assert first.values is not None and again.values is not None
    np.testing.assert_array_equal(first.values, again.values)
    np.testing.assert_array_equal(first.points, again.points)


TERMS = [
    "minimize expected_cost + 0.1 * l0_local;",
    "minimize expected_cost + 0.1 * linf;",
    "maximize accuracy;",
    "minimize worst_class_error;",
    "param explicit = 1;",
    "minimize expected_cost; subject to just {k in classes}: recall[k] >= 0.6;",
    "minimize expected_cost; subject to full {l in leaves}: points_in[l] >= 4;",
]


@pytest.mark.parametrize("more", TERMS)
def test_every_row_and_bound_holds(more: str) -> None:
    of = compiled(more)
    report = searched(of, 2)
    assert report.values is not None
    assert violation(of.model, report.values) <= COMPLETE


def test_a_constraint_of_the_user_is_kept_in_the_end() -> None:
    more = "minimize expected_cost; subject to full {l in leaves}: points_in[l] >= 6;"
    result = compiled(more).solve(start="search", time_limit=6, starts=2)
    assert result.verified, result.report
    assert result.tree is not None
    passed = result.tree.path(compiled().instance.table.inputs).sum(axis=0)  # type: ignore[attr-defined]
    assert passed[result.tree.topology.leaves].min() >= 6 - 1e-5


def test_prices_of_features_are_integers_that_stay_fixed() -> None:
    of = compiled("minimize misclassified + 0.5 * features_used;", "scip")
    report = searched(of, 2)
    assert report.values is not None and of.model.integer.any()
    whole = report.values[of.model.integer]
    np.testing.assert_array_equal(whole, np.round(whole))


@pytest.mark.parametrize("patient", [False, True])
def test_it_ends_early_unless_its_seconds_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, patient: bool
) -> None:
    monkeypatch.setattr(randomized_search, "ENOUGH", 1)
    of = compiled()
    one = RandomizedSearch(of.instance, of.stated, of.model, np.inf, 0)
    one._over = lambda best: len(one.tried) >= 12  # type: ignore[method-assign]
    starts = one.run(patient).starts
    assert starts == 12 if patient else starts < 12


def test_an_answer_of_the_search_is_said_to_be_locally_optimal_only() -> None:
    result = compiled().solve(start="search", time_limit=6, starts=1)
    assert (result.status, result.answer.bound) == ("locally_optimal", None)
    assert result.verified, result.report


def test_a_search_that_the_user_ends_keeps_its_best_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    polish, calls = Polish.__call__, []

    def ended(self: Polish, start: np.ndarray, seconds: float) -> np.ndarray | None:
        calls.append(start)
        self.stopped = len(calls) == 2
        return polish(self, start, seconds)

    monkeypatch.setattr(Polish, "__call__", ended)
    result = compiled().solve(start="search", on_interrupt="keep")
    assert (result.status, len(calls)) == ("interrupted", 2)
    assert result.verified, result.report


# ------------------------------------------------------------------------ a tree as a point


@pytest.mark.parametrize("seed", range(3))
def test_the_tree_of_a_point_has_the_splits_asked_for(seed: int) -> None:
    of = compiled()
    tree, splits = drawn_tree(of, seed), ChanceSplits(of.instance, of.stated)
    greatest = splits.greatest(tree.weights, tree.threshold, of.instance.table.inputs)
    weights, threshold = tree.weights * greatest[:, None], tree.threshold * greatest
    columns = splits.solved(weights, threshold)
    known = ~np.isnan(columns)
    assert (np.abs(columns[known]) <= 1 + 1e-9).all()
    assert np.isclose(np.abs(columns[known]), 1).sum() >= len(tree.topology.branches)
    values = by_name(of.stated, np.nan_to_num(columns))
    read = readout(of.instance, values)
    np.testing.assert_allclose(read.weights, weights, atol=1e-6)
    np.testing.assert_allclose(read.threshold, threshold, atol=1e-6)


def test_the_multiplier_is_the_best_of_those_tried() -> None:
    of = compiled("param gamma = 5000;")
    one = RandomizedSearch(of.instance, of.stated, of.model, 60.0, 0)
    tree = one.proposals.fresh()[0]
    start = one.start(tree)
    greatest = one.splits.greatest(-tree.weights, -tree.threshold, of.instance.table.inputs)
    every = [
        one._at(tree, -tree.weights * (s * greatest)[:, None], -tree.threshold * s * greatest)
        for s in MULTIPLIERS
    ]
    feasible = [other.objective for other in every if not other.violations]
    assert not start.violations
    assert start.objective == pytest.approx(min(feasible), rel=1e-12)


def test_labels_that_lose_a_class_are_mended_by_the_cheapest_change() -> None:
    of = compiled()
    rows = LabelRows(of.instance, of.stated)
    labels, worth = np.array([0, 1, 1, 0]), np.zeros((4, 3))
    worth[:, 2] = [5.0, 3.0, 1.0, 2.0]
    assert rows.broken(labels) == 1.0
    mended = rows.mended(labels, worth)
    assert rows.broken(mended) == 0.0
    np.testing.assert_array_equal(mended, [0, 1, 2, 0])


def test_splits_that_share_a_coefficient_are_not_searched() -> None:
    text = """
      data "t" { label c; scale minmax; }
      topology complete(depth = 2);
      var coef {t in branches, j in features} >= -1, <= 1;
      var bias {t in branches} >= -1, <= 1;
      var label {l in leaves, k in classes} >= 0, <= 1;
      let go_left {i in points, t in branches} =
        logistic(dot(coef[t,*], x[i,*]) - sum {s in branches} bias[s]);
      let reach {i in points, l in leaves} =
        (prod {t in left_ancestors(l)} go_left[i,t])
          * prod {t in right_ancestors(l)} (1 - go_left[i,t]);
      minimize misclassified;
      subject to one {l in leaves}: sum {k in classes} label[l,k] = 1;
      split randomized;
      route left with probability go_left[i,t];
      predict distribution label[l,*];
    """
    of = treemip.loads(text, data=clusters()).compile().for_solver("ipopt")
    with pytest.raises(NoSums, match="a split depends on more than its own 'coef' and 'bias'"):
        search(of.instance, of.stated, of.model, 1.0, 0)
    with pytest.raises(TreemipError, match="the spec cannot be searched") as caught:
        of.solve(start="search")
    assert caught.value.diagnostics[0].code == "E902"
