from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from small_models import products, rows, small, span

from treemip.core.files.profiles import EVERYTHING, Caps, Reads
from treemip.core.model.blocks import (
    Function,
    Functions,
    Implications,
    Index,
    Quadratic,
    SparseRows,
    SpecialSets,
)
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import without_entries
from treemip.core.model.tape import Affine, Tape
from treemip.core.registry import solvers
from treemip.core.solving.arrays import assemble, is_convex
from treemip.core.solving.solver import Solver
from treemip.core.source.diagnostic import TreemipError

ONE = rows([[1, 1]], -np.inf, 1)


def test_blocks_are_joined_in_order() -> None:
    first = rows([[1, 0, 2], [0, 0, 0]], [-np.inf, 0], [4, 0])
    second = rows([[0, 3, 0]], 1, np.inf, products((0, 1, 2, 5.0)))
    last = rows([[0, 0, 7], [8, 9, 0]], 0, 1, products((0, 0, 0, 6.0), (1, 0, 1, 4.0)))
    model = small("bic", [1, 2], (first, second, last), [-3, -3, -np.inf], [5, 5, 5])
    arrays = assemble(model, solvers()["scip"])
    assert arrays.lower.tolist() == [0, -3, -np.inf]  # the binary within 0 and 1
    assert arrays.upper.tolist() == [1, 5, 5]
    assert arrays.integer.tolist() == [True, True, False]
    assert arrays.costs.tolist() == [1, 2, 0]
    assert arrays.matrix.indptr.tolist() == [0, 2, 2, 3, 4, 6]
    assert arrays.matrix.indices.tolist() == [0, 2, 1, 2, 0, 1]
    assert arrays.matrix.data.tolist() == [1, 2, 3, 7, 8, 9]
    assert arrays.row_lower.tolist() == [-np.inf, 0, 1, 0, 0]
    assert arrays.row_upper.tolist() == [4, 0, np.inf, 1, 1]
    assert arrays.quadratic.row.tolist() == [2, 3, 4]
    assert arrays.quadratic.coef.tolist() == [5, 6, 4]
    assert (arrays.rows, arrays.columns) == (5, 3)


def test_a_model_without_rows() -> None:
    arrays = assemble(small("c", [1]), solvers()["highs"])
    assert (arrays.rows, arrays.matrix.count, arrays.matrix.nonzeros) == (0, 0, 0)


@given(st.integers(0, 2**32 - 1))
def test_the_joined_matrix_is_the_stacked_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    parts = [random.integers(-2, 3, (random.integers(1, 4), 5)) for _ in range(3)]
    model = small("ccccc", np.zeros(5), tuple(rows(part, 0, 1) for part in parts))
    matrix = assemble(model, solvers()["highs"]).matrix
    dense = np.zeros((matrix.count, 5))
    dense[matrix.row_of, matrix.indices] = matrix.data
    assert (dense == np.vstack(parts)).all()


def implication() -> Implications:
    guard = SparseRows(np.array([0, 1]), np.array([0], np.int32), np.ones(1))
    return Implications(replace(ONE, name="if_so"), guard, np.zeros(1), np.ones(1))


def function() -> Functions:
    return Functions(
        "size",
        Function.ABS,
        Index(),
        1,
        np.array([0, 1]),
        ONE.matrix,
        np.zeros(1),
        span("rows"),
    )


@pytest.mark.parametrize(
    ("model", "code", "words", "place"),
    [
        (small("cc", [1]).with_(implications=(implication(),)), "E601", "'if_so'", "rows"),
        (small("cc", [1]).with_(functions=(function(),)), "E601", "'abs'", "rows"),
        (small("cc", [1, np.nan]), "E402", "objective 'obj'", "objective"),
        (small("cc", [1], constant=np.inf), "E402", "objective 'obj'", "objective"),
        (small("cc", [1], (rows([[np.inf, 1]], 0, 1),)), "E402", "coefficient inf", "rows"),
        (small("cc", [1], (rows([[1, 1]], 0, np.nan),)), "E402", "upper bound nan", "rows"),
        (small("cc", [1], upper=1e20), "E402", "upper bound 1e+20", "variables"),
        (small("cc", [1], lower=2), "E403", "at least 2.0 and at most 1.0", "variables"),
        (small("bb", [1], lower=2, upper=3), "E403", "at most 1.0", "variables"),
        (
            Model("none", (), (), objective=Objective(span=span("objective"))),
            "E601",
            "no variables",
            "objective",
        ),
    ],
)
def test_what_no_solver_takes_is_refused_at_its_place(
    model: Model, code: str, words: str, place: str
) -> None:
    with pytest.raises(TreemipError) as raised:
        assemble(model, solvers()["highs"])
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.span) == (code, span(place))
    assert words in diagnostic.message


def tape() -> Model:
    step = Affine(without_entries(1), without_entries(1), np.ones(1))
    slots = SparseRows(np.array([0, 1]), np.array([0], np.int32), np.ones(1))
    model = small("cc", [1], (replace(ONE, slots=slots),))
    return model.with_(tape=Tape((step,)))


