"""Whole LP files, and MPS files with what the portable core has not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from file_models import INF, Builder, every_bound, grid, objective, quadratic
from probes import indicators, quadratic_row, special, with_cut
from test_mps_writer import MODELS

from treemip.core.files.lp import write_lp
from treemip.core.files.model_files import write_model
from treemip.core.files.profiles import profiles
from treemip.core.model.blocks import Kind, Quadratic
from treemip.core.model.model import Model
from treemip.core.source.diagnostic import TreemipError


def everything() -> Model:
    """Products in rows with and without entries, indicators, cuts, names that end as ranges do."""
    b = Builder("everything")
    b.var("go", grid("i", 2), 0, 1, Kind.BINARY)
    b.var("x", grid("i", 2), -1, 2)
    form = Quadratic(
        np.array([0, 0, 1]),
        np.array([2, 2, 3], np.int32),
        np.array([2, 3, 3], np.int32),
        np.array([1.0, -0.5, 2.5]),
    )
    b.row("ball", [{0: -1.0}, {}], [-INF, 0.25], [1, 4], grid("i", 2), quadratic=form)
    b.row("range.lo", [{0: 1.0, 1: 1.0}], 0, 2)
    b.row("late", [{2: 1.0, 3: -1 / 3}], -7, INF)
    b.rows[-1] = replace(b.rows[-1], cut=True)
    cost = objective([1.0, 0.0, -2.0], constant=-1.5, products={(2, 3): 1.0, (3, 3): 0.5})
    guarded = indicators()[0].implications[:2]
    moved = [replace(g, guard=replace(g.guard, indices=np.array([0], np.int32))) for g in guarded]
    return b.model(cost, implications=tuple(moved))


ALL = {
    **{name: (made, "scip", "rows") for name, made in MODELS.items()},
    "curved": (lambda: quadratic_row()[0], "scip", "rows"),
    "guards": (lambda: indicators()[0], "scip", "rows"),
    "cuts": (lambda: with_cut()[0], "scip", "lazy"),
    "sets": (lambda: special()[0], "gurobi", "rows"),
    "everything": (everything, "gurobi", "user"),
}


@pytest.mark.parametrize("form", ["lp", "mps"])
@pytest.mark.parametrize("name", ALL)
def test_files_are_as_before(name: str, form: str, tmp_path: Path, golden) -> None:
    """Whole files against those in golden/, read by eye and by the solvers of test_profiles.py."""
    made, profile, cuts = ALL[name]
    path = tmp_path / f"m.{form}"
    told = write_model(made(), path, profile=profiles()[profile], cuts=cuts)  # type: ignore[arg-type]
    assert told.bytes == path.stat().st_size
    golden(f"golden/{name}_{profile}.{form}", path.read_text())


def test_report(tmp_path: Path) -> None:
    told = write_lp(every_bound(), tmp_path / "m.lp")
    assert (told.rows, told.columns, told.nonzeros, told.free_rows) == (8, 16, 20, 1)
    assert (told.negated, told.constant_column) == (False, None)
    told = write_lp(everything(), tmp_path / "m.lp", profile=profiles()["gurobi"], cuts="user")
    assert (told.rows, told.indicators, told.cuts) == (8, 2, 1)
    assert told.constant_column == "objective_constant"


def test_long_rows_are_wrapped(tmp_path: Path) -> None:
    b = Builder()
    b.var("somewhat_long_name", grid("i j", 20, 25))
    b.row("sum", [{k: k + 0.123456789 for k in range(500)}], 0)
    write_lp(b.model(objective([1.0] * 500)), tmp_path / "m.lp")
    longest = max(map(len, (tmp_path / "m.lp").read_text().splitlines()))
    assert 80 < longest <= 160


def test_portable_lp_has_no_products(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="portable LP has no quadratic objective") as caught:
        write_lp(quadratic(), tmp_path / "m.lp")
    assert caught.value.diagnostics[0].code == "E601"
    assert list(tmp_path.iterdir()) == []
