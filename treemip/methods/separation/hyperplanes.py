"""Hyperplanes whose rows are left out of a model: that nothing else depends on them, and their
completion, by linear programming, when the points' ways are known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from treemip.answers.engines.oblique.hyperplanes import hyperplanes_of
from treemip.answers.engines.oblique.norms import is_free
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.hyperplane_columns import NONE, HyperplaneColumns, one_branch
from treemip.core.instance.trees import Forest
from treemip.core.model.blocks import (
    Function,
    Functions,
    Implications,
    Index,
    Kind,
    Literals,
    Rows,
    SparseRows,
    Variables,
)
from treemip.core.model.model import Model, Objective
from treemip.core.model.sparse_rows import append_columns, some_rows, take_rows
from treemip.core.model.tolerances import CERTIFIED
from treemip.core.model.values import function_values, row_sums
from treemip.core.reform.reform import reform
from treemip.core.solvers.highs.solve import solve_ignoring_signals
from treemip.methods.separation.separator import Job

NORM = 1.0  # of the coefficients, in the norm that the gap is for


@dataclass(frozen=True)
class Hyperplanes:
    """The columns of hyperplanes at some branches: coefficients, thresholds, and results of
    functions of these alone, such as absolute values. `own` bool (columns of the stated model,).
    """

    columns: HyperplaneColumns
    branches: np.ndarray
    own: np.ndarray

    @classmethod
    def at(cls, columns: HyperplaneColumns, branches: np.ndarray) -> Hyperplanes:
        own = np.zeros(columns.model.column_count, bool)
        own[columns.coef[branches].ravel()] = own[columns.bias[branches]] = True
        for block in columns.model.functions:
            inside = np.bincount(block.arguments.row_of, own[block.arguments.indices])
            touched = np.zeros(block.length, bool)
            touched[block.owner[np.flatnonzero(inside)]] = True
            own[block.result + np.flatnonzero(touched)] = True
        return cls(columns, branches, own)

    @property
    def model(self) -> Model:
        """As stated."""
        return self.columns.model

    def holds(self, matrix: SparseRows) -> np.ndarray:
        """Which rows have one of the columns, bool (rows,)."""
        own = np.zeros(max(len(self.own), int(matrix.indices.max(initial=-1)) + 1), bool)
        own[: len(self.own)] = self.own
        return np.bincount(matrix.row_of, own[matrix.indices], matrix.count) > 0


@dataclass(frozen=True)
class LeftOutSides:
    """Families of rows that keep points on their sides of the hyperplanes: see `LeftOut`."""

    planes: Hyperplanes
    names: frozenset[str]

    @classmethod
    def of(cls, job: Job) -> LeftOutSides:
        """Raises Refusal where anything else depends on the hyperplanes."""
        columns, names = hyperplanes_of(job.instance, job.stated), frozenset(job.rows)
        planes = Hyperplanes.at(columns, branches_at(columns.topology, str(job.settings["at"])))
        demand_independent(planes, names, is_free(columns))
        return cls(planes, names)

    def reduced(self, model: Model) -> Model:
        return left_out(model, self.planes, self.names)

    def as_start(self, x: np.ndarray) -> np.ndarray:
        return x

    def repaired(self, x: np.ndarray) -> np.ndarray | None:
        return None

    def completed(self, x: np.ndarray) -> np.ndarray:
        return completed(self.planes, x)


def branches_at(topology: Forest, at: str) -> np.ndarray:
    """The branches that a word names, int64."""
    if at == "root":
        return topology.branches[topology.depth[topology.branches] == 0]
    branches: np.ndarray = getattr(topology, at)
    return branches


def demand_independent(planes: Hyperplanes, left_out: frozenset[str], free: bool) -> None:
    """Raises Refusal unless the hyperplanes may be any of 1-norm 1, or with `free` any at all, once
    the families `left_out` are: nothing else says anything of them."""
    model = planes.model
    _demand_no_price(planes)
    _demand_continuous(planes)
    branch = _branches_of(planes)
    for implied in model.implications:
        if implied.name in left_out:
            continue
        if planes.holds(implied.body.matrix).any() or planes.holds(implied.guard).any():
            raise _depends(implied.name)
    for block in model.rows:
        if block.slots is not None or (block.quadratic.count and _in_products(planes, block)):
            raise _depends(block.name)
        own = planes.holds(block.matrix)
        if own.any() and not _of_one_branch(take_rows(block.matrix, np.flatnonzero(own)), branch):
            raise _depends(block.name)
    if not free:
        _demand_all_of_norm(planes)


def _demand_no_price(planes: Hyperplanes) -> None:
    objective = planes.model.objective
    priced = planes.own[: len(objective.linear)] & (objective.linear != 0)
    first, second = objective.quadratic.first, objective.quadratic.second
    squared = planes.own[first].any() or planes.own[second].any()
    if priced.any() or squared or objective.slots is not None:
        raise Refusal("the objective depends on the hyperplanes")


def _demand_continuous(planes: Hyperplanes) -> None:
    if planes.model.integer[planes.own].any():
        raise Refusal("its coefficients or thresholds are integers")


def _branches_of(planes: Hyperplanes) -> np.ndarray:
    """The branch of each column of a hyperplane, absolute values included, NONE for other columns;
    int64 (columns,).

    Raises Refusal for other functions of hyperplanes, which bend where no coefficient is 0.
    """
    branch = np.where(planes.own, planes.columns.branch_of, NONE)
    for block in planes.model.functions:
        if not _is_own(block, planes):
            continue
        arguments = block.arguments
        single = (np.diff(arguments.indptr) == 1).all() and not block.constants.any()
        if block.function is not Function.ABS or not block.is_affine or not single:
            raise Refusal(f"'{block.name}' depends on the hyperplanes as well")
        branch[block.result + block.owner] = branch[arguments.indices]
    return branch


def _of_one_branch(matrix: SparseRows, branch: np.ndarray) -> bool:
    """Whether each row holds columns of one hyperplane and no others."""
    alone = (branch[matrix.indices] != NONE).all()
    return bool(alone and (one_branch(matrix, branch) != NONE).all())


def _in_products(planes: Hyperplanes, block: Rows) -> bool:
    q = block.quadratic
    return bool(planes.own[q.first].any() or planes.own[q.second].any())


def _depends(name: str) -> Refusal:
    return Refusal(f"the rows '{name}' depend on the hyperplanes as well")


def _demand_all_of_norm(planes: Hyperplanes) -> None:
    """Raises Refusal where bounds or rows exclude a hyperplane with |a|_1 <= 1.

    On an orthant, rows of a hyperplane and its absolute values are linear, so it suffices that they
    hold at the corners: a is 0 or a unit vector or its opposite, and b is 0 or as great as a . x
    can be. No row holds columns of two branches, so that all may be at the same corner.
    """
    columns, branches, model = planes.columns, planes.branches, planes.model
    most = max(NORM, float(np.abs(columns.instance.table.inputs).max(initial=0.0)))
    rows = [block for block in model.rows if planes.holds(block.matrix).any()]
    rows = [some_rows(block, np.flatnonzero(planes.holds(block.matrix))) for block in rows]
    for coef in (None, *range(columns.features)):
        for a, b in product((NORM, -NORM), (most, 0.0, -most)):
            x = np.zeros(model.column_count)
            x[columns.bias[branches]] = b
            if coef is not None:
                x[columns.coef[branches, coef]] = a
            for function in model.functions:
                values = function_values(function, x)
                at = slice(function.result, function.result + function.length)
                x[at] = np.where(planes.own[at], values, 0.0)
            off = np.maximum(model.lower - x, x - model.upper)[planes.own]
            if (off > CERTIFIED).any():
                raise Refusal("the bounds of its coefficients or thresholds exclude hyperplanes")
            for block in rows:
                body = row_sums(block.matrix, x)
                if (np.maximum(block.lower - body, body - block.upper) > CERTIFIED).any():
                    raise _depends(block.name)


def left_out(model: Model, planes: Hyperplanes, names: frozenset[str]) -> Model:
    """The reformed model without the families' rows at the branches of `planes`."""
    rows = [_without(block, planes) if block.name in names else block for block in model.rows]
    implications = [
        some_implications(block, np.flatnonzero(~planes.holds(block.body.matrix)))
        if block.name in names
        else block
        for block in model.implications
    ]
    return model.with_(
        rows=tuple(block for block in rows if block.length),
        implications=tuple(block for block in implications if block.length),
    )


