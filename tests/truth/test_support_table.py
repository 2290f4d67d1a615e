"""Every formulation with every term and every side constraint: no cell is a fault."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import support_cells as cells

pytestmark = pytest.mark.truth


@pytest.mark.parametrize("formulation", cells.formulations())
def test_no_cell_is_a_fault(formulation: str) -> None:
    found = [cells.run(*place) for place in cells.combinations(formulation)]
    assert [cell for cell in found if not cell.sound] == []
    assert any(cell.outcome in ("solved", "found") for cell in found)
