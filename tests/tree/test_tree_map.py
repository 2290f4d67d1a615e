"""What the map says of every formulation of the library, and of copies under other names."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from renamed import renamed

import treemip
from treemip.answers.search.candidate import Candidate
from treemip.answers.search.gaps import feature_gaps
from treemip.core.instance.instance import Instance
from treemip.core.tree.read_answers import leaf_values
from treemip.core.tree.readout import splits
from treemip.core.tree.tree_map import NONE, Cells, TreeMap

ROOT = Path(__file__).parents[2]
EXPECTED = Path(__file__).with_name("tree_maps.expected")
COLUMNS = {
    "a": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
    "b": [5.0, 3.0, 5.0, 3.0, 5.0, 3.0],
    "c": ["no", "no", "no", "yes", "yes", "yes"],
    "h": ["p", "q", "r", "p", "q", "r"],
    "pays": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}
CLASSES = "label c; use a, b; scale minmax;"
NUMBERS = "label pays number; use a, b; scale minmax;"
CATEGORIES = "label c; use a, h; encode keep(unseen = zero) h; scale minmax;"
LIBRARY = {
    "binoct": ("univariate", "label c; use a, b;"),
    "categorical_odt": ("univariate", CATEGORIES.replace("scale minmax", "bin quantile(2)")),
    "flow_oct": ("univariate", "label c; use a, b; bin quantile(2);"),
    "margot": ("margin", CLASSES),
    "mm_svm_oct": ("margin", CLASSES),
    "mrct": ("randomized", CLASSES),
    "oct": ("univariate", CLASSES),
    "octh": ("oblique", CLASSES),
    "ort": ("univariate", NUMBERS),
    "ort_linear": ("univariate", NUMBERS),
    "roct": ("univariate", CLASSES),
    "share_trees": ("univariate", CLASSES),
    "soct": ("oblique", CLASSES),
    "sorrt": ("randomized", NUMBERS),
    "svm1_odt": ("oblique", CATEGORIES),
}


def instance_of(split: str, data: str) -> Instance:
    text = f'data "t" {{ {data} }} topology complete(depth = 2); split {split};'
    return treemip.loads(text, data=COLUMNS).compile().instance


@cache
def of_library(name: str) -> Instance:
    kind, data = LIBRARY[name]
    return instance_of(f"{kind} by {name}", data)


def described(instance: Instance) -> str:
    """A line for each thing: how many columns, and whose."""
    found, topology = TreeMap.of(instance), instance.topology
    assert topology is not None
    nodes, points = topology.size, len(instance.table.y)
    features, predict = found.inputs.features, instance.spec.predict
    lines = [
        _of_cells("coef", found.coef, found, len(topology.branches) * features),
        _of_cells("bias", found.bias, found, len(topology.branches)),
        _of_table("ways", found.ways, found, points * nodes),
    ]
    if predict is not None and predict.over is not None:
        lines.append(_of_table("labels", found.labels, found, found.labels[topology.leaves].size))
    if predict is not None and predict.over is None:
        parts = found.parts
        lines.append("parts: none" if parts is None else _of_cells("parts", parts, found))
    lines += [_of_cells(name, cells, found) for name, cells in found.counted.items()]
    if instance.spec.route is not None and instance.spec.route.probability is None:
        lines.append(f"unsplit: {'left' if found.unsplit_left else 'right'}")
        if found.listed_thresholds is not None:
            lines.append(f"thresholds: {[len(one) for one in found.listed_thresholds]}")
        if found.categories is not None:
            form = found.categories
            side = "left" if form.chosen_left else "right"
            lines.append(f"categories: {form.sets} {side}, by {form.tests}")
    lines.append(f"objective depends on thresholds: {found.prices_thresholds}")
    return "\n".join(f"  {line}" for line in lines)


def _of_cells(name: str, cells: Cells, found: TreeMap, most: int | None = None) -> str:
    rates = sorted(set(cells.rate.tolist()) - {1.0})
    by = f", times {rates}" if rates else ""
    of = "" if most is None else f" of {most}"
    return f"{name}: {len(cells.column)}{of} {sorted(found.variables(cells))}{by}"


def _of_table(name: str, table: np.ndarray, found: TreeMap, most: int) -> str:
    own = table[table != NONE]
    cells = Cells((), own, np.ones(len(own)), np.zeros(len(own)))
    return _of_cells(name, cells, found, most)


def test_the_maps_of_the_library() -> None:
    """Text in, text out."""
    made = "".join(f"{name}\n{described(of_library(name))}\n" for name in LIBRARY)
    assert made == EXPECTED.read_text()


@pytest.mark.parametrize("name", LIBRARY)
def test_a_copy_under_other_names_has_the_same_map(name: str, tmp_path: Path) -> None:
    kind, data = LIBRARY[name]
    (tmp_path / "mine.tree").write_text(renamed(name, "mine"))
    text = f'data "t" {{ {data} }} topology complete(depth = 2); split {kind} by mine;'
    copy = treemip.loads(text, data=COLUMNS, base=tmp_path).compile().instance
    names = re.compile(r"'\w+'")
    assert names.sub("_", described(copy)) == names.sub("_", described(of_library(name)))


# -------------------------------------------------------------------- trees there and back

BY_NUMBERS = ("margot", "mm_svm_oct", "oct", "octh", "ort", "roct", "soct")
BY_SETS = ("categorical_odt", "svm1_odt")
ONES = {"active": 1.0}  # a branch without a split multiplies its hyperplane by 0


def read_back(instance: Instance, values: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    found = TreeMap.of(instance)
    rest = {n: np.full(size, ONES.get(n, 0.0)) for n, size in found.sizes.items()}
    weights, threshold, _ = splits(instance, rest | values)
    return weights, threshold


@given(name=st.sampled_from(BY_NUMBERS), seed=st.integers(0, 2**32 - 1))
def test_splits_made_by_the_map_are_read_back(name: str, seed: int) -> None:
    instance, draw = of_library(name), np.random.default_rng(seed)
    topology = instance.topology
    assert topology is not None
    weights, threshold = np.zeros((topology.size, 2)), np.zeros(topology.size)
    weights[topology.branches] = draw.normal(size=(len(topology.branches), 2))
    threshold[topology.branches] = draw.normal(size=len(topology.branches))
    read = read_back(instance, TreeMap.of(instance).split_values(weights, threshold))
    assert read[0] == pytest.approx(weights) and read[1] == pytest.approx(threshold)


@given(name=st.sampled_from(BY_SETS), seed=st.integers(0, 2**32 - 1))
def test_sets_of_categories_made_by_the_map_are_read_back(name: str, seed: int) -> None:
    instance, draw = of_library(name), np.random.default_rng(seed)
    found, topology = TreeMap.of(instance), instance.topology
    assert topology is not None
    of_column, weights = found.inputs.categories(0), np.zeros((topology.size, found.inputs.width))
    for node in topology.branches:
        chosen = draw.permutation(of_column)[: draw.integers(1, len(of_column))]
        weights[node, chosen] = -1.0
    threshold = np.where(weights.any(axis=1), -0.5, 0.0)
    read, at = read_back(instance, found.split_values(weights, threshold))
    goes = read[:, of_column] <= at[:, None]
    assert (goes == (weights[:, of_column] != 0))[topology.branches].all()


@pytest.mark.parametrize("name", ["ort", "ort_linear"])
def test_values_of_leaves_made_by_the_map_are_read_back(name: str) -> None:
    instance = of_library(name)
    found, draw = TreeMap.of(instance), np.random.default_rng(0)
    assert found.parts is not None and instance.topology is not None
    wanted = np.zeros((instance.topology.size, 3))
    wanted[found.parts.at] = draw.normal(size=len(found.parts.column))
    answer = leaf_values(instance, found.by_name(found.solved([(found.parts, wanted)])))
    assert answer.base == pytest.approx(wanted[:, 0])
    assert answer.slopes == pytest.approx(wanted[:, 1:])


# --------------------------------------------------------------------- formulations of one's own

OWN = """data "t" { label c; use a, b; } topology complete(depth = 1);
var w {t in branches, j in features} >= -1, <= 1;
var cut_at {t in branches} >= -9, <= 9;
var goes {i in points, t in nodes} binary means routed[i,t];
var says {l in leaves, k in classes} binary;
minimize wrong: sum {i in points, l in leaves} goes[i,l] * (1 - says[l,y[i]]);
subject to
  one {l in leaves}: sum {k in classes} says[l,k] = 1;
  way {i in points}: sum {l in leaves} goes[i,l] = 1;
  top {i in points}: goes[i,root] = 1;
  go_left  {i in points}:
    goes[i,left(root)] = 1 ==> 2 * dot(w[root,*], x[i,*]) >= 4 * cut_at[root] + 1 by big_m(99);
  go_right {i in points}:
    goes[i,right(root)] = 1 ==> 2 * dot(w[root,*], x[i,*]) <= 4 * cut_at[root] by big_m(99);
