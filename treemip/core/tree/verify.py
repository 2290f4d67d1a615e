"""Verification: the solver's numbers and the tree's own meaning must agree.

Every training point is routed by the decoded tree, every objective term recomputed from what
the tree means, every row of the unreformed model evaluated at the solution, and the spec's own
side constraints evaluated once more on the tree. Nothing here knows a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.telling_points import evaluator_at
from treemip.core.lower.value_sources import Solution
from treemip.core.model.model import Model
from treemip.core.model.tolerances import VERIFIED
from treemip.core.tree.from_values import values_of
from treemip.core.tree.meaning import Recomputed, Taken, objective_addends, recomputed_as
from treemip.core.tree.randomized import RandomizedTree
from treemip.core.tree.readout import chances_of_solution
from treemip.core.tree.repair import astray
from treemip.core.tree.residuals import Violation, model_violations
from treemip.core.tree.tree import Tree

SHOWN = 8


Verdict = Literal["verified", "verified in part", "not verified"]


@dataclass(frozen=True)
class TermReport:
    """An addend of the objective: in the solver's solution, and on the tree.

    `taken` names the variables without a meaning whose values it took from the solution.
    """

    text: str
    solution: float
    tree: float
    taken: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerifyReport:
    """What was checked.

    `errors` is None where leaves do not predict the label's classes. `problems` is what is wrong.
    `taken` is what could not be recomputed from the tree, since it depends on variables that have
    no `means`: a tree with neither is verified, one without problems verified in part.
    """

    points: int
    errors: int | None
    objective: float | None
    tree_objective: float | None
    terms: tuple[TermReport, ...]
    misrouted: tuple[int, ...]
    violations: tuple[Violation, ...]
    side_violations: tuple[Violation, ...]
    problems: tuple[str, ...]
    repaired: tuple[int, ...] = ()
    taken: tuple[Taken, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return verdict_of(self.problems, self.taken)

    @property
    def verified(self) -> bool:
        return self.verdict == "verified"


def verdict_of(problems: Sequence[object], taken: Sequence[object]) -> Verdict:
    if problems:
        return "not verified"
    return "verified in part" if taken else "verified"


def verify(
    instance: Instance,
    model: Model | None,
    values: dict[str, np.ndarray],
    tree: Tree,
    solution_end: np.ndarray | None,
    repaired: tuple[int, ...] = (),
    moved: bool = False,
) -> VerifyReport:
    """Compare tree and solution. `model` is the unreformed one; None when it is not at hand.

    solution_end: int64 (N,), the node the solution ends each point in, as `routed_by_solution`.
    repaired, moved: as of a `Reading`.

    What the tree means is computed exactly first. Only where that disagrees with the solution,
    comparisons inside `means` get the tolerance of rows, and all of them the same way: numbers
    that rows cannot tell apart are equal. So a verdict holds under one reading of every comparison,
    and no tie is resolved to suit a single row.
    """
    table = instance.table
    misrouted = _misrouted(instance, tree, values, solution_end)
    violations = tuple(model_violations(model, values)) if model is not None else ()
    claims = _claims(instance, values)
    errors = errors_of(tree, table)
    apart = [
        *routing_problem(misrouted),
        *_prediction_problem(instance, values, tree),
        *(f"the solution violates {v.text()}" for v in violations[:SHOWN]),
    ]
    on_tree, disagree = recomputed_as(
        instance, tree, values, lambda other: _disagreements(instance, claims, other), moved
    )
    return VerifyReport(
        len(table.y),
        errors,
        sum(claims) if claims else None,
        on_tree.objective,
        tuple(
            TermReport(t.text, claim, t.value, t.taken)
            for t, claim in zip(on_tree.terms, claims, strict=True)
        ),
        misrouted,
        violations,
        on_tree.side_violations,
        tuple(apart + disagree),
        repaired,
        on_tree.taken,
    )


def _misrouted(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], end: np.ndarray | None
) -> tuple[int, ...]:
    """Row numbers of the points that the tree and the solution route differently.

    Where splits are randomized: that reach some leaf with another probability.
    """
    table = instance.table
    if isinstance(tree, RandomizedTree):
        chances = chances_of_solution(instance, values)
        if chances is None:
            return ()
        own = tree.path(table.inputs)[:, tree.topology.leaves]
        other = ~(np.abs(own - chances).max(axis=1) <= VERIFIED)
    elif end is None:
        return ()
    else:
        other = astray(tree, table.inputs, end)
    return tuple(int(r) for r in table.row_numbers[other])


def errors_of(tree: Tree, table: Table) -> int | None:
    """How many points are given another class than theirs; None where leaves do not predict the
    label's classes."""
    if not tree.predicts_label:
        return None
    return int((tree.predict_numbers(table.inputs) != table.y).sum())


def _prediction_problem(instance: Instance, values: dict[str, np.ndarray], tree: Tree) -> list[str]:
    """The problem with points for which the solution has another value than the tree."""
    symbol, table = instance.spec.concepts.get("predicted"), instance.table
    if symbol is None or tree.answer.kind != "value":
        return []
    own = tree.values(table.inputs)
    claimed = values_of(symbol, Evaluator(instance, Solution(values)))
    other = ~(np.abs(own - claimed) <= VERIFIED * np.maximum(1.0, np.abs(own)))
    if not other.any():
        return []
    count, rows = int(other.sum()), _rows(table.row_numbers[other].tolist())
    return [f"the tree predicts other values than the solution for {count} points: {rows}"]


def _claims(instance: Instance, values: dict[str, np.ndarray]) -> list[float]:
    """The terms of the objective in the solution."""
    addends = objective_addends(instance)
    evaluator = evaluator_at(instance, values, [part for _, part in addends])
    return [sign * float(evaluator.known(part, Frame.empty())[0]) for sign, part in addends]


def routing_problem(misrouted: tuple[int, ...]) -> list[str]:
    """The problem with points that the tree routes otherwise, if there are any."""
    if not misrouted:
        return []
    count, rows = len(misrouted), _rows(misrouted)
    return [f"the tree routes {count} points differently from the solution: {rows}"]


def _rows(numbers: Sequence[int]) -> str:
    more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
    return f"rows {', '.join(map(str, numbers[:SHOWN]))}{more}"


def _disagreements(instance: Instance, claims: list[float], on_tree: Recomputed) -> list[str]:
    return [
        *_objective_problem(instance, sum(claims), on_tree),
        *(f"the tree violates {v.text()}" for v in on_tree.side_violations[:SHOWN]),
    ]


def _objective_problem(instance: Instance, claimed: float, on_tree: Recomputed) -> list[str]:
    """The tree may be better than an unproven solution claims, never worse."""
    own, objective = on_tree.objective, instance.spec.objective
    if own is None or objective is None:
        return []
    if not np.isfinite(own):
        return ["the objective cannot be recomputed from the tree"]
    if better_by(objective.sense, claimed, own) <= VERIFIED * max(1.0, abs(claimed)):
        return []  # not so where the claim is no number
    return [f"the solution's objective is {claimed:.9g}, but the tree's own is {own:.9g}"]


def better_by(sense: str, value: float, other: float) -> float:
    """By how much the first of two objective values is better; negative where it is worse."""
    return other - value if sense == "minimize" else value - other
