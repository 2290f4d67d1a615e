"""Which of a spec's own constraints a tree keeps on other points than it was learned from."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from treemip.core.instance.encoded_table import Table
from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.model.tolerances import NO_SLACK
from treemip.core.resolve import typed as t
from treemip.core.resolve.spec import Constraint
from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.counts_of_points import ScaledCounts, Uncountable
from treemip.core.tree.objective_on import RowsOfTree
from treemip.core.tree.requirements import Requirement, tightest
from treemip.core.tree.standing import standing_for
from treemip.core.tree.tree import Tree


@dataclass(frozen=True)
class Kept:
    """A constraint on some points. holds: None where that is not known. why: by how much it fails,
    or why it is not known. slack: of one with `<=` or `>=` that holds, how far its sides are apart
    at its tightest row. of: "points" or "weights" where it compares a count of them, on another
    number than the tree was learned from: then the shares are compared, and `slack` is one."""

    name: str
    holds: bool | None
    why: str = ""
    slack: float | None = None
    of: str = ""

    @property
    def text(self) -> str:
        """`holds, slack 0.05`, `fails by 0.2`, or `not known` and why."""
        if self.holds is None:
            return f"not known: {self.why}"
        if not self.holds:
            return f"fails {self.why}"
        return "holds" if self.slack is None else f"holds, slack {_amount(self.slack, self.of)}"


def to_spare(slack: float) -> str:
    """A slack to four digits; one that is rounding error is 0."""
    return "0" if abs(slack) < NO_SLACK else f"{slack:.4g}"


def _amount(number: float, of: str) -> str:
    return f"{to_spare(100 * number)} % of the {of}" if of else to_spare(number)


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
    name, wanted = constraint.name, _expressions(constraint)
    try:
        instance, meaning = rows.meaning(wanted)
        evaluator = Evaluator(instance, meaning)
        meaning.taken.clear()
        found = tightest(constraint, evaluator)
        if meaning.taken:
            return Kept(name, None, f"'{next(iter(meaning.taken))}' has no meaning on the tree")
        counts = ScaledCounts(rows, wanted, evaluator)
        if counts.apply(constraint):
            return _on_shares(constraint, evaluator, counts)
    except TreemipError as error:  # such as a division by zero on these points
        return Kept(name, None, error.diagnostics[0].message)
    return _said(name, found)


def _on_shares(constraint: Constraint, evaluator: Evaluator, counts: ScaledCounts) -> Kept:
    """Where a count is compared, with shares of the points in its place."""
    try:
        found = tightest(constraint, evaluator, counts.value)
    except Uncountable:
        why = "it depends on the number of rows, which is another one here"
        return Kept(constraint.name, None, why)
    weighted = len(np.unique(counts.weights)) > 1
    return _said(constraint.name, found, counts.as_many, "weights" if weighted else "points")


def _said(name: str, found: Requirement, count: float = 1.0, of: str = "") -> Kept:
    """count: of the points of whom the slack is to be a share."""
    if found.holds is None:
        return Kept(name, None, "it is undefined on these rows")
    if found.holds:
        slack = None if found.slack is None or found.sign == "=" else found.slack / count
        return Kept(name, True, "", slack, of)
    place = f" for {found.where}" if found.where else ""
    amount = -(found.slack or 0.0) / count
    by = f"{100 * amount:.3g} % of the {of}" if of else f"{amount:.3g}"
    return Kept(name, False, f"by {by}{place}", None, of)
