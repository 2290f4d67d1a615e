"""The formulations as plain arrays, by formulas worked out by hand for each family of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from binoct import Binoct, sizes
from soct import EPSILON, Soct

INFINITE = np.inf


@dataclass
class Arrays:
    """A growing MIP: columns with bounds, costs and names, and rows in coordinate form."""

    maximize: bool
    lower: list[np.ndarray] = field(default_factory=list)
    upper: list[np.ndarray] = field(default_factory=list)
    cost: list[np.ndarray] = field(default_factory=list)
    integer: list[np.ndarray] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    row_names: list[str] = field(default_factory=list)
    row_lower: list[np.ndarray] = field(default_factory=list)
    row_upper: list[np.ndarray] = field(default_factory=list)
    triplets: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)

    def columns(self, name, labels, lower=0.0, upper=INFINITE, *, integer=False, cost=0.0):
        """Append one column for every tuple of the product of `labels`; give their ids, shaped."""
        shape = tuple(len(axis) for axis in labels)
        count = int(np.prod(shape))
        first = len(self.names)
        self.names += _named(name, labels)
        self.lower.append(np.full(count, lower))
        self.upper.append(np.full(count, upper))
        self.cost.append(np.full(count, cost))
        self.integer.append(np.full(count, integer))
        return np.arange(first, first + count, dtype=np.int32).reshape(shape)

    def rows(self, name, labels, lower, upper, *terms):
        """Append a family of rows; a term is (rows within the family, column ids, coefficients)."""
        first = len(self.row_names)
        self.row_names += _named(name, labels)
        count = len(self.row_names) - first
        self.row_lower.append(np.broadcast_to(np.asarray(lower, float), count))
        self.row_upper.append(np.broadcast_to(np.asarray(upper, float), count))
        for rows, columns, values in terms:
            shape = np.broadcast_shapes(np.shape(rows), np.shape(columns), np.shape(values))
            self.triplets.append(
                (
                    np.broadcast_to(np.asarray(rows, np.int32) + first, shape).ravel(),
                    np.broadcast_to(columns, shape).ravel(),
                    np.broadcast_to(np.asarray(values, float), shape).ravel(),
                )
            )

    def matrix(self) -> sp.csc_array:
        rows, columns, values = (np.concatenate(part) for part in zip(*self.triplets, strict=True))
        self.triplets.clear()
        shape = (len(self.row_names), len(self.names))
        return sp.coo_array((values, (rows, columns)), shape).tocsc()


def _named(name: str, labels) -> list[str]:
    texts = [""]
    for axis in labels:
        texts = [f"{text},{label}" if text else str(label) for text in texts for label in axis]
    return [f"{name}({text})" for text in texts] if labels else [name]


def soct_arrays(s: Soct) -> Arrays:
    """Boutilier, Michini, Zhou (2023), eq. (1) with (5)-(7)."""
    points, features = s.x.shape
    i, j = range(1, points + 1), range(1, features + 1)
    t, l = range(1, s.branches + 1), range(s.branches + 1, s.nodes + 1)  # noqa: E741
    k = range(1, s.class_count + 1)
    a = Arrays(maximize=True)
    active = a.columns("active", [t], 0, 1, integer=True)
    reach = a.columns("reach", [i, range(1, s.nodes + 1)], 0, 1, integer=True)
    label = a.columns("label", [l, k], 0, 1, integer=True)
    hit = a.columns("hit", [i, l], -INFINITE, cost=1.0)
    coef = a.columns("coef", [t, j], -1, 1)
    bias = a.columns("bias", [t], -1, 1)
    norm = a.columns("norm", [t, j], 0, 1)

    left, right, at_leaf = reach[:, 1::2], reach[:, 2::2], reach[:, s.branches :]
    point = np.arange(points)[:, None]
    it = np.arange(points * s.branches).reshape(points, s.branches)
    il = np.arange(points * s.leaves).reshape(points, s.leaves)
    tj = np.arange(s.branches * features).reshape(s.branches, features)
    big_m = s.big_m[:, None]
    each_m = np.repeat(s.big_m, s.branches)
    none = -INFINITE
    a.rows("one_leaf", [i], 1, 1, (point, at_leaf, 1))
    a.rows("flow", [i, t], 0, 0, (it, reach[:, : s.branches], 1), (it, left, -1), (it, right, -1))
    a.rows("one_label", [l], 1, 1, (np.arange(s.leaves)[:, None], label, 1))
    a.rows("hit_reach", [i, l], none, 0, (il, hit, 1), (il, at_leaf, -1))
    a.rows("hit_label", [i, l], none, 0, (il, hit, 1), (il, label[:, s.y].T, -1))
    a.rows("no_split", [i, t], none, 0, (it, right, 1), (it, active, -1))
    a.rows("budget", [], none, s.branches, (0, active, 1))
    a.rows("unit_norm", [t], none, 1, (np.arange(s.branches)[:, None], norm, 1))
    a.rows("norm_above", [t, j], 0, INFINITE, (tj, norm, 1), (tj, coef, -1))
    a.rows("norm_below", [t, j], 0, INFINITE, (tj, norm, 1), (tj, coef, 1))
    dot = (it[:, :, None], coef, s.x[:, None, :])
    a.rows("go_left", [i, t], none, each_m, dot, (it, bias, -1), (it, left, big_m))
    a.rows(
        "go_right", [i, t], -each_m, INFINITE, dot, (it, bias, -1), (it, right, -big_m - EPSILON)
    )
    return a


def binoct_arrays(s: Binoct) -> Arrays:
    """Verwer, Zhang (2019), with each code node's rows in the order of its feature's recursion."""
    n, f = range(1, s.branches + 1), range(1, s.features + 1)
    l = range(s.branches + 1, s.branches + s.leaves + 1)  # noqa: E741
    c = range(1, s.class_count + 1)
    a = Arrays(maximize=False)
    coef = a.columns("coef", [n, f], 0, 1, integer=True)
    bit = a.columns("bit", [n, range(s.bits)], 0, 1, integer=True)
    reach = a.columns("reach", [range(1, s.points + 1), l], 0, 1)
    label = a.columns("label", [l, c], 0, 1, integer=True)
    error = a.columns("error", [l, c], cost=1.0)

    none = -INFINITE
    branch, leaf = np.arange(s.branches)[:, None], np.arange(s.leaves)[:, None]
    a.rows("one_feature", [n], 1, 1, (branch, coef, 1))
    a.rows("one_leaf", [range(1, s.points + 1)], 1, 1, (np.arange(s.points)[:, None], reach, 1))
    a.rows("one_label", [l], 1, 1, (leaf, label, 1))

    upper, lower = sizes(s.upper), sizes(s.lower)
    extreme = sizes(s.above) + sizes(s.below)
    node = np.arange(len(s.feature))
    codes = [f"{g + 1},{v}" for g, v in zip(s.feature, _within(s.feature), strict=True)]
    for b in range(s.branches):
        go_left, go_right = s.leaves_under(2 * b + 1), s.leaves_under(2 * b + 2)
        a.rows(
            "bar_left",
            [[b + 1], codes],
            none,
            upper * (1 + np.diff(s.left_path.indptr)),
            (node, coef[b, s.feature], upper),
            _ones(s.upper, reach[:, go_left]),
            _bits(s.left_path, bit[b], upper),
        )
        a.rows(
            "bar_right",
            [[b + 1], codes],
            none,
            lower,
            (node, coef[b, s.feature], lower),
            _ones(s.lower, reach[:, go_right]),
            _bits(s.right_path, bit[b], -lower),
        )
        a.rows(
            "extremes",
            [[b + 1], f],
            none,
            extreme,
            (np.arange(s.features), coef[b], extreme),
            _ones(s.above, reach[:, go_left]),
            _ones(s.below, reach[:, go_right]),
        )
    family = leaf * s.class_count
    a.rows(
        "leaf_error",
        [l, c],
        none,
        0,
        (family + s.y, reach.T, 1),
        (family + np.arange(s.class_count), label, -s.class_sizes),
        (family + np.arange(s.class_count), error, -1),
    )
    return a


def _within(feature: np.ndarray) -> np.ndarray:
    """Position of each code node among those of its feature, from 0."""
    first = np.flatnonzero(np.diff(feature, prepend=-1))
    return np.arange(len(feature)) - np.repeat(first, np.diff([*first, len(feature)]))


def _ones(members: sp.csr_array, reach: np.ndarray):
    """The term sum of reach over each row's members and the given leaves."""
    rows = np.repeat(np.arange(members.shape[0]), np.diff(members.indptr))
    return rows[:, None], reach[members.indices], 1.0


def _bits(path: sp.csr_array, bit: np.ndarray, factor: np.ndarray):
    rows = np.repeat(np.arange(path.shape[0]), np.diff(path.indptr))
    return rows, bit[path.indices], factor[rows]
