"""Random models of formulations with margins, and of randomized trees, with their own references.

SVM1-ODT, MARGOT and MM-SVM-OCT are compared with the enumerations of tests/reference. Of MRCT the
cost is written out here and searched from many starts: no tree that is called optimal may be worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from reference.margins import margot, mm_svm_stump
from reference.shapes import Margins, Points
from scipy.optimize import minimize as descend

from .models import Model
from .tables import Table, random_table

STUMP = ((), ())
KEPT = 0.4  # share of SVM1-ODT's models with a column kept categorical
SHAPES = {1: STUMP, 2: (STUMP, STUMP)}


@dataclass
class Kept(Margins):
    """The same where a branch may send one group of points left, at the price of a weight of 1;
    weights are 1 at most then (8e)."""

    group: tuple[int, ...] = ()
    widest: float | None = 1.0

    def price(self, here: Points, left: Points, outer: tuple[bool, bool]) -> float | None:
        cost = super().price(here, left, outer)
        assert cost is not None
        sides = {self.group[i] for i in left}, {self.group[i] for i in here - left}
        return cost if sides[0] & sides[1] or not all(sides) else min(cost, self.alpha2)


def _head(table: Table, depth: int, settings: str, split: str, keep: bool = False) -> str:
    dropped = [] if keep else ["g"]
    dropped += [] if table.weight is None else ["w"]
    drop = f"drop {', '.join(dropped)}; " if dropped else ""
    return (
        f'data "table.csv" {{ label c positive "k1"; {drop}{"encode keep g; " if keep else ""}'
        f"{settings} }}\ntopology complete(depth = {depth});\nsplit {split};\n"
    )


def svm1(rng: np.random.Generator) -> Model:
    depth = int(rng.choice([1, 1, 2]))
    table = random_table(rng, int(rng.integers(3, 7 if depth == 1 else 5)), 2, False)
    x, keep = table.scaled(), rng.random() < KEPT

    def reference() -> tuple[float, float]:
        group = tuple(int(g) for g in table.group)
        ways = Kept(x, table.y, group=group) if keep else Margins(x, table.y)
        best = ways.best(SHAPES[depth], ways.everyone)
        return best, best

    text = _head(table, depth, "scale minmax;", "oblique by svm1_odt", keep)
    seen = np.column_stack([x, table.group == 0, table.group == 1]) if keep else x
    return Model("svm1_odt", table, text, 1.0, reference, seen, table.feature_of, tolerance=1e-3)


def margin_tree(rng: np.random.Generator) -> Model:
    depth = int(rng.choice([1, 2]))
    table = random_table(rng, int(rng.integers(3, 8 if depth == 1 else 6)), 2, False)
    x, sign = table.scaled(), np.where(table.y == 1, 1, -1)
    prices = tuple(float(c) for c in rng.choice([0.5, 1.0, 5.0], depth))

    def reference() -> tuple[float, float]:
        best = margot(x, sign, prices)
        return best, best

    levels = ", ".join(f"{k + 1}: {c:g}" for k, c in enumerate(prices))
    text = _head(table, depth, "scale minmax;", f"margin by margot(C = level({levels}))")
    return Model("margot", table, text, 1.0, reference, x, table.feature_of, tolerance=2e-3)


def widest_stump(rng: np.random.Generator) -> Model:
    table = random_table(rng, int(rng.integers(3, 7)), 2, False)
    x, sign = table.scaled(), np.where(table.y == 1, 1, -1)
    c1, c3 = float(rng.choice([0.5, 1.0, 5.0])), float(rng.choice([0.1, 1.0]))

    def reference() -> tuple[float, float]:
        best = mm_svm_stump(x, sign, c1, c3)
        return best, best

    text = _head(table, 1, "scale minmax;", f"margin by mm_svm_oct(c1 = {c1:g}, c3 = {c3:g})")
    return Model("mm_svm_oct", table, text, 1.0, reference, x, table.feature_of, tolerance=2e-3)


MARGINS = {"svm1_odt": svm1, "margot": margin_tree, "mm_svm_oct": widest_stump}


@dataclass(frozen=True)
class Randomized:
    """MRCT on a table: cost 0.5 for each class taken for another, no least rate."""

    x: np.ndarray
    y: np.ndarray
    depth: int
    gamma: float

    @property
    def branches(self) -> int:
        return 2**self.depth - 1

    def chances(self, a: np.ndarray, mu: np.ndarray) -> np.ndarray:
        """P of (1): of each leaf for each point, (N, leaves), from a (branches, p) and mu."""
        left = 1 / (1 + np.exp(-self.gamma * (self.x @ a.T / self.x.shape[1] - mu)))
        passed = np.ones((len(self.x), 2 * self.branches + 1))
        for t in range(self.branches):
            passed[:, 2 * t + 1] = passed[:, t] * left[:, t]
            passed[:, 2 * t + 2] = passed[:, t] * (1 - left[:, t])
        return passed[:, self.branches :]

    def cost(self, a: np.ndarray, mu: np.ndarray, labels: np.ndarray) -> float:
        """(2a), labels (leaves, K)."""
        wrong = 0.5 * (1 - np.eye(labels.shape[1]))[self.y]
        return float((self.chances(a, mu) * (wrong @ labels.T)).sum())

    def search(self, rng: np.random.Generator, starts: int = 6) -> float:
        """The least cost from some random starts, of every way to label the leaves (2b), (2c)."""
        p, classes = self.x.shape[1], int(self.y.max()) + 1
        size, best = self.branches * (p + 1), np.inf
        for given in product(range(classes), repeat=self.branches + 1):
            if len(set(given)) < classes:
                continue
            labels = np.eye(classes)[list(given)]

            def value(v: np.ndarray, labels: np.ndarray = labels) -> float:
                return self.cost(v[self.branches :].reshape(-1, p), v[: self.branches], labels)

            for _ in range(starts):
                start = rng.uniform(-1, 1, size)
                done = descend(value, start, method="L-BFGS-B", bounds=[(-1.0, 1.0)] * size)
                best = min(best, float(done.fun))
        return best


def randomized(rng: np.random.Generator) -> tuple[Model, Randomized]:
    depth = int(rng.choice([1, 1, 2]))
    points = int(rng.integers(3, 9))
    table = random_table(rng, points, 2 if depth == 1 else int(rng.choice([2, 3])), False)
    gamma = float(rng.choice([2.0, 6.0, 20.0, 512.0]))
    explicit = int(rng.random() < 0.3)
    x = table.scaled()
    problem = Randomized(x, table.y, depth, gamma)
    split = f"randomized by mrct(gamma = {gamma:g}, min_rate = 0, explicit = {explicit})"
    text = _head(table, depth, "scale minmax;", split)

    def reference() -> tuple[float, float]:
        best = problem.search(rng)
        return -np.inf, best

    return Model("mrct", table, text, 1.0, reference, x, table.feature_of, tolerance=1e-4), problem
