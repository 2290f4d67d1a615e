"""Why lp_solve's word for an optimum is not taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from driven_models import missing, model

from treemip.core.solving.process import run_installed


@pytest.mark.skipif(bool(missing("lp_solve")), reason=missing("lp_solve"))
def test_an_optimum_that_is_none(tmp_path: Path) -> None:
    """lp_solve 5.5.2.5 stops at -24 without a word; (1, 1.5, 1, 1, 0) is worth -30."""
    matrix = np.array([[0, -5, 6, 3, 6], [-5, 3, -3, 1, 6], [-3, 3, -4, -2, 6]])
    upper = np.array([4.5, 3, 5.5])
    better = np.array([1, 1.6, 1, 1, 0])
    assert (matrix @ better <= upper).all()
    small = model(
        *("bcbbi", [-1, 0, -4, -7, -1], matrix, upper, [1, 2, 1, 1, 2]),
        low=[0, -2, 0, 0, -1],
        constant=-18,
    )
    answer = run_installed(small, "lp_solve", keep=tmp_path)
    assert "Suboptimal" not in (tmp_path / "solution.sol").read_text()
    assert (answer.status, answer.bound) == ("feasible", None)
    assert answer.objective is not None and answer.objective >= -30
