"""NL files: SCIP finds in them what it finds in memory, and the names beside them are right."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from file_models import INF, Builder, every_bound, grid, objective
from hypothesis import assume, given
from probes import indicators
from random_models import FEW, WHOLE, models, optimum

from treemip.api.program import loads
from treemip.core.model.model import Model
from treemip.core.packages.nl import write_nl
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

pytest.importorskip("pyomo")


def by_scip(path: Path) -> tuple[float | None, dict[str, float]]:
    pyscipopt = pytest.importorskip("pyscipopt")
    solver = pyscipopt.Model()
    solver.hideOutput()
    solver.readProblem(str(path))
    solver.optimize()
    if solver.getStatus() == "infeasible":
        return None, {}
    assert solver.getStatus() == "optimal", solver.getStatus()
    return solver.getObjVal(), {v.name: solver.getVal(v) for v in solver.getVars()}


@given(model=models(WHOLE, free=False, products=False))
@FEW
def test_scip_finds_the_same_optimum(model: Model) -> None:
    assume(model.column_count and model.row_count)
    expected = optimum(model)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.nl"
        try:
            write_nl(model, path)
        except TreemipError as error:
            assert [d.code for d in error.diagnostics] == ["E403"] * len(error.diagnostics)
            assert expected is None
            return
        found, _ = by_scip(path)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-6))


def test_smooth_functions_keep_their_names_and_optimum(tmp_path: Path) -> None:
    text = """
var u {k in 1..2} >= -1, <= 2; var pick binary;
minimize exp(u[1]) - 2 * u[1] + u[2]^2 + pick;
subject to
  disc: u[1]^2 + u[2]^2 <= 2;
  side: log(u[1] + 2) + u[2] >= 1.5 - pick;
"""
    model = loads(text).compile().model
    path = tmp_path / "m.nl"
    told = write_nl(model, path)
    assert (told.rows, told.columns) == (2, 3)
    assert sorted(path.with_suffix(".col").read_text().split()) == ["pick", "u(1)", "u(2)"]
    assert sorted(path.with_suffix(".row").read_text().split()) == ["disc", "objective", "side"]
    answer = solve(model, "scip")
    found, values = by_scip(path)
    assert found == pytest.approx(answer.objective, abs=1e-5)
    assert answer.values is not None
    assert [values[n] for n in ("u(1)", "u(2)", "pick")] == pytest.approx(answer.values, abs=1e-3)


def test_rows_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "m.nl"
    told = write_nl(every_bound(), path, names="short", map_path=tmp_path / "m.json")
    assert path.with_suffix(".row").read_text().split() == [
        "r1",
        "r2",
        "r3",
        "r4",
        "r5",
        "r8",
        "obj",
    ]
    assert (told.rows, told.free_rows) == (6, 2)
    assert path.with_suffix(".col").read_text().split() == ["x1", "x3", "x4", "x12", "x7"]
    assert {p.suffix for p in tmp_path.iterdir()} == {".nl", ".col", ".row", ".json"}


def test_a_row_without_variables_that_fails_is_an_error(tmp_path: Path) -> None:
    b = Builder()
    b.var("x")
    b.row("never", [{0: 1.0}, {}], 1, INF, grid("i", 2))
    with pytest.raises(TreemipError, match=r"never\[2\] has no variables and does not hold"):
        write_nl(b.model(objective([1.0])), tmp_path / "m.nl")
    assert list(tmp_path.iterdir()) == []


def test_what_it_has_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TreemipError, match="has no implications"):
        write_nl(indicators()[0], tmp_path / "m.nl")
    with pytest.raises(TreemipError, match="no section of cuts"):
        write_nl(every_bound(), tmp_path / "m.nl", cuts="lazy")
    with pytest.raises(TreemipError, match="not compressed"):
        write_nl(every_bound(), tmp_path / "m.nl.gz")
    assert list(tmp_path.iterdir()) == []
