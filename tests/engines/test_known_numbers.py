"""The univariate engine and the search where a spec counts points by numbers of their own."""

from __future__ import annotations

import numpy as np
import pytest
from suite import one_in

import treemip

SPEC = """data "memory" {{ label c; number fine, gain; scale minmax; }}
topology complete(depth = 2);
split univariate by {formulation};
minimize paid: sum {{i in points}} fine[i] * (1 - correct[i]) + 0.1 * splits;
subject to
  enough: sum {{i in points}} gain[i] * predicts[i,"y"] >= {least};
"""


def table(seed: int) -> dict[str, list[object]]:
    """Points of few distinct features, so that most have an equal one with other numbers."""
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 3, (14, 2))
    return {
        "a": x[:, 0].tolist(),
        "b": x[:, 1].tolist(),
        "fine": draw.integers(1, 9, 14).tolist(),
        "gain": draw.integers(-4, 9, 14).tolist(),
        "c": ["y", "n", *np.where(draw.random(12) < 0.5, "y", "n").tolist()],
    }


@pytest.mark.parametrize(("seed", "formulation"), one_in(5, range(3), ["oct", "binoct"]))
def test_costs_of_points(formulation: str, seed: int) -> None:
    columns = table(seed)
    least = sum(g for g in columns["gain"] if g > 0) // 2  # type: ignore[operator, misc]
    program = treemip.loads(SPEC.format(formulation=formulation, least=least))
    program.table = columns
    compiled = program.compile()
    engine = compiled.solve(time_limit=60)
    solver = compiled.solve(solver="highs", start="none", time_limit=120)
    assert engine.status == solver.status == "optimal"
    assert engine.objective == pytest.approx(solver.objective, abs=1e-5)
    assert engine.tree is not None
    fine, gain = np.array(columns["fine"]), np.array(columns["gain"])
    given = engine.tree.predict(columns)
    assert gain[given == "y"].sum() >= least
    wrong = given != np.array(columns["c"])
    assert fine[wrong].sum() <= engine.objective + 1e-6
    without = {name: columns[name] for name in "ab"}
    assert engine.tree.predict(without).tolist() == given.tolist()
