"""Models with a tape made by hand: MRCT on given data, and one with every kind of step.

MRCT: Amaldi, Consolo and Manno, 2023, (2a)-(2c), the probabilities substituted in the objective.
"""

from __future__ import annotations

import numpy as np
from small_models import sparse as dense

from treemip.core.model.blocks import (
    Index,
    Kind,
    Quadratic,
    Rows,
    SparseRows,
    Variables,
)
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import sparse_rows
from treemip.core.model.tape import Affine, Elementwise, Product, Smooth, Tape


def nothing(rows: int) -> SparseRows:
    return dense(np.zeros((rows, 1)))


def grid(names: tuple[str, ...], *axes: np.ndarray) -> Index:
    """All tuples of the labels, the last index varying fastest."""
    mesh = [m.ravel() for m in np.meshgrid(*axes, indexing="ij")]
    return Index(names, ("number",) * len(names), tuple(mesh), len(mesh[0]))


def variables(name: str, index: Index, start: int, low: float, high: float) -> Variables:
    size = index.length
    return Variables(name, index, start, np.full(size, low), np.full(size, high), Kind.CONTINUOUS)


def mrct(
    x: np.ndarray, y: np.ndarray, depth: int, gamma: float = 512.0, min_rate: float = 0.1
) -> Model:
    """x float64 (points, features) in [0, 1], y classes from 0. Columns coef, bias, label."""
    points, features = x.shape
    classes, branches, leaves = int(y.max()) + 1, 2**depth - 1, 2**depth
    heap, leaf = np.arange(1, branches + 1), np.arange(branches + 1, 2 ** (depth + 1))
    coef = variables("coef", grid(("t", "j"), heap, np.arange(1, features + 1)), 0, -1, 1)
    bias = variables("bias", grid(("t",), heap), coef.stop, -1, 1)
    label = variables("label", grid(("l", "k"), leaf, np.arange(classes) + 1), bias.stop, 0, 1)
    # Slots: arguments, go_left, go_right (each points x branches); reach (points x leaves);
    # labels (leaves x classes) as slots; hits (points x leaves x classes).
    inner = points * branches
    argument = np.zeros((points, branches, label.stop))
    for t in range(branches):
        argument[:, t, t * features : (t + 1) * features] = gamma * x / features
        argument[:, t, bias.start + t] = -gamma
    right = np.zeros((inner, 2 * inner))
    right[np.arange(inner), inner + np.arange(inner)] = -1.0
    path = _factors(points, depth, inner)
    own = np.eye(label.stop)[label.start :]
    reach, labels = 3 * inner, 3 * inner + points * leaves
    pairs = [
        (reach + i * leaves + m, labels + m * classes + k)
        for i in range(points)
        for m in range(leaves)
        for k in range(classes)
    ]
    tape = Tape(
        (
            Affine(dense(argument.reshape(inner, -1)), nothing(inner), np.zeros(inner)),
            Elementwise(Smooth.LOGISTIC, np.arange(inner)),
            Affine(nothing(inner), dense(right), np.ones(inner)),
            Product(np.arange(points * leaves + 1) * depth, path),
            Affine(dense(own), nothing(len(own)), np.zeros(len(own))),
            Product(np.arange(len(pairs) + 1) * 2, np.array(pairs).ravel()),
        )
    )
    hit = int(tape.starts[5]) + np.arange(len(pairs)).reshape(points, leaves, classes)
    wrong = 0.5 * (np.arange(classes) != y[:, None])[:, None, :] + np.zeros(hit.shape)
    objective = Objective(name="expected_cost", slots=_weights([(hit, wrong)]))
    right_label = [(hit[y == k, :, k], np.ones(hit[y == k, :, k].shape)) for k in range(classes)]
    ones = np.zeros((leaves, label.stop))
    owned = np.zeros((classes, label.stop))
    for m in range(leaves):
        for k in range(classes):
            ones[m, label.start + m * classes + k] = 1.0
            owned[k, label.start + m * classes + k] = 1.0
    count = np.bincount(y, minlength=classes).astype(float)
    free = np.full(classes, np.inf)
    rows = (
        Rows("one_label", grid(("l",), leaf), dense(ones), np.ones(leaves), np.ones(leaves)),
        Rows(
            "every_class",
            grid(("k",), np.arange(classes) + 1),
            dense(owned),
            np.ones(classes),
            free,
        ),
        Rows(
            "correct_rate",
            grid(("k",), np.arange(classes) + 1),
            nothing(classes),
            min_rate * count,
            free,
            slots=_weights(right_label),
        ),
    )
    return Model("mrct", (coef, bias, label), rows, objective=objective, tape=tape)


def random_data(points: int, features: int, classes: int, seed: int = 0):
    """Points in [0, 1] whose class depends on them, every class at least once."""
    random = np.random.default_rng(seed)
    x = random.random((points, features))
    y = (x @ np.arange(1, features + 1)).argsort().argsort() * classes // points
    return x, y


