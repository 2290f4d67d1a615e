"""Leaves whose best answer has a closed form, against all trees: likelihoods of times and counts,
shares of classes by Brier score and log-loss, and a form that a user adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from suite import one_in
from valued_trees import least

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.engines.univariate import best_tree, fits
from treemip.answers.search import sum_builder
from treemip.answers.search.curves.class_shares import LogShares, QuadraticShares, Shares
from treemip.answers.search.curves.curve import Combination
from treemip.answers.search.curves.log_linear import LogLinear
from treemip.answers.search.curves.registry import CURVES
from treemip.answers.search.leaf_answers import LeafAnswers, leaf_bounds
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import LEAST_RATE

PRICE = 0.1  # of a split
SHARES: dict[str, type[Shares]] = {"brier": QuadraticShares, "log_loss": LogShares}


@dataclass(frozen=True)
class Exponential(Combination):
    """Sums of a + b v + c exp(v) of a leaf's value v, with c >= 0: likelihoods of counts whose
    rate is exp(v). low, high: the bounds of the value."""

    low: float
    high: float

    convex = 2

    @classmethod
    def probes(cls, instance: Instance) -> tuple[Exponential, LeafAnswers]:
        low, high = leaf_bounds(instance)
        return cls(low, high), LeafAnswers.among(np.linspace(low, high, 5))

    @property
    def answers(self) -> LeafAnswers:
        return LeafAnswers.among(self.known)

    @property
    def known(self) -> np.ndarray:
        return np.linspace(self.low, self.high, 5)[::2]

    @property
    def between(self) -> np.ndarray:
        return np.linspace(self.low, self.high, 5)[1::2]

    @property
    def default(self) -> float:
        return self.low

    def basis(self, values: np.ndarray) -> np.ndarray:
        return np.stack([np.ones_like(values), values, np.exp(values)], axis=-1)

    def best(self, worth: np.ndarray) -> np.ndarray:
        _, slope, rate = np.moveaxis(worth @ self.inverse.T, -1, 0)
        some = rate > 1e-9
        ratio = np.clip(-slope / np.where(some, rate, 1.0), np.exp(self.low), np.exp(self.high))
        return np.where(some, np.log(ratio), np.where(slope > 0, self.low, self.high))

    def least(self, worth: np.ndarray) -> np.ndarray:
        return (self.weights(self.best(worth)) * worth).sum(axis=-1)

    def greatest(self, worth: np.ndarray) -> np.ndarray:
        return worth[..., [0, -1]].max(axis=-1)


Data = dict[str, np.ndarray]


def of_times(data: Data, rows: np.ndarray) -> float:
    """Minus the likelihood of some points, less that of the saturated model."""
    time, event = data["time"], data["event"]
    at_risk = np.array([(time >= t).sum() for t in time])
    hazard = np.array([(event / at_risk)[time <= t].sum() for t in time])
    events, whole = event[rows].sum(), hazard[rows].sum()
    if events == 0:
        return 0.0
    value = events / whole
    here = rows & (event == 1)
    return float(value * whole - events - np.log(hazard[here] * value).sum())


def of_counts(data: Data, rows: np.ndarray, low: float = 0.5, high: float = 6.0) -> float:
    if not rows.any():
        return 0.0
    value = np.clip(data["count"][rows].mean(), low, high)
    return float(rows.sum() * value - data["count"][rows].sum() * np.log(value))


def impurity(loss: str, weights: np.ndarray) -> float:
    """Of weights by class (K,): what the best shares of a leaf cost."""
    if not weights.any():
        return 0.0
    shares = weights / weights.sum()
    if loss == "brier":
        return float(weights.sum() * (1 - (shares**2).sum()))
    return -float((weights[shares > 0] * np.log(shares[shares > 0])).sum())


def of_shares(loss: str) -> Callable[[Data, np.ndarray], float]:
    def cost(data: Data, rows: np.ndarray) -> float:
        of_class = data["w"][:, None] * (data["y"][:, None] == np.unique(data["y"]))
        return impurity(loss, of_class[rows].sum(axis=0))

    return cost


POISSON = "sum {i in points} (predicted[i] - y[i] * log(predicted[i]))"
CANONICAL = "sum {i in points} (exp(predicted[i]) - y[i] * predicted[i])"
KINDS: dict[str, tuple[str, str, type, Callable[[Data, np.ndarray], float]]] = {
    "times": ("label none; number time, event;", "ost(alpha = 0.1)", LogLinear, of_times),
    "counts": (
        "label count number;",
        f"ort(lowest = 0.5, highest = 6); minimize {POISSON} + 0.1 * splits",
        LogLinear,
        of_counts,
    ),
    "of a user": (
        "label count number;",
        f"ort(lowest = -2, highest = 3); minimize {CANONICAL} + 0.1 * splits",
        Exponential,
        lambda data, rows: of_counts(data, rows, np.exp(-2), np.exp(3)),
    ),
    **{
        loss: (
            "label y; weight w;",
            f"share_trees; minimize {loss} + 0.1 * splits",
            SHARES[loss],
            of_shares(loss),
        )
        for loss in SHARES
    },
}


def table(kind: str, draw: np.random.Generator, classes: int) -> Data:
    """The columns that a kind has of features a and b, times, counts, classes and weights."""
    n = int(draw.integers(5, 10))
    x = draw.integers(0, 4, (n, 2)).astype(float)
    x[0], x[1] = 0.0, 3.0
    data = {"a": x[:, 0], "b": x[:, 1]}
    if kind == "times":
        event = np.append(1, draw.integers(0, 2, n - 1))
        return data | {"time": draw.integers(1, 9, n).astype(float), "event": event}
    if kind not in SHARES:
        return data | {"count": draw.integers(0, 9, n)}
    y = np.append(np.arange(classes), draw.integers(0, classes, n - classes))
    weight = draw.integers(1, 5, n) / 2 if draw.random() < 0.5 else np.ones(n)
    return data | {"y": np.array(list("pqrs"))[y], "w": weight}


@pytest.mark.parametrize(("seed", "depth", "kind"), one_in(4, range(4), [1, 2, 3], KINDS))
def test_the_tree_is_the_best_of_all(
    seed: int, depth: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sum_builder, "CURVES", (*CURVES, Exponential))
    draw = np.random.default_rng([seed, depth])
    settings, split, curve, worth = KINDS[kind]
    data = table(kind, draw, 2 + seed % 3)
    text = (
        f'data "t" {{ {settings} scale minmax; }} topology complete(depth = {depth}); '
        f"split univariate by {split};"
    )
    made = treemip.loads(text, data).compile()
    spec = summed(made.instance)
    assert isinstance(spec.sums.curve, curve) and fits(made.instance, spec) is None
    optimum = PRICE * least(data, lambda rows: worth(data, rows) / PRICE, depth)
    result = best_tree(made.instance, spec, 30)
    assert result.proven and result.value == pytest.approx(optimum, abs=1e-6)
    solved = made.solve(time_limit=30)
    assert solved.optimality is not None and solved.optimality.proven
    assert solved.answer.solver == "engine"
    assert solved.objective == pytest.approx(optimum, abs=1e-5)
    assert solved.report.verdict == "verified"


def test_the_least_worth_of_a_curve() -> None:
    curve = LogLinear((0.1, 1.0, 2.0), LEAST_RATE, 10.0)
    for a, b, c in ((3.0, 2.0, 4.0), (1.0, 5.0, 0.0), (0.0, 0.01, 4.0)):
        at = np.array([a + b * v - c * np.log(v) for v in curve.at])
        values = np.geomspace(LEAST_RATE, 10.0, 2_000_001)
        every = a + b * values - c * np.log(values)
        assert curve.least(at) == pytest.approx(every.min(), abs=1e-6)
        assert curve.greatest(at) == pytest.approx(every.max(), rel=1e-9)
        assert curve.weights(np.array([7.0])) @ at == pytest.approx(a + 7 * b - c * np.log(7))
    assert curve.why_not(np.array([[1.0, 2.0, 3.0 - 4.0]])) or curve.why_not(-at[None])


@pytest.mark.parametrize("loss", SHARES)
def test_what_a_leaf_costs(loss: str) -> None:
    """A sum of scores is known at any shares, least at the points' own, and never above what
    `greatest` says one more point adds."""
    draw, curve = np.random.default_rng(0), SHARES[loss](3)
    weights = draw.integers(0, 4, (6, 3)).astype(float)
    weights[0] = 0.0
    at = np.array([[score(loss, one, p) for p in curve.known] for one in weights])
    for shares in draw.dirichlet(np.ones(3), 5):
        direct = [score(loss, one, shares) for one in weights]
        assert at @ curve.weights(shares) == pytest.approx(direct)
    own = [impurity(loss, one) for one in weights]
    assert curve.least(at) == pytest.approx(own, abs=1e-9)
    assert curve.best(at)[1] == pytest.approx(weights[1] / weights[1].sum())
    assert curve.why_not(at) == "" and curve.why_not(-at)
    most, sums = curve.greatest(at), np.cumsum(weights, axis=0)
    for k in range(1, len(weights)):
        added = impurity(loss, sums[k]) - impurity(loss, sums[k - 1])
        assert own[k] - 1e-9 <= added <= most[k] + 1e-9


def score(loss: str, weights: np.ndarray, shares: np.ndarray) -> float:
    if loss == "log_loss":
        return -float(weights @ np.log(shares))
    return float((weights[:, None] * (shares - np.eye(3)) ** 2).sum())


@pytest.mark.parametrize("loss", SHARES)
def test_hyperplanes_above_shares_are_searched(loss: str, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """An own formulation; a class on each side of a diagonal is told apart without a loss."""
    module = 'formulation own splits oblique "-";\nuse oblique_routing;\nuse class_shares;\n'
    (tmp_path / "own.tree").write_text(module + "minimize brier;\n")
    draw = np.random.default_rng(0)
    x = draw.random((60, 2))
    x = x[np.abs(x.sum(axis=1) - 1) > 0.05]
    rows = "\n".join(f"{a},{b},{'pq'[int(a + b > 1)]}" for a, b in x.tolist())
    (tmp_path / "t.csv").write_text(f"a,b,y\n{rows}\n")
    text = (
        'data "t.csv" { label y; scale minmax; }\ntopology complete(depth = 1);\n'
        f"split oblique by own;\nminimize {loss};\n"
    )
    (tmp_path / "t.tree").write_text(text)
    solved = treemip.load(tmp_path / "t.tree").compile().solve(time_limit=20)
    assert solved.objective == pytest.approx(0.0, abs=1e-6)
    assert solved.report.verdict == "verified"
