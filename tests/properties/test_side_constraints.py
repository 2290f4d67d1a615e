"""Side constraints over the vocabulary, with every formulation.

Each is solved on a small table, and what it asks for is counted on the tree alone. The base
models' own optimum breaks it, so that a constraint without effect would be seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from formulations import KINDS, Columns, compiled, table

from treemip.source.diagnostic import TreemipError
from treemip.tree.tree import Tree

RNG = np.random.default_rng(5)
X = RNG.integers(0, 4, (9, 3)).astype(float)
X[0], X[1] = 0.0, 3.0
Y = np.array([0, 1, 0, 1, 1, 0, 1, 0, 1])
SEX = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1])

LINE = np.arange(9.0)[:, None]
RARE = np.array([0, 0, 0, 0, 1, 0, 0, 1, 0])
"""On a line two errors are best, and with them one point of class 1 at most is right."""

HIGH = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
"""The only tree of depth 1 without errors gives class 1 to one in four of the first sex, and to
four in five of the second."""

SETTINGS = 'positive "1"; group sex;'

OWN_USES = """
var uses {t in branches, j in features} binary;
subject to uses_off {t in branches, j in features}: uses[t,j] = 0 ==> coef[t,j] = 0 by big_m(20);
"""
"""SVM1-ODT's weights have no bounds, so a spec that speaks of `uses` has to give a big-M."""


@dataclass(frozen=True)
class Side:
    """Text of the constraint; whether a tree keeps it on the table; and where it is tried."""

    text: str
    keeps: Callable[[Tree, np.ndarray], bool]
    depth: int = 2
    line: np.ndarray | None = None
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


def no_negative_weight(tree: Tree, x: np.ndarray) -> bool:
    return bool((tree.weights[:, 0] >= 0).all())


def without_first(tree: Tree, x: np.ndarray) -> bool:
    return not tree.weights[:, 0].any()


SIDES = {
    "leaf_size": Side(
        "subject to size {l in leaves}: sum {i in points} reach[i,l] >= 4 * occupied[l];",
        large_leaves,
    ),
    "features": Side("subject to few: distinct_features <= 1;", one_feature),
    "recall": Side(
        """subject to recall: sum {i in points : y[i] = "1"} correct[i] >= 2;""",
        recalls_all,
        depth=1,
        line=RARE,
    ),
    "parity": Side(
        """param members {g in 1..2} = sum {i in points : ord(sex[i]) = g} 1;
        let rate {g in 1..2} =
          sum {i in points : ord(sex[i]) = g} predicts[i,positive] / members[g];
        subject to parity: -0.1 <= rate[1] - rate[2] <= 0.1;""",
        equal_rates,
        depth=1,
        line=HIGH,
    ),
    "pairs": Side('subject to apart: uses_anywhere["a1"] + uses_anywhere["a2"] <= 1;', apart),
    "sign": Side(
        'subject to sign {t in branches}: coef[t,"a1"] >= 0;',
        no_negative_weight,
        of=("soct", "octh", "svm1_odt"),
    ),
    "left_out": Side('subject to out {t in branches}: uses[t,"a1"] = 0;', without_first),
}


def columns(side: Side) -> Columns:
    x, y = (X, Y) if side.line is None else (LINE, side.line)
    return table(x, y, sex=[str(s) for s in SEX])


def solved(formulation: str, side: Side, text: str):  # type: ignore[no-untyped-def]
    made = compiled(formulation, columns(side), side.depth, text, settings=SETTINGS)
    result = made.solve("scip", threads=1)
    assert result.status == "optimal"
    assert result.verified, result.report
    return result, made.instance.table.x


@pytest.mark.parametrize(
    ("formulation", "name"), [(f, name) for name, side in SIDES.items() for f in side.of]
)
def test_the_tree_keeps_what_the_spec_asks_for(formulation: str, name: str) -> None:
    side = SIDES[name]
    text = side.text
    if formulation == "svm1_odt" and name in ("features", "pairs", "left_out"):
        text += OWN_USES
    if formulation in ("oct", "octh") and name == "recall":
        text += "drop loss_high;"
    base, x = solved(formulation, side, "")
    assert not side.keeps(base.tree, x)
    result, x = solved(formulation, side, text)
    assert side.keeps(result.tree, x)


@pytest.mark.parametrize("formulation", ["oct", "octh"])
def test_oct_predicts_no_minority_unless_its_row_for_that_is_dropped(formulation: str) -> None:
    """(21) makes every label its leaf's majority, so that it bounds what can be asked for."""
    side = SIDES["recall"]
    made = compiled(formulation, columns(side), 1, side.text, settings=SETTINGS)
    assert made.solve("scip").status == "infeasible"


def test_a_count_of_features_needs_bounded_weights() -> None:
    side = SIDES["features"]
    with pytest.raises(TreemipError) as caught:
        compiled("svm1_odt", columns(side), 1, side.text, settings=SETTINGS)
    assert caught.value.diagnostics[0].code == "E501"
    assert "'coef' has no finite bounds" in caught.value.diagnostics[0].message
