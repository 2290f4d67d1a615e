"""Selections of a whole table: Algorithm 1's three ways, the others, and what is reported."""

from __future__ import annotations

import numpy as np
import pytest
from hull_reference import inside_by_program

import treemip
from treemip.core.instance.encoded_table import Data
from treemip.core.lower.bind import read_topology
from treemip.core.source.diagnostic import TreemipError
from treemip.methods.selection.clusters import clusters, of_cart
from treemip.methods.selection.parallel import Task, run_all
from treemip.methods.selection.select import select


def selected(x: np.ndarray, y: np.ndarray, setting: str, depth: int = 1, data: str = "") -> Data:
    program = loaded(x, y, setting, depth, data)
    found = select(program.spec, program.data)
    assert found is not None
    return found


def loaded(x: np.ndarray, y: np.ndarray, setting: str, depth: int = 1, data: str = ""):
    columns = {f"f{j}": x[:, j] for j in range(x.shape[1])}
    text = f"""data "memory.csv" {{ label class; {data} }}
topology complete(depth = {depth});
split oblique by soct;
strategy {{ select {setting}; }}
"""
    return treemip.loads(text, data={**columns, "class": y.astype(str)})


def cloud(seed: int, count: int = 120, features: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, count)
    return rng.normal(size=(count, features)) + 2.0 * y[:, None], y


def rows_of_clusters(x: np.ndarray, y: np.ndarray, data: Data, depth: int = 1):
    text = f"topology complete(depth = {depth});"
    topology = read_topology(treemip.loads(text + " var z; minimize z;").spec.topology)
    part = of_cart(x, y, np.ones(len(y)), 2, topology)
    return [c.all_rows for c in clusters(x, y, part.leaf)], part


@pytest.mark.parametrize("seed", range(2))
def test_a_hull_keeps_every_extreme_point_and_no_other(seed):
    x, y = cloud(seed)
    found = selected(x, y, "hull").selected
    groups, _ = rows_of_clusters(x, y, found)
    extreme = [rows[~inside_by_program(x[rows])] for rows in groups]
    assert found.rows.tolist() == np.sort(np.concatenate(extreme)).tolist()
    assert found.extreme == found.kept
    assert found.clusters == len(groups)


def test_thresholds_keep_all_extreme_points_of_a_cluster_that_has_few():
    x, y = cloud(1, 400)
    kept = selected(x, y, "hull").selected.rows
    assert selected(x, y, "hull beta1 0.9 beta2 0.2").selected.rows.tolist() == kept.tolist()


def test_thresholds_keep_a_share_of_a_cluster_that_has_many():
    """The points that others rest on, then those nearest to the hyperplane: a share of beta2."""
    x, y = cloud(2, 60, 4)
    found = selected(x, y, "hull beta1 0.01 beta2 0.5").selected
    groups, _ = rows_of_clusters(x, y, found)
    for rows in groups:
        own = np.intersect1d(rows, found.rows)
        extreme = rows[~inside_by_program(x[rows])]
        assert set(own.tolist()) <= set(extreme.tolist())
        wanted = int(np.ceil(0.5 * len(rows)))
        assert len(own) == min(wanted, len(extreme)) or len(own) > wanted


def test_hyperplanes_keep_the_nearest_points():
    x, y = cloud(3)
    found = selected(x, y, "hyperplane beta2 0.25").selected
    groups, part = rows_of_clusters(x, y, found)
    for rows in groups:
        count = int(np.ceil(0.25 * len(rows)))
        nearest = np.sort(part.distance[rows])[:count]
        own = np.intersect1d(rows, found.rows)
        assert np.sort(part.distance[own]).tolist() == nearest.tolist()


def test_a_balanced_selection_leaves_no_cluster_empty():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 5, (40, 2)) * 1.0
    y = (x[:, 0] > 2).astype(int)
    found = selected(x, y, "balanced")
    assert set(found.train.y.tolist()) == {0, 1}
    assert found.selected.kept < 40


