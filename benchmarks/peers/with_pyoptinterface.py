"""The formulations by PyOptInterface over HiGHS, a row at a time from numpy arrays.

ScalarAffineFunction.from_numpy is its fast way to a long row; add_m_linear_constraints loops
over single coefficients in Python. Gurobi's model would take the same calls, but the licence in
Gurobi's wheel serves gurobipy alone.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyoptinterface as poi
import scipy.sparse as sp
from binoct import binoct, sizes
from command import run
from pyoptinterface import highs
from soct import EPSILON, LEFT, RIGHT, soct

BINARY = poi.VariableDomain.Binary
LEQ, EQ, GEQ = (
    poi.ConstraintSense.LessEqual,
    poi.ConstraintSense.Equal,
    poi.ConstraintSense.GreaterEqual,
)


def _variables(m, shape, **bounds) -> np.ndarray:
    """Indices, int32, of new variables: what from_numpy wants."""
    made = m.add_m_variables(shape, **bounds)
    first = made.flat[0].index
    return np.arange(first, first + made.size, dtype=np.int32).reshape(made.shape)


def _rows(m, sense, sides, *terms) -> None:
    """One row for every line of the terms, each (coefficients, variables), joined side by side."""
    count = len(terms[0][1])
    shapes = [(count, variables.shape[1]) for _, variables in terms]
    pairs = zip(terms, shapes, strict=True)
    coefs = np.hstack([np.broadcast_to(coef, shape) for (coef, _), shape in pairs]).astype(float)
    variables = np.hstack([variables for _, variables in terms])
    add, affine = m.add_linear_constraint, poi.ScalarAffineFunction.from_numpy
    for coef, row, side in zip(
        coefs, variables, np.broadcast_to(sides, count).tolist(), strict=True
    ):
        add(affine(coef, row), sense, side)


def _sparse_rows(m, sense, sides, matrix: sp.csr_array, variables: np.ndarray) -> None:
    add, affine = m.add_linear_constraint, poi.ScalarAffineFunction.from_numpy
    columns, data = variables[matrix.indices], matrix.data
    starts = matrix.indptr.tolist()
    for (start, stop), side in zip(pairwise(starts), sides.tolist(), strict=True):
        add(affine(data[start:stop], columns[start:stop]), sense, side)


def write_soct(table: str, depth: int, target: str) -> None:
    s = soct(table, depth)
    points, features = s.x.shape
    m = highs.Model()
    m.set_raw_parameter("output_flag", False)
    active = _variables(m, s.branches, domain=BINARY)
    reach = _variables(m, (points, s.nodes), domain=BINARY)
    label = _variables(m, (s.leaves, s.class_count), domain=BINARY)
    hit = _variables(m, (points, s.leaves))
    coef = _variables(m, (s.branches, features), lb=-1, ub=1)
    bias = _variables(m, s.branches, lb=-1, ub=1)
    norm = _variables(m, (s.branches, features), lb=0, ub=1)

    def column(array):
        return np.ascontiguousarray(array).reshape(-1, 1)

    left, right, at_leaf = reach[:, LEFT], reach[:, RIGHT], reach[:, s.branches :]
    total = poi.ScalarAffineFunction.from_numpy(np.ones(hit.size), hit.ravel())
    m.set_objective(total, poi.ObjectiveSense.Maximize)
    _rows(m, EQ, 1, (1, at_leaf))
    _rows(m, EQ, 0, (1, column(reach[:, : s.branches])), (-1, column(left)), (-1, column(right)))
    _rows(m, EQ, 1, (1, label))
    _rows(m, LEQ, 0, (1, column(hit)), (-1, column(at_leaf)))
    _rows(m, LEQ, 0, (1, column(hit)), (-1, column(label[:, s.y].T)))
    _rows(m, LEQ, 0, (1, column(right)), (-1, column(np.tile(active, (points, 1)))))
    _rows(m, LEQ, s.branches, (1, active[None, :]))
    _rows(m, LEQ, 1, (1, norm))
    _rows(m, GEQ, 0, (1, column(norm)), (-1, column(coef)))
    _rows(m, GEQ, 0, (1, column(norm)), (1, column(coef)))
    every = (points, 1)
    for t in range(s.branches):
        split = (s.x, np.tile(coef[t], every)), (-1, np.tile(bias[t : t + 1], every))
        big_m = s.big_m[:, None]
        _rows(m, LEQ, s.big_m, *split, (big_m, reach[:, [2 * t + 1]]))
        _rows(m, GEQ, -s.big_m, *split, (-big_m - EPSILON, reach[:, [2 * t + 2]]))
    m.write(target)


def write_binoct(table: str, depth: int, target: str) -> None:
    s = binoct(table, depth)
    m = highs.Model()
    m.set_raw_parameter("output_flag", False)
    coef = _variables(m, (s.branches, s.features), domain=BINARY)
    bit = _variables(m, (s.branches, s.bits), domain=BINARY)
    reach = _variables(m, (s.points, s.leaves), lb=0, ub=1)
    label = _variables(m, (s.leaves, s.class_count), domain=BINARY)
    error = _variables(m, (s.leaves, s.class_count), lb=0)

    total = poi.ScalarAffineFunction.from_numpy(np.ones(error.size), error.ravel())
    m.set_objective(total, poi.ObjectiveSense.Minimize)
    _rows(m, EQ, 1, (1, coef))
    _rows(m, EQ, 1, (1, reach))
    _rows(m, EQ, 1, (1, label))
    pick = sp.csr_array((np.ones(len(s.feature)), (np.arange(len(s.feature)), s.feature)))
    upper, lower, extreme = sizes(s.upper), sizes(s.lower), sizes(s.above) + sizes(s.below)
    many, few = sp.diags_array(upper), sp.diags_array(lower)
    rest_left = [many @ pick, many @ s.left_path]
    rest_right = [few @ pick, -few @ s.right_path]
    for n in range(s.branches):
        left = reach[:, s.leaves_under(2 * n + 1)].T
        right = reach[:, s.leaves_under(2 * n + 2)].T
        code = [coef[n], bit[n]]
        bar_left = sp.hstack([*rest_left, *[s.upper] * len(left)], format="csr")
        bar_right = sp.hstack([*rest_right, *[s.lower] * len(right)], format="csr")
        ends = [sp.diags_array(extreme), *[s.above] * len(left), *[s.below] * len(right)]
        sides = upper * (1 + np.diff(s.left_path.indptr))
        _sparse_rows(m, LEQ, sides, bar_left, np.concatenate([*code, *left]))
        _sparse_rows(m, LEQ, lower, bar_right, np.concatenate([*code, *right]))
        extremes = sp.hstack(ends, format="csr")
        _sparse_rows(m, LEQ, extreme, extremes, np.concatenate([coef[n], *left, *right]))
    members = sp.csr_array((np.ones(s.points), (s.y, np.arange(s.points))))
    size = sp.diags_array(s.class_sizes.astype(float))
    errors = sp.hstack([members, -size, -sp.eye_array(s.class_count)], format="csr")
    for leaf in range(s.leaves):
        columns = np.concatenate([reach[:, leaf], label[leaf], error[leaf]])
        _sparse_rows(m, LEQ, np.zeros(s.class_count), errors, columns)
    m.write(target)


if __name__ == "__main__":
    run(soct=write_soct, binoct=write_binoct)
