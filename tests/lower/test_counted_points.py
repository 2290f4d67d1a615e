"""Points that stand for several: what is said of them is said of a table with each row repeated."""

from __future__ import annotations

import numpy as np
import pytest

import treemip
from treemip.answers.search.agreement import by_meaning, by_sums, random_tree
from treemip.answers.search.sum_builder import sums_of
from treemip.core.instance.instance import Instance
from treemip.core.lower import alike_points, point_runs
from treemip.core.lower.bind import bind

POINTS, TIMES = 40, 3
SPECS = [
    "minimize misclassified;",
    "maximize accuracy;",
    "minimize worst_class_error + 0.1 * splits;",
    'minimize sum {i in points} weight[i] * x[i,"f0"] * (1 - correct[i]);',
    "let middle = sorted(v)[ceil(card(points) / 2)]; "
    "minimize sum {i in points} abs(v[i] - middle) * (1 - correct[i]);",
    "let rare = sorted(class_count)[1]; "
    "minimize misclassified; subject to few {l in leaves}: points_in[l] >= rare * occupied[l];",
    'minimize misclassified; subject to few: sum {i in points : g[i] = "a"} predicts[i,positive] '
    "<= 0.3 * card(points);",
    'minimize misclassified; subject to like: abs(sum {i in points : g[i] = "a"} '
    'predicts[i,positive] - sum {i in points : g[i] = "b"} predicts[i,positive]) <= 10;',
]


def data(times: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(0)
    columns = {f"f{j}": draw.integers(0, 5, POINTS).astype(float) for j in range(3)}
    columns["w"], columns["v"] = draw.choice([1.0, 2.0, 0.5], POINTS), draw.integers(0, 9, POINTS)
    columns["g"] = draw.choice(["a", "b"], POINTS)
    columns["c"] = np.where(draw.random(POINTS) < 0.4, "y", "n")
    return {name: np.repeat(column, times) for name, column in columns.items()}


def instance_of(text: str, formulation: str, times: int) -> Instance:
    whole = (
        'data "t.csv" { label c; weight w; group g; number v; positive "y"; scale minmax; } '
        f"topology complete(depth = 2); split univariate by {formulation};\n" + text
    )
    instance = treemip.loads(whole, data=data(times)).instance
    assert instance is not None
    return instance


def counted(instance: Instance) -> Instance:
    return bind(instance.spec, instance.data, counts=np.full(POINTS, float(TIMES)))


@pytest.mark.parametrize("least", [0, 1 << 20], ids=["together", "each"])
@pytest.mark.parametrize("formulation", ["oct", "binoct"])
@pytest.mark.parametrize("text", SPECS)
def test_points_that_stand_for_several_are_as_many_rows(
    text: str, formulation: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alike_points.alike_points, "__defaults__", (None, least, None))
    monkeypatch.setattr(point_runs, "WORTH_IT", 0)
    rows = instance_of(text, formulation, TIMES)
    points = counted(instance_of(text, formulation, 1))
    assert points.values["class_count"].values.tolist() == (
        rows.values["class_count"].values.tolist()
    )
    told = [(one, *one.table.distinct) for one in (rows, points)]
    sums = [sums_of(one, of_point) for one, _, of_point in told]
    rng, x = np.random.default_rng(1), told[0][1]
    assert np.array_equal(x, told[1][1])
    for _ in range(10):
        tree = random_tree(rows, sums[0], x, rng, False)
        (value, broken), (other, also) = (by_meaning(one, tree) for one in (rows, points))
        assert other == pytest.approx(value)
        assert also == broken
        first, second = (
            by_sums(one, own, x, tree) for one, own in zip((rows, points), sums, strict=True)
        )
        assert second == pytest.approx(first)
        assert first[0] == pytest.approx(value)
