"""What the rules of a spec say of its trees, whatever its variables and rows are called."""

from __future__ import annotations

import numpy as np

from treemip.instance.instance import Instance
from treemip.lower.evaluate import Evaluator
from treemip.lower.value_sources import Solution, mentioned
from treemip.resolve.sorts import FEATURE
from treemip.resolve.typed import Role
from treemip.tree.readout import splits


def unsplit_left(instance: Instance) -> bool:
    """Where the route sends the points of a branch whose variables are all 0.

    Where each branch has a split, there may be no threshold then, and it does not matter.
    """
    names = Evaluator(instance, Solution({}))
    zero = {s.name: np.zeros(names.places.domain_frame(s).size) for s in instance.spec.variables}
    _, threshold, strict = splits(instance, zero)
    return not (threshold[0] <= 0 if strict else threshold[0] < 0)


def listed_thresholds(instance: Instance) -> list[np.ndarray] | None:
    """The thresholds that splits of each feature choose from, increasing, float64 (k,) each; None
    where the route does not read them off a search tree over numbers, one for each feature."""
    route = instance.spec.route
    assert route is not None and route.left is not None and route.right is not None
    codes = [s for s in mentioned(route.left, route.right) if s.role is Role.TREE]
    if len(codes) != 1 or codes[0].sorts != (FEATURE,):
        return None
    code = instance.trees[codes[0].name]
    ends = code.leaves
    return [
        np.sort(code.values["mid"][ends[code.family[ends] == j]])
        for j in range(len(instance.table.features))
    ]
