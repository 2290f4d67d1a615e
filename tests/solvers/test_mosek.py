"""MOSEK's task is the model. Without a licence it cannot solve, but say what it holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from file_readers import reader
from hypothesis import assume, given
from live_models import TOLD, convex, empty_row
from probes import indicators, quadratic_row, ranged_square, squares
from random_models import FEW, TAME, models
from small_models import knapsack, products, rows, small

from treemip.core.files.mps.writer import write_mps
from treemip.core.files.profiles import profiles
from treemip.core.model.model import Model
from treemip.core.solvers.mosek import to_mosek
from treemip.core.source.diagnostic import TreemipError

mk = pytest.importorskip("mosek", reason="mosek is an optional target")

WRITTEN = [
    name for name, (model, _, cuts) in TOLD.items() if cuts == "rows" and not model.special_sets
]
IN_MPS = [name for name in WRITTEN if not TOLD[name][0].implications]


@pytest.mark.parametrize("name", IN_MPS)
def test_other_solvers_find_the_optimum_of_what_mosek_writes(name: str, tmp_path: Path) -> None:
    model, best, _ = TOLD[name]
    path = tmp_path / "m.mps"
    to_mosek(model).writedata(str(path))
    solve = reader("highs" if model.is_linear else "gurobi")
    assert solve(path) == pytest.approx(best, abs=1e-5)


def triples(parts: tuple[object, ...]) -> list[tuple]:
    """What MOSEK gives as a count and arrays, as tuples."""
    arrays = [part for part in parts if not isinstance(part, int)]
    return list(zip(*(list(part) for part in arrays), strict=True))


def content(task: mk.Task, sign: float, columns: int) -> dict[str, object]:
    """All of a task that an MPS file holds, its objective times `sign`."""
    rows_ = task.getnumcon()
    every = range(rows_)
    return {
        "columns": [task.getvarname(k) for k in range(columns)],
        "rows": [task.getconname(k) for k in every],
        "bounds": [task.getvarbound(k) for k in range(columns)],
        "sides": [task.getconbound(k) for k in every],
        "types": [task.getvartype(k) for k in range(columns)],
        "entries": [sorted(triples(task.getarow(k))) for k in every],
        "costs": [sign * task.getcj(k) + 0.0 for k in range(columns)],
        "products": sorted((i, j, sign * v) for i, j, v in triples(task.getqobj())),
    }


def same_as_file(model: Model, path: Path) -> None:
    """What MOSEK reads from treemip's MPS file, which minimizes, is what it was handed."""
    told = write_mps(model, path, profile=profiles()["mosek"])
    made, read = to_mosek(model), mk.Task()
    read.readdata(str(path))
    columns = made.getnumvar()
    extra = told.constant_column is not None
    assert read.getnumvar() == columns + extra
    sign = -1.0 if told.negated else 1.0
    assert content(made, 1.0, columns) == content(read, sign, columns)
    assert (made.getobjsense() == mk.objsense.maximize) == told.negated
    assert made.getcfix() == (sign * read.getcj(columns) if extra else 0.0)


@given(model=models(TAME, products=False))
@FEW
def test_a_task_is_what_mosek_reads_from_our_file(
    tmp_path_factory: pytest.TempPathFactory, model: Model
) -> None:
    assume(model.column_count)
    same_as_file(model, tmp_path_factory.mktemp("m") / "m.mps")


def test_products_are_what_mosek_reads_from_our_file(tmp_path: Path) -> None:
    for model in (squares()[0], convex(0), convex(0, "maximize")):
        same_as_file(model, tmp_path / "m.mps")
    curved = quadratic_row()[0]
    made = to_mosek(curved)
    read = mk.Task()
    write_mps(curved, tmp_path / "m.mps", profile=profiles()["mosek"])
    read.readdata(str(tmp_path / "m.mps"))
    parts = [[list(part) for part in task.getqconk(0)[1:]] for task in (made, read)]
    assert parts[0] == parts[1] == [[0, 1, 1], [0, 0, 1], [2.0, 1.0, 2.0]]


def test_implications_are_disjunctions(tmp_path: Path) -> None:
    path = tmp_path / "m.ptf"
    to_mosek(indicators()[0]).writedata(str(path))
    text = path.read_text()
    assert (
        text[text.index("Objective") :]
        == """\
Objective obj
    Maximize + x - y - 2 z
Constraints
    choice [0] + b - c
    one [OR]
        [ZERO(1)]
             + b
        [NEGATIVE(1)]
             + x - 2
    two [OR]
        [ZERO(1)]
             + b - 1
        [NEGATIVE(1)]
             + y - 3
    three [OR]
        [ZERO(1)]
             + c
        [POSITIVE(1)]
             + x + y - 4
    four [OR]
        [ZERO(1)]
             + c - 1
        [ZERO(1)]
             + z - 1
Variables
    x [0;9]
    y [0;9]
    z [0;9]
    b [0;1]
    c [0;1]
Integers
    b c
"""
    )


def test_a_start_is_there(tmp_path: Path) -> None:
    task = to_mosek(knapsack(4, 1), start=[0, 1, 0, 1])
    assert list(task.getxx(mk.soltype.itg)) == [0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize(("lower", "found"), [(1.0, None), (0.0, 2.0)])
def test_a_row_without_entries_counts(lower: float, found: float | None, tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    to_mosek(empty_row(lower)).writedata(str(path))
    assert reader("highs")(path) == found


def hyperbola() -> Model:
    return small("cc", [1.0, 1.0], quadratic=products((0, 0, 1, 1.0)))


def parabola() -> Model:
    block = rows([[0.0, 1.0]], [1.0], [1.0], products((0, 0, 0, 1.0)), name="curve")
    return small("cc", [1.0, 1.0], (block,))


def guarded() -> Model:
    model = indicators()[0]
    return model.with_(objective=squares()[0].objective)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (hyperbola(), "the products in 'obj' are not convex, and MOSEK takes no others"),
        (parabola(), "row curve is not convex, and MOSEK takes no others"),
        (ranged_square()[0], "row ring[1] is not convex, and MOSEK takes no others"),
        (guarded(), "MOSEK does not accept implications together with products of variables"),
    ],
)
def test_what_mosek_does_not_take_is_refused(model: Model, message: str) -> None:
    with pytest.raises(TreemipError) as caught:
        to_mosek(model)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("E601", message)
    assert diagnostic.remedy


def test_numbers_are_exact() -> None:
    task = to_mosek(small("cc", [0.1, 1 / 3], (rows([[1 / 3, -1e-5]], 0.1, 1e7),), -1e-5, 1e10))
    assert triples(task.getarow(0)) == [(0, 1 / 3), (1, -1e-5)]
    assert task.getconbound(0) == (mk.boundkey.ra, 0.1, 1e7)
    assert np.array_equal(task.getc(), [0.1, 1 / 3])
