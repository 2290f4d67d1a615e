"""A solution with a value that is no number breaks rows, whether rows are kept or on demand."""

from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.core.lower.lower import lower
from treemip.core.lower.on_demand import on_demand
from treemip.core.tree.residuals import first_violations, model_violations

SPEC = Path(__file__).parents[2] / "specs" / "iris_binoct.tree"


@pytest.mark.parametrize("kept", [True, False])
def test_no_number_is_a_violation(kept: bool) -> None:
    instance = treemip.load(SPEC).instance
    model = lower(instance) if kept else on_demand(instance, 0)
    assert model is not None
    values = {b.name: np.zeros(b.length) for b in model.variables}
    first = next(iter(values))
    values[first][0] = np.nan
    assert first in {violation.name for violation in model_violations(model, values)}


def test_a_completion_passes_over_what_it_does_not_know() -> None:
    model = on_demand(treemip.load(SPEC).instance, 0)
    assert model is not None
    values = {b.name: np.full(b.length, np.nan) for b in model.variables}
    assert first_violations(model, values) == []
    assert model_violations(model, values)
