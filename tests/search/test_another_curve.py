"""Another answer of leaves in closed form is one class and one line of the registry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from valued_trees import least

import treemip
from treemip.answers.engines.own_rows import summed
from treemip.answers.search import sum_builder
from treemip.answers.search.curves.curve import Combination
from treemip.answers.search.curves.registry import CURVES
from treemip.answers.search.leaf_answers import LeafAnswers, leaf_bounds
from treemip.core.instance.instance import Instance

PRICE = 0.1  # of a split
SPEC = """data "t" { label count number; scale minmax; }
topology complete(depth = 2);
split univariate by ort(lowest = -2, highest = 3);
minimize sum {i in points} (exp(predicted[i]) - y[i] * predicted[i]) + 0.1 * splits;"""


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


@pytest.mark.parametrize("seed", range(2))
def test_the_best_tree_is_found_and_proven(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sum_builder, "CURVES", (*CURVES, Exponential))
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 4, (8, 2)).astype(float)
    x[0], x[1] = 0.0, 3.0
    counts = draw.integers(0, 9, 8)

    def worth(rows: np.ndarray) -> float:
        if not rows.any():
            return 0.0
        value = np.log(np.clip(counts[rows].mean(), np.exp(-2), np.exp(3)))
        return float(rows.sum() * np.exp(value) - counts[rows].sum() * value)

    data = {"a": x[:, 0], "b": x[:, 1], "count": counts}
    made = treemip.loads(SPEC, data).compile()
    assert isinstance(summed(made.instance).sums.curve, Exponential)
    result = made.solve(time_limit=30)
    assert result.status == "optimal" and result.verified
    assert result.objective == pytest.approx(
        PRICE * least(data, lambda rows: worth(rows) / PRICE, 2), abs=1e-5
    )
