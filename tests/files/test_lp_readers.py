"""What an LP file says is what is read: by solvers' readers, over random models."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import mps_reader
import numpy as np
import pytest
from content_readers import by_highs, by_scip
from file_models import INF
from file_readers import reader
from hypothesis import HealthCheck, assume, given, settings
from random_models import (
    FEW,
    MANY,
    TAME,
    WHOLE,
    demand_optimum,
    dense,
    limits,
    models,
    names,
    row_limits,
)

from treemip.core.files import linear_forms as lp_content
from treemip.core.files import lines
from treemip.core.files.lp import write_lp
from treemip.core.files.profiles import profiles
from treemip.core.model.model import Model

CONSTANT = "objective_constant"


def written(model: Model, solver: str, path: Path) -> None:
    write_lp(model, path, profile=profiles()[solver])


def file_sign(model: Model) -> float:
    """The file minimizes."""
    return -1.0 if model.objective.sense == "maximize" else 1.0


def rows_of(model: Model) -> dict[str, tuple[float, float, int]]:
    """Each written row's sides and place in the model, a range as two."""
    found = {}
    for k, (name, (low, high)) in enumerate(zip(names(model.rows), row_limits(model), strict=True)):
        if -INF < low < high < INF:
            found[f"{name}.lo"], found[f"{name}.hi"] = (low, INF, k), (-INF, high, k)
        elif low > -INF or high < INF:
            found[name] = (low, high, k)
    return found


def check(model: Model, content: mps_reader.Content, sign: float) -> None:
    """Equality, bit for bit, of everything but the order of columns."""
    columns = names(model.variables)
    one = model.objective.constant != 0 or not columns
    assert sorted(content.columns) == sorted(columns + [CONSTANT] * one)
    assert [content.columns[c] for c in columns] == limits(model)
    assert [c in content.integer for c in columns] == model.integer.tolist()
    assert [content.costs.get(c, 0.0) for c in columns] == (sign * model.costs).tolist()
    if one:
        assert content.columns[CONSTANT] == (1.0, 1.0)
        assert content.costs.get(CONSTANT, 0.0) == sign * model.objective.constant
    rows = rows_of(model)
    assert content.rows == {name: (low, high) for name, (low, high, _) in rows.items()}
    full = dense(model)
    expected = {
        (n, columns[j]): full[k, j] for n, (*_, k) in rows.items() for j in full[k].nonzero()[0]
    }
    assert {at: value for at, value in content.entries.items() if value} == expected
    quadratic = model.objective.quadratic
    expected_products = {
        (columns[i], columns[j]): sign * value * (2 if i == j else 1)
        for i, j, value in zip(quadratic.first, quadratic.second, quadratic.coef, strict=True)
    }
    assert {tuple(sorted(at)): v for at, v in content.products.items()} == {
        tuple(sorted(at)): v for at, v in expected_products.items()
    }


@given(model=models(TAME))
@MANY
def test_highs_reads_the_model(model: Model) -> None:
    pytest.importorskip("highspy")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.lp"
        written(model, "highs", path)
        check(model, by_highs(path), file_sign(model))


@given(model=models(TAME, products=False))
@MANY
def test_scip_reads_the_model(model: Model) -> None:
    pytest.importorskip("pyscipopt")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.lp"
        written(model, "scip", path)
        check(model, by_scip(path), file_sign(model))


@pytest.mark.parametrize("solver", ["cbc", "glpk", "gurobi", "cplex", "xpress", "copt"])
def test_other_solvers_find_the_same_optimum(solver: str) -> None:
    """Small whole numbers in a box, so that every solver comes to the exact end."""
    solve = reader(solver)

    @given(model=models(WHOLE, free=False, products=False))
    @FEW
    def agree(model: Model) -> None:
        assume(model.column_count and model.row_count)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "m.lp"
            written(model, "portable", path)
            demand_optimum(model, solve(path), file_sign(model))

    agree()


@given(model=models())
@settings(MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_into_chunks_gives_the_same_file(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TemporaryDirectory() as folder, monkeypatch.context() as patch:
        path = Path(folder) / "m.lp"
        written(model, "scip", path)
        whole = path.read_bytes()
        patch.setattr(lp_content, "AT_ONCE", 2)
        patch.setattr(lines, "_AT_ONCE", 100)
        written(model, "scip", path)
        assert path.read_bytes() == whole
        assert max(map(len, whole.splitlines())) <= 250


def test_random_models_have_every_kind_of_row() -> None:
    """The generator behind these tests reaches ranges and free rows."""
    seen = set()

    @given(model=models())
    @settings(MANY, derandomize=True)
    def look(model: Model) -> None:
        for low, high in row_limits(model):
            seen.add((np.isfinite(low), np.isfinite(high), low == high))

    look()
    assert seen >= {(True, True, False), (True, True, True), (False, False, False)}
