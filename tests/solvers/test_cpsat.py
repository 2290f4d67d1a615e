"""CP-SAT proves what it says of integers; of models with real columns it only gives solutions."""

from __future__ import annotations

import numpy as np
import pytest
from driven_models import INF, maximum, model
from solution_files import FILES, code_of

from treemip.core.files.solution_files import Text
from treemip.core.model.answer import Limits
from treemip.core.solvers.cpsat import FORMAT
from treemip.core.solving.process import run_installed
from treemip.core.source.diagnostic import TreemipError


def test_integers_are_proven() -> None:
    pytest.importorskip("ortools")
    whole = model("bii", [1, 2, 3], [[2, 3, 5]], 17, [1, 4, 3], sense="maximize", constant=0.5)
    answer = run_installed(whole, "cpsat", Limits(threads=1))
    assert (answer.status, answer.objective, answer.bound) == ("optimal", 11.5, 11.5)
    none = model("ii", [1, 1], [[2, 2]], 5, 9, least=5)
    assert run_installed(none, "cpsat", Limits(threads=1)).status == "infeasible"


def test_real_columns_are_the_best_beside_the_integers_and_nothing_is_proven() -> None:
    pytest.importorskip("ortools")
    third = model("bc", [-1, -3], [[1, 3]], 1.5, [1, 9])
    answer = run_installed(third, "cpsat", Limits(threads=1))
    assert (answer.status, answer.bound) == ("feasible", None)
    assert answer.objective == pytest.approx(-1.5, abs=1e-9)
    assert run_installed(maximum(), "cpsat").status == "feasible"


def test_a_real_column_between_rows_of_several_grids_is_no_integer() -> None:
    """Both binaries of halves are 1 at 1/2 only; OR-Tools by itself takes the real column as 0."""
    pytest.importorskip("ortools")
    rows = [[-1, 0.5, 0, 0], [1, 0, 0.5, 0], [1, 0, 0, 1]]
    between = model("cbbb", [0, -1, -1, -0.125], rows, [0, 1, 1])
    answer = run_installed(between, "cpsat", Limits(threads=1))
    assert (answer.status, answer.objective) == ("feasible", -2)


def test_real_columns_without_bounds_are_no_integers() -> None:
    """Each binary is 1 only where its sum of two real columns is 1/2."""
    pytest.importorskip("ortools")
    free, positive = [[1, 2], [1, -3]], [[1, 2], [1, 1]]
    rows = np.zeros((8, 8))
    for k, weights in enumerate([*free, *positive]):
        pair = slice(0, 2) if k < 2 else slice(2, 4)
        rows[[2 * k], pair], rows[[2 * k + 1], pair] = weights, np.negative(weights)
        rows[2 * k : 2 * k + 2, 4 + k] = 0.5
    endless = model(
        "ccccbbbb", [0] * 4 + [-1] * 4, rows, [1, 0] * 4, [INF] * 4 + [1] * 4,
        low=[-INF, -INF, 0, 0, 0, 0, 0, 0],
    )  # fmt: skip
    answer = run_installed(endless, "cpsat", Limits(threads=1))
    assert (answer.status, answer.objective) == ("feasible", -4)


def test_real_columns_with_one_far_bound_keep_it() -> None:
    pytest.importorskip("ortools")
    far = model(
        "ccb", [1, -1, -9], [[1, 0, -2.5], [0, -1, -2.5]], INF, [INF, -30000.5, 1],
        low=[30000.5, -INF, 0], least=30000,
    )  # fmt: skip
    answer = run_installed(far, "cpsat", Limits(threads=1))
    assert (answer.status, answer.objective) == ("feasible", pytest.approx(60005 - 9))


def test_integers_without_bounds_prove_nothing() -> None:
    pytest.importorskip("ortools")
    endless = model("ii", [-1, 0], [[1, -1]], 0, float("inf"))
    answer = run_installed(endless, "cpsat", Limits(threads=1, time=20))
    assert answer.status not in ("optimal", "infeasible")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"end\n", b"", "cut off"),
        (b"slack 19.5", b"slack", "a column's name and value"),
        (b"objective -39", b"objective x39", "is not a number"),
    ],
)
def test_damage_is_refused(old: bytes, new: bytes, words: str) -> None:
    whole = (FILES / "cpsat_optimal.sol").read_bytes()
    assert whole.count(old) == 1
    with pytest.raises(TreemipError) as raised:
        FORMAT.read(Text("x.sol", whole.replace(old, new)))
    assert code_of(raised) == "E606"
    assert words in str(raised.value)
