"""Which number the change of a slot has, and what the changes of columns make of it."""

from __future__ import annotations

import numpy as np
import pytest
from tape_models import dense, nothing

from treemip.core.model.tape import Affine, Elementwise, Smooth, Tape
from treemip.core.solvers.ipopt.differentials import Changes, Derivatives
from treemip.core.solvers.ipopt.model import Slots

ca = pytest.importorskip("casadi")


def changes_of(*steps, columns: int) -> Changes:
    tape = Tape(tuple(steps))
    return Changes(Derivatives(Slots(ca, tape, ca.MX.sym("x", columns)), tape), columns)


def test_a_row_of_columns_and_what_follows_it_have_its_number():
    """0 is the constant, 1 and 2 the columns, 3 to 5 the rows of both affine steps with some."""
    rows = Affine(dense([[1.0, 2.0], [0, 3.0]]), nothing(2), np.zeros(2))
    exp = Elementwise(Smooth.EXP, np.array([0, 1]))
    rest = Affine(nothing(2), dense([[0, -1.0, 0, 0], [0, 0, 0, -1.0]]), np.ones(2))
    both = Affine(dense([[4.0, 0]]), dense([[0, 0, 1.0, 1.0, 0, 0]]), np.zeros(1))
    found = changes_of(rows, exp, rest, both, columns=2)
    assert found.numbers.tolist() == [3, 4, 8, 9, 4, 9, 12]
    assert found.others == [1, 2, 3]
    assert found.bends.tolist() == [False, False, True, True, True, True, True]
    lowest, matrix = found.rows(3)
    assert lowest == 3
    assert np.array(matrix).tolist() == [[1, 2], [0, 3], [4, 0]]
    lowest, matrix = found.rows(2)
    assert lowest == 1
    assert np.array(matrix).tolist() == [[1, 0], [0, 1], [1, 2], [0, 3], [4, 0]]


def test_rows_of_columns_do_not_bend():
    rows = Affine(dense([[1.0]]), nothing(1), np.zeros(1))
    double = Affine(nothing(1), dense([[2.0]]), np.zeros(1))
    assert not changes_of(rows, double, columns=1).bends.any()
