"""What happened to the points of each leaf: by hand, against the data, in tree.json and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import treemip
from treemip.api.reverify import reverify
from treemip.core.resources import specs_path
from treemip.core.tree.leaf_outcomes import STEPS, LeafOutcomes, Spread, Survival
from treemip.core.tree.survival import leaf_curves, observed_in
from treemip.core.tree.survival_curves import Observed
from treemip.core.tree.tree import Tree

ROWS = {
    "a": [1, 2, 3, 4, 5, 6.0],
    "price": [10.0, 12, 14, 30, 34, 50],
}
PRICES = """\
data "t" { label price number; scale minmax; }
topology complete(depth = 1);
split univariate by ort(min_leaf = 1);
"""


@pytest.fixture(scope="module")
def prices() -> treemip.Result:
    return treemip.loads(PRICES, data=ROWS).compile().solve(time_limit=20)


def test_a_numeric_label_has_its_spread_in_each_leaf(prices) -> None:
    tree, table = prices.tree, prices.compiled.instance.table
    assert (tree.outcomes.kind, tree.outcomes.of) == ("number", "price")
    end = tree.route(table.inputs)
    assert len(tree.outcomes.leaves) == 2
    for leaf, found in tree.outcomes.leaves.items():
        own = table.y[end == leaf]
        assert (found.count, found.mean) == (len(own), pytest.approx(own.mean()))
        assert found.sd == pytest.approx(own.std(ddof=1))
        assert found.quartiles == pytest.approx(np.quantile(own, (0.25, 0.5, 0.75)))


def test_spreads_add_up() -> None:
    first, second = np.array([1.0, 4.0]), np.array([2.0, 9.0, 10.0])
    whole = Spread.of(np.append(first, second), quartiles=False)
    assert Spread.of(first) + Spread.of(second) == Spread(
        whole.count, pytest.approx(whole.mean), pytest.approx(whole.sd)
    )
    assert Spread.of(np.zeros(0)) is None
    together = LeafOutcomes("number", "y", {3: Spread.of(first), 4: Spread.of(second)}).together
    assert together([3]).quartiles is not None and together([3, 4]).quartiles is None
    assert together([3, 4]).mean == pytest.approx(5.2) and together([9]) is None


def test_a_saved_tree_gives_the_curves_of_its_leaves(tmp_path, prices) -> None:
    result = treemip.load(specs_path() / "pumps_survival.tree").compile().solve()
    result.save(tmp_path / "tree.json")
    times, curves = treemip.load_tree(tmp_path / "tree.json").survival_curves()
    instance, tree = result.compiled.instance, result.tree
    exact = leaf_curves(instance, tree)
    assert times[-1] == observed_in(instance).time.max() and len(times) == STEPS
    assert curves.keys() == exact.keys() == set(tree.route(instance.table.inputs).tolist())
    for leaf, curve in curves.items():
        np.testing.assert_allclose(curve, exact[leaf].survival_at(times * (1 + 1e-9)))
    with pytest.raises(treemip.TreemipError, match=r"E902.*no survival curves[^$]*ost_grid"):
        prices.tree.survival_curves()


def test_survival_is_kept_at_even_times() -> None:
    observed = Observed(np.array([2.0, 4, 4, 8]), np.array([1, 1, 0, 0], bool), np.ones(4))
    found = Survival.of(observed, 8.0)
    assert (found.count, found.events, found.median) == (4, 2, 4.0)
    at = {time: found.curve[round(time / 8 * STEPS) - 1] for time in (1.8, 2, 3.8, 4, 8)}
    assert at == {1.8: 1.0, 2: 0.75, 3.8: 0.75, 4: pytest.approx(0.5), 8: pytest.approx(0.5)}


@pytest.mark.parametrize(("spec", "kind"), [("trial", "choice"), ("pumps_survival", "time")])
def test_a_tree_keeps_them_in_its_file_and_verify_compares_them(tmp_path, spec, kind) -> None:
    result = treemip.load(specs_path() / f"{spec}.tree").compile().solve()
    outcomes = result.tree.outcomes
    assert outcomes.kind == kind
    result.save(tmp_path / "tree.json")
    assert Tree.from_json(result.tree.to_json()).outcomes == outcomes
    assert reverify(tmp_path / "tree.json").verified
    said = json.loads((tmp_path / "tree.json").read_text())
    leaf = next(node for node in said["tree"]["nodes"] if "outcome" in node)["outcome"]
    leaf = leaf if kind == "time" else next(iter(leaf.values()))
    leaf["points"] += 1
    (tmp_path / "tree.json").write_text(json.dumps(said))
    assert any(".outcome." in problem for problem in reverify(tmp_path / "tree.json").problems)
    counts = result.tree.counts.sum(axis=1)
    for leaf, found in outcomes.leaves.items():
        parts = found.values() if kind == "choice" else [found]
        assert sum(each.count for each in parts) == counts[leaf]


def test_a_damaged_outcome_is_named(prices, tmp_path) -> None:
    prices.save(tmp_path / "tree.json")
    said = json.loads((tmp_path / "tree.json").read_text())
    next(node for node in said["tree"]["nodes"] if "outcome" in node)["outcome"]["sd"] = "wide"
    (tmp_path / "tree.json").write_text(json.dumps(said))
    with pytest.raises(treemip.TreemipError, match="its tree is damaged"):
        treemip.load_tree(tmp_path / "tree.json")


def test_what_a_choice_is_worth_stands_before_its_mean(tmp_path) -> None:
    """As the objective counts it: the answers are the largest estimates, and add up to it."""
    result = treemip.load(specs_path() / "trial.tree").compile().solve()
    tree, points = result.tree, result.tree.counts.sum(axis=1)
    total = 0.0
    for leaf, found in tree.outcomes.leaves.items():
        worth = {name: each.estimate.mean for name, each in found.items()}
        assert {each.estimate.weight for each in found.values()} == {points[leaf]}
        assert max(worth, key=worth.get) == tree.classes[tree.leaf_class[leaf]]
        total += points[leaf] * max(worth.values())
        together = tree.outcomes.together([leaf, leaf])
        assert {n: e.estimate.mean for n, e in together.items()} == pytest.approx(worth)
    assert total / points.sum() == pytest.approx(result.answer.objective)
    picture = tree.to_svg()
    assert "treated: estimate" in picture and "estimate: the outcome of all points" in picture
    assert "means of the outcome" not in picture

    result.save(tmp_path / "tree.json")
    said = json.loads((tmp_path / "tree.json").read_text())
    for node in said["tree"]["nodes"]:  # as files were before there were estimates
        for each in node.get("outcome", {}).values():
            del each["estimate"], each["weight"]
    (tmp_path / "tree.json").write_text(json.dumps(said))
    assert reverify(tmp_path / "tree.json").verified
    assert "means of the outcome" in treemip.load_tree(tmp_path / "tree.json").to_svg()
