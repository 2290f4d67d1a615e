"""A tree written as SQL gives, in SQLite, the classes that the tree gives."""

from __future__ import annotations

import numpy as np
import pytest
from converted_trees import SCALINGS, random_tree, rows_for, tree_asking
from run_programs import selected
from suite import one_in

from treemip.core.tree.randomized import RandomizedTree
from treemip.writers.convert.raw_splits import raw_tree
from treemip.writers.convert.sql_query import sql_query


@pytest.mark.parametrize("scaling", one_in(2, SCALINGS))
def test_sql_has_the_probabilities_of_a_randomized_tree(scaling: str) -> None:
    tree = random_tree("randomized", scaling, 3)
    assert isinstance(tree, RandomizedTree)
    rows = rows_for(tree, 600, 3)
    found = selected(tree, rows)
    chances = np.array([[row[f"P({name})"] for name in tree.classes] for row in found])
    expected = tree.predict_proba(rows)
    assert np.abs(chances - expected).max() < 1e-14
    sure = np.diff(np.sort(expected, axis=1))[:, -1] > 1e-13
    assert sure.sum() > 600
    classes = np.array([row["prediction"] for row in found], object)
    assert (classes[sure] == tree.predict(rows)[sure]).all()


@pytest.mark.parametrize("kind", ["mixed", "randomized"])
def test_a_refused_row_has_no_class(kind: str) -> None:
    tree = tree_asking(kind, "level", "the town")
    rows = {name: values[:4] for name, values in rows_for(tree, 4, 0).items()}
    rows["level"] = np.array([np.nan, -999.0, 1.0, 1.0], object)
    rows["the town"] = np.array(["A", "A", "C", "A"], object)
    classes = [row["prediction"] for row in selected(tree, rows)]
    assert classes[:3] == [None, None, None]
    assert classes[3] in tree.classes


def test_any_name_can_stand_in_a_query() -> None:
    tree = random_tree("univariate", "scale none", 0)
    assert 'FROM "my schema"."a ""table""" AS t;' in sql_query(
        raw_tree(tree), 'my schema.a "table"'
    )
