"""Any tree is a solution of every formulation whose margins it keeps, at its own price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from formulations import KINDS, compiled, errors_of, table
from suite import one_in

from treemip.answers.starts.fixed import fix_tree
from treemip.core.solving.solve import solve

DEPTH = 2
MARGIN = 0.03
"""More than twice the widest margin of a formulation (SVM1-ODT's, on both sides of a split)."""


MAJORITY = ("oct", "octh")
"""OCT's rows (20) and (21) leave a leaf no class but its majority's."""


@dataclass(frozen=True)
class Case:
    """A table and a tree on it: the leaf of each point and the classes, by position 0..6.

    The nodes of a complete tree are numbered level by level: children of t are 2t+1 and 2t+2.
    """

    x: np.ndarray
    y: np.ndarray
    leaf: np.ndarray
    classes: dict[int, int]

    @property
    def errors(self) -> int:
        given = np.array([self.classes[int(leaf)] for leaf in self.leaf])
        return int((given != self.y).sum())


def random_case(seed: int, formulation: str) -> Case:
    """Random splits, each inside its points' range and MARGIN clear of them; random labels."""
    oblique = KINDS[formulation] == "oblique"
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 33, (10, 2)) / 32
    x[:2] = [[0.0, 0.0], [1.0, 1.0]]  # min-max scaling leaves the rest as it is
    y = np.append(rng.integers(0, 3, 7), [0, 1, 2])
    node = np.zeros(10, np.int64)
    for t in range(2**DEPTH - 1):
        here = np.flatnonzero(node == t)
        left = random_split(rng, x, here, oblique)
        if left is None:  # FlowOCT's splits are all between values: (0, 0) cannot go right
            left = np.full(len(here), formulation == "flow_oct" and 0 in here)
        node[here] = np.where(left, 2 * t + 1, 2 * t + 2)
    classes = {leaf: int(rng.integers(0, 3)) for leaf in range(3, 7)}
    if formulation in MAJORITY:
        classes = {
            leaf: int(np.bincount(y[node == leaf], minlength=3).argmax()) for leaf in classes
        }
    return Case(x, y, node, classes)


def random_split(
    rng: np.random.Generator, x: np.ndarray, here: np.ndarray, oblique: bool
) -> np.ndarray | None:
    """Which of the points go left; None when no split keeps the margin."""
    for _ in range(20):
        weights = rng.uniform(-1, 1, 2) if oblique else np.eye(2)[rng.integers(2)]
        at = np.sort(x[here] @ weights) / np.abs(weights).sum()
        wide = np.flatnonzero(np.diff(at) >= MARGIN)
        if len(wide):
            cut = int(rng.choice(wide))
            return x[here] @ weights / np.abs(weights).sum() <= (at[cut] + at[cut + 1]) / 2
    return None


def solved(formulation: str, case: Case):  # type: ignore[no-untyped-def]
    made = compiled(formulation, table(case.x, case.y), DEPTH, rest=REST.get(formulation, ""))
    fixed = fix_tree(made.instance, made.model, case.leaf, case.classes)
    return made, made.result(solve(fixed, "highs"), {}, [])


REST = {"svm1_odt": "cut spare {l in leaves}: sum {k in classes} label[l,k] <= 1;"}
"""SVM1-ODT has classes as numbers; a mention of the labels brings them in."""


@pytest.mark.parametrize(
    ("seed", "formulation"), one_in(3, range(6), ["binoct", "oct", "soct", "octh", "flow_oct"])
)
def test_a_tree_costs_its_own_errors(formulation: str, seed: int) -> None:
    case = random_case(seed, formulation)
    made, result = solved(formulation, case)
    assert result.status == "optimal"
    assert errors_of(made, result.objective) == pytest.approx(case.errors, abs=1e-6)
    assert result.tree.route(made.instance.table.x).tolist() == case.leaf.tolist()
    assert result.verified, result.report


@pytest.mark.parametrize("seed", one_in(3, range(6)))
def test_svm1_odt_pays_for_errors_and_norms_alone_where_margins_are_kept(seed: int) -> None:
    case = random_case(seed, "svm1_odt")
    _, result = solved("svm1_odt", case)
    assert result.status == "optimal"
    norms = float(np.abs(result.tree.weights).sum())
    assert result.objective == pytest.approx(case.errors + 0.1 * norms, abs=1e-6)
    assert result.values["slack"].max() == pytest.approx(0, abs=1e-9)
    assert result.values["wrong"].sum() == case.errors
    assert result.tree.route(case.x).tolist() == case.leaf.tolist()
    assert result.verified, result.report


def test_the_cases_use_all_leaves_and_make_errors() -> None:
    cases = [random_case(seed, name) for seed in range(6) for name in KINDS]
    assert {int(leaf) for case in cases for leaf in case.leaf} == {3, 4, 5, 6}
    assert min(len(set(case.leaf.tolist())) for case in cases) < 4
    assert len({case.errors for case in cases}) >= 4
