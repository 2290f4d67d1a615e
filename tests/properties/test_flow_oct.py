"""FlowOCT: trees that stop early, their price, and what is said of the points they get wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from formulations import compiled, table
from reference.leaf_sums import errors, least_cost
from suite import one_in

import treemip
from treemip.answers.starts.fixed import fix_tree
from treemip.api.result import Result
from treemip.api.reverify import reverify
from treemip.api.store import load_tree
from treemip.core.solving.solve import solve
from treemip.core.source.diagnostic import TreemipError

LINE = np.arange(6.0)[:, None]
STEP = np.array([0, 0, 1, 1, 1, 1])


def solved(x: np.ndarray, y: np.ndarray, depth: int, price: float, rest: str = "") -> Result:
    parameters = {"lambda": price}
    result = compiled("flow_oct", table(x, y), depth, rest, parameters=parameters).solve(
        "highs", start="none"
    )
    assert result.status == "optimal"
    assert result.verified, result.report
    return result


@pytest.mark.parametrize("seed", one_in(3, range(12)))
def test_a_split_is_worth_its_price_in_the_enumeration_of_all_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 2, (8, 3)).astype(float), np.append(rng.integers(0, 3, 6), [0, 1])
    price = float(rng.choice([0.2, 0.4, 0.55, 0.7]))
    depth = int(rng.integers(1, 4))
    lost = least_cost(x, depth, price, 1, errors(y, 1 - price))
    assert solved(x, y, depth, price).objective == pytest.approx((1 - price) * 8 - lost, abs=1e-6)


def test_a_node_where_the_tree_stops_is_one_leaf_of_its_class(tmp_path: Path) -> None:
    lines = [f"{a},{k}\n" for a, k in zip(LINE[:, 0], STEP, strict=True)]
    (tmp_path / "table.csv").write_text("a1,c\n" + "".join(lines))
    text = (
        'data "table.csv" { label c; bin thresholds; } topology complete(depth = 2);'
        "split univariate by flow_oct(lambda = 0.4);"
    )
    result = treemip.loads(text, base=tmp_path).compile().solve("highs", start="none")
    assert result.verified, result.report
    assert result.values["stop"].tolist() == [0, 1, 1, 0, 0, 0, 0]
    assert result.objective == pytest.approx(0.6 * 6 - 0.4)
    assert result.tree is not None
    assert str(result.tree) == (
        "6 points\n├─ a1 < 1.5: c = 0  (2 points: 2 of 0)\n└─ a1 ≥ 1.5: c = 1  (4 points: 4 of 1)"
    )
    assert result.tree.leaf_class.tolist() == [-1, -1, -1, 0, 0, 1, 1]
    assert result.tree.predict({"a1": [1.4, 1.6]}).tolist() == [0, 1]

    result.save(tmp_path / "t.json")
    assert str(load_tree(tmp_path / "t.json")) == str(result.tree)
    again = reverify(tmp_path / "t.json")
    assert again.verified, again
    assert again.objective == pytest.approx(0.6 * 6 - 0.4)


def test_a_tree_that_stops_at_its_root_is_a_single_leaf() -> None:
    result = solved(LINE, STEP, 2, 0.9)
    assert result.objective == pytest.approx(0.1 * 4)
    assert result.train_errors == 2
    assert str(result.tree) == "c = 1  (6 points: 4 of 1, 2 of 0)"


def test_a_tree_fixed_where_it_stops_costs_its_own_errors_and_splits() -> None:
    made = compiled("flow_oct", table(LINE, STEP), 2, parameters={"lambda": 0.25})
    fixed = fix_tree(made.instance, made.model, np.array([1, 1, 1, 2, 2, 2]), {1: 0, 2: 1})
    result = made.result(solve(fixed, "highs"), {}, [])
    assert result.status == "optimal"
    assert result.objective == pytest.approx(0.75 * 5 - 0.25)
    assert result.tree is not None
    assert str(result.tree) == (
        "6 points\n"
        "├─ a1 < 2.5: c = 0  (3 points: 2 of 0, 1 of 1)\n"
        "└─ a1 ≥ 2.5: c = 1  (3 points: 3 of 1)"
    )
    assert result.verified, result.report


def test_all_points_have_a_way_where_a_spec_asks_for_it() -> None:
    """The flow leaves the point that is wrong out; a leaf's size must count it all the same."""
    rest = "subject to size {l in leaves}: sum {i in points} reach[i,l] >= 3 * occupied[l];"
    result = solved(LINE, STEP, 1, 0.0, rest)
    assert result.tree is not None
    leaf = result.tree.route(result.compiled.instance.table.x)
    assert np.unique(leaf, return_counts=True)[1].tolist() == [3, 3]
    assert result.train_errors == 1
    assert result.values["enter"].reshape(6, 3)[:, 0].sum() == 5
    assert result.values["reach"].reshape(6, 3)[:, 0].tolist() == [1] * 6


def test_flow_is_not_kept_back_where_a_spec_caps_it() -> None:
    """The tree itself has to be worse: 4 points are right, where 5 can be."""
    result = solved(LINE, STEP, 1, 0.0, "subject to cap: sum {i in points} correct[i] <= 4;")
    assert result.verified
    assert result.train_errors == 2


def test_flow_kept_back_is_found_out() -> None:
    """Without the rows for the other side, a cap on the flow does not make a tree worse."""
    rest = "drop hit_least; subject to cap: sum {i in points} correct[i] <= 4;"
    made = compiled("flow_oct", table(LINE, STEP), 1, rest)
    fixed = fix_tree(made.instance, made.model, np.array([1, 1, 2, 2, 2, 2]), {1: 0, 2: 1})
    result = made.result(solve(fixed, "highs"), {}, [])
    assert result.status == "optimal"
    assert not result.verified
    assert "the tree violates 'cap' by 2" in result.report.problems  # type: ignore[union-attr]


def test_features_that_are_not_binary_are_refused_with_a_remedy() -> None:
    with pytest.raises(TreemipError) as caught:
        compiled("flow_oct", table(LINE, STEP), 1, scale=False)
    (found,) = caught.value.diagnostics
    assert found.code == "E307"
    assert found.message == (
        "FlowOCT needs features that are 0 or 1: add `bin quantile(5);` or `bin thresholds;` "
        "for numbers, `encode onehot;` for categories (it fails for point 3, feature 'a1')"
    )
