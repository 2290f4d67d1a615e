"""The Local SVM heuristic of MARGOT: a start whose hyperplanes are found from the root down.
D'Onofrio, Grani, Monaci, Palagi: Margin optimal classification trees (2023), Algorithm 1. At each
branch, the model's own problem of that branch is solved for the points that reach it; then the
hyperplane sends them on. What belongs to a branch is found by the indices of columns and rows, so
that budgets, prices of features and whatever else a spec says of one branch are part of it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from treemip.answers.search.hyperplane_columns import NONE, positions
from treemip.answers.starts.concepts import no_start, require_classes
from treemip.answers.starts.fixed import failing_rows
from treemip.answers.starts.problem import (
    Asked,
    NamedStart,
    Problem,
    Solve,
    WarmStart,
    remaining,
)
from treemip.answers.starts.start_notes import infeasible, not_completed, remark
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.value_sources import Meaning, Solution, mentioned
from treemip.core.model.answer import Answer
from treemip.core.model.blocks import Rows, Variables
from treemip.core.model.model import Model
from treemip.core.model.sparse_rows import some_rows
from treemip.core.model.values import objective_value
from treemip.core.resolve.sorts import Degree
from treemip.core.resolve.typed import Role, Symbol, at_all

NEEDED = ("coef", "slack", "reach")


def local_svm(instance: Instance, model: Model, solve: Solve) -> Answer:
    """The heuristic's solution of `model`, the reformed one, as an answer with its columns.

    `solve` solves the branches' problems and, at the end, the model with the routing fixed: the
    hyperplanes are what they were, but for points within eps of one on its left, which no
    side takes; there the hyperplane is moved. An answer without values says why there is none.
    Raises NoStart for a formulation without margins, for models with nonlinear functions, and
    where indicators or special ordered sets say what holds of the points of a branch.
    """
    require_margins(instance, model)
    parts = NodeModels(instance, model)
    _require_rows(parts)
    values = np.full(model.column_count, np.nan)
    leaf, stopped = _grow(instance, parts, values, solve)
    if stopped is not None:
        return stopped
    routed = parts.routed(leaf)
    values[parts.routing] = routed[parts.routing]
    whole = ~np.isnan(values) & (parts.routing | model.integer)
    answer = solve(model.with_fixed(whole, values))
    if answer.values is None and answer.status != "interrupted":
        whole &= parts.routing
        answer = solve(model.with_fixed(whole, values))
    return answer


def _grow(
    instance: Instance, parts: NodeModels, values: np.ndarray, solve: Solve
) -> tuple[np.ndarray, Answer | None]:
    """Fills in the branches' columns; each point's leaf, and the answer that ended it early."""
    topology = instance.nodes
    at = np.zeros(len(instance.table.y), np.int64)
    for branch in topology.branches[np.argsort(topology.depth[topology.branches], kind="stable")]:
        points = at == branch
        answer = solve(parts.of_branch(int(branch), points))
        if answer.values is None:
            return at, answer
        own = parts.own_columns(int(branch))
        values[own] = answer.values[: len(values)][own]
        values[own & parts.model.integer] = np.round(values[own & parts.model.integer])
        left = _goes_left(instance, parts.model, values, int(branch), np.flatnonzero(points))
        here = np.flatnonzero(points)
        at[here] = np.where(left, topology.left[branch], topology.right[branch])
    return at, None


def _goes_left(
    instance: Instance, model: Model, values: np.ndarray, branch: int, points: np.ndarray
) -> np.ndarray:
    """Which of the points the branch sends left, bool, by the formulation's route rule."""
    route = instance.spec.route
    assert route is not None and route.left is not None and route.right is not None
    known = model.by_name(values)
    evaluator = Evaluator(instance, Solution(known))
    frame = Frame(len(points), {"t": np.full(len(points), branch), "i": points})
    left, right = (evaluator.known(side, frame) for side in (route.left, route.right))
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    return np.asarray(compare[route.op](left, right))


def require_margins(instance: Instance, model: Model) -> None:
    """Raises NoStart for a formulation without margins and for models with nonlinear functions."""
    concepts = instance.spec.concepts
    label = concepts.get("label")
    by_side = label is not None and label.role is Role.LET and label.degree is Degree.KNOWN
    route = instance.spec.route
    if not by_side or any(name not in concepts for name in NEEDED) or route is None:
        raise no_start(
            "it needs hyperplanes with slack and one class on each side",
            "it is for margin trees, such as margot; for others use: start cart;",
        )
    if model.tape.steps:
        raise no_start("nonlinear functions are not supported", code="E601")


def _require_rows(parts: NodeModels) -> None:
    """What a row asks of the points that reach a branch is read off the big-M that stands in it."""
    model = parts.model
    guarded = any(parts.routing[block.guard.indices].any() for block in model.implications)
    if guarded or model.special_sets:
        remedy = "leave it out, or add --implications big_m"
        raise no_start("it needs implications about routing as big-M rows", remedy, "E601")


