"""The Local SVM heuristic of MARGOT: a start whose hyperplanes are found from the root down.

D'Onofrio, Grani, Monaci, Palagi: Margin optimal classification trees (2023), Algorithm 1. At every
branch the model's own problem of that branch alone is solved for the points that reach it; then the
hyperplane sends them on. Budgets and prices of features are those of the model.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.value_sources import Solution
from treemip.model.answer import Answer
from treemip.model.blocks import fixed_columns
from treemip.model.model import Model
from treemip.resolve.sorts import Degree
from treemip.resolve.typed import Role
from treemip.source.diagnostic import Diagnostic
from treemip.strategy.concepts import NoStart
from treemip.strategy.node_model import NodeModels

Solve = Callable[[Model], Answer]
NEEDED = ("coef", "slack", "reach")


def local_svm(instance: Instance, model: Model, solve: Solve) -> Answer:
    """The heuristic's solution of `model`, the reformed one, as an answer with its columns.

    `solve` solves the branches' problems and, at the end, the model with the routing fixed: the
    hyperplanes are what they were, but for points within eps of one on its left, which no
    side takes; there the hyperplane is moved. An answer without values says why there is none.
    Raises NoStart for a formulation without margins, for models with nonlinear functions, and
    where indicators or special ordered sets say what holds of the points of a branch.
    """
    _require_margins(instance, model)
    parts = NodeModels(instance, model)
    _require_rows(parts)
    values = np.full(model.column_count, np.nan)
    leaf, stopped = _grow(instance, parts, values, solve)
    if stopped is not None:
        return stopped
    routed = parts.routed(leaf)
    values[parts.routing] = routed[parts.routing]
    whole = ~np.isnan(values) & (parts.routing | model.integer)
    answer = solve(replace(model, variables=fixed_columns(model.variables, whole, values)))
    if answer.values is None and answer.status != "interrupted":
        whole &= parts.routing
        answer = solve(replace(model, variables=fixed_columns(model.variables, whole, values)))
    return answer


def _grow(
    instance: Instance, parts: NodeModels, values: np.ndarray, solve: Solve
) -> tuple[np.ndarray, Answer | None]:
    """Fills in the branches' columns; each point's leaf, and the answer that ended it early."""
    topology = instance.topology
    assert topology is not None
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
    known = {b.name: values[b.start : b.stop] for b in model.variables}
    evaluator = Evaluator(instance, Solution(known))
    frame = Frame(len(points), {"t": np.full(len(points), branch), "i": points})
    left, right = (evaluator.known(side, frame) for side in (route.left, route.right))
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    return np.asarray(compare[route.op](left, right))


def _require_margins(instance: Instance, model: Model) -> None:
    concepts = instance.spec.concepts
    label = concepts.get("label")
    by_side = label is not None and label.role is Role.LET and label.degree is Degree.KNOWN
    route = instance.spec.route
    if not by_side or any(name not in concepts for name in NEEDED) or route is None:
        raise NoStart(
            Diagnostic.outside(
                "E205",
                "it needs hyperplanes with a class on each side and slack",
                "it is for margin trees, such as margot; others begin with: start cart;",
            )
        )
    if model.tape.steps:
        raise NoStart(
            Diagnostic.outside(
                "E601",
                "it does not know nonlinear functions",
                "leave it out",
            )
        )


def _require_rows(parts: NodeModels) -> None:
    """What a row asks of the points that reach a branch is read off the big-M that stands in it."""
    model = parts.model
    guarded = any(parts.routing[block.guard.indices].any() for block in model.implications)
    if guarded or model.special_sets:
        raise NoStart(
            Diagnostic.outside(
                "E601",
                "it needs implications of where points go as big-M rows",
                "leave it out, or add --implications big_m",
            )
        )


def within(seconds: float | None, solve: Callable[[Model, float | None], Answer]) -> Solve:
    """`solve` with what is left of `seconds`, counted from the first call on."""
    began: list[float] = []

    def timed(model: Model) -> Answer:
        now = time.perf_counter()
        began.append(now)
        return solve(model, None if seconds is None else max(0.0, seconds - (now - began[0])))

    return timed
