"""Small random tables for solves, and their encoding as the data block's words define it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

GROUPS = ("f", "m")


@dataclass(frozen=True)
class Table:
    """Raw features x (N, p), class numbers y (N,), weights (N,) or None, groups (N,) of GROUPS.

    `plain` tables have values that are few and far apart: a solver's tolerance is no excuse there.
    """

    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    group: np.ndarray
    plain: bool
    kind: str

    @property
    def columns(self) -> dict[str, list[object]]:
        features = {f"a{j + 1}": column.tolist() for j, column in enumerate(self.x.T)}
        more = {} if self.weight is None else {"w": self.weight.tolist()}
        classes: list[object] = [f"k{k}" for k in self.y]
        return {**features, **more, "g": [GROUPS[k] for k in self.group], "c": classes}

    @property
    def roles(self) -> str:
        """What a data block says of the columns."""
        return 'label c positive "k1"; group g;' + (" weight w;" if self.weight is not None else "")

    @property
    def weighable(self) -> bool:
        """Whether points may have weights."""
        return True

    @property
    def inputs(self) -> np.ndarray:
        """What splits see of columns that are not encoded, float64 (N, inputs)."""
        return self.x

    @property
    def feature_of(self) -> np.ndarray:
        """The feature of each input, int64 (inputs,)."""
        return np.arange(self.x.shape[1])

    @property
    def csv(self) -> str:
        rows = [list(self.columns), *zip(*self.columns.values(), strict=True)]
        return "".join(
            ",".join(v if isinstance(v, str) else repr(v) for v in r) + "\n" for r in rows
        )

    @property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.y)) if self.weight is None else self.weight

    @property
    def classes(self) -> int:
        return int(self.y.max()) + 1

    def part(self, rows: Any) -> Self:
        """The table of some rows, a slice, bool (N,) or int64 (n,)."""
        weight = None if self.weight is None else self.weight[rows]
        kept = {"x": self.x[rows], "y": self.y[rows], "group": self.group[rows], "weight": weight}
        return replace(self, **kept)

    def scaled(self) -> np.ndarray:
        """`scale minmax`: each column to [0, 1], a constant one to 0."""
        low, high = self.x.min(axis=0), self.x.max(axis=0)
        wide = np.where(high > low, high - low, 1.0)
        return np.where(high > low, (self.x - low) / wide, 0.0)

    def binned(self) -> np.ndarray:
        """`bin thresholds`: 1 above each value but the greatest, also where no midpoint is."""
        made = [
            (column > low).astype(float) for column in self.x.T for low in np.unique(column)[:-1]
        ]
        return np.array(made).reshape(len(made), len(self.y)).T


def random_table(rng: np.random.Generator, points: int, classes: int, nasty: bool) -> Table:
    """With ties and equal points of two classes; `nasty` ones have values hard to tell apart."""
    p = int(rng.integers(1, 3))
    kind = str(rng.choice(NASTY)) if nasty else str(rng.choice(PLAIN))
    x = np.column_stack([_column(rng, points, kind) for _ in range(p)])
    y = rng.permutation(np.r_[np.arange(classes), rng.integers(0, classes, points - classes)])
    if kind == "doubled":
        x[points // 2 :] = x[: points - points // 2]
    if kind == "constant" and p == 2:
        x[:, int(rng.integers(2))] = 3.0
    if (x.min(axis=0) == x.max(axis=0)).all():
        x[0, 0] += 1.0
    weight = rng.choice([0.5, 1.0, 2.0, 3.0], points) if rng.random() < 0.3 else None
    group = rng.permutation(np.r_[0, 1, rng.integers(0, 2, points - 2)])
    return Table(x, y, weight, group, not nasty, kind)


PLAIN = ["grid", "grid", "uneven", "doubled", "constant", "binary"]
NASTY = ["adjacent", "huge", "tiny", "offset", "spread"]


def _column(rng: np.random.Generator, points: int, kind: str) -> np.ndarray:
    steps = rng.integers(0, 4, points).astype(float)
    if kind == "uneven":
        return np.round(rng.uniform(-5, 5, points), 1)
    if kind == "binary":
        return (steps > 1).astype(float)
    if kind == "adjacent":  # consecutive doubles
        value = float(rng.choice([0.3, 1.0, 1e-8, 123456.7]))
        ladder = [value]
        for _ in range(3):
            ladder.append(float(np.nextafter(ladder[-1], np.inf)))
        ladder[3] = value + float(rng.choice([0, 1, 1000]))
        return np.array(ladder)[steps.astype(int)]
    if kind == "huge":
        return steps * float(rng.choice([1e12, 1e100, 1e300]))
    if kind == "tiny":
        return steps * float(rng.choice([1e-12, 1e-100, 1e-300]))
    if kind == "offset":
        return 1e9 + steps * float(rng.choice([1e-3, 1.0]))
    if kind == "spread":
        return np.array([0.0, 1e-7, 1e-3, 1.0])[steps.astype(int)]
    return steps
