"""The formulations by Pyomo: LinearExpression rows, its standard-form compiler, HiGHS as writer.

Of Pyomo's ways to an MPS file this is the fastest found: Model.write(format="mps") takes about
twice the CPU time with the garbage collector off and three times with it on.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable
from itertools import pairwise

import highspy
import numpy as np
import pyomo.environ as pyo
from binoct import binoct
from command import run
from pyomo.core.expr.numeric_expr import LinearExpression
from pyomo.opt import WriterFactory
from soct import EPSILON, soct

INFINITE = float("inf")


def _lines(var: pyo.Var, width: int) -> list[list]:
    """The variables of a two-index Var as nested lists, `width` to a line."""
    flat = list(var.values())
    return [flat[start : start + width] for start in range(0, len(flat), width)]


def _rows(m: pyo.ConcreteModel, name: str, rows: Iterable[tuple]) -> None:
    """Add the rows (lower, coefficients, variables, upper), None for a missing side."""
    made = [
        (low, LinearExpression(linear_coefs=coefs, linear_vars=variables), high)
        for low, coefs, variables, high in rows
    ]
    count = len(made)
    m.add_component(name, pyo.Constraint(pyo.RangeSet(0, count - 1), rule=lambda m, r: made[r]))


def write_soct(table: str, depth: int, target: str) -> None:
    s = soct(table, depth)
    points, features = s.x.shape
    m = pyo.ConcreteModel()
    branches, leaves = range(s.branches), range(s.leaves)
    m.splits = pyo.Var(branches, domain=pyo.Binary)
    m.reach = pyo.Var(range(points), range(s.nodes), domain=pyo.Binary)
    m.label = pyo.Var(leaves, range(s.class_count), domain=pyo.Binary)
    m.hit = pyo.Var(range(points), leaves)
    m.coef = pyo.Var(branches, range(features), bounds=(-1, 1))
    m.bias = pyo.Var(branches, bounds=(-1, 1))
    m.norm = pyo.Var(branches, range(features), bounds=(0, 1))
    active, bias = list(m.splits.values()), list(m.bias.values())
    reach, label = _lines(m.reach, s.nodes), _lines(m.label, s.class_count)
    hit = _lines(m.hit, s.leaves)
    coef, norm = _lines(m.coef, features), _lines(m.norm, features)
    at_leaf = [line[s.branches :] for line in reach]
    x, y, big_m = s.x.tolist(), s.y.tolist(), s.big_m.tolist()
    each = range(points)
    pairs = [(t, j) for t in branches for j in range(features)]

    hits = LinearExpression(linear_coefs=[1] * len(m.hit), linear_vars=list(m.hit.values()))
    m.accuracy = pyo.Objective(expr=hits, sense=pyo.maximize)
    _rows(m, "one_leaf", ((1, [1] * s.leaves, at_leaf[i], 1) for i in each))
    _rows(
        m,
        "flow",
        (
            (0, [1, -1, -1], [line[t], line[2 * t + 1], line[2 * t + 2]], 0)
            for line in reach
            for t in branches
        ),
    )
    _rows(m, "one_label", ((1, [1] * s.class_count, label[leaf], 1) for leaf in leaves))
    _rows(
        m,
        "hit_reach",
        ((None, [1, -1], [hit[i][leaf], at_leaf[i][leaf]], 0) for i in each for leaf in leaves),
    )
    _rows(
        m,
        "hit_label",
        ((None, [1, -1], [hit[i][leaf], label[leaf][y[i]]], 0) for i in each for leaf in leaves),
    )
    _rows(
        m,
        "no_split",
        ((None, [1, -1], [line[2 * t + 2], active[t]], 0) for line in reach for t in branches),
    )
    _rows(m, "budget", [(None, [1] * s.branches, active, s.branches)])
    _rows(m, "unit_norm", ((None, [1] * features, norm[t], 1) for t in branches))
    _rows(m, "norm_above", ((0, [1, -1], [norm[t][j], coef[t][j]], None) for t, j in pairs))
    _rows(m, "norm_below", ((0, [1, 1], [norm[t][j], coef[t][j]], None) for t, j in pairs))
    _rows(
        m,
        "go_left",
        (
            (None, [*x[i], -1, big], [*coef[t], bias[t], reach[i][2 * t + 1]], big)
            for i, big in enumerate(big_m)
            for t in branches
        ),
    )
    _rows(
        m,
        "go_right",
        (
            (-big, [*x[i], -1, -big - EPSILON], [*coef[t], bias[t], reach[i][2 * t + 2]], None)
            for i, big in enumerate(big_m)
            for t in branches
        ),
    )
    _write(m, target)


def write_binoct(table: str, depth: int, target: str) -> None:
    s = binoct(table, depth)
    m = pyo.ConcreteModel()
    branches, leaves = range(s.branches), range(s.leaves)
    classes = range(s.class_count)
    m.coef = pyo.Var(branches, range(s.features), domain=pyo.Binary)
    m.bit = pyo.Var(branches, range(s.bits), domain=pyo.Binary)
    m.reach = pyo.Var(range(s.points), leaves, bounds=(0, 1))
    m.label = pyo.Var(leaves, classes, domain=pyo.Binary)
    m.error = pyo.Var(leaves, classes, bounds=(0, None))
    coef, bit = _lines(m.coef, s.features), _lines(m.bit, s.bits)
    reach, label = _lines(m.reach, s.leaves), _lines(m.label, s.class_count)
    error = _lines(m.error, s.class_count)

    errors = LinearExpression(linear_coefs=[1] * len(m.error), linear_vars=list(m.error.values()))
    m.errors = pyo.Objective(expr=errors)
    _rows(m, "one_feature", ((1, [1] * s.features, line, 1) for line in coef))
    _rows(m, "one_leaf", ((1, [1] * s.leaves, line, 1) for line in reach))
    _rows(m, "one_label", ((1, [1] * s.class_count, line, 1) for line in label))

    feature = s.feature.tolist()
    upper, lower, above, below = (_members(a) for a in (s.upper, s.lower, s.above, s.below))
    left_path, right_path = _members(s.left_path), _members(s.right_path)

    def bars(b, members, paths, sign, leaves):
        """bar_left (sign 1) or bar_right (-1) of branch b, a row a code node."""
        for v, (points, path) in enumerate(zip(members, paths, strict=True)):
            size = float(len(points))
            kept_out = [r for i in points for r in reach[i][leaves]]
            coefs = [size] + [sign * size] * len(path) + [1.0] * len(kept_out)
            variables = [coef[b][feature[v]], *(bit[b][d] for d in path), *kept_out]
            yield None, coefs, variables, size * (1 + len(path) if sign > 0 else 1)

    def extremes(b, left, right):
        for f, (high, low) in enumerate(zip(above, below, strict=True)):
            size = float(len(high) + len(low))
            kept_out = [r for i in high for r in reach[i][left]]
            kept_out += [r for i in low for r in reach[i][right]]
            yield None, [size] + [1.0] * len(kept_out), [coef[b][f], *kept_out], size

    for b in branches:
        left, right = s.leaves_under(2 * b + 1), s.leaves_under(2 * b + 2)
        _rows(m, f"bar_left{b}", bars(b, upper, left_path, 1, left))
        _rows(m, f"bar_right{b}", bars(b, lower, right_path, -1, right))
        _rows(m, f"extremes{b}", extremes(b, left, right))
    of_class = [np.flatnonzero(s.y == c).tolist() for c in classes]
    _rows(
        m,
        "leaf_error",
        (
            (
                None,
                [1.0] * len(of_class[c]) + [-float(len(of_class[c])), -1.0],
                [*(reach[i][leaf] for i in of_class[c]), label[leaf][c], error[leaf][c]],
                0,
            )
            for leaf in leaves
            for c in classes
        ),
    )
    _write(m, target)


def _members(matrix) -> list[list[int]]:
    columns = matrix.indices.tolist()
    starts = matrix.indptr.tolist()
    return [columns[start:stop] for start, stop in pairwise(starts)]


def _write(m: pyo.ConcreteModel, target: str) -> None:
    form = WriterFactory("compile_standard_form").write(m, mixed_form=True, set_sense=None)
    (objective,) = form.objectives
    sense = (
        highspy.ObjSense.kMaximize
        if objective.sense == pyo.maximize
        else highspy.ObjSense.kMinimize
    )
    kind = np.array([row.bound_type for row in form.rows])
    bounds = [variable.bounds for variable in form.columns]
    matrix = form.A.tocsc()
    highs = highspy.Highs()
    highs.silent()
    highs.passModel(
        len(form.columns),
        len(form.rows),
        matrix.nnz,
        int(highspy.MatrixFormat.kColwise),
        int(sense),
        float(form.c_offset[0]),
        form.c.toarray()[0],
        np.array([-INFINITE if low is None else low for low, _ in bounds]),
        np.array([INFINITE if high is None else high for _, high in bounds]),
        np.where(kind == 1, -INFINITE, form.rhs),
        np.where(kind == -1, INFINITE, form.rhs),
        matrix.indptr,
        matrix.indices,
        matrix.data,
        np.array([not variable.is_continuous() for variable in form.columns], np.uint8),
    )
    highs.writeModel(target)


if __name__ == "__main__":
    gc.disable()  # the model lives until the process ends, and collections would re-walk it
    run(soct=write_soct, binoct=write_binoct)