def guarded() -> Model:
    """An implication as reform leaves it: one binary, one relation."""
    return small("bc", [1]).with_(implications=(implication(),))


def ordered_set() -> Model:
    sets = SpecialSets(
        "one_of", Index(), np.array([0, 2]), np.array([0, 1], np.int32), span("rows")
    )
    return small("cc", [1]).with_(special_sets=(sets,))


PARTS = {
    "objective": (
        small("cc", [1], quadratic=products((0, 0, 0, 1.0))),
        "Mine has no quadratic objective: 'obj' multiplies variables",
    ),
    "rows": (
        small("cc", [1], (rows([[1, 1]], 0, 1, products((0, 0, 1, 1.0))),)),
        "Mine has no quadratic rows: 'r' multiplies variables",
    ),
    "indicators": (guarded(), "Mine has no implications: 'if_so' must become plain rows"),
    "sos": (ordered_set(), "Mine has no special ordered sets, by which 'one_of' is stated"),
    "nonlinear": (
        tape(),
        "Mine has no nonlinear functions: 'r' is neither linear nor quadratic",
    ),
    "integers": (small("ci", [1]), "Mine has no integers: 'v1' is integer"),
}
"""By field of `Reads` a model that needs it, and what a solver without it answers."""


@pytest.mark.parametrize("part", PARTS)
def test_what_a_solver_does_not_take_is_refused_whatever_its_file_forgets(part: str) -> None:
    model, message = PARTS[part]
    takes = replace(Reads(), **{part: True})
    assemble(model, Solver("mine", "Mine", Caps(model=takes), order=1))
    with pytest.raises(TreemipError) as raised:
        lacks = replace(EVERYTHING, **{"nonlinear": True, part: False})
        assemble(model, Solver("mine", "Mine", Caps(model=lacks), order=1))
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("E601", message)


def test_a_solver_that_states_nothing_takes_linear_rows_and_integers() -> None:
    nothing = Solver("mine", "Mine", Caps(), order=1)
    assemble(PARTS["integers"][0], nothing)
    for part in ("objective", "rows", "indicators", "sos", "nonlinear"):
        with pytest.raises(TreemipError):
            assemble(PARTS[part][0], nothing)


def test_integers_that_their_bounds_fix_need_no_integers() -> None:
    arrays = assemble(small("ci", [1], lower=1, upper=1), solvers()["ipopt"])
    assert (arrays.lower[1], arrays.upper[1]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("terms", "convex", "concave"),
    [
        ([(0, 0, 0, 1.0)], True, False),
        ([(0, 0, 0, -1.0)], False, True),
        ([(0, 0, 0, 1.0), (0, 3, 3, -1e-6)], False, False),
        ([(0, 2, 5, 1.0)], False, False),
        ([(0, 0, 0, 1.0), (0, 0, 1, 2.0), (0, 1, 1, 1.0)], True, False),  # (x + y)^2
        ([(0, 0, 0, 1.0), (0, 0, 1, 2.001), (0, 1, 1, 1.0)], False, False),
        ([(0, 0, 0, -1.0), (0, 0, 1, 1.0), (0, 1, 1, -1.0)], False, True),
        ([(0, 0, 1, 1.0), (0, 1, 2, 1.0), (0, 0, 0, 1.0)], False, False),
        ([(0, 0, 0, -1e-9), (0, 0, 1, 1.0), (0, 1, 1, -1e-9)], False, False),  # pivots of 0
        ([(0, 0, 0, 0.0)], True, True),
    ],
)
def test_small_forms(terms: list[tuple[int, int, int, float]], convex: bool, concave: bool) -> None:
    assert is_convex(products(*terms)) == convex
    assert is_convex(products(*terms), -1.0) == concave


def form(matrix: np.ndarray) -> Quadratic:
    """The form x'Mx of a symmetric matrix."""
    first, second = np.nonzero(np.triu(matrix))
    factor = np.where(first == second, 1.0, 2.0)
    coef = factor * matrix[first, second]
    return Quadratic(
        np.zeros(len(first), np.int64), first.astype(np.int32), second.astype(np.int32), coef
    )


@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_against_the_eigenvalues(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    sparse = random.normal(size=(size, size)) * (random.random((size, size)) < 0.4)
    matrix = sparse @ sparse.T + random.normal() * 0.3 * np.diag(random.random(size) < 0.5)
    matrix += np.eye(size) * 1e-3
    least = np.linalg.eigvalsh(matrix)[0]
    assume(abs(least) > 1e-6)
    assert is_convex(form(matrix)) == (least > 0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_sums_of_squares_with_a_null_space_are_convex(seed: int, rank: int) -> None:
    random = np.random.default_rng(seed)
    factor = random.normal(size=(20, rank))
    assert is_convex(form(factor @ factor.T))
    assert not is_convex(form(factor @ factor.T), -1.0)
