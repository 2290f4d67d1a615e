"""A small spec with a solution, and trees made by hand."""

from __future__ import annotations

from functools import cache

import numpy as np

import treemip
from treemip.api.compiled import Compiled
from treemip.api.result import Result
from treemip.core.instance.trees import from_heap
from treemip.core.tree.answers import ClassAnswer
from treemip.core.tree.tree import Tree
from treemip.core.tree.verify import VerifyReport, verify

X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 5.0], [3.0, 3.0], [4.0, 5.0], [5.0, 3.0]])
Y = np.array(["no", "no", "no", "yes", "yes", "yes"])


def compiled(formulation: str = "soct", kind: str = "oblique", rows: str = "") -> Compiled:
    text = (
        'data "t" { label class; scale minmax; } topology complete(depth = 1);'
        f"split {kind} by {formulation}; {rows}"
    )
    return treemip.loads(text, (X, Y)).compile()


LEFT = Y == "no"
"""The points that go left in the solution: each of them is 0.1 or more from its hyperplane."""

SOLUTION = {
    "active": np.ones(1),
    "reach": np.column_stack([np.ones(6), LEFT, ~LEFT]).astype(float).ravel(),
    "label": np.array([1.0, 0.0, 0.0, 1.0]),
    "hit": np.column_stack([LEFT, ~LEFT]).astype(float).ravel(),
    "coef": np.array([1.0, 0.0]),
    "bias": np.array([0.5]),
    "abs": np.array([1.0, 0.0]),
}
"""An optimum, by name as in `Result.values`. Solvers find others, some with points on the
hyperplane, which rounding sends to either side."""


@cache
def solved(bias: float = 0.5) -> Result:
    """The solution as a result, with another threshold that parts the same points."""
    made, found = compiled(), {**SOLUTION, "bias": np.array([bias])}
    columns = np.concatenate([found[block.name] for block in made.model.variables])
    result = made.tree_of(columns, "hand")
    assert result.verified and result.tree is not None and result.train_errors == 0
    assert result.report is not None and result.report.repaired == ()
    return result


def values() -> dict[str, np.ndarray]:
    """The solution's values, to be tampered with."""
    return {name: array.copy() for name, array in solved().values.items()}


def check(spec: Compiled, found: dict[str, np.ndarray]) -> VerifyReport:
    """Verification of given values as the whole path does it, without repair."""
    from treemip.core.tree.readout import readout, relabel, routed_by_solution

    tree = relabel(spec.instance, readout(spec.instance, found))
    leaf = routed_by_solution(spec.instance, found)
    return verify(spec.instance, spec.reformed.original, found, tree, leaf)


def stump(weights: list[float], threshold: float, strict: bool = False) -> Tree:
    """One split over as many features, left "a", right "b"."""
    table = np.zeros((3, len(weights)))
    table[0] = weights
    names = tuple(f"f{j}" for j in range(len(weights)))
    leaves = np.array([-1, 0, 1])
    return Tree(
        from_heap(np.array([1, 2, 3])),
        table,
        np.array([threshold, 0, 0]),
        strict,
        ClassAnswer(leaves, ("a", "b")),
        names,
    )
