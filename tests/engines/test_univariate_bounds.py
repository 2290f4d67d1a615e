"""No bound of the engine for univariate trees is above the best of the trees it speaks for, and no
value of a tree is below: by enumeration, with prices on what the vocabulary counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from priced_specs import (
    CONCEPTS,
    NEEDS,
    ROWS,
    SIZES,
    TERMS,
    Points,
    Priced,
    compiled,
    random_points,
    random_spec,
)
from reference.all_trees import AllTrees
from suite import one_in

from treemip.answers.engines.duals import Relaxed, ceiling, multipliers
from treemip.answers.engines.fronts import Fronts
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.plans import Plan, rows_of
from treemip.answers.engines.problem import Problem
from treemip.answers.engines.problem_builder import problem_of
from treemip.answers.engines.separable import Separable
from treemip.answers.engines.univariate import EngineResult, best_tree, fits, separable
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.complete import complete
from treemip.answers.search.start import trivial_bound
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Progress
from treemip.core.resolve.modules import library_module
from treemip.core.syntax import nodes as n

CLOSE = 1e-7
DEPTHS = (1, 2, 3)
SPLIT_COSTS = [1.0, 0.5, 3.0]


def problem(made: Compiled) -> Problem:
    spec = summed(made.instance)
    return problem_of(made.instance, spec.sums)


def demand_true(spec: Priced, formulation: str, points: Points, depth: int) -> EngineResult | None:
    """The engine's value is that of its tree, which keeps the constraints; its bound is true, and
    the optimum where it is proven, as are the bounds that it reports. None where it refuses."""
    made = compiled(formulation, points, depth, spec.text)
    own = summed(made.instance)
    if fits(made.instance, own) is not None:
        return None
    told: list[Progress] = []
    result = best_tree(made.instance, own, 60, on_progress=told.append)
    best = spec.best(formulation, points, depth)
    assert result.bound <= best + CLOSE
    assert trivial_bound(own.sums, 2**depth) <= best + CLOSE
    if result.proven:
        assert result.value == (best if np.isinf(best) else pytest.approx(best, abs=CLOSE))
    if result.tree is not None:
        value, violated = by_meaning(made.instance, result.tree)
        assert not violated
        assert result.value == pytest.approx(value, abs=1e-9, rel=1e-12)
        assert value >= best - CLOSE
        if formulation != "binoct":
            found = complete(made.instance, made.stated, result.tree)
            assert (found.unknown, found.violations) == ((), ())
    return result


def random_case(seed: int, formulation: str) -> tuple[np.random.Generator, Points]:
    rng = np.random.default_rng([seed, list(NEEDS).index(formulation)])
    return rng, random_points(rng, formulation)


PROBED = [*TERMS, *CONCEPTS]


@pytest.mark.parametrize(
    ("depth", "term", "formulation"), one_in(7, DEPTHS, [*PROBED, *ROWS, *SIZES], NEEDS)
)
def test_every_price_and_side_constraint(depth: int, term: str, formulation: str) -> None:
    rng, points = random_case(depth + 10 * len(term), formulation)
    prices = ((1.0, "misclassified"), (float(rng.choice(SPLIT_COSTS)), "splits"))
    spec = Priced(prices, (term,) if term in ROWS else (), term if term in SIZES else "")
    if term in PROBED:
        price = -1.5 if term == "accuracy" else 1.5  # more of it is better
        spec = Priced(((1.0, "misclassified"), (price, term)))
    assert demand_true(spec, formulation, points, depth) is not None


@pytest.mark.parametrize(("seed", "formulation", "depth"), one_in(41, range(60), NEEDS, DEPTHS))
def test_prices_and_side_constraints_together(seed: int, formulation: str, depth: int) -> None:
    rng, points = random_case(seed, formulation)
    demand_true(random_spec(rng), formulation, points, depth)


def test_every_term_of_the_vocabulary_is_enumerated() -> None:
    """A new term needs its meaning on all trees in TERMS; tests/life has those of an old tree."""
    vocabulary = library_module("vocabulary")
    assert vocabulary is not None
    terms = {s.name for s in vocabulary.statements if isinstance(s, n.Term)}
    assert terms == {*TERMS, "total_slack", "changes", "total_change"}


def test_a_price_of_features_is_not_lost_between_multiples_of_the_errors() -> None:
    """The points of each value cost 2 or 4 errors more with the other label. Without the price of
    the feature all values differ by 2 then, and the tree without a split, 5 errors, lies between
    the two that a goal of 6 was rounded to."""
    x = np.array([0.0] * 6 + [1.0] * 6)[:, None]
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0])
    points = Points(x, y, np.arange(12) % 2, np.ones(12))
    spec = Priced(((1.0, "misclassified"), (3.0, "distinct_features")))
    for depth in DEPTHS:
        result = demand_true(spec, "oct", points, depth)
        assert result is not None and result.value == 5.0


@pytest.mark.parametrize(
    ("formulation", "spec"),
    [
        ("binoct", Priced(((1.0, "misclassified"), (0.5, "splits"), (0.5, "distinct_features")))),
        (
            "oct",
            Priced(
                ((1.0, "misclassified"), (1.0, "distinct_features")),
                size="size {l in leaves}: points_in[l] >= 1;",
            ),
        ),
    ],
)
def test_trees_to_begin_with_are_trees_of_the_formulation(formulation: str, spec: Priced) -> None:
    """At depth 3 exchanges begin with one label on each side of the root, which is no tree where
    every branch must split or leaves must have points."""
    for seed in range(2):
        demand_true(spec, formulation, random_case(seed, formulation)[1], 3)


WRONG = "sum {i in points} (1 - correct[i])"
BRANCHES = ("root", "left(root)", "right(root)")
BRANCHES += tuple(f"{side}({above})" for above in BRANCHES[1:] for side in ("left", "right"))


def least_by_branch(points: Points, some: np.ndarray, price: np.ndarray, at: int) -> float:
    """The best tree below a branch for points of a mask, where each must split; price float64
    (7, p), branches level by level."""
    if at >= len(price):
        counts = np.bincount(points.y[some], minlength=points.classes)
        return float(counts.sum() - counts.max())
    cuts = [
        (j, points.x[:, j] <= v)
        for j in range(points.x.shape[1])
        for v in np.unique(points.x[:, j])[:-1]
    ]
    below = (2 * at + 1, 2 * at + 2)
    return min(
        price[at, j]
        + least_by_branch(points, some & goes, price, below[0])
        + least_by_branch(points, some & ~goes, price, below[1])
        for j, goes in cuts
    )


@pytest.mark.parametrize("seed", one_in(4, range(12)))
def test_prices_that_differ_by_branch(seed: int) -> None:
    """What some points are worth on one side of the root is no bound on the other side, where
    splits may be cheaper: BinOCT at depth 3 was called optimal at 10 where 8 is."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, (30, 3)).astype(float), rng.integers(0, 2, 30)
    points = Points(x, y, y, np.ones(30))
    price = np.array([[0.0], [seed], [0], [0.5], [0], [0], [0]]) * np.arange(1, 4)
    words = [
        f'{price[t, j]} * uses[{name},"a{j}"]'
        for t, name in enumerate(BRANCHES)
        for j in range(points.x.shape[1])
    ]
    made = compiled("binoct", points, 3, f"minimize {WRONG} + {' + '.join(words)};")
    own = summed(made.instance)
    assert fits(made.instance, own) is None
    result = best_tree(made.instance, own, 60)
    every = np.ones(len(points.y), bool)
    assert result.proven
    assert result.value == pytest.approx(least_by_branch(points, every, price, 0), abs=CLOSE)


