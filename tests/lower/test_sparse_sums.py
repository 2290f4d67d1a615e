"""Sums of products that are mostly 0 are what they are with all their zeros."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.core.lower import sparse_sums
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Solution
from treemip.core.resolve.spec import Constraint

ROWS = {
    "plain": "dot(coef[t,*], x[i,*]) >= 0",
    "shifted": "sum {j in features} coef[t,j] * (x[i,j] + 0.25 - 2) >= 0",
    "turned": "sum {j in features} -x[i,j] * coef[t,j] >= 0",
    "some": "sum {j in features : x[i,j] > 0.5} coef[t,j] * x[i,j] >= 0",
}
"""Each for all points and branches; the condition of the last one depends on the point."""


def row_of(relation: str) -> tuple[Constraint, Evaluator, np.ndarray]:
    draw = np.random.default_rng(0)
    data = {f"f{j}": draw.random(40) for j in range(6)}
    data["c"] = np.where(draw.random(40) < 0.5, "y", "n")
    text = (
        'data "t.csv" { label c; scale minmax; } topology complete(depth = 2); '
        "split univariate by oct; minimize misclassified; "
        f"subject to own {{i in points, t in branches}}: {relation};"
    )
    instance = treemip.loads(text, data=data).compile().instance
    coef = np.zeros((3, 6))
    coef[0, 2], coef[1, [0, 5]] = 1.5, [-0.5, 3.0]
    own = next(c for c in instance.spec.constraints if c.name == "own")
    return own, Evaluator(instance, Solution({"coef": coef.ravel()})), coef


@pytest.mark.parametrize("relation", ROWS.values(), ids=ROWS)
def test_zeros_left_out_change_nothing(relation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own, evaluator, _ = row_of(relation)
    frame, _ = evaluator.expand(own.domain.binders, own.domain.guard, Frame.empty())
    whole = evaluator.known(own.relation.left, frame)
    monkeypatch.setattr(sparse_sums, "MANY", 1)
    np.testing.assert_array_equal(evaluator.known(own.relation.left, frame), whole)
    assert np.unique(whole).size > 3


def test_unknown_coefficients_are_no_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    own, evaluator, coef = row_of(ROWS["plain"])
    coef[2, 1] = np.nan
    evaluator.source = Solution({"coef": coef.ravel()})
    frame, _ = evaluator.expand(own.domain.binders, own.domain.guard, Frame.empty())
    monkeypatch.setattr(sparse_sums, "MANY", 1)
    value = evaluator.known(own.relation.left, frame).reshape(40, 3)
    assert np.isnan(value[:, 2]).all() and np.isfinite(value[:, :2]).all()
