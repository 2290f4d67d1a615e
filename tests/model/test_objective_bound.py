"""What an objective cannot pass: valid always, and 0 for errors of every formulation."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.model.objective_bound import objective_bound
from treemip.solving.solve import solve

TABLE = {
    "a": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
    "b": [1.0, 0.0, 1.0, 0.0, 1.0, 0.0],
    "c": ["n", "y", "y", "n", "y", "n"],
}
HEAD = 'data "t" { label c; scale minmax; } topology complete(depth = 2); '


def bound(text: str, table: object = None) -> float:
    return objective_bound(treemip.loads(text, data=table).compile().model)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("var u >= 1, <= 3; minimize z: 2 * u - 5;", -3),
        ("var u >= 1, <= 3; maximize z: 2 * u - 5;", 1),
        ("var u >= 1, <= 3; minimize z: -u;", -3),
        ("var u free; minimize z: u;", -np.inf),
        ("var u free; maximize z: u;", np.inf),
        ("var u free; minimize z: 3 + u * u;", 3),
        ("var u >= 1, <= 2; var v >= -1, <= 4; minimize z: u * v;", -2),
        ("var u >= 1, <= 2; var v >= -1, <= 4; maximize z: u * v;", 8),
        ("var u >= 0; minimize z: exp(u);", 1),
        ("var u {i in 1..3} binary; maximize z: sum {i in 1..3} u[i];", 3),
        (
            "var u {i in 1..3} binary; maximize z: sum {i in 1..3} u[i];"
            "subject to one: sum {i in 1..3} u[i] <= 1;",
            1,
        ),
        (
            "var u {i in 1..3} binary; maximize z: sum {i in 1..3} i * u[i];"
            "subject to some: sum {i in 1..3} 2 * u[i] = 3;",
            4.5,
        ),
        (  # what a row holds may be below 0 where a column counts against it
            "var u {i in 1..2} binary; maximize z: u[1] - u[2];subject to one: u[1] + u[2] <= 1;",
            1,
        ),
        (
            "var u {i in 1..3} binary; var v {i in 1..3} >= 0; maximize z: sum {i in 1..3} u[i];"
            "subject to below {i in 1..3}: u[i] <= v[i]; most: sum {i in 1..3} v[i] <= 2;",
            2,
        ),
        (
            "var u {i in 1..3} binary; var v {i in 1..3} >= 0; minimize z: -(sum {i in 1..3} u[i]);"
            "subject to below {i in 1..3}: v[i] - u[i] >= 0; most: sum {i in 1..3} v[i] <= 2;",
            -2,
        ),
    ],
)
def test_small_ones(text: str, expected: float) -> None:
    assert bound(text) == pytest.approx(expected)


@pytest.mark.parametrize("by", ["oblique by soct", "univariate by oct", "univariate by binoct"])
def test_errors_are_not_negative(by: str) -> None:
    assert bound(f"{HEAD}split {by}; minimize z: misclassified + 0.5 * splits;", TABLE) >= -1e-9


def test_no_more_points_are_right_than_there_are() -> None:
    assert bound(HEAD + "split oblique by soct;", TABLE) == 6


@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_better_than_the_bound(seed: int) -> None:
    """Random models with packing rows, rows x <= y and others, solved to optimality."""
    pytest.importorskip("highspy")
    draw = np.random.default_rng(seed)
    names = [f"v{k}" for k in range(6)]
    kinds = ["binary", ">= 0, <= 2", ">= -1, <= 1", ">= 0, <= 3 integer"]
    lines = [f"var {n} {kinds[draw.integers(3)]};" for n in names]
    rows = []
    for k in range(5):
        picked = draw.choice(6, 2 + int(draw.integers(3)), replace=False)
        if draw.random() < 0.4:
            rows.append(f"r{k}: {names[picked[0]]} <= {names[picked[1]]};")
        else:
            total = " + ".join(f"{draw.integers(1, 4)} * {names[p]}" for p in picked)
            rows.append(f"r{k}: {total} <= {draw.integers(1, 5)};")
    value = " + ".join(f"({draw.integers(-3, 6)}) * {n}" for n in names)
    sense = ["minimize", "maximize"][seed % 2]
    model = (
        treemip.loads(f"{' '.join(lines)} {sense} z: {value} + 1; subject to {' '.join(rows)}")
        .compile()
        .model
    )
    answer = solve(model, "highs")
    if answer.objective is not None:
        sign = 1.0 if sense == "maximize" else -1.0
        assert sign * answer.objective <= sign * objective_bound(model) + 1e-6
