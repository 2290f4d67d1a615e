"""The shares of a solved tree: weighted, saved, verified, and of a file that does not have them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import treemip
from treemip.api.reverify import reverify
from treemip.api.store import load_tree
from treemip.core.source.diagnostic import TreemipError

SPEC = """data "rows.csv" {{ label y; {weight} scale minmax; }}
topology complete(depth = 1);
split univariate by oct;
minimize errors: misclassified;
"""


@pytest.fixture(params=[False, True])
def saved(request, tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    a, w = rng.random(40), rng.integers(1, 5, 40) / 2
    y = np.where(rng.random(40) < 0.15, a <= 0.5, a > 0.5)
    lines = [f"{x},{m},{'yes' if k else 'no'}" for x, m, k in zip(a, w, y, strict=True)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,w,y", *lines]) + "\n")
    text = SPEC.format(weight="weight w;" if request.param else "drop w;")
    (tmp_path / "rows.tree").write_text(text)
    result = treemip.load(tmp_path / "rows.tree").compile().solve()
    tree, own = result.tree, w if request.param else np.ones(40)
    assert tree is not None
    leaf = tree.route(tree.encode({"a": a}))
    for k in range(40):
        here = leaf == leaf[k]
        share = own[here & y].sum() / own[here].sum()
        assert tree.shares[leaf[k], 1] == pytest.approx(share)
    result.save(tmp_path / "tree.json")
    return tmp_path / "tree.json"


def test_saved_shares_are_those_of_the_solve(saved: Path) -> None:
    document = json.loads(saved.read_text())
    tree = load_tree(saved)
    shares = tree.shares
    assert reverify(saved).verified
    document["tree"].pop("weighted")  # as an earlier version wrote it
    for node in document["tree"]["nodes"]:
        node.pop("weight", None)
    document["checksum"] = "0" * 64
    saved.write_text(json.dumps(document))
    assert reverify(saved).verified
    older = load_tree(saved)
    assert older.leaf_weights is None and np.array_equal(older.shares, shares)
    saved.with_name("rows.csv").unlink()
    older = load_tree(saved)
    if "weight w" in document["spec"]["text"]:
        with pytest.raises(TreemipError, match="has no probabilities"):
            older.predict_proba({"a": [0.5]})
    else:
        assert np.array_equal(older.shares, shares)


def test_changed_weights_are_found(saved: Path) -> None:
    document = json.loads(saved.read_text())
    if not document["tree"]["weighted"]:
        document["tree"]["weighted"] = True
        found = "tree.weighted"
    else:
        leaf = next(n for n in document["tree"]["nodes"] if "weight" in n)
        leaf["weight"]["yes"] += 1
        found = "weight.yes"
    saved.write_text(json.dumps(document))
    assert any(found in problem for problem in reverify(saved).problems)


def test_the_positive_class_is_that_of_the_spec(saved: Path) -> None:
    rows = {"a": [0.1, 0.9], "y": ["no", "yes"]}
    tree = load_tree(saved)
    assert tree.score(rows).probabilities.positive == "yes"
    document = json.loads(saved.read_text())
    text = document["spec"]["text"].replace("label y;", 'label y positive "no";')
    document["spec"]["text"] = text
    saved.write_text(json.dumps(document))
    assert load_tree(saved).score(rows).probabilities.positive == "no"
