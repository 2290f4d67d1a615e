"""Sets of points by sorted ranges are those found by testing every point."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import treemip
from treemip.api.program import loads
from treemip.core.lower import frame as frames
from treemip.core.lower import point_runs, reductions
from treemip.core.lower.evaluate import Evaluator
from treemip.core.lower.frame import Frame
from treemip.core.lower.model_columns import ModelBuilder
from treemip.core.lower.relations import Relations
from treemip.core.lower.value_sources import Solution
from treemip.core.model.arrays import Ragged
from treemip.core.model.text import to_text
from treemip.core.source.deadline import TimeEnded, until
from treemip.core.source.diagnostic import Diagnostic, TreemipError

NEVER, ALWAYS = 10**12, 0
SPEC = """
data "points" { label y; }
topology complete(depth = 2);
split univariate by oct;
subject to probe {t in branches, j in features, v in thresholds(j)}:
  (sum {i in points : CONDITIONS} ord(i)) * sum {k in features} coef[t,k] <= 10000;
"""
CONDITIONS = [
    "x[i,j] > v",
    "x[i,j] >= v and x[i,j] < v + 0.5",
    "x[i,j] > v - 0.25 and x[i,j] <= v + 0.25",
    "v < x[i,j] and v + 0.5 >= x[i,j]",
    "x[i,j] >= 0.5",
    "x[i,argmin {k in features} ord(k)] < v",
]
BY_EVERY_POINT = [
    "x[i,j] != v",
    "x[i,j] < x[i,j] + v",
    "x[i,j] < v and ord(i) > 3",
    "x[i,j] < v and x[i,argmax {k in features} ord(k)] > v",
]


def model_text(condition: str, worth_it: int, monkeypatch: pytest.MonkeyPatch) -> str:
    random = np.random.default_rng(7)
    x = random.integers(0, 4, size=(12, 3)) / 3
    monkeypatch.setattr(point_runs, "WORTH_IT", worth_it)
    program = loads(
        SPEC.replace("CONDITIONS", condition),
        data=pd.DataFrame(x, columns=list("abc")).assign(y=np.arange(12) % 2),
    )
    return to_text(program.compile().model)


@pytest.mark.parametrize("condition", CONDITIONS + BY_EVERY_POINT)
def test_ranges_and_tests_of_every_point_agree(
    condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[bool] = []
    lists = point_runs.PointRuns.lists

    def watched(*arguments: object) -> object:
        found = lists(*arguments)  # type: ignore[arg-type]
        used.append(found is not None)
        return found

    monkeypatch.setattr(point_runs.PointRuns, "lists", watched)
    text = model_text(condition, ALWAYS, monkeypatch)
    assert any(used) == (condition in CONDITIONS)
    assert text == model_text(condition, NEVER, monkeypatch)
    assert "probe(" in text


ROWS = {"a": [2, 3, 0, 1], "c": ["no", "no", "yes", "no"]}
HEAD = """data "none.csv" { label c; scale minmax; }
topology complete(depth = 1);
split oblique by soct;
"""


def fault(value: str) -> Diagnostic:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TreemipError) as caught:
            _ = treemip.loads(f"{HEAD}param v = {value};", data=ROWS).instance
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def value(expression: str) -> float:
    program = treemip.loads(f"{HEAD}param v = {expression};", data=ROWS)
    return float(program.instance.values["v"].values[0])


def test_memory_is_asked_for_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "room", lambda: 1 << 30)
    many = Ragged.same(np.arange(10_000.0), 1)
    rows = Frame.empty().grow("i", many)
    with pytest.raises(MemoryError):
        rows.grow("j", many)
    lists = Ragged(np.arange(0, 10_001) * 1, np.arange(10_000.0))
    assert rows.grow("j", lists).size == 10_000


def test_a_sum_over_far_too_many_tuples_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "room", lambda: 1 << 30)
    found = fault("sum {a in 1..1000, b in 1..1000, d in 1..1000, e in 1..1000} 1")
    assert (found.code, found.message) == ("E405", "this does not fit into memory")


def test_rows_that_cannot_fit_are_refused_before_they_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames, "room", lambda: 1 << 30)
    text = (
        HEAD + "subject to\n  r {i in 1..10000, j in 1..10000}: sum {t in branches} active[t] <= i"
    )
    with pytest.raises(TreemipError, match="E405"):
        treemip.loads(f"{text} + j;", data=ROWS).compile()


CLASSES = """data "none.csv" { label c; scale minmax; }
topology complete(depth = 1);
split oblique by soct;
param sums {k in classes} = sum {i in points : y[i] = k and x[i,"a"] > 0.25} x[i,"a"];
param same {k in classes} = sum {i in points : k = y[i]} 1;
param none {k in classes} = card({i in points : y[i] = k and y[i] != k});
set mine {k in classes} = {i in points : y[i] = k};
"""


def test_points_by_class_are_the_same_as_tested_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    rows = {"a": rng.random(200), "c": rng.integers(0, 30, 200)}
    found = []
    for worth in (0, 1 << 40):
        monkeypatch.setattr(point_runs, "WORTH_IT", worth)
        values = treemip.loads(CLASSES, data=rows).instance.values
        found.append([values[name].values for name in ("sums", "same", "none")])
        ragged = values["mine"].ragged
        assert ragged is not None
        found[-1] += [ragged.offsets, ragged.items]
    for mine, other in zip(*found, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_as_many_classes_as_points_take_no_time_for_each_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """30,000 classes times 30,000 points would be 9e8 tests in hundreds of slices."""
    count = 30_000
    rows = {"a": np.arange(count) % 977, "c": np.arange(count)}
    text = CLASSES.replace('and x[i,"a"] > 0.25', "")
    tested: list[int] = []
    compare = frames.Frame.take
    monkeypatch.setattr(
        frames.Frame, "take", lambda self, rows: (tested.append(len(rows)), compare(self, rows))[1]
    )
    values = treemip.loads(text, data=rows).instance.values
    assert values["same"].values.tolist() == [1.0] * count
    assert sum(tested) < 100 * count


SUMS = """data "points" { label y; }
topology complete(depth = 2);
split univariate by binoct;
var z {i in points, l in leaves} >= 0, <= 9;
minimize misclassified;
subject to probe {n in branches, j in features, v in thresholds(j)}:
  let rows = {i in points : x[i,j] > v - 0.4 and x[i,j] <= v + 0.5} in
    card(rows) + sum {i in rows, l in leaves_under(left(n))} z[i,l]
      <= 3 * card(rows);
