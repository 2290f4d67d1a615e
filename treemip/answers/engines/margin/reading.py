"""Which specs the engine for margin trees takes, read from what they mean and from their rows.

Rows that must hold on a side are those of the stated model that hold for every tree, whatever else
the columns in them may be (`Sides`); all others are left to the completion of the best tree, which
can only lower the bound. What branches pay is read from the model, and is the same as what the
objective means on random trees.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from treemip.answers.engines.engine import Case
from treemip.answers.engines.margin.needs import needs_of
from treemip.answers.engines.margin.problem import BOTH, LEFT, RIGHT, MarginProblem, PointRows
from treemip.answers.engines.oblique.hyperplanes import Sides, hyperplanes_of
from treemip.answers.engines.own_rows import demand_meanings
from treemip.answers.engines.refusal import Refusal
from treemip.answers.search.agreement import by_meaning
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.hyperplane_columns import HyperplaneColumns
from treemip.answers.search.margin_trees.branch_rows import SideRows
from treemip.answers.search.margin_trees.margin_worth import MarginWorth
from treemip.core.compiled.library import kernel
from treemip.core.instance.instance import Instance
from treemip.core.model.tolerances import EQUAL, ROUNDING

TREES = 12
"""Random trees on which the objective is compared."""


def margin_problem(case: Case, worth: MarginWorth) -> MarginProblem:
    """Raises NoSums, and Refusal."""
    instance, topology = case.instance, worth.topology
    if topology.families != 1 or topology.is_leaf[0]:
        raise Refusal("it takes one tree with at least one branch")
    model = worth.programs.model
    square = _squares(worth)
    demand_meanings(instance, case.stated)
    constant, counts = _of_features(worth)
    hard = _hard_rows(case)
    rows = {
        t: PointRows.joined([_soft_rows(worth, t), *hard[t]]) for t in topology.branches.tolist()
    }
    problem = MarginProblem(topology, instance.table.x, rows, square, counts, constant)
    columns = HyperplaneColumns.of(instance, case.stated)
    needs = needs_of(columns, case.sign * case.stated.costs, problem.charge)
    problem = replace(problem, widest=bool(model.widest), needs=needs)
    _demand_kernel(problem)
    _demand_agreement(instance, worth, problem, case.sign)
    return problem


def _demand_kernel(problem: MarginProblem) -> None:
    """Raises Refusal for what only the compiled kernel supports if there is none, and for what
    nothing supports."""
    priced = np.isfinite(problem.marginal) & (problem.marginal > 0)
    if problem.widest and priced.any():
        raise Refusal("its objective has the greatest norm of branches beside prices of features")
    if kernel() is None and (problem.widest or problem.charge.any()):
        raise Refusal("greatest norms and prices of splits need the compiled kernel")


def _squares(worth: MarginWorth) -> np.ndarray:
    """Prices of w^2 / 2 of every branch, or in the greatest of them; float64 (nodes, p)."""
    model, branches = worth.programs.model, worth.topology.branches
    square = model.square
    if model.widest:
        if len(model.widest) > 1 or square.any():
            raise Refusal("its objective has the greatest norm of all branches beside other norms")
        (one,) = model.widest
        square = np.tile((one.price * one.scale)[:, None], square.shape[1])
    if model.absolute.any() or (square[branches] <= 0).any():
        raise Refusal("its objective has no price of the 2-norm of each branch's coefficients")
    return square


def _soft_rows(worth: MarginWorth, node: int) -> PointRows:
    """What points pay at a branch, once for both sides where it is the same on both."""
    sides = worth.programs.model.sides
    left, right = (_of_points(sides[node, side], worth.programs.x) for side in (True, False))
    every, at, count = np.unique(
        np.concatenate([left, right]), axis=0, return_inverse=True, return_counts=True
    )
    which = np.bincount(at.ravel(), np.repeat([1, 2], [len(left), len(right)]), len(every))
    side = np.where(count == 2, BOTH, np.where(which == 1, LEFT, RIGHT))
    point, sign, least, price = every.T
    return PointRows(point.astype(np.int64), side, sign, least, price)


def _of_points(rows: SideRows, x: np.ndarray) -> np.ndarray:
    """Point, sign, least and price of each row with a price, those alike as one; float64 (n, 4).
    Raises Refusal where a row is no multiple of its point's height."""
    rows = rows.take(np.isfinite(rows.price) & (rows.price > 0))
    factor = rows.rows[:, -1]
    if (rows.point < 0).any() or (factor == 0).any():
        raise Refusal("its objective has prices of hyperplanes that are of no point")
    off = np.abs(rows.rows[:, :-1] - factor[:, None] * x[rows.point])
    if (off > ROUNDING * np.abs(factor)[:, None]).any():
        raise Refusal("its objective has prices of more than a point's place at a hyperplane")
    size = np.abs(factor)
    table = np.column_stack([rows.point, np.sign(factor), rows.least / size])
    every, at = np.unique(table, axis=0, return_inverse=True)
    return np.column_stack([every, np.bincount(at.ravel(), rows.price * size, len(every))])


