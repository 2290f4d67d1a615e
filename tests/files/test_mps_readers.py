"""What is written is what is read: by the strict reader and by solvers, over random models."""

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

from treemip.core.files import lines
from treemip.core.files.mps import columns
from treemip.core.files.mps import columns as transpose
from treemip.core.files.mps.writer import write_mps
from treemip.core.model.model import Model

CONSTANT = "objective_constant"


def written(model: Model, style: str = "spec") -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mps"
        write_mps(model, path, names=style)  # type: ignore[arg-type]
        return path.read_text()


def check(model: Model, content: mps_reader.Content, columns: list[str], rows: list[str]) -> None:
    """Equality, bit for bit, of everything but ranges that no pair of floats can state."""
    sign = -1.0 if model.objective.sense == "maximize" else 1.0
    extra = [CONSTANT] if model.objective.constant else []
    assert list(content.columns) == columns + extra
    assert [content.columns[c] for c in columns] == limits(model)
    assert [c in content.integer for c in columns] == model.integer.tolist()
    assert [content.costs[c] for c in columns] == (sign * model.costs).tolist()
    if extra:
        assert content.columns[CONSTANT] == (1.0, 1.0)
        assert content.costs[CONSTANT] == sign * model.objective.constant
    kept = [k for k, (low, high) in enumerate(row_limits(model)) if low > -INF or high < INF]
    assert list(content.rows) == [rows[k] for k in kept]
    for k in kept:
        low, high = row_limits(model)[k]
        got_low, got_high = content.rows[rows[k]]
        if INF in (-low, high) or low + (high - low) == high or high - (high - low) == low:
            assert (got_low, got_high) == (low, high)
        else:
            assert got_low == low
            assert abs(got_high - high) <= np.spacing(high - low)
    full = dense(model)
    expected = {(rows[r], columns[c]): full[r, c] for r in kept for c in np.flatnonzero(full[r])}
    assert content.entries == expected
    quadratic = model.objective.quadratic
    assert content.products == {
        (columns[i], columns[j]): sign * value * (2 if i == j else 1)
        for i, j, value in zip(quadratic.first, quadratic.second, quadratic.coef, strict=True)
    }


@given(model=models())
@MANY
def test_a_strict_reader_reads_the_model_back(model: Model) -> None:
    content = mps_reader.read(written(model))
    check(model, content, names(model.variables), names(model.rows))


@given(model=models())
@MANY
def test_short_names_number_columns_and_rows(model: Model) -> None:
    content = mps_reader.read(written(model, "short"))
    numbered = [[f"{c}{k + 1}" for k in range(n)] for c, n in zip("xr", counts(model), strict=True)]
    check(model, content, *numbered)


def counts(model: Model) -> tuple[int, int]:
    return model.column_count, model.row_count


@given(model=models())
@settings(MANY, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut_into_chunks_gives_the_same_file(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(model)
    with monkeypatch.context() as patch:
        patch.setattr(columns, "_AT_ONCE", 2)
        patch.setattr(transpose, "_SORTED_AT_ONCE", 3)
        patch.setattr(transpose, "_READ_AT_ONCE", 4)
        patch.setattr(lines, "_AT_ONCE", 100)
        assert written(model) == whole


@given(model=models(TAME))
@FEW
def test_highs_reads_the_model(model: Model) -> None:
    pytest.importorskip("highspy")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mps"
        write_mps(model, path)
        check(model, by_highs(path), names(model.variables), names(model.rows))


@given(model=models(TAME, products=False))
@FEW
def test_scip_reads_the_model(model: Model) -> None:
    pytest.importorskip("pyscipopt")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "m.mps"
        write_mps(model, path)
        content = by_scip(path)
    order = [*names(model.variables), CONSTANT]  # SCIP's own puts binaries first
    ordered = sorted(content.columns.items(), key=lambda column: order.index(column[0]))
    content.columns = dict(ordered)
    check(model, content, names(model.variables), names(model.rows))


@pytest.mark.parametrize("solver", ["cbc", "glpk"])
def test_other_solvers_find_the_same_optimum(solver: str) -> None:
    """Small whole numbers in a box, so that every solver comes to the exact end."""
    solve = reader(solver)

    @given(model=models(WHOLE, free=False, products=False))
    @FEW
    def agree(model: Model) -> None:
        assume(model.column_count and model.row_count)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "m.mps"
            told = write_mps(model, path)
            demand_optimum(model, solve(path), -1.0 if told.negated else 1.0)

    agree()