def _without(block: Rows, planes: Hyperplanes) -> Rows:
    return some_rows(block, np.flatnonzero(~planes.holds(block.matrix)))


def some_implications(block: Implications, keep: np.ndarray) -> Implications:
    """The implications `keep` of a block, int64, ascending."""
    return replace(
        block,
        body=some_rows(block.body, keep),
        guard=take_rows(block.guard, keep),
        guard_constant=block.guard_constant[keep],
        value=block.value[keep],
        big_m=None if block.big_m is None else block.big_m[keep],
        conjuncts=tuple(
            Literals(take_rows(c.matrix, keep), c.constant[keep]) for c in block.conjuncts
        ),
    )


def completed(planes: Hyperplanes, x: np.ndarray) -> np.ndarray:
    """x with hyperplanes that keep all points on the sides that x sends them to.

    x float64 (columns of the stated model,). The rows are those of the stated model; what they are
    missed by in all is minimized, so that what is left is a matter of tolerances, which the
    verification judges.
    """
    model = planes.model
    fixed = model.with_(implications=()).with_fixed(~planes.own, x).variables
    slack = Variables(
        "slack", Index(), model.column_count, np.zeros(1), np.ones(1), Kind.CONTINUOUS
    )
    sides = [_side(block, planes, x, slack.start) for block in model.implications]
    rows = [some_rows(block, np.flatnonzero(planes.holds(block.matrix))) for block in model.rows]
    functions = [block for block in model.functions if _is_own(block, planes)]
    costs = np.zeros(slack.stop)
    costs[slack.start] = 1.0
    program = Model(
        "hyperplanes",
        (*fixed, slack),
        tuple(block for block in (*rows, *sides) if block.length),
        functions=tuple(functions),
        objective=Objective(linear=costs),
    )
    best = solve_ignoring_signals(reform(program).model)
    values = x.copy()
    if best is not None:
        values[planes.own] = best[: len(x)][planes.own]
    return values


def _is_own(block: Functions, planes: Hyperplanes) -> bool:
    return bool(planes.own[block.result : block.result + block.length].any())


def _side(block: Implications, planes: Hyperplanes, x: np.ndarray, slack: int) -> Rows:
    """The rows that a block implies at x of the hyperplanes, each loosened by the slack."""
    guard = row_sums(block.guard, x) + block.guard_constant
    active = (np.abs(guard - block.value) < 0.5) & planes.holds(block.body.matrix)
    rows = some_rows(block.body, np.flatnonzero(active))
    sign = np.where(np.isfinite(rows.upper), -1.0, 1.0)
    return replace(rows, matrix=append_columns(rows.matrix, np.full(rows.length, slack), sign))
