"""Six digits made whole: the same number as printed, and every row kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from driven_models import INF, missing, model

import treemip
from treemip.files.solution_files import SolutionFile
from treemip.model.blocks import Quadratic
from treemip.model.model import Model
from treemip.model.tape_values import violation
from treemip.solving.solution_values import EXACT, restore_digits

pytest.importorskip("highspy", reason="a solver is needed")


def printed(values: np.ndarray, digits: int = 6) -> np.ndarray:
    return np.array([float(f"{v:.{digits}g}") for v in values])


def file(values: np.ndarray, digits: int = 6, complete: bool = True) -> SolutionFile:
    return SolutionFile("t.sol", "lp_solve", "feasible", complete, digits, values=values)


def tied(seed: int) -> tuple[Model, np.ndarray]:
    """A model with as many equations as continuous columns, beside an integer, and its solution."""
    random = np.random.default_rng(seed)
    matrix = random.uniform(-3, 3, (4, 5))
    values = np.append(random.uniform(-40, 40, 4), random.integers(0, 5))
    side = matrix @ values
    return model("cccci", [1, 1, 1, 1, 1], matrix, side, 100, low=-100, least=side), values


@pytest.mark.parametrize("seed", range(8))
def test_what_the_rows_determine_is_found(seed: int) -> None:
    stated, exact = tied(seed)
    short = printed(exact)
    assert violation(stated, short) > 1e-6
    found = restore_digits(stated, file(short), short)
    assert violation(stated, found) <= EXACT
    assert found == pytest.approx(exact, abs=1e-7)
    assert (printed(found) == short).all()


def test_values_stay_that_could_not_be_printed_so() -> None:
    """Rows that are missed by more than the digits can explain: the solution is wrong."""
    stated, exact = tied(0)
    wrong = printed(exact + np.array([0.1, 0, 0, 0, 0]))
    assert restore_digits(stated, file(wrong), wrong) is wrong


def test_values_stay_where_nothing_is_known_of_their_digits() -> None:
    stated, exact = tied(1)
    short = printed(exact)
    for given in (file(short, digits=15), file(short, complete=False)):
        assert restore_digits(stated, given, short) is short
    one = np.zeros(1, np.int32)
    square = Quadratic(np.zeros(1, np.int64), one, one, np.ones(1))
    curved = replace(stated, objective=replace(stated.objective, quadratic=square))
    assert restore_digits(curved, file(short), short) is short
    great = np.append(short[:4], 1234560.0)
    assert restore_digits(stated, file(great), great) is great


def test_values_that_keep_the_rows_stay() -> None:
    stated = model("ci", [1, 1], [[1, 1]], INF, 9, least=0.5)
    values = np.array([0.5, 0.0])
    assert restore_digits(stated, file(values), values) is values


@pytest.mark.skipif(bool(missing("lp_solve")), reason=missing("lp_solve"))
@pytest.mark.parametrize("seed", [0, 2, 4, 5])
def test_trees_of_lp_solve_are_verified(seed: int) -> None:
    """SVM1-ODT's price of 1000 makes much of a digit: without the others none of these was."""
    random = np.random.default_rng(seed)
    table = random.random((9, 3)), np.where(random.random(9) < 0.5, "a", "b")
    spec = 'data "memory" { label class; scale minmax; } topology complete(depth = 1);\n'
    compiled = treemip.loads(spec + "split oblique by svm1_odt;", data=table).compile()
    assert compiled.solve("lp_solve", time_limit=30).verified
