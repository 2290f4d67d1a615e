"""Random tables of a few points, and specs over univariate trees with prices and side constraints:
the text, and what it is worth on many trees at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from reference.all_trees import AllTrees, Trees

import treemip
from treemip.api.compiled import Compiled

NEEDS = {"binoct": "", "oct": "scale minmax;", "flow_oct": "bin thresholds;"}
LETTERS = "ab"
ROUNDED = 1e-9


@dataclass(frozen=True)
class Points:
    """x float64 (N, p), y int64 (N,), sex int64 (N,), weight float64 (N,)."""

    x: np.ndarray
    y: np.ndarray
    sex: np.ndarray
    weight: np.ndarray

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1


Numbers = Callable[[Points, Trees], np.ndarray]
"""A number or a truth value for each of T trees, (T,)."""


def wrong(p: Points, t: Trees) -> np.ndarray:
    return np.asarray(t.predicted != p.y)


def recalls(p: Points, t: Trees) -> np.ndarray:
    """float64 (K, T)"""
    return np.array([(~wrong(p, t))[:, p.y == k].mean(axis=1) for k in range(p.classes)])


def rates(p: Points, t: Trees) -> np.ndarray:
    """The share of each group that is given the second class, float64 (2, T)."""
    return np.array([(t.predicted[:, p.sex == g] == 1).mean(axis=1) for g in (0, 1)])


RATE = """let rate {g in values(sex)} =
  sum {i in points : sex[i] = g} predicts[i,"1"] / card({i in points : sex[i] = g});
