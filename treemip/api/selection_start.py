"""CART's tree, by which points are selected, beside the tree of a model of these points.

Zhu et al. (2020) do not compare the two. Algorithm 3 ends with the tree of its last round, and
only proven optima of errors alone, with hulls that share a leaf, promise that no round is worse
than the one before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treemip.answers.search.complete import complete
from treemip.answers.starts.cart import grow, of_cart
from treemip.answers.starts.from_tree import solution
from treemip.api.pipeline import result as result_of
from treemip.core.instance.instance import splits_by_category
from treemip.core.instance.selected import Selected
from treemip.core.model.answer import PROVEN_STATUSES, Answer
from treemip.core.model.tolerances import SAME_WORTH
from treemip.core.model.values import objective_value
from treemip.core.source.diagnostic import Diagnostic, Severity
from treemip.core.tree.objective_on import on_points
from treemip.core.tree.verify import better_by

if TYPE_CHECKING:
    from treemip.api.result import Result

REFUTED = ("infeasible", "infeasible_or_unbounded", "unbounded")
"""Statuses that a solution beside them would contradict."""


class OnAll(NamedTuple):
    """What a tree is worth on all training points. objective: by its sense, None where it rests on
    more than the tree; errors, and their weight."""

    objective: float | None
    errors: int
    weight: float
    sense: str = "minimize"

    def better_than(self, other: OnAll) -> bool:
        """By the spec's objective where both have one, else by the weight of errors."""
        if self.objective is not None and other.objective is not None:
            gain = better_by(self.sense, self.objective, other.objective)
            return gain > SAME_WORTH * max(1.0, abs(other.objective))
        return self.weight < other.weight - SAME_WORTH


def on_all(result: Result) -> OnAll:
    """Of a result with a tree, over selected points."""
    instance, tree, selected = result.compiled.instance, result.tree, result.selected
    assert tree is not None and selected is not None
    whole = selected.whole
    wrong = tree.predict_numbers(whole.inputs) != whole.y
    found = on_points(instance, tree, result.values, whole).objective
    sense = result.compiled.sense
    return OnAll(found, int(wrong.sum()), float(whole.weight[wrong].sum()), sense)


def start_result(result: Result) -> Result | None:
    """CART's tree of all points as another solution of the model that `result` is of, with the
    bound of that; None where it is none, which its splits decide as they stand."""
    compiled, selected, answer = result.compiled, result.selected, result.answer
    instance = compiled.instance
    if selected is None or selected.by != "CART" or instance.topology is None:
        return None
    if answer.status in REFUTED:
        return None
    whole = selected.whole
    inputs = whole.inputs if splits_by_category(instance.spec) else whole.x
    grown = grow(inputs, whole.y, whole.weight, len(whole.classes), instance.topology)
    completion = complete(instance, compiled.stated, of_cart(instance, grown), as_given=True)
    values = solution(compiled.stated, compiled.model, completion)
    if values is None:
        return None
    status = "feasible" if answer.status in PROVEN_STATUSES else answer.status
    begun = Answer(
        status,
        values,
        objective_value(compiled.model, values),
        answer.bound,
        None,
        0.0,
        None,
        "cart",
        "",
        proven_by=answer.proven_by,
    )
    begun_result = result_of(compiled, begun, {}, [])
    return begun_result if begun_result.tree is not None and begun_result.verified else None


def beside_cart(result: Result) -> Result:
    """The result, with a warning where CART's tree is better on all points (W605)."""
    selected = result.selected
    if result.tree is None or selected is None or selected.by != "CART":
        return result
    own, begun = on_all(result), start_result(result)
    if begun is not None:
        cart = on_all(begun)
    else:
        weight = float(selected.errors) if _counts_one(selected) else np.inf
        cart = OnAll(None, selected.errors, weight)
    if not cart.better_than(own):
        return result
    note = worse_than_cart(own, cart, selected, begun is not None)
    return replace(result, warnings=[*result.warnings, note])


def _counts_one(selected: Selected) -> bool:
    return bool((selected.whole.weight == 1).all())


def worse_than_cart(own: OnAll, cart: OnAll, selected: Selected, feasible: bool) -> Diagnostic:
    """W605 for a tree that is worse on all points than CART's. feasible: whether CART's tree is a
    solution of the model."""
    points = f"{selected.points} points"
    message = f"on all {points} the tree makes {own.errors} errors, and CART's tree {cart.errors}"
    if own.objective is not None and cart.objective is not None:
        values = f"{own.objective:.6g}, and that of CART's tree {cart.objective:.6g}"
        message = f"on all {points} the objective of the tree is {values}"
    remedy = "leave out select, or select more points: select hull;  keeps all extreme ones"
    if feasible:
        remedy += "; select iterative;  returns CART's tree where no round is better"
    else:
        message += "; CART's tree is no solution of this model as it stands"
    return Diagnostic("W605", message, None, remedy, severity=Severity.WARNING)
