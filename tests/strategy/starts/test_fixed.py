"""Routing and labels fixed by rows: which rows, and what a formulation without them says."""

from __future__ import annotations

import numpy as np

import treemip
from treemip.answers.starts.fixed import fix_tree
from treemip.core.solving.solve import solve

TABLE = {"a": [0.0, 1.0, 2.0, 3.0], "c": ["n", "y", "y", "n"]}
HEAD = 'data "table.csv" { label c; scale minmax; }\ntopology complete(depth = 2);\n'


def compiled(formulation: str):  # type: ignore[no-untyped-def]
    text = f"{HEAD}split univariate by {formulation};"
    return treemip.loads(text, data=TABLE).compile()


def test_points_and_the_classes_left_out_are_fixed() -> None:
    made = compiled("binoct")
    fixed = fix_tree(made.instance, made.model, np.array([3, 4, 5, 6]), {3: 0, 4: 1, 5: 1, 6: 0})
    reach, label = fixed.rows[-2:]
    assert (reach.name, label.name) == ("start_reach", "start_label")
    assert reach.lower.tolist() == reach.upper.tolist() == [1.0] * 4
    assert label.lower.tolist() == label.upper.tolist() == [0.0] * 4
    blocks = {b.name: b for b in made.model.variables}
    # reach over points x leaves, label over leaves x classes, both in that order
    assert (reach.matrix.indices - blocks["reach"].start).tolist() == [0, 5, 10, 15]
    assert (label.matrix.indices - blocks["label"].start).tolist() == [1, 2, 4, 7]
    assert fixed.rows[:-2] == made.model.rows


def test_below_a_branch_points_go_where_they_can() -> None:
    made = compiled("oct")
    fixed = fix_tree(made.instance, made.model, np.array([1, 1, 2, 2]), {1: 0, 2: 1})
    result = made.result(solve(fixed, "highs"), {}, [])
    assert result.status == "optimal"
    assert result.tree is not None
    leaf = result.tree.route(made.instance.table.x)
    assert set(leaf[:2].tolist()) <= {3, 4}
    assert set(leaf[2:].tolist()) <= {5, 6}
    assert result.train_errors == 2
    assert result.verified, result.report


def test_a_leaf_without_points_may_go_without_a_label() -> None:
    made = compiled("oct")
    fixed = fix_tree(made.instance, made.model, np.array([4, 4, 6, 6]), {3: 0, 4: 0, 5: 1, 6: 1})
    result = made.result(solve(fixed, "highs"), {}, [])
    assert result.status == "optimal"
    assert result.values["label"].reshape(4, 2).tolist() == [[0, 0], [1, 0], [0, 0], [0, 1]]
