"""Models with some rows left out, and sources that know these rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from small_models import rows, small, sparse

from treemip.core.model.model import Model
from treemip.core.solving.lazy_rows import ViolatedRows


@dataclass
class Known:
    """A source that knows all its rows and gives those that a point violates.

    only_integral: it gives none for fractional points. asked: whether each point was integral.
    """

    matrix: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    only_integral: bool = False
    asked: list[bool] = field(default_factory=list)

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        self.asked.append(integral)
        if self.only_integral and not integral:
            return None
        sums = self.matrix @ x
        missed = np.flatnonzero((sums < self.lower - 1e-9) | (sums > self.upper + 1e-9))
        if not len(missed):
            return None
        return ViolatedRows(sparse(self.matrix[missed]), self.lower[missed], self.upper[missed])

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        return None


def split(seed: int) -> tuple[Model, Model, Known]:
    """A random model of 10 binaries, 2 integers and 4 continuous columns with 15 rows; the same
    with a random part of its rows; a source that knows the others."""
    random = np.random.default_rng(seed)
    kinds = "b" * 10 + "ii" + "cccc"
    matrix = random.integers(-4, 6, (15, 16)) * (random.random((15, 16)) < 0.5)
    matrix = matrix.astype(float)
    inside = np.concatenate([random.integers(0, 2, 10), random.integers(-2, 3, 2), np.zeros(4)])
    # About one instance in four is infeasible: some rows are moved away from the point.
    sums = matrix @ inside + np.where(random.random(15) < 0.02, 60, 0)
    lower = np.where(random.random(15) < 0.5, sums - random.integers(0, 5, 15), -np.inf)
    upper = np.where(np.isinf(lower) | (random.random(15) < 0.2), sums + 1, np.inf)
    equal = random.random(15) < 0.1
    lower, upper = np.where(equal, sums, lower), np.where(equal, sums, upper)
    costs = random.integers(-9, 10, 16).astype(float)
    low = np.array([0.0] * 10 + [-2.0] * 2 + [-3.0] * 4)
    high = np.array([1.0] * 10 + [3.0] * 2 + [3.0] * 4)
    sense = "minimize" if seed % 2 else "maximize"
    late = random.random(15) < random.choice([0.3, 0.7, 1.0])

    def model(stated: np.ndarray) -> Model:
        block = rows(matrix[stated], lower[stated], upper[stated])
        return small(kinds, costs, (block,) if stated.any() else (), low, high, sense, 1.5)

    source = Known(matrix[late], lower[late], upper[late], only_integral=bool(seed % 3 == 0))
    return model(np.ones(15, bool)), model(~late), source


class Subtours:
    """Edges out of each set of cities: at least 2 (Dantzig, Fulkerson and Johnson 1954)."""

    def __init__(self, cities: int) -> None:
        self.cities = cities
        self.edges = list(combinations(range(cities), 2))

    def violated(self, x: np.ndarray, integral: bool) -> ViolatedRows | None:
        component = self._component(x)
        if len(component) == self.cities:
            return None
        out = [(a in component) != (b in component) for a, b in self.edges]
        return ViolatedRows(sparse(np.array(out, float)), np.array([2.0]), np.array([np.inf]))

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        return None

    def _component(self, x: np.ndarray) -> set[int]:
        """The cities that edges in use connect with city 0."""
        reached, fresh = {0}, True
        while fresh:
            used = [e for e, value in zip(self.edges, x, strict=True) if value > 1e-6]
            ends = {b for a, b in used if a in reached} | {a for a, b in used if b in reached}
            fresh = not ends <= reached
            reached |= ends
        return reached


def tour(lengths: np.ndarray) -> Model:
    """Two edges at each city. lengths: float64 (cities, cities), symmetric."""
    cities = len(lengths)
    edges = list(combinations(range(cities), 2))
    degree = np.array([[float(city in edge) for edge in edges] for city in range(cities)])
    costs = [lengths[a, b] for a, b in edges]
    return small("b" * len(edges), costs, (rows(degree, 2.0, 2.0),))
