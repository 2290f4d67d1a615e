"""tree.json's part on the tree keeps to the published schema, whatever the encoding."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import numpy as np
import pytest
from converted_trees import SCALINGS, answering, random_tree, rows_for
from json_schema import SCHEMA, faults

from treemip.core.tree.from_values import other_nodes
from treemip.core.tree.tree import Tree

TREE = SCHEMA["$defs"]["tree"]


@pytest.mark.parametrize("kind", ["univariate", "sets", "oblique", "randomized"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_trees_keep_to_the_schema(kind: str, scaling: str) -> None:
    saved = json.loads(json.dumps(random_tree(kind, scaling, 2).to_json()))
    assert list(faults(saved, TREE)) == []


@pytest.mark.parametrize("kind", ["sets", "oblique", "randomized"])
@pytest.mark.parametrize("how", ["constants", "linear", "shares"])
def test_trees_of_other_answers_come_back_as_they_were(kind: str, how: str) -> None:
    tree = answering(random_tree(kind, "scale minmax", 3), how, 3)
    x = tree.encode(rows_for(tree, 50, 3))
    for counts in (None, tree.counts_of(x, np.zeros(len(x), np.int64))):
        saved = json.loads(json.dumps(replace(tree, counts=counts).to_json()))
        again = Tree.from_json(saved)
        assert type(again) is type(tree) and json.loads(json.dumps(again.to_json())) == saved
        assert np.array_equal(again.answers(x), tree.answers(x))
        assert not other_nodes(again, tree).any()
        assert list(faults(saved, TREE)) == []


@pytest.mark.parametrize("key", ["features", "nodes", "encoder", "classes", "name"])
def test_the_schema_notices_what_is_missing_or_wrong(key: str) -> None:
    saved = random_tree("sets", "scale minmax", 2).to_json()
    less, wrong, more = copy.deepcopy(saved), copy.deepcopy(saved), copy.deepcopy(saved)
    del less[key]
    wrong[key] = 1
    more["nodes"][0]["more"] = 1
    assert list(faults(less, TREE)) and list(faults(wrong, TREE)) and list(faults(more, TREE))
