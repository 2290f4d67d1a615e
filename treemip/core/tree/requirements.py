"""What a spec's own requirements leave to spare on a tree: each at the row where that is least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from treemip.core.instance.instance import Instance
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.model.tolerances import VERIFIED
from treemip.core.resolve.spec import Constraint
from treemip.core.resolve.typed import Typed
from treemip.core.tree.meaning import meaning_of, on_alike_points
from treemip.core.tree.standing import standing_for
from treemip.core.tree.tree import Tree


@dataclass(frozen=True)
class Requirement:
    """A constraint of the spec on a tree. text: as it is written. where: at which indices it is
    tightest, "" for a single row; there `left` is to be `sign` `right`, and `slack` is how far it
    is from not holding, below 0 where it does not. rows: how many there are. All of these are None
    and 0 where no row is known."""

    name: str
    text: str
    where: str = ""
    left: float | None = None
    sign: str = ""
    right: float | None = None
    slack: float | None = None
    rows: int = 0

    @property
    def holds(self) -> bool | None:
        """None where that is not known; where there is no row, nothing fails."""
        if not self.rows:
            return True
        if self.slack is None or self.left is None or self.right is None:
            return None
        return self.slack >= -VERIFIED * max(1.0, abs(self.left), abs(self.right))


def requirements_on(
    instance: Instance, tree: Tree, values: dict[str, np.ndarray]
) -> tuple[Requirement, ...]:
    """Those of the spec, in its order; of one that is asked for as a module, the rows that stand
    for it. Without a formulation only these are no part of one. instance: of the points.
    values: of the variables that the tree is read from, by family."""
    spec = instance.spec
    own = [one for one in spec.own if spec.formulation or one.asked_as]
    if not own:
        return ()
    points = on_alike_points(instance, tree, (), own)
    evaluator = Evaluator(points, meaning_of(points, tree, values))
    found = []
    for name, group in spec.own_by_name.items():
        rows = [tightest(one, evaluator) for one in group if one in own]
        if not rows:
            continue
        found.append(replace(standing_for(rows), name=name))
    return tuple(found)


def tightest(
    constraint: Constraint,
    evaluator: Evaluator,
    value: Callable[[Typed, Frame], np.ndarray] | None = None,
) -> Requirement:
    """A constraint on a tree. value: of a side, float64 (rows,); None for what the evaluator says.
    Raises TreemipError for what is undefined on the points."""
    value = value or evaluator.known
    domain, relation = constraint.domain, constraint.relation
    text = " ".join(relation.span.text.split())
    frame, _ = evaluator.sets.expand(domain.binders, domain.guard, Frame.empty())
    for name, local_set in constraint.local_sets:
        distinct, which = frame.project(local_set.free, local_set.local)
        frame = frame.with_local(name, evaluator.sets.lists(local_set, distinct), which)
    asked = np.ones(frame.size, bool)
    for guard in constraint.guards if frame.size else ():
        left, right = (evaluator.known(e, frame) for e in (guard.left, guard.value))
        asked &= np.abs(left - right) < 0.5
    found = Requirement(constraint.name, text, rows=int(asked.sum()))
    pairs = [(relation.left, relation.op, relation.right)]
    if relation.op2 is not None and relation.right2 is not None:
        pairs.append((relation.right, relation.op2, relation.right2))
    for first, sign, second in pairs if asked.any() else ():
        a, b = (np.asarray(value(e, frame), float) for e in (first, second))
        spare = np.where(asked, _spare(a, sign, b), np.nan)
        if np.isnan(spare).all():
            continue
        row = int(np.nanargmin(spare))
        if found.slack is None or spare[row] < found.slack:
            ids = [frame.column(name) for name in domain.names]
            where = evaluator.places.describe(domain.sorts, ids, row) if found.rows > 1 else ""
            numbers = float(a[row]), sign, float(b[row]), float(spare[row])
            found = Requirement(constraint.name, text, where, *numbers, found.rows)
    return found


def _spare(a: np.ndarray, sign: str, b: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        if sign == "=":
            return -np.abs(a - b)
        return b - a if sign.startswith("<") else a - b
