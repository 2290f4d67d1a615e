"""Linear SVMs against scikit-learn's, which finds them by other methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treemip.answers.starts.linear_svm import hinge_svm, squared_hinge_svm

svm: Any = pytest.importorskip("sklearn.svm")

SIZES = [(60, 3), (15, 30)]
PRICES = [1.0, 32.0, 1024.0]


def points(count: int, features: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(count)
    x = draw.random((count, features))
    noisy = (x - 0.5) @ draw.normal(size=features) + 0.2 * draw.normal(size=count)
    return x, noisy > 0, draw.integers(1, 3, count).astype(float)


@pytest.mark.parametrize(("count", "features"), SIZES)
@pytest.mark.parametrize("price", PRICES)
def test_the_hinge_is_that_of_svc(count: int, features: int, price: float) -> None:
    x, positive, weight = points(count, features)
    sign = np.where(positive, 1.0, -1.0)

    def value(w: np.ndarray, b: float) -> float:
        return 0.5 * w @ w + price * weight @ np.maximum(0, 1 - sign * (x @ w + b))

    own = hinge_svm(x, positive, price * weight)
    other = svm.SVC(C=price, kernel="linear", tol=1e-8).fit(x, sign, sample_weight=weight)
    best = value(other.coef_[0], other.intercept_[0])
    # No hyperplane is better than the minimum, which libsvm reaches to its own tolerance.
    assert value(own[:-1], own[-1]) <= best * (1 + 1e-4)


@pytest.mark.parametrize(("count", "features"), SIZES)
@pytest.mark.parametrize("price", PRICES)
def test_the_squared_hinge_is_that_of_linear_svc(count: int, features: int, price: float) -> None:
    x, positive, weight = points(count, features)
    sign = np.where(positive, 1.0, -1.0)

    def value(w: np.ndarray, b: float) -> float:
        short = np.maximum(0, 1 - sign * (x @ w + b))
        return 0.5 * (w @ w + b * b) + price * weight @ short**2

    own = squared_hinge_svm(x, positive, price * weight)
    model = svm.LinearSVC(C=price, tol=1e-10, max_iter=300_000)
    other = model.fit(x, sign, sample_weight=weight)
    best = value(other.coef_[0], other.intercept_[0])
    assert value(own[:-1], own[-1]) == pytest.approx(best, rel=1e-5)
