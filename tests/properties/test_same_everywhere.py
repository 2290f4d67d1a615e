"""A tree means the same in every batch, in exact arithmetic, and after it is saved."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from random_trees import CASES, random_result

import treemip
from treemip.api.result import Result
from treemip.core.tree.tree import Tree

QUICK = 98
MANY = 1000

pytest.importorskip("pyscipopt")


def assert_same_in_every_batch(tree: Tree, x: np.ndarray, seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    leaf = tree.route(x)
    assert [int(tree.route(x[i : i + 1])[0]) for i in range(len(x))] == leaf.tolist()
    order = rng.permutation(len(x))
    assert (tree.route(x[order]) == leaf[order]).all()
    size = int(rng.integers(2, len(x)))
    blocks = [tree.route(x[s : s + size]) for s in range(0, len(x), size)]
    assert (np.concatenate(blocks) == leaf).all()
    times = rows // len(x)
    assert (tree.route(np.tile(x, (times, 1))) == np.tile(leaf, times)).all()


def assert_exact(tree: Tree, x: np.ndarray) -> None:
    """No point within rounding of a split that it passes, and each on its exact side."""
    path = tree.path(x)
    for node in tree.topology.branches:
        used = np.flatnonzero(tree.weights[node])
        weights = [Fraction(float(tree.weights[node, j])) for j in used]
        threshold = Fraction(float(tree.threshold[node]))
        exact = len(used) <= 1 and all(abs(w) == 1 for w in weights)
        for i in np.flatnonzero(path[:, node]):
            products = [w * Fraction(float(v)) for w, v in zip(weights, x[i, used], strict=True)]
            away = sum(products) - threshold
            error = len(used) * sum(abs(p) for p in products) / 2**53
            assert exact or not len(used) or abs(away) > 2 * error
            left = away < 0 if tree.strict else away <= 0
            assert left == path[i, tree.topology.left[node]]


def assert_kept(tree: Tree, x: np.ndarray) -> None:
    """Saved and loaded, the tree has the same numbers."""
    again = Tree.from_json(json.loads(json.dumps(tree.to_json())))
    for name in ("weights", "threshold", "leaf_class"):
        assert np.array_equal(getattr(again, name), getattr(tree, name))
    assert again.encoder == tree.encoder and again.strict == tree.strict
    assert (again.route(x) == tree.route(x)).all()


def assert_sound(result: Result, seed: int, rows: int) -> None:
    assert result.verified, (seed, result.report)
    assert not [w for w in result.warnings if w.code == "W705"]
    assert result.tree is not None
    x = result.compiled.instance.table.inputs
    assert_same_in_every_batch(result.tree, x, seed, rows)
    assert_exact(result.tree, x)
    assert_kept(result.tree, x)


@pytest.mark.parametrize("count", [3, pytest.param(7, marks=pytest.mark.truth)])
@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{by} {s}" for _, by, s, _ in CASES])
def test_random_trees(case: int, count: int) -> None:
    results = [random_result(case + k * len(CASES)) for k in range(count)]
    kept = [result for result in results if result is not None]
    assert len(kept) > count / 2
    for seed, result in enumerate(kept):
        assert_sound(result, seed, 10_000)


@pytest.mark.truth
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_random_trees(part: int) -> None:
    done, seed = 0, QUICK + part * 10**6
    while done < MANY // 10:
        result = random_result(seed)
        if result is not None:
            assert_sound(result, seed, 1_000_000 if done % 50 == 0 else 10_000)
            done += 1
        seed += 1


def test_some_solutions_have_points_on_their_splits() -> None:
    """Otherwise the trees above would be as sound without being placed."""
    on = 0
    for seed in range(0, QUICK, len(CASES)):
        result = random_result(seed)
        assert result is not None and result.tree is not None
        x = result.compiled.instance.table.inputs
        weights = result.tree.weights[result.tree.topology.branches]
        on += bool((np.abs(x @ weights.T - result.values["bias"]) < 1e-12).any())
    assert on >= 3


ROWS = {"a": [2, 3, 0, 1], "b": [1, 1, 2, 3], "c": ["no", "no", "yes", "no"]}


def test_a_file_of_one_row_and_a_file_of_all(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """The threshold of this tree was on the last row: a batch of one sent it the other way."""
    text = (
        'data "t.csv" { label c; scale minmax; } topology complete(depth = 1);'
        "split oblique by soct(eps = 0.05);"
    )
    result = treemip.loads(text, data=ROWS).compile().solve("highs", start="none", threads=1)
    assert result.verified and result.train_errors == 0
    result.save(tmp_path / "tree.json")
    for tree in (result.tree, treemip.load_tree(tmp_path / "tree.json")):
        assert tree is not None
        whole = tree.predict(ROWS).tolist()
        assert whole == ROWS["c"]
        for i in range(4):
            row = {name: values[i : i + 1] for name, values in ROWS.items()}
            assert tree.predict(row).tolist() == whole[i : i + 1]


ENCODED = """
data "t" {
  label c;
  scale minmax;
  scale standard b;
  encode onehot(unseen = zero) d;
  encode ordinal e;
  bin quantile(3) f;
  missing impute(mean) a, b;
  missing impute(mode) d;
}
topology complete(depth = 1);
split oblique by svm1_odt;
"""


def test_a_row_is_encoded_by_itself() -> None:
    """Scaled, filled in, one-hot, numbered or binned: whatever rows come with it."""
    rng = np.random.default_rng(0)
    columns = {name: (rng.integers(0, 50, 40) / 7).tolist() for name in "abf"}
    columns["a"][3] = columns["b"][5] = float("nan")
    columns["d"] = [*rng.choice(["u", "v", "w"], 39).tolist(), ""]
    columns["e"] = rng.choice(["k", "l"], 40).tolist()
    columns["c"] = rng.choice(["x", "y"], 40).tolist()
    data = treemip.loads(ENCODED, data=columns).compile().instance.data
    assert data is not None
    new = {**columns, "d": [*columns["d"][:20], *["other"] * 20]}
    whole = data.encoder.inputs({name: np.array(v) for name, v in new.items()})
    assert whole.shape[0] == 40
    for i in range(40):
        row = {name: np.array(values[i : i + 1]) for name, values in new.items()}
        assert np.array_equal(data.encoder.inputs(row)[0], whole[i])
