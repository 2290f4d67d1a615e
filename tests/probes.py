"""Small models whose optimum tells how a reader takes them: it is another one when the part that
each is about is dropped, halved or turned."""

from __future__ import annotations

import numpy as np
from file_models import INF, Builder, grid, objective, sparse

from treemip.core.model.blocks import (
    Implications,
    Index,
    Kind,
    Method,
    Quadratic,
    Rows,
    SparseRows,
    SpecialSets,
)
from treemip.core.model.model import Model


def core() -> tuple[Model, float]:
    """Negative and open bounds, an integer, ranges, a constant; maximized."""
    b = Builder("core")
    b.var("x", grid("i", 3), [-5, -INF, 0], [-1, 9, INF])
    b.var("k", None, -3, 8, Kind.INTEGER)
    b.var("pick", grid("i", 2), [0, 1], [1, 1], Kind.BINARY)
    b.row("range", [{0: 1.0, 1: 1.0}, {2: 2.0, 3: 3.0}], [-4, 1], [6.5, 20.75], grid("i", 2))
    b.row("cap", [{1: 1.0, 4: 2.0}], -INF, 9)
    # x2 = 9 by cap, which lets pick1 be 0, with x1 = -5 in the range; k = 6 leaves 1.375 for x3
    costs = [0.0, 1.0, 1.0, 10.0, 1.0, 1.0]
    return b.model(objective(costs, "maximize", 3.0)), 9 + 1.375 + 60 + 0 + 1 + 3


def squares() -> tuple[Model, float]:
    """x^2 + x y + y^2 - x - y, least at x = y = 1/3."""
    b = Builder("squares")
    b.var("x")
    b.var("y")
    b.row("cap", [{0: 1.0, 1: 1.0}], -INF, 100)
    products = {(0, 0): 1.0, (0, 1): 1.0, (1, 1): 1.0}
    return b.model(objective([-1.0, -1.0], products=products)), -1 / 3


def quadratic_row() -> tuple[Model, float]:
    """x + y greatest where x^2 + x y + y^2 <= 3: at x = y = 1."""
    b = Builder("curved")
    b.var("x", None, 0, 10)
    b.var("y", None, 0, 10)
    form = Quadratic(
        np.zeros(3, np.int64),
        np.array([0, 0, 1], np.int32),
        np.array([0, 1, 1], np.int32),
        np.ones(3),
    )
    b.row("curved", [{}], -INF, 3, quadratic=form)
    b.row("cap", [{0: 1.0, 1: 1.0}], -INF, 100)
    return b.model(objective([1.0, 1.0], "maximize")), 2.0


def ranged_square() -> tuple[Model, float]:
    """x^2 in [4, 9], least and then greatest of x together: u - v with u = v = x, 2 - 3."""
    b = Builder("ranged")
    b.var("u", None, 0, 10)
    b.var("v", None, 0, 10)
    squares = Quadratic(
        np.array([0, 1]), np.array([0, 1], np.int32), np.array([0, 1], np.int32), np.ones(2)
    )
    b.row("ring", [{}, {}], 4, 9, grid("i", 2), quadratic=squares)
    return b.model(objective([1.0, -1.0])), -1.0


def implication(
    name: str, body: list[dict[int, float]], low: float, high: float, guard: int, value: float
) -> Implications:
    rows = Rows(name, Index(), sparse(body), np.array([low], float), np.array([high], float), None)
    one = SparseRows(np.array([0, 1]), np.array([guard], np.int32), np.ones(1))
    return Implications(rows, one, np.zeros(1), np.array([value]), Method.INDICATOR)


def indicators() -> tuple[Model, float]:
    """Of b = 1 -> x <= 2, b = 0 -> y <= 3, c = 1 -> x + y >= 4, c = 0 -> z = 1 some bind."""
    b = Builder("guards")
    b.var("x", None, 0, 9)
    b.var("y", None, 0, 9)
    b.var("z", None, 0, 9)
    b.var("b", None, 0, 1, Kind.BINARY)
    b.var("c", None, 0, 1, Kind.BINARY)
    b.row("choice", [{3: 1.0, 4: -1.0}], 0, 0)
    made = (
        implication("one", [{0: 1.0}], -INF, 2, 3, 1.0),
        implication("two", [{1: 1.0}], -INF, 3, 3, 0.0),
        implication("three", [{0: 1.0, 1: 1.0}], 4, INF, 4, 1.0),
        implication("four", [{2: 1.0}], 1, 1, 4, 0.0),
    )
    # b = c = 1: x = 2, y = 2 (three), z = 0; b = c = 0: x = 9, y = 0, z = 1
    costs = [1.0, -1.0, -2.0]
    return b.model(objective(costs, "maximize"), implications=made), 7.0


def special() -> tuple[Model, float]:
    """Of {S1, x} and {b, y, z} one may be positive; the names are heads of sets in some readers."""
    b = Builder("sets")
    b.var("S1", None, 0, 1, Kind.BINARY)
    b.var("b", None, 0, 1, Kind.BINARY)
    b.var("x", None, 0, 9)
    b.var("S2", grid("i", 2), 0, [INF, 5])
    b.row("cap", [{3: 1.0, 4: 1.0}], -INF, 7)
    b.row("some", [{0: 1.0, 1: 1.0}], 1, INF)
    one, two = Index(), grid("i", 1)
    sets = (
        SpecialSets("either", one, np.array([0, 2]), np.array([0, 2], np.int32)),
        SpecialSets("three", two, np.array([0, 3]), np.array([1, 3, 4], np.int32)),
    )
    # S1 = 1, x = b = 0 and 3 * 5, more than 2 * 7; with b = 1 in place of S1 it is 4 + 9
    return b.model(objective([1.0, 4.0, 1.0, 2.0, 3.0], "maximize"), special_sets=sets), 16.0


def with_cut() -> tuple[Model, float]:
    """A family marked as cut that, unlike a valid one, changes the optimum: from 9 to 2."""
    b = Builder("cuts")
    b.var("x", None, 0, 50, Kind.INTEGER)
    b.var("y", None, 0, 50, Kind.INTEGER)
    b.row("cap", [{0: 1.0, 1: 1.0}], -INF, 9)
    b.row("late", [{0: 1.0, 1: 2.0}], -INF, 2)
    b.rows[1] = Rows(**{**vars(b.rows[1]), "cut": True})
    return b.model(objective([1.0, 1.0], "maximize")), 2.0


def valid_cut() -> tuple[Model, float]:
    """x + y <= 1.5 in integers: the cut x + y <= 1 changes nothing, the rest is checked."""
    b = Builder("cuts")
    b.var("x", None, 0, 50, Kind.INTEGER)
    b.var("y", None, 0, 50, Kind.INTEGER)
    b.row("cap", [{0: 1.0, 1: 1.0}], -INF, 9.5)
    b.row("late", [{0: 1.0, 1: 1.0}], -INF, 9)
    b.rows[1] = Rows(**{**vars(b.rows[1]), "cut": True})
    return b.model(objective([1.0, 1.0], "maximize")), 9.0


PROBES = {
    "objective": (squares, "rows"),
    "rows": (quadratic_row, "rows"),
    "ranged rows": (ranged_square, "rows"),
    "indicators": (indicators, "rows"),
    "sos": (special, "rows"),
    "lazy": (with_cut, "lazy"),
    "user": (valid_cut, "user"),
}