"""

TERMS: dict[str, Numbers] = {
    "misclassified": lambda p, t: (wrong(p, t) * p.weight).sum(axis=1),
    "accuracy": lambda p, t: (~wrong(p, t) * p.weight).sum(axis=1) / p.weight.sum(),
    "balanced_error": lambda p, t: (1 - recalls(p, t)).mean(axis=0),
    "worst_class_error": lambda p, t: (1 - recalls(p, t)).max(axis=0),
    "splits": lambda p, t: t.splits,
    "margin": lambda p, t: 0.5 * t.splits,
    "features_used": lambda p, t: t.splits,
    "leaves_used": lambda p, t: t.leaves,
    "distinct_features": lambda p, t: t.features,
}
EPS = 1e-6
OF_ONE: dict[str, Callable[[float], float]] = {
    "l0": lambda v: 1 - np.exp(-5 * v),
    "appr1": lambda v: v + EPS,
    "appr2": lambda v: -1 / (v + EPS),
    "log": lambda v: np.log(v + EPS),
}


def of_coefficients(f: Callable[[float], float]) -> Numbers:
    """A split has one coefficient that is not 0, which is 1."""
    return lambda p, t: t.splits * f(1) + (t.branches * p.x.shape[1] - t.splits) * f(0)


def of_features(f: Callable[[float], float]) -> Numbers:
    return lambda p, t: t.features * f(1) + (p.x.shape[1] - t.features) * f(0)


TERMS |= {"l1": TERMS["splits"], "linf": TERMS["distinct_features"]}
TERMS |= {f"{name}_local": of_coefficients(f) for name, f in OF_ONE.items()}
TERMS |= {f"{name}_global": of_features(f) for name, f in OF_ONE.items()}
"""The terms of the vocabulary, but for margins of points."""

CONCEPTS: dict[str, Numbers] = {
    'sum {t in branches, j in features_of("a0")} uses[t,j]': lambda p, t: t.uses[:, 0],
    'sum {j in features_of("a1")} uses_anywhere[j]': lambda p, t: t.uses[:, 1] > 0,
    "sum {t in branches} active[t]": lambda p, t: t.splits,
    "sum {l in leaves} occupied[l]": lambda p, t: t.leaves,
    'sum {k in classes} confusion[k,"0"]': lambda p, t: (t.predicted == 0).sum(axis=1),
    'sum {i in points} predicts[i,"1"]': lambda p, t: (t.predicted == 1).sum(axis=1),
    '(1 - recall["1"])': lambda p, t: 1 - recalls(p, t)[1],
    "sum {i in points} (1 - correct[i])": lambda p, t: wrong(p, t).sum(axis=1),
    'abs(rate["a"] - rate["b"])': lambda p, t: np.abs(np.diff(rates(p, t), axis=0)[0]),
    "max {k in classes} (1 - recall[k])": lambda p, t: (1 - recalls(p, t)).max(axis=0),
    "(1 - min {k in classes} recall[k])": lambda p, t: (1 - recalls(p, t)).max(axis=0),
    "sum {k in classes, m in classes} (2 * ord(k) + ord(m)) * abs(ord(k) - ord(m))"
    " * confusion[k,m]": lambda p, t: ((2 * p.y + t.predicted + 3) * np.abs(p.y - t.predicted)).sum(
        axis=1
    ),
}
"""Prices on concepts of the vocabulary."""

ROWS: dict[str, Numbers] = {
    "few: splits <= 2;": lambda p, t: t.splits <= 2,
    "few: leaves_used <= 3;": lambda p, t: t.leaves <= 3,
    "few: distinct_features <= 1;": lambda p, t: t.features <= 1,
    'seen: recall["1"] >= 0.7;': lambda p, t: recalls(p, t)[1] >= 0.7 - ROUNDED,
    'even: -0.2 <= rate["a"] - rate["b"] <= 0.2;': lambda p, t: (
        np.abs(np.diff(rates(p, t), axis=0)[0]) <= 0.2 + ROUNDED
    ),
    'scarce: sum {i in points} predicts[i,"1"] <= 2;': lambda p, t: (
        (t.predicted == 1).sum(axis=1) <= 2
    ),
    'near: abs(rate["a"] - rate["b"]) <= 0.1;': lambda p, t: (
        np.abs(np.diff(rates(p, t), axis=0)[0]) <= 0.1 + ROUNDED
    ),
    "parity {g in values(sex), h in values(sex) : g != h}: rate[g] - rate[h] <= 0.1;": (
        lambda p, t: np.abs(np.diff(rates(p, t), axis=0)[0]) <= 0.1 + ROUNDED
    ),
    'apart: 0.1 <= rate["a"] - rate["b"] <= 0.3;': lambda p, t: (
        np.abs(-np.diff(rates(p, t), axis=0)[0] - 0.2) <= 0.1 + ROUNDED
    ),
}
"""Side constraints that couple leaves."""

SIZES: dict[str, Callable[[int], bool]] = {
    "size {l in leaves}: points_in[l] >= 2 * occupied[l];": lambda n: n != 1,
    "size {l in leaves}: points_in[l] <= 4;": lambda n: n <= 4,
    "size {l in leaves}: points_in[l] >= 1;": lambda n: n >= 1,
}
"""Side constraints on the number of points of a leaf."""


@dataclass(frozen=True)
class Priced:
    """An objective, to be minimized, as terms with prices; side constraints of the two kinds."""

    prices: tuple[tuple[float, str], ...]
    rows: tuple[str, ...] = ()
    size: str = ""

    @property
    def text(self) -> str:
        total = " + ".join(f"{price!r} * {term}" for price, term in self.prices)
        sides = " ".join([*self.rows, self.size]).strip()
        rate = RATE if "rate[" in total + sides else ""
        return f"{rate}minimize {total};" + (f" subject to {sides}" if sides else "")

    def worth(self, points: Points, trees: Trees) -> np.ndarray:
        """float64 (T,), infinite where a tree breaks a side constraint."""
        words = TERMS | CONCEPTS
        total = sum(price * words[term](points, trees) for price, term in self.prices)
        value = np.broadcast_to(np.asarray(total, float), trees.leaves.shape)
        for row in self.rows:
            value = np.where(ROWS[row](points, trees), value, np.inf)
        return value

    def all_trees(self, formulation: str, points: Points) -> AllTrees:
        """The trees whose leaves keep the constraint on their sizes."""
        keeps = SIZES[self.size] if self.size else None
        rule = None if keeps is None else lambda rows: keeps(int(rows.sum()))
        return AllTrees(formulation, points.x, points.classes, rule)

    def best(self, formulation: str, points: Points, depth: int) -> float:
        trees = self.all_trees(formulation, points).every(depth)
        return float(self.worth(points, trees).min(initial=np.inf))


def random_points(rng: np.random.Generator, formulation: str) -> Points:
    """Ties, duplicates, features that tell little; each class and group is there."""
    binary = formulation == "flow_oct"
    count, classes = int(rng.integers(5, 9)), int(rng.integers(2, 4))
    features, values = (3, 2) if binary else (2, int(rng.integers(2, 5)))
    while True:
        x = rng.integers(0, values, (count, features)).astype(float)
        y, sex = rng.integers(0, classes, count), rng.integers(0, 2, count)
        every = len(set(y.tolist())) == classes and len(set(sex.tolist())) == 2
        if every and (np.ptp(x, axis=0) > 0).all():
            return Points(x, y, sex, rng.integers(1, 4, count).astype(float))


PRICES = (0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7 / 3)


def random_spec(rng: np.random.Generator, most: int = 3) -> Priced:
    """Errors and up to `most` prices, at times with side constraints."""
    words = [*TERMS, *CONCEPTS]
    some = rng.choice(len(words), int(rng.integers(1, most + 1)), replace=False)
    prices = [(float(rng.choice([0.7, 1.0, 1.0])), "misclassified")]
    prices += [(float(rng.choice(PRICES)), words[k]) for k in some]
    row = [str(rng.choice(list(ROWS)))] if rng.random() < 0.3 else []
    size = str(rng.choice(list(SIZES))) if rng.random() < 0.25 else ""
    return Priced(tuple(prices), tuple(row), size)


def compiled(formulation: str, points: Points, depth: int, text: str) -> Compiled:
    columns = {f"a{j}": column for j, column in enumerate(points.x.T)}
    columns |= {"c": [str(k) for k in points.y], "sex": [LETTERS[g] for g in points.sex]}
    columns["w"] = points.weight
    head = (
        f'data "table.csv" {{ label c; group sex; weight w; {NEEDS[formulation]} }}\n'
        f"topology complete(depth = {depth});\nsplit univariate by {formulation};\n"
    )
    return treemip.loads(head + text, data=columns).compile()