route left when 2 * dot(w[t,*], x[i,*]) >= 4 * cut_at[t] + 1;
predict class argmax {k in classes} says[l,k];
"""


def test_splits_ways_and_labels_are_known_without_a_concept() -> None:
    instance = treemip.loads(OWN, data=COLUMNS).compile().instance
    found = TreeMap.of(instance)
    assert described(instance).splitlines()[:4] == [
        "  coef: 2 of 2 ['w'], times [-2.0]",
        "  bias: 1 of 1 ['cut_at'], times [-4.0]",
        "  ways: 18 of 18 ['goes']",
        "  labels: 4 of 4 ['says']",
    ]
    weights, threshold = np.array([[0.5, -1.5], [0, 0], [0, 0]]), np.array([0.75, 0, 0])
    read = read_back(instance, found.split_values(weights, threshold))
    assert read[0] == pytest.approx(weights) and read[1] == pytest.approx(threshold)


def test_an_instance_has_one_map_and_a_changed_one_its_own() -> None:
    instance = treemip.loads(OWN, data=COLUMNS).compile().instance
    assert TreeMap.of(instance) is TreeMap.of(instance)
    assert TreeMap.of(replace(instance, spec=instance.spec)) is not TreeMap.of(instance)
    with pytest.raises(FrozenInstanceError):
        TreeMap.of(instance).instance = instance  # type: ignore[misc]


def test_a_threshold_that_is_a_multiple_of_its_column_is_scaled() -> None:
    """The rows leave `cut_at` an interval; a split's threshold moves four times as far."""
    made = treemip.loads(OWN, data=COLUMNS).compile()
    instance = made.instance
    assert instance.topology is not None
    x = instance.table.inputs
    gaps = feature_gaps(
        instance, made.stated, x, Candidate.empty(instance.topology, 2), np.arange(2)
    )
    assert gaps == pytest.approx([1.0, 1.0])
