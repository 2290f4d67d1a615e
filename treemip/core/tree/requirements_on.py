"""Which of a spec's own constraints a tree keeps on other points than it was learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.instance.table import Table
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.model.tolerances import NO_SLACK
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Constraint
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.objective_on import RowsOfTree
from treemip.core.tree.residuals import constraint_violation
from treemip.core.tree.standing import standing_for
from treemip.core.tree.tree import Tree


@dataclass(frozen=True)
class Kept:
    """A constraint on some points. holds: None where that is not known. why: by how much it fails,
    or why it is not known. slack: of one without indices that holds, how far its sides are
    apart at least; None of others."""

    name: str
    holds: bool | None
    why: str = ""
    slack: float | None = None

    @property
    def text(self) -> str:
        """`holds, slack 0.05`, `fails by 0.2`, or `not known` and why."""
        if self.holds is None:
            return f"not known: {self.why}"
        if not self.holds:
            return f"fails {self.why}"
        return "holds" if self.slack is None else f"holds, slack {to_spare(self.slack)}"


def to_spare(slack: float) -> str:
    """A slack to four digits; one that is rounding error is 0."""
    return "0" if abs(slack) < NO_SLACK else f"{slack:.4g}"


def constraints_on(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray], table: Table
) -> list[Kept]:
    """The spec's own constraints, in order, those of a requirement as one; arguments as of
    `on_points`."""
    expressions = tuple(e for each in instance.spec.own for e in _expressions(each))
    rows = RowsOfTree(instance, tree, values, table, expressions)
    found = instance.spec.own_by_name
    kept = {name: standing_for([_kept(c, rows) for c in group]) for name, group in found.items()}
    return [replace(one, name=name) for name, one in kept.items()]


def _expressions(constraint: Constraint) -> tuple[t.Typed, ...]:
    local = (local_set for _, local_set in constraint.local_sets)
    return (*constraint.sides, *constraint.domain.inside, *local)


def _kept(constraint: Constraint, rows: RowsOfTree) -> Kept:
    try:
        instance, meaning = rows.meaning(_expressions(constraint))
        evaluator = Evaluator(instance, meaning)
        meaning.taken.clear()
        violations = constraint_violation(constraint, evaluator)
        if meaning.taken:
            return Kept(
                constraint.name, None, f"'{next(iter(meaning.taken))}' has no meaning on the tree"
            )
        scalar = not constraint.domain.binders and not constraint.local_sets
        sides = [_number(side, evaluator) for side in constraint.sides] if scalar else []
        if np.isnan(sides).any():
            return Kept(constraint.name, None, "it is undefined on these rows")
    except TreemipError as error:  # such as a division by zero on these points
        return Kept(constraint.name, None, error.diagnostics[0].message)
    if not violations:
        apart = np.abs(np.diff(sides)) if scalar and not constraint.guards else np.zeros(0)
        return Kept(constraint.name, True, "", float(apart.min()) if len(apart) else None)
    worst = violations[0]
    place = f" for {worst.where}" if worst.where else ""
    return Kept(constraint.name, False, f"by {worst.amount:.3g}{place}")


def _number(side: t.Typed, evaluator: Evaluator) -> float:
    """A side without indices; NaN where it is undefined."""
    return float(np.asarray(evaluator.known(side, Frame.empty()), float).ravel()[0])
