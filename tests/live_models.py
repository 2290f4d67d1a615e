"""What the tests of live models share: models that tell every part, and their optima."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from file_models import INF, Builder, objective, sparse
from probes import (
    core,
    implication,
    indicators,
    quadratic_row,
    special,
    squares,
    valid_cut,
    with_cut,
)
from small_models import products, rows, small

from treemip.core.files.flat_model import CutsAs
from treemip.core.model.blocks import Kind, Rows
from treemip.core.model.model import Model
from treemip.core.solving.solve import solve


def linear(seed: int, kinds: str = "cccc", sense: str = "minimize") -> Model:
    """Bounded, with an equation, one-sided rows and a row of two limits."""
    random = np.random.default_rng(seed)
    count = len(kinds)
    matrix = np.round(random.normal(size=(4, count)), 3)
    inside = np.array([1.0 if k == "b" else 0.0 for k in kinds])
    at = matrix @ inside
    lower = np.array([at[0] - 1, -np.inf, at[2], -np.inf])
    upper = np.array([at[0] + 1, at[1] + 1, at[2], np.inf])
    lower[3] = at[3] - 1
    low = np.where(np.array(list(kinds)) == "b", 0, -3)
    high = np.where(np.array(list(kinds)) == "b", 1, 3)
    costs = np.round(random.normal(size=count), 3)
    return small(kinds, costs, (rows(matrix, lower, upper),), low, high, sense, 2.5)


def convex(seed: int, sense: str = "minimize") -> Model:
    """A strictly convex objective with mixed products, and a ball as a quadratic row."""
    sign = 1.0 if sense == "minimize" else -1.0
    form = products((0, 0, 0, sign * 2), (0, 0, 1, sign * 1), (0, 1, 1, sign * 1), (0, 2, 2, sign))
    ball = products(*((0, j, j, 1.0) for j in range(3)))
    costs = np.random.default_rng(seed).normal(size=3)
    row = rows(np.array([[0.5, 0.0, -0.5]]), [-np.inf], [0.8], quadratic=ball)
    return small("ccc", costs, (row,), -2, 2, sense, quadratic=form)


def optimum(model: Model) -> float:
    # SCIP uses up its tolerance of 1e-6 where it can; only it takes products in rows.
    answer = solve(model, "highs" if model.is_linear else "scip")
    assert answer.objective is not None
    return answer.objective


def ranged_cuts() -> tuple[Model, float]:
    """The cut of `with_cut` with a lower limit besides, which binds: x + 2 y in [2, 3]."""
    model, _ = with_cut()
    late = replace(model.rows[1], lower=np.array([2.0]), upper=np.array([3.0]))
    costs = replace(model.objective, sense="minimize")
    return model.with_(rows=(model.rows[0], late), objective=costs), 1.0


def empty_row(lower: float) -> Model:
    """A row without entries, which holds where 0 >= lower."""
    return small("cb", [1.0, 1.0], (rows([[0.0, 0.0]], lower, np.inf),), sense="maximize")


def failing_late_row() -> Model:
    """A family of late rows of which one has no entries and fails."""
    model, _ = with_cut()
    upper = model.rows[1].upper
    late = replace(model.rows[1], matrix=sparse([{}]), lower=upper - 1, upper=upper + 9)
    return model.with_(rows=(model.rows[0], late))


def guarded_empty_rows() -> Model:
    """pick = 1 ==> 0 >= 1, pick = 0 ==> 0 <= 1: x <= 5 remains of x + 10 pick."""
    b = Builder("guards")
    b.var("x", None, 0, 9)
    b.var("pick", None, 0, 1, Kind.BINARY)
    b.row("cap", [{0: 1.0}], -INF, 5)
    made = implication("one", [{}], 1, INF, 1, 1.0), implication("two", [{}], -INF, 1, 1, 0.0)
    return b.model(objective([1.0, 10.0], "maximize"), implications=made)


def mixed() -> tuple[Model, float]:
    """Every part at once: what says nothing stands between the rows that bind."""
    model, best = indicators()
    nothing = rows(np.ones((2, 3)), -np.inf, np.inf, name="nothing")
    free = Rows("free", nothing.index, nothing.matrix, nothing.lower, nothing.upper)
    return model.with_(rows=(free, *model.rows, free)), best


def told() -> dict[str, tuple[Model, float, CutsAs]]:
    """Models whose optimum is another one when a part is dropped, halved or turned."""
    found: dict[str, tuple[Model, float, CutsAs]] = {
        "core": (*core(), "rows"),
        "squares": (*squares(), "rows"),
        "quadratic row": (*quadratic_row(), "rows"),
        "indicators": (*indicators(), "rows"),
        "mixed": (*mixed(), "rows"),
        "sets": (*special(), "rows"),
        "lazy": (*with_cut(), "lazy"),
        "lazy range": (*ranged_cuts(), "lazy"),
        "cuts as rows": (*with_cut(), "rows"),
        "user": (*valid_cut(), "user"),
    }
    for seed in range(2):
        for kinds in ("cccc", "ccbbi"):
            for sense in ("minimize", "maximize"):
                model = linear(seed, kinds, sense)
                found[f"{sense} {kinds} {seed}"] = model, optimum(model), "rows"
    for sense in ("minimize", "maximize"):
        found[f"{sense} convex"] = convex(1, sense), optimum(convex(1, sense)), "rows"
    return found


TOLD = told()


def prioritized() -> Model:
    """Two binaries, of which the second is to be branched on first."""
    model = small("bb", [1.0, 1.0], (rows([[1.0, 1.0]], -np.inf, 1),), sense="maximize")
    (block,) = model.variables
    assert block.kind is Kind.BINARY
    return model.with_(variables=(replace(block, priority=np.array([0, 7])),))
