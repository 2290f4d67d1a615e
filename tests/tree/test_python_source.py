"""A tree written as Python predicts what the tree predicts, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from converted_trees import SCALINGS, as_rows, random_tree, rows_for

from treemip.tree.convert.python_source import python_source
from treemip.tree.convert.raw_splits import raw_tree
from treemip.tree.randomized import RandomizedTree
from treemip.tree.tree import Tree


def module_of(tree: Tree) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(python_source(raw_tree(tree)), names)
    return names


@pytest.mark.parametrize("kind", ["univariate", "mixed", "oblique", "randomized"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_python_predicts_as_the_tree_does(kind: str, scaling: str) -> None:
    for seed in range(4):
        tree = random_tree(kind, scaling, seed)
        rows = rows_for(tree, 600, seed)
        module = module_of(tree)
        assert [module["predict"](row) for row in as_rows(rows)] == tree.predict(rows).tolist()
        if isinstance(tree, RandomizedTree):
            chances = [module["probabilities"](row) for row in as_rows(rows)]
            assert np.array_equal(chances, tree.predict_proba(rows))
