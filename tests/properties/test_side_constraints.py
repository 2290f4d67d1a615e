"""Side constraints over the vocabulary, with every formulation.

Each is solved on a small table, and what it asks for is counted on the tree alone. The base
models' own optimum breaks it, so that a constraint without effect would be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from formulations import KINDS, Columns, compiled, table

from treemip.core.source.diagnostic import TreemipError
from treemip.core.tree.tree import Tree

GRID = np.array([[a, b] for a in range(3) for b in range(3)], float)
ABOVE = (GRID.sum(axis=1) >= 3).astype(int)
"""Class 1 is (1,2), (2,1), (2,2). One oblique split has no error and needs both features with
weights of one sign; two levels of univariate ones have 1, and 2 with one feature alone."""

SEX = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1])

LINE = np.arange(9.0)[:, None]
RARE = np.array([0, 0, 0, 0, 1, 0, 0, 1, 0])
"""On a line two errors are best, and with them one point of class 1 at most is right."""

HIGH = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
"""The only tree of depth 1 without errors gives class 1 to one in four of the first sex, and to
four in five of the second."""

TAIL = np.array([0, 0, 0, 0, 0, 0, 0, 1, 1])

TABLES = {"tail": (LINE, TAIL), "grid": (GRID, ABOVE), "rare": (LINE, RARE), "high": (LINE, HIGH)}

SETTINGS = 'positive "1"; group sex;'

CAP = "subject to cap {t in branches, j in features}: -20 <= coef[t,j] <= 20;"
"""SVM1-ODT's weights have no bounds, so a spec that speaks of `uses` has to give them some."""


BY_NAME = tuple(name for name in KINDS if name != "flow_oct")
"""FlowOCT has a feature for each threshold, none of which is called a1."""


@dataclass(frozen=True)
class Side:
    """Text of the constraint; whether a tree keeps it on the table; and where it is tried."""

    text: str
    keeps: Callable[[Tree, np.ndarray], bool]
    on: str = "grid"
    of: tuple[str, ...] = tuple(KINDS)


def large_leaves(tree: Tree, x: np.ndarray) -> bool:
    return bool(np.unique(tree.route(x), return_counts=True)[1].min() >= 4)


def one_feature(tree: Tree, x: np.ndarray) -> bool:
    return int((tree.weights != 0).any(axis=0).sum()) <= 1


def recalls_all(tree: Tree, x: np.ndarray) -> bool:
    return bool((tree.predict_numbers(x)[RARE == 1] == 1).all())


def equal_rates(tree: Tree, x: np.ndarray) -> bool:
    rates = [(tree.predict_numbers(x)[s == SEX] == 1).mean() for s in (0, 1)]
    return abs(rates[0] - rates[1]) <= 0.1 + 1e-9


def apart(tree: Tree, x: np.ndarray) -> bool:
    used = (tree.weights != 0).any(axis=0)
    return not (used[0] and used[1])


def opposed(tree: Tree, x: np.ndarray) -> bool:
    return bool((tree.weights[:, 0] >= 0).all() and (tree.weights[:, 1] <= 0).all())


def without_first(tree: Tree, x: np.ndarray) -> bool:
    return not tree.weights[:, 0].any()


SIDES = {
    "leaf_size": Side(
        "subject to size {l in leaves}: sum {i in points} reach[i,l] >= 4 * occupied[l];",
        large_leaves,
        on="tail",
    ),
    "features": Side("subject to few: distinct_features <= 1;", one_feature),
    "recall": Side(
        """subject to recall: sum {i in points : y[i] = "1"} correct[i] >= 2;""",
        recalls_all,
        on="rare",
    ),
    "parity": Side(
        """let rate {g in values(sex)} =
          sum {i in points : sex[i] = g} predicts[i,positive] / card({i in points : sex[i] = g});
        subject to parity {g in values(sex), h in values(sex) : g != h}: rate[g] - rate[h] <= 0.1;
        """,
        equal_rates,
        on="high",
    ),
    "pairs": Side(
        'subject to apart: uses_anywhere["a1"] + uses_anywhere["a2"] <= 1;', apart, of=BY_NAME
    ),
    "sign": Side(
        """subject to
          plus  {t in branches}: coef[t,"a1"] >= 0;
          minus {t in branches}: coef[t,"a2"] <= 0;""",
        opposed,
        of=("soct", "octh", "svm1_odt"),
    ),
    "left_out": Side(
        'subject to out {t in branches}: uses[t,"a1"] = 0;', without_first, of=BY_NAME
    ),
}


def columns(on: str) -> Columns:
    x, y = TABLES[on]
    return table(x, y, sex=[str(s) for s in SEX])


@cache
def solved(formulation: str, on: str, depth: int, text: str) -> tuple[Tree, np.ndarray]:
    made = compiled(formulation, columns(on), depth, text, settings=SETTINGS)
    result = made.solve("scip", start="none", threads=1)
    assert result.status == "optimal"
    assert result.verified, result.report
    assert result.tree is not None
    return result.tree, made.instance.table.x


CASES = [(f, name) for name, side in SIDES.items() for f in side.of]
IN_SUITE = set(CASES[::2]) | {(f, "leaf_size") for f in KINDS}
"""Each formulation and each constraint."""


@pytest.mark.parametrize(
    ("formulation", "name"),
    [pytest.param(*case, marks=() if case in IN_SUITE else pytest.mark.truth) for case in CASES],
)
def test_the_tree_keeps_what_the_spec_asks_for(formulation: str, name: str) -> None:
    side = SIDES[name]
    text = side.text
    if formulation == "svm1_odt" and name in ("features", "pairs", "left_out"):
        text += CAP
    depth = 2 if KINDS[formulation] == "univariate" and side.on == "grid" else 1
    assert not side.keeps(*solved(formulation, side.on, depth, ""))
    assert side.keeps(*solved(formulation, side.on, depth, text))


@pytest.mark.parametrize("formulation", ["oct", "octh"])
def test_oct_predicts_no_minority_where_its_own_objective_is_all(formulation: str) -> None:
    """(21) makes every label its leaf's majority; kept by its own name, it forbids all others."""
    text = SIDES["recall"].text + OWN_21
    made = compiled(formulation, columns("rare"), 1, text, settings=SETTINGS)
    assert made.solve("scip", start="none").status == "infeasible"


OWN_21 = """
subject to majority {l in leaves, k in classes}:
  loss[l] <= total[l] - right_ones[l,k] + card(points) * label[l,k];
"""


def test_a_count_of_features_needs_bounded_weights() -> None:
    side = SIDES["features"]
    with pytest.raises(TreemipError) as caught:
        _ = compiled("svm1_odt", columns(side.on), 1, side.text, settings=SETTINGS).model
    assert caught.value.diagnostics[0].code == "E501"
    assert "'coef' has no finite bounds" in caught.value.diagnostics[0].message


REQUIRED = """minimize misclassified + 0.1 * splits;
subject to must: uses_anywhere["a2"] = 1;
"""


@pytest.mark.parametrize("formulation", [name for name in BY_NAME if name != "svm1_odt"])
def test_a_required_feature_is_in_the_tree(formulation: str) -> None:
    """The first feature tells all points apart, so a second one is wanted by the row alone: a
    branch that applies no split must not have it for nothing."""
    first = table(GRID, (GRID[:, 0] >= 2).astype(int))
    made = compiled(formulation, first, 2, REQUIRED, settings=SETTINGS.replace("group sex;", ""))
    result = made.solve("scip", start="none", time_limit=60)
    assert result.status == "optimal"
    assert result.verified, result.report
    assert result.tree.weights[:, 1].any()