# --------------------------------------------------------------------- parts of the engine


@dataclass(frozen=True)
class Case:
    """A separable problem, its table with inputs float64 (N, p), and all its trees."""

    task: Separable
    points: Points
    inputs: np.ndarray
    spec: Priced
    every: AllTrees

    def rows(self, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which distinct points are `some`, bool (M,): int64 (m,), and as a mask of the table."""
        same = (self.task.problem.x[some][:, None] == self.inputs[None]).all(axis=2)
        return np.flatnonzero(some), same.any(axis=0)

    def best(self, some: np.ndarray, depth: int) -> float:
        """The best tree for some of the points."""
        mask = self.rows(some)[1]
        points = replace(self.points, weight=self.points.weight * mask)
        trees = self.every.of(mask, depth)
        return float(self.spec.worth(points, trees).min(initial=np.inf))

    def left_out(self, some: np.ndarray) -> float:
        """What the values of the task leave out: the least cost of each point, and what a point
        that is wrong costs, which the spec counts for all and takes off those that are right."""
        rows, mask = self.rows(some)
        least = self.task.problem.points[rows, :, 0].min(axis=1)
        return float(least.sum() + self.points.weight[mask].sum())


def cases(seed: int, formulation: str, depth: int) -> Iterator[Case]:
    """Errors and prices of splits, with and without leaf conditions."""
    rng, points = random_case(seed, formulation)
    price = float(rng.choice(SPLIT_COSTS))
    for size in ("", *SIZES):
        spec = Priced(((1.0, "misclassified"), (price, "splits")), size=size)
        made = compiled(formulation, points, depth, spec.text)
        task, inputs = separable(problem(made), np.inf), made.instance.table.inputs
        yield Case(task, points, inputs, spec, spec.all_trees(formulation, points))


@pytest.mark.parametrize(("seed", "formulation", "depth"), one_in(17, range(12), NEEDS, DEPTHS))
def test_sides_of_separable_problems(seed: int, formulation: str, depth: int) -> None:
    """For any goal, and below the root for any points: relaxed is a bound, exact the optimum where
    that is below the goal, and no cut is worth less than its bound."""
    rng = np.random.default_rng(seed)
    for case in cases(seed, formulation, depth):
        for share in (1.0, 1.0, 0.8, 0.8, 0.4):
            some = rng.random(len(case.task.problem.x)) < (share if depth < 3 else 1.0)
            some[rng.integers(len(some))] = True
            best = case.best(some, depth) - case.left_out(some)
            goal = float(rng.choice([np.inf, best, best + 0.6, best - 0.6, 1.0]))
            side = case.task.solve(0, depth, case.rows(some)[0], goal)
            assert side.relaxed <= best + CLOSE
            assert side.exact >= best - CLOSE
            if best < goal - CLOSE:
                assert side.exact == pytest.approx(best, abs=CLOSE)
            if side.bound is not None:
                demand_true_cuts(side.bound, case, some, depth)


def demand_true_cuts(bound: np.ndarray, case: Case, some: np.ndarray, depth: int) -> None:
    """What is said of each cut at the root, float64 (B,), against all trees that begin with it."""
    bins = case.task.bins
    for cut in np.flatnonzero(~bins.last & np.isfinite(bound)):
        left = bins.goes_left(cut)
        total = float(case.task.price[0, cut]) - case.left_out(some)
        total += sum(case.best(half, depth - 1) for half in (some & left, some & ~left))
        assert bound[cut] <= total + CLOSE


@pytest.mark.parametrize("step", [0.0, 1.0, 0.3, 2.0])
def test_a_goal_leaves_room_for_every_better_value(step: float) -> None:
    """`below` is above each multiple of the step that is better than what is to beat."""
    made = compiled("oct", random_case(1, "oct")[1], 2, "minimize misclassified;")
    task = separable(problem(made), np.inf)
    task.step = step
    for best in [*np.linspace(0, 7, 141), 3 * 0.3, 1 / 3, np.inf]:
        goal = task.below(best)
        assert goal <= best
        better = step * np.arange(40) if step else np.linspace(0, 7, 700)
        better = better[better < best - 2 * task.tolerance]
        assert (better < goal).all()


# ----------------------------------------------------------------------------- rows that couple


COUPLED = [
    Priced(((1.0, "misclassified"), (1.5, "distinct_features"))),
    Priced(((1.0, "misclassified"), (2.0, "worst_class_error"), (0.5, "splits"))),
    Priced(((1.0, "misclassified"), (3.0, 'abs(rate["a"] - rate["b"])'))),
    *[Priced(((1.0, "misclassified"), (0.5, "splits")), (row,)) for row in ROWS],
    *[Priced(((1.0, "misclassified"),), (row,), size) for row, size in product(ROWS, SIZES)],
]


@pytest.mark.parametrize(("spec", "formulation", "depth"), one_in(13, COUPLED, NEEDS, DEPTHS))
def test_relaxations(spec: Priced, formulation: str, depth: int) -> None:
    """With any multipliers the relaxed optimum is below that of the trees that keep the rows."""
    rng, points = random_case(depth, formulation)
    made = compiled(formulation, points, depth, spec.text)
    coupled = problem(made)
    best = spec.best(formulation, points, depth)
    if np.isfinite(best):
        assert ceiling(coupled) >= best - CLOSE
    for spread in (0.0, 0.5, 3.0, 3.0, 3.0):
        by = multipliers(coupled, spread * rng.normal(size=len(coupled.constant)))
        for plan in random_plans(coupled, rng):
            rows = rows_of(coupled, plan)
            objective, violation = coupled.worth(rows)
            if violation <= 0:
                assert rows @ by.rows + by.constant <= objective + CLOSE
        task = Relaxed(coupled, by, np.inf)
        side = task.solve(0, depth, np.arange(len(coupled.x)), np.inf)
        assert side.relaxed + task.offset <= best + CLOSE
        assert side.exact + task.offset <= best + CLOSE


def random_plans(of: Problem, rng: np.random.Generator) -> list[Plan]:
    cuts = np.flatnonzero(~of.bins.last)

    def plan(depth: int) -> Plan:
        if not depth or (of.unsplit is not None and rng.random() < 0.2):
            return int(rng.integers(of.points.shape[1]))
        return int(rng.choice(cuts)), plan(depth - 1), plan(depth - 1)

    return [plan(of.depth) for _ in range(30)]


@pytest.mark.parametrize(("spec", "formulation"), one_in(8, COUPLED, NEEDS))
def test_lists_of_small_trees_lose_no_better_one(spec: Priced, formulation: str) -> None:
    """At depth 1 the best of a list below a room is the optimum, and bounds are not above it."""
    _, points = random_case(4, formulation)
    coupled = problem(compiled(formulation, points, 1, spec.text))
    best = spec.best(formulation, points, 1)
    every = np.arange(len(coupled.x))
    by = multipliers(coupled, np.eye(len(coupled.constant))[0])
    task = Relaxed(coupled, by, np.inf)
    fronts = Fronts(task, 0, 1, every, coupled.constant, coupled.anywhere, task.offset)
    for room in (np.inf, best - task.offset + 0.5):
        parts = fronts.lists(0, 1, every, room)
        values = []
        for one in range(len(parts)):
            objective, violation = coupled.worth(rows_of(coupled, parts.plan(one)))
            if violation <= CLOSE:
                values.append(float(objective))
                assert parts.bound[one] + task.offset <= objective + CLOSE
            assert parts.plans[one, 0] >= 0 or coupled.unsplit is not None
        least = min(values, default=np.inf)
        assert least == (best if np.isinf(best) else pytest.approx(best, abs=CLOSE))


# ------------------------------------------------------------------------------- cut short


@pytest.mark.parametrize(("spec", "formulation", "depth"), one_in(17, COUPLED, NEEDS, (2, 3)))
def test_a_bound_of_a_run_that_is_cut_short(
    spec: Priced, formulation: str, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the time runs out, what is returned is a bound, and the tree is one."""
    _, points = random_case(depth, formulation)
    made = compiled(formulation, points, depth, spec.text)
    own = summed(made.instance)
    best = spec.best(formulation, points, depth)
    for least in (0, 1, 2, 4, 8, 16, 32):
        left = iter(range(least))
        monkeypatch.setattr(Separable, "late", property(lambda _, left=left: next(left, -1) < 0))
        result = best_tree(made.instance, own, 60)
        assert result.bound <= best + CLOSE
        assert not result.proven or result.value == pytest.approx(best, abs=CLOSE)
        if result.tree is not None:
            assert not by_meaning(made.instance, result.tree)[1]
            assert result.value >= best - CLOSE