class NodeModels:
    """`model`'s columns by what they are about. The model is a reformed one without a tape.

    node, point: int64 (columns,), the node and point numbers that a column's indices name, or -1.
    routing: bool (columns,), the columns that say how points go: those of the concept reach.
    """

    def __init__(self, instance: Instance, model: Model) -> None:
        self.instance, self.model = instance, model
        self.node = np.full(model.column_count, NONE)
        self.point = np.full(model.column_count, NONE)
        for block in model.variables:
            self.node[block.start : block.stop] = positions(instance, block.index, "node")
            self.point[block.start : block.stop] = positions(self.instance, block.index, "point")
        self.routing = self._routing()

    def of_branch(self, branch: int, points: np.ndarray) -> Model:
        """The branch's problem for these points: bool (N,).

        Columns of others are 0, rows with other columns are left out, and so are rows whose
        activity depends on where a point goes from here.
        """
        own = (self.node == branch) & ~self.routing
        own &= (self.point == NONE) | points[self.point]
        shared = (self.node == NONE) & (self.point == NONE) & ~self.model.integer
        ways = np.stack([self.routed(np.full(len(points), leaf)) for leaf in self._below(branch)])
        rows = tuple(
            part
            for block in self.model.rows
            for part in self._rows(block, own, own | shared, points, ways)
        )
        empty = np.zeros(self.model.column_count)
        return replace(self.model, rows=rows).with_fixed(~(own | shared), empty)

    def own_columns(self, branch: int) -> np.ndarray:
        """bool (columns,): what the branch decides."""
        return (self.node == branch) & ~self.routing

    def routed(self, leaf: np.ndarray) -> np.ndarray:
        """float64 (columns,): routing columns where each point ends in its leaf, int64 (N,).

        Other columns are nan, and so are routing columns that have no meaning on a tree.
        """
        topology = self.instance.nodes
        path = np.zeros((len(leaf), topology.size))
        at, rows = leaf.copy(), np.arange(len(leaf))
        while len(rows):
            path[rows, at] = 1.0
            at = topology.parent[at]
            rows, at = rows[at >= 0], at[at >= 0]
        source = Meaning({"routed": path.ravel()}, {})
        values = np.full(self.model.column_count, np.nan)
        evaluator = Evaluator(self.instance, source)
        for block, symbol in self._routing_blocks():
            frame = evaluator.places.domain_frame(symbol)
            known = evaluator.known(at_all(symbol), frame)
            values[block.start : block.stop] = np.asarray(known, float)
        return values

    def _rows(
        self, block: Rows, own: np.ndarray, known: np.ndarray, points: np.ndarray, ways: np.ndarray
    ) -> Iterator[Rows]:
        row, column, coef = block.matrix.row_of, block.matrix.indices, block.matrix.data
        q = block.quadratic
        mine, other = np.zeros(block.length, bool), np.zeros(block.length, bool)
        for rows, columns in ((row, column), (q.row, q.first), (q.row, q.second)):
            mine[rows[own[columns]]] = True
            other[rows[~known[columns] & ~self.routing[columns]]] = True
        place = positions(self.instance, block.index, "point")
        other |= (place != NONE) & ~points[place]
        route = self.routing[column]
        moved = np.stack(
            [
                np.bincount(row[route], coef[route] * way[column[route]], block.length)
                for way in ways
            ]
        )
        with np.errstate(invalid="ignore"):
            settled = np.ptp(moved, axis=0) == 0
        keep = np.flatnonzero(mine & ~other & settled)
        if len(keep):
            rest = replace(block, lower=block.lower - moved[0], upper=block.upper - moved[0])
            yield some_rows(rest, keep)

    def _below(self, branch: int) -> np.ndarray:
        topology = self.instance.nodes
        return topology.leaves_under.take(np.array([branch])).items

    def _routing_blocks(self) -> list[tuple[Variables, Symbol]]:
        symbols = {s.name: s for s in self.instance.spec.variables}
        return [
            (block, symbols[block.name])
            for block in self.model.variables
            if block.length and self.routing[block.start] and block.name in symbols
        ]

    def _routing(self) -> np.ndarray:
        """The families that `reach` is made of."""
        every = mentioned(at_all(self.instance.spec.concepts["reach"]))
        names = {s.name for s in every if s.role is Role.VARIABLE}
        routing = np.zeros(self.model.column_count, bool)
        for block in self.model.variables:
            routing[block.start : block.stop] = block.name in names
        return routing


# ------------------------------------------------------------------------------------ as a start


def _begin(problem: Problem, _: Asked) -> WarmStart:
    kind, model, limits = "local_svm", problem.model, problem.limits
    tried, began = model, time.perf_counter()

    def solve(one: Model) -> Answer:
        nonlocal tried
        tried = one
        return problem.complete(one)

    answer = local_svm(problem.instance, model, solve)
    values = None if answer.values is None else answer.values[: model.column_count]
    if answer.status == "interrupted":
        return WarmStart(stopped=replace(answer, values=values, bound=None, gap=None))
    if values is not None:
        message = f"the {kind} start has the objective {objective_value(model, values):.9g}"
        return WarmStart(values, (remark(message),))  # its paper compares by it
    if answer.status != "infeasible":
        return WarmStart(notes=(not_completed(kind, answer.status, limits),))
    rest = remaining(limits, time.perf_counter() - began)
    return infeasible(kind, failing_rows(problem.instance, tried, rest), model)


def _require(problem: Problem) -> None:
    require_classes(problem.instance)
    require_margins(problem.instance, problem.model)


START = NamedStart("the Local SVM heuristic's routing", _begin, _require)
