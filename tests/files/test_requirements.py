"""What no file can hold is refused at its place in the source, and nothing is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from file_models import INF, Builder, grid, objective, span, sparse
from tape_models import mrct, random_data

from treemip.core.files.mps.writer import write_mps
from treemip.core.model.blocks import Function, Functions, Implications, Kind, Quadratic
from treemip.core.model.model import Model
from treemip.core.solvers.highs.model import to_highs
from treemip.core.solvers.ipopt.model import to_casadi
from treemip.core.source.diagnostic import TreemipError


def refused(model: Model, tmp_path: Path, code: str) -> str:
    with pytest.raises(TreemipError) as caught:
        write_mps(model, tmp_path / "m.mps", map_path=tmp_path / "m.json")
    assert {d.code for d in caught.value.diagnostics} == {code}
    assert all(d.remedy for d in caught.value.diagnostics)
    assert list(tmp_path.iterdir()) == []
    return str(caught.value)


@pytest.mark.parametrize("pairs", [((0, 1), (0, 1)), ((1, 0),)])
def test_products_outside_their_contract_are_not_written(pairs: tuple, tmp_path: Path) -> None:
    b = Builder()
    b.var("x", grid("i", 2))
    first, second = (np.array([pair[k] for pair in pairs], np.int32) for k in (0, 1))
    products = Quadratic(np.zeros(len(pairs), np.int64), first, second, np.ones(len(pairs)))
    model = b.model(replace(objective(), quadratic=products))
    with pytest.raises(ValueError, match="a product of the objective"):
        write_mps(model, tmp_path / "m.mps")


def test_what_is_not_linear_is_refused_at_its_place(tmp_path: Path) -> None:
    b = Builder()
    b.var("a", upper=1, kind=Kind.BINARY)
    square = Quadratic(*(np.array([v]) for v in (0, 0, 0, 2.0)))
    body = b.row("cap", [{0: 1.0}], 0, 1, where=span("cap"), quadratic=square)
    implied = Implications(
        replace(body, quadratic=Builder().row("x", [{}]).quadratic),
        sparse([{0: 1.0}]),
        np.zeros(1),
        np.ones(1),
    )
    rows = sparse([{0: 1.0}])
    function = Functions("size", Function.ABS, grid("i", 1), 0, np.array([0, 1]), rows, np.zeros(1))
    made = b.model(implications=(implied,), functions=(function,))
    text = refused(made, tmp_path, "E601")
    assert text.count("tiny.tree:4:3") == 2
    assert "no implications: 'cap'" in text
    assert "quadratic rows: 'cap'" in text
    assert "no 'abs': 'size'" in text


@pytest.mark.parametrize("bad", [INF, -INF, float("nan"), 1e20, -1e300])
def test_numbers_that_are_no_coefficients_are_refused(bad: float, tmp_path: Path) -> None:
    b = Builder()
    b.var("x", grid("i j", 2, 2))
    b.row("cap", [{0: 1.0}, {1: 1.0, 3: bad}], 0, at=grid("t", 2), where=span("cap"))
    assert f"cap[2] has the coefficient {bad}" in refused(b.model(), tmp_path, "E402")
    b.rows.clear()
    assert "objective" in refused(b.model(objective([1, bad])), tmp_path, "E402")
    assert "objective" in refused(b.model(objective(constant=bad)), tmp_path, "E402")
    assert "objective" in refused(b.model(objective(products={(0, 0): bad})), tmp_path, "E402")


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (1e20, INF, "x[2] has the lower bound 1e+20"),
        (-INF, -1e25, "x[2] has the upper bound -1e+25"),
        (INF, INF, "x[2] has the lower bound inf"),
        (-INF, -INF, "x[2] has the upper bound -inf"),
        (float("nan"), 1, "x[2] has the lower bound nan"),
    ],
)
def test_bounds_that_readers_take_for_infinite_are_refused(
    lower: float, upper: float, said: str, tmp_path: Path
) -> None:
    b = Builder()
    b.var("x", grid("i", 2), [0, lower], [1, upper])
    assert said in refused(b.model(), tmp_path, "E402")
    b.var("y", grid("i", 2))
    b.variables.pop(0)
    b.variables[0] = replace(b.variables[0], start=0)
    b.row("x", [{0: 1.0}, {1: 1.0}], [0, lower], [1, upper], at=grid("i", 2))
    assert said in refused(b.model(), tmp_path, "E402")


def test_crossed_bounds_are_refused(tmp_path: Path) -> None:
    b = Builder()
    b.var("x", upper=-1, where=span("a"))
    b.row("cap", [{0: 1.0}], 2, 1, where=span("cap"))
    text = refused(b.model(), tmp_path, "E403")
    assert "x is at least 0.0 and at most -1.0" in text
    assert "cap is at least 2.0 and at most 1.0" in text


@pytest.mark.parametrize("data", [[1.0, 0.0], [1.0, 1.0]])
def test_rows_outside_their_contract_are_not_written(data: list[float], tmp_path: Path) -> None:
    """A stored zero, or (as columns 1, 1) one column twice: solvers disagree on both."""
    b = Builder()
    b.var("x", grid("i", 2))
    row = b.row("cap", [{0: 1.0, 1: 1.0}], 0)
    columns = np.array([0, 1] if 0.0 in data else [1, 1], np.int32)
    matrix = replace(row.matrix, data=np.array(data), indices=columns)
    b.rows[0] = replace(row, matrix=matrix)
    with pytest.raises(ValueError, match="'cap' stores"):
        write_mps(b.model(), tmp_path / "m.mps")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["MPS", "HiGHS"])
def test_nonlinear_functions_are_refused_where_they_are_used(target: str, tmp_path: Path) -> None:
    model = mrct(*random_data(6, 2, 2), 1)
    there = [replace(b, span=span("cap")) if b.slots else b for b in model.rows]
    where = replace(model.objective, span=span("var a"))
    model = model.with_(rows=tuple(there), objective=where)
    write = {"MPS": lambda m: write_mps(m, tmp_path / "m.mps"), "HiGHS": to_highs}[target]
    with pytest.raises(TreemipError) as caught:
        write(model)
    found = [(d.code, d.message, d.span, d.remedy) for d in caught.value.diagnostics]
    remedy = "solve it with Ipopt or SCIP, or write an NL file"
    said = f"{target.replace('MPS', 'portable MPS')} has no nonlinear functions: "
    row, objective_ = "'correct_rate'", "the objective 'expected_cost'"
    assert found == [
        ("E601", f"{said}{row} is neither linear nor quadratic", span("cap"), remedy),
        ("E601", f"{said}{objective_} is neither linear nor quadratic", span("var a"), remedy),
    ]
    assert list(tmp_path.iterdir()) == []


def test_infinite_numbers_in_a_tape_are_refused(tmp_path: Path) -> None:
    model = mrct(*random_data(6, 2, 2), 1, gamma=float("inf"))
    with pytest.raises(TreemipError, match="a nonlinear expression has a coefficient that is not"):
        to_casadi(model)
    model = mrct(*random_data(6, 2, 2), 1)
    slots = replace(model.objective.slots, data=np.full(model.objective.slots.nonzeros, np.nan))
    model = model.with_(objective=replace(model.objective, slots=slots))
    with pytest.raises(TreemipError, match="'expected_cost' has a coefficient that is not finite"):
        to_casadi(model)