def every_step(seed: int = 0, sense: str = "minimize") -> Model:
    """Random steps of each kind and rows with slots, products and linear parts."""
    random = np.random.default_rng(seed)
    columns, width = 4, 5
    x = variables("x", grid(("j",), np.arange(1, columns + 1)), 0, 0.1, 1.5)

    def matrix(rows: int, across: int) -> SparseRows:
        return dense(random.uniform(-1, 1, (rows, across)) * (random.random((rows, across)) < 0.6))

    steps = [Affine(matrix(width, columns), nothing(width), random.uniform(-1, 1, width))]
    steps.append(Elementwise(Smooth.LOGISTIC, random.integers(0, width, width)))
    steps.append(Elementwise(Smooth.EXP, random.integers(0, width, width)))
    positive = np.arange(width, 3 * width)
    steps.append(Elementwise(Smooth.LOG, random.choice(positive, width)))
    steps.append(Elementwise(Smooth.POWER, random.choice(positive, width), 2.5))
    lengths = random.integers(0, 4, width)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    steps.append(Product(offsets, random.integers(0, 5 * width, offsets[-1])))
    steps.append(Affine(nothing(0), nothing(0), np.zeros(0)))  # families may be empty
    steps.append(Elementwise(Smooth.EXP, np.zeros(0, np.int64)))
    steps.append(Product(np.zeros(1, np.int64), np.zeros(0, np.int64)))
    steps.append(Affine(matrix(3, columns), matrix(3, 6 * width), np.ones(3)))
    tape = Tape(tuple(steps))
    squares = Quadratic(
        np.array([0, 1]),
        np.array([0, 1], np.int32),
        np.array([2, 1], np.int32),
        np.array([0.5, -1]),
    )
    rows = (
        Rows("bent", Index(length=2), matrix(2, columns), np.full(2, -9.0), np.full(2, 9.0),
             quadratic=squares, slots=matrix(2, tape.length)),
        Rows("plain", Index(), matrix(1, columns), np.full(1, -np.inf), np.full(1, 4.0)),
    )  # fmt: skip
    objective = Objective(
        sense,
        "f",
        0.25,
        np.array([1.0, -2.0]),
        Quadratic(np.zeros(1, int), np.zeros(1, np.int32), np.ones(1, np.int32), np.ones(1)),
        slots=matrix(1, tape.length),
    )
    return Model("every_step", (x,), rows, objective=objective, tape=tape)


def any_steps(seed: int) -> Model:
    """Random steps over random earlier ones: sums of sums, 1 - p of 1 - p, logistics of both."""
    random = np.random.default_rng(seed)
    columns = int(random.integers(1, 4))
    x = variables("x", grid(("j",), np.arange(1, columns + 1)), 0, -1.5, 1.5)
    steps: list[Affine | Elementwise | Product] = []
    length = 0
    for _ in range(int(random.integers(2, 8))):
        count = int(random.integers(1, 5))
        match random.integers(0, 5) if length else 0:
            case 0:
                step = Affine(_some(random, count, columns), nothing(count), _round(random, count))
            case 1:  # one slot each, often a constant minus it
                only = np.zeros((count, length))
                only[np.arange(count), random.integers(0, length, count)] = random.choice([-1.0, 3])
                step = Affine(nothing(count), dense(only), _round(random, count))
            case 2:
                own = [_some(random, count, columns), nothing(count)][random.integers(0, 2)]
                step = Affine(own, _some(random, count, length), _round(random, count))
            case 3:
                step = Elementwise(Smooth.LOGISTIC, random.integers(0, length, count))
            case _:
                offsets = np.concatenate([[0], np.cumsum(random.integers(0, 4, count))])
                step = Product(offsets, random.integers(0, length, offsets[-1]))
        steps.append(step)
        length += step.length
    free = np.full(3, np.inf)
    rows = [
        Rows(name, Index(length=3), _some(random, 3, columns), -free, free, slots=slots)
        for name, slots in (("any", _some(random, 3, length)), ("last", _last(random, steps)))
    ]
    objective = Objective(name="f", slots=_some(random, 1, length))
    tape = Tape(tuple(steps))
    return Model("any_steps", (x,), tuple(rows), objective=objective, tape=tape)


def _some(random: np.random.Generator, count: int, across: int) -> SparseRows:
    return dense(random.uniform(-1, 1, (count, across)) * (random.random((count, across)) < 0.5))


def _last(random: np.random.Generator, steps: list) -> SparseRows:
    """Three rows of slots of the last step alone."""
    before = sum(step.length for step in steps[:-1])
    own = random.uniform(-1, 1, (3, steps[-1].length)) * (random.random((3, 1)) < 0.7)
    return dense(np.hstack([np.zeros((3, before)), own]))


def _round(random: np.random.Generator, count: int) -> np.ndarray:
    return random.integers(-1, 2, count).astype(float)


def _factors(points: int, depth: int, inner: int) -> np.ndarray:
    """Slots of the factors of each point's path to each leaf, the points outermost."""
    branches = 2**depth - 1
    found = []
    for i in range(points):
        for m in range(2**depth):
            node = 0
            for level in range(depth):
                right = m >> (depth - 1 - level) & 1
                found.append(inner * (1 + right) + i * branches + node)
                node = 2 * node + 1 + right
    return np.array(found)


def _weights(parts: list[tuple[np.ndarray, np.ndarray]]) -> SparseRows:
    """One row of coefficients for each (slots, coefficients)."""
    row = np.concatenate([np.full(s.size, r) for r, (s, _) in enumerate(parts)])
    slot = np.concatenate([s.ravel() for s, _ in parts]).astype(np.int32)
    return sparse_rows(row, slot, np.concatenate([c.ravel() for _, c in parts]), len(parts))