"""


@pytest.mark.parametrize("counts", [None, np.arange(300) % 4 + 1.0], ids=["single", "several"])
@pytest.mark.parametrize("step", [1.0, 0.25, 0.1], ids=["whole", "quarters", "tenths"])
def test_sums_over_runs_are_those_over_their_points(
    step: float, counts: np.ndarray | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, points = np.random.default_rng(3), 300
    monkeypatch.setattr(point_runs, "WORTH_IT", ALWAYS)
    columns = {name: rng.integers(0, 5, points) / 3 for name in "ab"}
    data = columns | {"y": np.arange(points) % 2}
    instance = replace(treemip.loads(SUMS, data=data).instance, counts=counts)
    constraint = next(c for c in instance.spec.constraints if c.name == "probe")
    values = {"z": np.round(rng.integers(0, 4, points * 4) * step, 2)}
    found, sums = [], point_runs.PointRuns.sum

    def counted(self: point_runs.PointRuns, *given: object) -> object:
        found.append(sums(self, *given))  # type: ignore[arg-type]
        return found[-1]

    totals = []
    for how in (counted, lambda *_: None):
        monkeypatch.setattr(point_runs.PointRuns, "sum", how)
        evaluator = Evaluator(instance, Solution(values))
        frame = next(evaluator.sets.slices(constraint.domain.binders, ()))
        frame = Relations(ModelBuilder(instance), evaluator).with_local_sets(constraint, frame)
        totals.append(evaluator.known(constraint.relation.left, frame))
    assert np.array_equal(*totals) if step == 1 else np.allclose(*totals)
    assert (step == 1) == any(one is not None for one in found)
    assert totals[0].max() > 10


PARTIAL = """data "points" { label y; }
topology complete(depth = 1);
split univariate by binoct;
var z {i in points} >= 0, <= 9;
minimize misclassified;
subject to probe {j in features, v in thresholds(j)}:
  let rows = {i in points : x[i,j] > v and x[i,j] <= 0.9} in
    sum {i in rows} floor(1 / (1 - x[i,j])) * z[i] <= 3;
"""


def test_addends_of_points_that_are_in_no_run_may_be_undefined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(point_runs, "WORTH_IT", ALWAYS)
    monkeypatch.setattr(point_runs, "LESS", 1e9)
    a = np.arange(40) % 5 / 4
    instance = treemip.loads(PARTIAL, data={"a": a, "y": np.arange(40) % 2}).instance
    constraint = next(c for c in instance.spec.constraints if c.name == "probe")
    evaluator = Evaluator(instance, Solution({"z": np.ones(40)}))
    frame = next(evaluator.sets.slices(constraint.domain.binders, ()))
    frame = Relations(ModelBuilder(instance), evaluator).with_local_sets(constraint, frame)
    # of 0.25, 0.5 and 0.75, eight points each: 1, 2 and 4
    assert evaluator.known(constraint.relation.left, frame).tolist() == [56.0, 48.0, 32.0, 0.0]


def test_sums_whose_addends_differ_by_row_are_made_of_their_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = PARTIAL.replace("floor(1 / (1 - x[i,j]))", "(if x[i,j] > v + 0.1 then 1 else 2)")
    monkeypatch.setattr(point_runs, "WORTH_IT", ALWAYS)
    monkeypatch.setattr(point_runs.PointRuns, "_addends_of", _never)
    data = {"a": np.arange(300) / 300, "y": np.arange(300) % 2}
    instance = treemip.loads(text, data=data).instance
    constraint = next(c for c in instance.spec.constraints if c.name == "probe")
    evaluator = Evaluator(instance, Solution({"z": np.ones(300)}))
    frame = next(evaluator.sets.slices(constraint.domain.binders, ()))
    frame = Relations(ModelBuilder(instance), evaluator).with_local_sets(constraint, frame)
    with pytest.raises(TimeEnded, match="was added up"), until(0.0):
        monkeypatch.setattr(reductions, "ENTRIES", 1000)
        evaluator.known(constraint.relation.left, frame)


def _never(*_: object) -> None:
    raise AssertionError("a row of addends for each row of the frame")