def test_balanced_refuses_large_clusters():
    x, y = cloud(5, 1000)
    with pytest.raises(TreemipError) as caught:
        selected(x, y, "balanced")
    (one,) = caught.value.diagnostics
    assert one.code == "E312"
    assert one.remedy == "select hull;  takes clusters of any size"


def test_beta2_is_bounded_by_the_number_of_features():
    x, y = cloud(6, 50, 1)
    with pytest.raises(TreemipError) as caught:
        selected(x, y, "hull beta1 0.6 beta2 0.9")
    assert str(caught.value.diagnostics[0].message) == (
        "beta2 must be below (features + 1) * (1 - beta1) = 0.8"
    )


def test_iterative_keeps_all_wrong_points_and_raises_the_weight_of_those_others_rest_on():
    x, y = cloud(7, 150)
    y[:12] = 1 - y[:12]
    found = selected(x, y, "iterative")
    one, whole = found.selected, found.whole
    _, part = rows_of_clusters(x, y, one)
    wrong = np.flatnonzero(part.predicted != y)
    assert set(wrong.tolist()) <= set(one.rows.tolist())
    assert one.errors == len(wrong)
    assert one.added == len(wrong)
    heavy = one.rows[one.heavy]
    assert len(heavy)
    assert not set(heavy.tolist()) & set(wrong.tolist())
    weights = dict(zip(one.rows.tolist(), found.train.weight.tolist(), strict=True))
    assert all(weights[row] == len(wrong) + 1 for row in heavy.tolist())
    assert sum(weights.values()) == len(one.rows) + len(heavy) * len(wrong)
    assert whole.weight.tolist() == [1.0] * 150


def test_what_is_said_of_equal_points_and_of_clusters_with_none_inside():
    x = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [5.0, 5.0], [5.0, 5.0], [6.0, 5.0]])
    y = np.array([0, 0, 0, 1, 0, 1])
    found = selected(x, y, "hull")
    (warning,) = (w for w in found.warnings if w.code == "W605")
    assert warning.message == (
        "the model is stated over 5 of 6 points, by 'select hull eps 0': what is proven of it holds"
        " for these alone"
    )
    assert warning.remedy == (
        "of equal points of a cluster one is kept, 1 are left out; in 2 of 3 clusters no point is"
        " inside the hull of others"
    )
    assert found.selected.rows.tolist() == [0, 2, 3, 4, 5]


def test_the_same_points_however_many_processes():
    rng = np.random.default_rng(11)
    tasks = [Task(rng.normal(size=(n, 2)), 0.0) for n in (3000, 2500, 600)]
    counts: list[int] = []
    one, other = run_all(tasks, 1, lambda n: None), run_all(tasks, 2, counts.append)
    for a, b in zip(one, other, strict=True):
        assert a.kept.tolist() == b.kept.tolist()
        assert a.share.tolist() == b.share.tolist()
    assert max(counts) == 6100


def test_points_that_are_scaled_by_all_and_have_groups_and_names():
    x, y = cloud(8, 60)
    program = treemip.loads(
        """data "memory.csv" { label class; scale minmax; id name; group kind; }
topology complete(depth = 1);
split oblique by soct;
strategy { select hull; }
""",
        data={
            "a": x[:, 0],
            "b": x[:, 1],
            "kind": np.array(["u", "v"])[np.arange(60) % 2],
            "name": np.array([f"p{k}" for k in range(60)]),
            "class": y.astype(str),
        },
    )
    found = program.compile().instance.data
    rows = found.selected.rows
    assert found.train.x.tolist() == program.data.train.x[rows].tolist()
    assert found.train.ids == tuple(f"p{k}" for k in rows)
    assert found.train.groups["kind"][0].tolist() == (rows % 2).tolist()
    assert found.train.row_numbers.tolist() == (rows + 1).tolist()


def test_a_selection_of_all_points_is_called_one():
    x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0]])
    (warning,) = selected(x, np.array([0, 0, 0, 1, 1, 1]), "hull").warnings
    assert warning.message == "'select hull eps 0' keeps all 6 points"
