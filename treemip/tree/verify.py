"""Verification: the solver's numbers and the tree's own meaning must agree.

Every training point is routed by the decoded tree, every objective term recomputed from what
the tree means, every row of the unreformed model evaluated at the solution, and the spec's own
side constraints evaluated once more on the tree. Nothing here knows a solver.
"""

from __future__ import annotations

import numpy as np

from treemip.frozen import dataclass
from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.frame import Frame
from treemip.lower.known import Meaning, Solution
from treemip.model.model import Model
from treemip.model.tolerances import VERIFIED
from treemip.resolve import typed as t
from treemip.tree.randomized import RandomizedTree
from treemip.tree.randomized_readout import chances_of_solution
from treemip.tree.repair import astray
from treemip.tree.rows import Violation, constraint_violation, model_violations
from treemip.tree.tree import Tree

SHOWN = 8


@dataclass(frozen=True)
class TermReport:
    """An addend of the objective: in the solver's solution, and on the tree."""

    text: str
    solution: float
    tree: float


@dataclass(frozen=True)
class VerifyReport:
    """What was checked. `problems` is empty exactly when `verified`."""

    points: int
    errors: int
    objective: float | None
    tree_objective: float | None
    terms: tuple[TermReport, ...]
    misrouted: tuple[int, ...]
    violations: tuple[Violation, ...]
    side_violations: tuple[Violation, ...]
    problems: tuple[str, ...]
    repaired: tuple[int, ...] = ()
    not_recomputed: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        return not self.problems


def verify(
    instance: Instance,
    model: Model | None,
    values: dict[str, np.ndarray],
    tree: Tree,
    solution_end: np.ndarray | None,
    repaired: tuple[int, ...] = (),
) -> VerifyReport:
    """Compare tree and solution. `model` is the unreformed one; None when it is not at hand.

    solution_end: int64 (N,), the node the solution ends each point in, as `routed_by_solution`.
    """
    table = instance.table
    misrouted = _misrouted(instance, tree, values, solution_end)
    violations = tuple(model_violations(model, values)) if model is not None else ()
    meaning = meaning_of(instance, tree, values)
    terms, claimed, own = _terms(instance, values, meaning)
    side = _side_constraints(instance, meaning)
    errors = int((tree.predict_numbers(table.inputs) != table.y).sum())
    problems = [
        *routing_problem(misrouted),
        *_objective_problem(instance, claimed, own),
        *(f"the solution violates {v.text()}" for v in violations[:SHOWN]),
        *(f"the tree violates {v.text()}" for v in side[:SHOWN]),
    ]
    return VerifyReport(
        len(table.y),
        errors,
        claimed,
        own,
        terms,
        misrouted,
        violations,
        side,
        tuple(problems),
        repaired,
        tuple(sorted(meaning.unknown)),
    )


def meaning_of(instance: Instance, tree: Tree, values: dict[str, np.ndarray]) -> Meaning:
    """The source of values that knows the tree: routed, given_label and what follows from them."""
    path = tree.path(instance.table.inputs).astype(float)
    return Meaning({"routed": path.ravel(), "given_label": tree.label_table.ravel()}, values)


def _misrouted(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], end: np.ndarray | None
) -> tuple[int, ...]:
    """Row numbers of the points that the tree routes otherwise than the solution.

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


def _terms(
    instance: Instance, values: dict[str, np.ndarray], meaning: Meaning
) -> tuple[tuple[TermReport, ...], float | None, float | None]:
    said = instance.spec.objective
    if said is None:
        return (), None, None
    here = Evaluator(instance, Solution(values))
    there = Evaluator(instance, meaning)
    made = []
    for sign, part in addends(said.value):
        solution = sign * float(here.known(part, Frame.empty())[0])
        tree = sign * float(there.known(part, Frame.empty())[0])
        text = " ".join(part.span.text.split())
        made.append(TermReport(text if sign > 0 else f"-({text})", solution, tree))
    return tuple(made), sum(m.solution for m in made), sum(m.tree for m in made)


def addends(expression: t.Typed, sign: float = 1.0) -> list[tuple[float, t.Typed]]:
    """The terms of a sum with their signs."""
    if isinstance(expression, t.Arithmetic) and expression.op in "+-":
        second = sign if expression.op == "+" else -sign
        return addends(expression.left, sign) + addends(expression.right, second)
    return [(sign, expression)]


def routing_problem(misrouted: tuple[int, ...]) -> list[str]:
    """What is said of rows that the tree routes otherwise, if there are any."""
    if not misrouted:
        return []
    rows = ", ".join(str(r) for r in misrouted[:SHOWN])
    more = f" and {len(misrouted) - SHOWN} more" if len(misrouted) > SHOWN else ""
    return [
        f"the tree routes {len(misrouted)} points otherwise than the solution: rows {rows}{more}"
    ]


def _objective_problem(instance: Instance, claimed: float | None, own: float | None) -> list[str]:
    """The tree may be better than an unproven solution claims, never worse."""
    if claimed is None or own is None:
        return []
    if not np.isfinite(own):
        return ["the objective cannot be recomputed from the tree"]
    said = instance.spec.objective
    assert said is not None
    worse = own - claimed if said.sense == "minimize" else claimed - own
    if worse <= VERIFIED * max(1.0, abs(claimed)):
        return []
    return [f"the solution's objective is {claimed:.9g}, but the tree's own is {own:.9g}"]


def _side_constraints(instance: Instance, meaning: Meaning) -> tuple[Violation, ...]:
    """The spec's own constraints with everything in its meaning on the tree."""
    evaluator = Evaluator(instance, meaning)
    found: list[Violation] = []
    for constraint in instance.spec.constraints:
        if constraint.module == "spec":
            found += constraint_violation(constraint, instance, evaluator)
    return tuple(found)
