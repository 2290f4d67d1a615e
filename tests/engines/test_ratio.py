"""Ratios of sums over univariate trees against all trees: F1, precision, weighted and priced
ratios, with side constraints, and trees with which the ratio has no value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from priced_specs import (
    NEEDS,
    RATE,
    ROWS,
    SIZES,
    AllTrees,
    Points,
    compiled,
    random_points,
    wrong,
)
from reference.all_trees import Trees
from suite import one_in

from treemip.answers.engines.engine import Case
from treemip.answers.engines.obstacle import prepared
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.ratio import ENGINE, Dinkelbach, Quotient
from treemip.answers.engines.refusal import Refusal
from treemip.answers.engines.separable import Separable
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.start import trivial_bound
from treemip.api.compiled import Compiled
from treemip.core.model.answer import Progress

CLOSE = 1e-7
LETS = """let tp = confusion["1","1"]; let fp = sum {k in classes : k != "1"} confusion[k,"1"];
let fn = class_count["1"] - tp; let heavy = sum {i in points} weight[i] * predicts[i,"1"];
"""
Part = Callable[[Points, Trees], np.ndarray]


def tp(p: Points, t: Trees) -> np.ndarray:
    return np.asarray(((t.predicted == 1) & (p.y == 1)).sum(axis=1))


def fp(p: Points, t: Trees) -> np.ndarray:
    return np.asarray(((t.predicted == 1) & (p.y != 1)).sum(axis=1))


def fn(p: Points, t: Trees) -> np.ndarray:
    return np.asarray((p.y == 1).sum() - tp(p, t))


def heavy(p: Points, t: Trees) -> np.ndarray:
    return np.asarray(((t.predicted == 1) * p.weight).sum(axis=1))


def errors(p: Points, t: Trees) -> np.ndarray:
    return np.asarray((wrong(p, t) * p.weight).sum(axis=1))


@dataclass(frozen=True)
class Own:
    """An objective, and its numerator and denominator on trees; it has no value where a divisor is
    0. beside: what the ratio is added to."""

    text: str
    above: Part
    below: Part
    beside: float = 0.0
    defined: Part | None = None

    @property
    def sign(self) -> float:
        return -1.0 if self.text.startswith("maximize") else 1.0

    def worth(self, p: Points, t: Trees) -> np.ndarray:
        """To be minimized, infinite where it has no value."""
        above, below = self.above(p, t), self.below(p, t)
        defined = below != 0 if self.defined is None else self.defined(p, t) != 0
        value = above / np.where(below == 0, 1, below) + self.beside
        return np.where(defined, self.sign * value, np.inf)


def called(p: Points, t: Trees) -> np.ndarray:
    return tp(p, t) + fp(p, t)


RATIOS = {
    "F1": Own(
        "maximize 2 * tp / (2 * tp + fp + fn);",
        lambda p, t: 2 * tp(p, t),
        lambda p, t: 2 * tp(p, t) + fp(p, t) + fn(p, t),
    ),
    "precision": Own("maximize tp / (tp + fp);", tp, called),
    "worst precision": Own("minimize tp / (tp + fp);", tp, called),
    "false discoveries": Own(
        "minimize 0.5 + 2 * fp / (tp + fp);", lambda p, t: 2 * fp(p, t), called, 0.5
    ),
    "one less": Own(
        "minimize 1 - tp / (tp + fp + 1);",
        lambda p, t: fp(p, t) + 1,
        lambda p, t: called(p, t) + 1,
    ),
    "Jaccard": Own(
        "maximize tp / (tp + fp + fn);", tp, lambda p, t: tp(p, t) + fp(p, t) + fn(p, t)
    ),
    "priced": Own(
        "minimize (misclassified + 0.3 * splits) / (tp + 2);",
        lambda p, t: errors(p, t) + 0.3 * t.splits,
        lambda p, t: tp(p, t) + 2,
    ),
    "negative": Own(
        "minimize (fp - 3 * tp) / (heavy + 0.7);",
        lambda p, t: fp(p, t) - 3 * tp(p, t),
        lambda p, t: heavy(p, t) + 0.7,
    ),
    "hits for splits": Own(
        "maximize tp / (splits + 1);", tp, lambda p, t: np.asarray(t.splits + 1)
    ),
    "constant above": Own(
        "minimize 3 / (tp + 1);",
        lambda p, t: np.full(len(t.splits), 3.0),
        lambda p, t: tp(p, t) + 1,
    ),
    "odd weights": Own(
        "minimize (0.37 + 0.9173 * misclassified) / (1.113 * heavy + 0.31);",
        lambda p, t: 0.37 + 0.9173 * errors(p, t),
        lambda p, t: 1.113 * heavy(p, t) + 0.31,
    ),
    "below 0": Own(
        "maximize (tp - 5) / (fp - 20);", lambda p, t: tp(p, t) - 5, lambda p, t: fp(p, t) - 20
    ),
    "in the way": Own("minimize (fn - 1.5) / (tp + fp);", lambda p, t: fn(p, t) - 1.5, called),
    "two of one divisor": Own(
        "maximize tp / (tp + fp + 1) - 0.5 * fp / (1 + fp + tp);",
        lambda p, t: tp(p, t) - 0.5 * fp(p, t),
        lambda p, t: called(p, t) + 1,
    ),
    "odds": Own(
        "minimize (errors / n) / (1 + 1 / n - errors / n);",
        lambda p, t: wrong(p, t).sum(axis=1),
        lambda p, t: len(p.y) + 1 - wrong(p, t).sum(axis=1),
    ),
    "inverse": Own(
        "minimize 1 / ((tp + 1) / (fp + 2));", lambda p, t: fp(p, t) + 2, lambda p, t: tp(p, t) + 1
    ),
}
ODDS = "let n = card(points); let errors = sum {i in points} (1 - correct[i]);\n"


def best_of(own: Own, row: str, size: str, formulation: str, points: Points, depth: int) -> float:
    keeps = SIZES[size] if size else None
    rule = None if keeps is None else lambda rows: keeps(int(rows.sum()))
    trees = AllTrees(formulation, points.x, points.classes, rule).every(depth)
    value = own.worth(points, trees)
    if row:
        value = np.where(ROWS[row](points, trees), value, np.inf)
    return float(value.min(initial=np.inf))


def some_points(rng: np.random.Generator, formulation: str) -> Points:
    """With two different points of class 1 and of the others: a function of one is a sum."""
    while True:
        points = random_points(rng, formulation)
        one = points.y == 1
        if all(len(np.unique(points.x[some], axis=0)) > 1 for some in (one, ~one)):
            return points


def made(
    name: str, row: str, size: str, formulation: str, seed: int, depth: int
) -> tuple[Compiled, float]:
    """The spec, and its optimum, to be minimized."""
    own = RATIOS[name]
    points = some_points(np.random.default_rng([seed, *name.encode()]), formulation)
    sides = f" subject to {row} {size}" if row or size else ""
    text = LETS + ODDS + (RATE if "rate[" in row else "") + own.text + sides
    best = best_of(own, row, size, formulation, points, depth)
    return compiled(formulation, points, depth, text), best


def demand_true(spec: Compiled, best: float) -> bool:
    """Whether the engine takes the spec; then its tree has the value that it says, its bounds are
    true, and what is proven is the optimum."""
    engine = prepared(ENGINE, Case(spec.instance, spec.stated))
    if isinstance(engine, Refusal):
        return False
    own, told = summed(spec.instance), list[Progress]()
    try:
        result = Dinkelbach(spec.instance, own, told.append).run(60)
    except Refusal:
        return False
    sign = own.sums.sign
    assert trivial_bound(own.sums, len(spec.instance.topology.leaves)) <= best + CLOSE
    assert sign * result.bound <= best + CLOSE
    assert all(p.bound is None or sign * p.bound <= best + CLOSE for p in told)
    if result.proven:
        assert sign * result.value == (best if np.isinf(best) else pytest.approx(best, abs=CLOSE))
    if result.tree is not None:
        value, violated = by_meaning(spec.instance, result.tree)
        assert not violated
        assert result.value == pytest.approx(value, abs=CLOSE)
    if np.isfinite(best) and len(spec.instance.topology.leaves) < 8:
        assert result.proven
    return True


@pytest.mark.parametrize(
    ("name", "formulation", "depth", "seed"), one_in(17, RATIOS, NEEDS, (1, 2), range(3))
)
def test_ratios_are_proven(name: str, formulation: str, depth: int, seed: int) -> None:
    assert demand_true(*made(name, "", "", formulation, seed, depth))


@pytest.mark.parametrize(("name", "formulation"), one_in(13, RATIOS, NEEDS))
def test_ratios_at_depth_3(name: str, formulation: str) -> None:
    demand_true(*made(name, "", "", formulation, 5, 3))


@pytest.mark.parametrize(
    ("name", "row", "size", "formulation", "seed"),
    one_in(145, RATIOS, ["", *ROWS], ["", *SIZES], NEEDS, range(2)),
)
def test_side_constraints(name: str, row: str, size: str, formulation: str, seed: int) -> None:
    demand_true(*made(name, row, size, formulation, seed, 2))


@pytest.mark.parametrize(("name", "formulation"), one_in(11, RATIOS, NEEDS))
def test_a_run_that_is_cut_short(
    name: str, formulation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the time runs out, what is returned is a bound, and the tree is one."""
    spec, best = made(name, "", "", formulation, 7, 2)
    own = summed(spec.instance)
    sign = own.sums.sign
    for least in (0, 1, 2, 4, 8, 16, 32):
        left = iter(range(least))
        monkeypatch.setattr(Separable, "late", property(lambda _, left=left: next(left, -1) < 0))
        result = Dinkelbach(spec.instance, own).run(60)
        assert sign * result.bound <= best + CLOSE
        assert not result.proven or sign * result.value == pytest.approx(best, abs=CLOSE)
        if result.tree is not None:
            assert not by_meaning(spec.instance, result.tree)[1]
            assert sign * result.value >= best - CLOSE


@pytest.mark.parametrize(
    "text",
    [
        "minimize misclassified;",
        "maximize tp / (tp + fp) + fp / (fn + 1);",
        "maximize tp / (tp - fp);",
        "maximize tp / (tp + fp) - 0.1 * splits;",
        "maximize tp * fp / (tp + 1);",
        "minimize ((tp + 1) / (fp + tp)) / ((fn + 1) / (fp + tp));",
    ],
)
def test_what_is_no_ratio_is_refused(text: str) -> None:
    points = random_points(np.random.default_rng(0), "oct")
    spec = compiled("oct", points, 2, LETS + text)
    with pytest.raises(Refusal):
        Quotient.of(summed(spec.instance).sums)


def test_a_tree_without_a_value_is_no_answer() -> None:
    """Where each tree calls a point positive or the precision has no value, the best of the rest
    is the answer of a solve, verified."""
    spec, best = made("precision", "", "", "oct", 0, 2)
    result = spec.solve(time_limit=30)
    assert result.status == "optimal" and result.objective == pytest.approx(-best)
