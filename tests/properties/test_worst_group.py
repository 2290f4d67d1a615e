"""`minimize max {g in values(sex)} …` against every tree of depth 1."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from suite import one_in

from treemip.api.program import loads

SPEC = """\
data "none.csv" {{ label y; group sex; scale minmax; }}
topology complete(depth = 1);
split univariate by {formulation};
{objective};
"""


def table() -> dict[str, list]:
    draws = np.random.default_rng(7)
    a, b = draws.integers(0, 5, 18), draws.integers(0, 5, 18)
    y = np.where(a + draws.integers(0, 3, 18) > 3, "yes", "no")
    sex = np.where(draws.random(18) < 0.35, "m", "f")
    return {"a": a.astype(float), "b": b.astype(float), "sex": sex, "y": y}


def errors_by_group() -> list[dict[str, int]]:
    """Of each stump, and of each leaf's classes."""
    data, found = table(), []
    for feature in "ab":
        x = np.asarray(data[feature])
        for cut, classes in product(np.unique(x) + 0.5, product(("yes", "no"), repeat=2)):
            answer = np.where(x < cut, *classes)
            wrong = answer != np.asarray(data["y"])
            found.append({g: int(wrong[np.asarray(data["sex"]) == g].sum()) for g in "mf"})
    return found


WORST = "max {g in values(sex)} sum {i in points : sex[i] = g} (1 - correct[i])"
BEST = "min {g in values(sex)} sum {i in points : sex[i] = g} correct[i]"


@pytest.mark.parametrize(
    ("sense", "formulation", "solver"),
    one_in(5, ["minimize", "maximize", "in turn"], ["oct", "binoct"], ["auto", "highs"]),
)
def test_worst_group(formulation: str, solver: str, sense: str) -> None:
    trees = errors_by_group()
    size = {g: int((np.asarray(table()["sex"]) == g).sum()) for g in "mf"}
    least = min(max(errors.values()) for errors in trees)
    objective, expected = f"minimize {WORST}", float(least)
    if sense == "maximize":
        objective = f"maximize {BEST}"
        expected = float(max(min(size[g] - e for g, e in errors.items()) for errors in trees))
    if sense == "in turn":
        objective += " then misclassified"
        expected = float(min(sum(e.values()) for e in trees if max(e.values()) == least))
    text = SPEC.format(formulation=formulation, objective=objective)
    result = loads(text, data=table()).compile().solve(solver, time_limit=60)
    assert result.status == "optimal" and result.verified
    assert result.objective == pytest.approx(expected, abs=1e-6)