def _hard_rows(case: Case) -> dict[int, list[PointRows]]:
    """What every tree keeps: how far to the left or right a point is that goes there, at each
    branch. How far it may be at most makes no difference where big-M are great enough."""
    topology, points = case.instance.nodes, np.arange(len(case.instance.table.y))
    rows: dict[int, list[PointRows]] = {t: [] for t in topology.branches.tolist()}
    for (branch, left), ends in (
        Sides(hyperplanes_of(case.instance, case.stated)).intervals().items()
    ):
        side, sign, end = (LEFT, -1.0, ends[1]) if left else (RIGHT, 1.0, ends[0])
        known = points[np.isfinite(end)]
        each = [np.full(len(known), value) for value in (side, sign, np.inf)]
        rows[branch].append(PointRows(known, each[0], each[1], sign * end[known], each[2]))
    return rows


def _of_features(worth: MarginWorth) -> tuple[float, np.ndarray]:
    """What the objective is beside margins and norms, and what a branch adds for so many features;
    as in MarginProblem. Budgets are rows over all features of a branch with one coefficient."""
    sums, structure, nodes = worth.sums, worth.structure, worth.topology.size
    features = worth.programs.features
    by_leaf = sums.shared[:, :, 0].any() or 0 in sums.local_rows or sums.label[:, :, 0].any()
    if by_leaf:
        raise Refusal("its objective has more than margins, norms and numbers of features")
    leaf = np.full(worth.points, int(worth.topology.leaves[0]))
    in_leaf = np.bincount(worth.leaf_number[leaf], minlength=len(worth.labels))
    totals = worth.totals(leaf)

    def priced(uses: np.ndarray) -> float:
        columns = structure.columns(uses, in_leaf) if structure.size else np.zeros(0)
        return float(sums.worth(totals + sums.of_structure.times(columns))[0])

    uses = np.zeros((nodes, features), bool)
    constant, counts = priced(uses), np.zeros((nodes, features + 1))
    for branch in worth.topology.branches.tolist() if structure.size else []:
        for count in range(1, features + 1):
            uses[branch, :count] = True
            counts[branch, count] = priced(uses) - constant
        uses[branch] = False
        most = _budget(worth, branch)
        counts[branch, most + 1 :] = np.inf
    if (counts < 0).any():
        raise Refusal("its objective rewards features")
    return constant, counts


def _budget(worth: MarginWorth, branch: int) -> int:
    """How many features rows over them allow a branch."""
    matrix, _, high = worth.sums.limits
    columns, features = worth.structure.uses[branch], worth.programs.features
    most = features
    if (columns < 0).any():
        return most
    for row in range(matrix.count):
        at = slice(matrix.indptr[row], matrix.indptr[row + 1])
        data, same = matrix.data[at], np.array_equal(np.sort(matrix.indices[at]), np.sort(columns))
        if same and data[0] > 0 and (data == data[0]).all() and np.isfinite(high[row]):
            most = min(most, int(np.floor(high[row] / data[0] + EQUAL)))
    return max(most, 0)


def _demand_agreement(
    instance: Instance, worth: MarginWorth, problem: MarginProblem, sign: float
) -> None:
    """Raises Refusal where random trees are worth something else."""
    rng = np.random.default_rng(0)
    for turn in range(TREES):
        tree = _random_tree(worth, rng, turn)
        value = problem.value(tree.weights, tree.threshold)
        if not np.isfinite(value):
            continue
        true = sign * by_meaning(instance, tree)[0]
        if not abs(value - true) <= EQUAL * max(1.0, abs(true)):
            raise Refusal("its value on random trees is no sum over branches of margins and norms")


def _random_tree(worth: MarginWorth, rng: np.random.Generator, turn: int) -> Candidate:
    """Hyperplanes of several lengths, by any number of features, or none."""
    x, topology = worth.programs.x, worth.topology
    tree = Candidate.empty(topology, x.shape[1])
    for node in topology.branches:
        most = x.shape[1] if turn % 2 else min(3, x.shape[1])
        used = rng.permutation(x.shape[1])[: rng.integers(most + 1)]
        tree.weights[node, used] = rng.normal(size=len(used)) * 10.0 ** rng.uniform(-1, 1)
        shift = 0.1 * rng.normal()
        tree.threshold[node] = x[rng.integers(len(x))] @ tree.weights[node] + shift
    return Candidate(topology, tree.weights, tree.threshold, worth.labels, False)
