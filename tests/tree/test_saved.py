"""tree.json's part on the tree keeps to the published schema, whatever the encoding."""

from __future__ import annotations

import copy
import json

import pytest
from converted_trees import SCALINGS, random_tree
from json_schema import SCHEMA, faults

TREE = SCHEMA["$defs"]["tree"]


@pytest.mark.parametrize("kind", ["univariate", "sets", "oblique", "randomized"])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_trees_keep_to_the_schema(kind: str, scaling: str) -> None:
    saved = json.loads(json.dumps(random_tree(kind, scaling, 2).to_json()))
    assert list(faults(saved, TREE)) == []


@pytest.mark.parametrize("key", ["features", "nodes", "encoder", "classes", "name"])
def test_the_schema_notices_what_is_missing_or_wrong(key: str) -> None:
    saved = random_tree("sets", "scale minmax", 2).to_json()
    less, wrong, more = copy.deepcopy(saved), copy.deepcopy(saved), copy.deepcopy(saved)
    del less[key]
    wrong[key] = 1
    more["nodes"][0]["more"] = 1
    assert list(faults(less, TREE)) and list(faults(wrong, TREE)) and list(faults(more, TREE))
