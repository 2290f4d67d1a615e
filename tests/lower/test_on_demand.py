"""Rows that are made on demand are those that a kept model has, and are checked alike."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treemip
from treemip.core.lower import on_demand as rows_on_demand
from treemip.core.lower import sets
from treemip.core.lower.frame import Frame
from treemip.core.lower.lower import lower
from treemip.core.model.model import Model
from treemip.core.model.on_demand import OnDemand
from treemip.core.source.deadline import TimeEnded, until
from treemip.core.tree.residuals import first_violations, model_violations

SPECS = Path(__file__).parents[2] / "specs"
NAMES = (
    "iris",
    "iris_binoct",
    "monks_flow_oct",
    "credit_fair",
    "credit_equal_chances",
    "wine_svm1",
    "monks_categorical",
)


def both(name: str) -> tuple[Model, Model]:
    """A spec's model with rows on demand, and kept."""
    instance = treemip.load(SPECS / f"{name}.tree").instance
    model = rows_on_demand.on_demand(instance, 0)
    assert model is not None, name
    return model, lower(instance)


def table_of(blocks: object) -> dict[str, list[tuple[object, ...]]]:
    """The rows of each name in order: entries, sides and labels."""
    found = defaultdict(list)
    for block in blocks:  # type: ignore[attr-defined]
        rows = getattr(block, "body", block)
        for r in range(rows.length):
            at = slice(rows.matrix.indptr[r], rows.matrix.indptr[r + 1])
            entries = rows.matrix.indices[at].tolist(), rows.matrix.data[at].tolist()
            labels = tuple(column[r] for column in rows.index.columns)
            found[block.name].append((*entries, rows.lower[r], rows.upper[r], labels))
    return found


def of_slices(names: tuple[str, ...], in_suite: tuple[str, ...], length: int) -> list:
    others = pytest.mark.truth
    return [pytest.param(n, length, marks=() if n in in_suite else others) for n in names]


@pytest.mark.parametrize(
    ("name", "length"),
    [
        *of_slices(NAMES, ("iris_binoct", "credit_fair", "wine_svm1", "monks_categorical"), 7),
        *of_slices(NAMES, ("iris",), 1 << 16),
    ],
)
def test_rows_are_those_of_a_kept_model(
    name: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "SLICE", length)
    model, kept = both(name)
    assert isinstance(model.rows, OnDemand)
    assert table_of(model.rows) == table_of(kept.rows)
    assert table_of(model.implications) == table_of(kept.implications)
    for own, other in zip(model.variables, kept.variables, strict=True):
        assert (own.name, own.start, own.kind) == (other.name, other.start, other.kind)
        assert np.array_equal(own.lower, other.lower)
        assert np.array_equal(own.upper, other.upper)
        assert [c.tolist() for c in own.index.columns] == [c.tolist() for c in other.index.columns]
    assert_same_rows_are_broken(model, kept)


def assert_same_rows_are_broken(model: Model, kept: Model) -> None:
    rng = np.random.default_rng(0)
    for _ in range(2):
        values = {
            b.name: rng.integers(0, 2, b.length).astype(float) * rng.choice([1.0, 0.5])
            for b in kept.variables
        }
        wanted = {(v.name, round(v.amount, 9)) for v in model_violations(kept, values)}
        assert {(v.name, round(v.amount, 9)) for v in model_violations(model, values)} == wanted
        assert bool(first_violations(model, values)) == bool(wanted)


def test_sums_over_points_wait_for_what_the_first_points_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tree that breaks rows of these is not held against all others."""
    model, kept = both("iris_binoct")
    assert isinstance(model.rows, OnDemand)
    sizes, own = list[int](), rows_on_demand._Family._off

    def noted(family: Any, evaluator: Any, frame: Frame) -> np.ndarray:
        sizes.append(frame.size)
        return own(family, evaluator, frame)

    monkeypatch.setattr(rows_on_demand._Family, "_off", noted)
    monkeypatch.setattr(rows_on_demand, "FIRST", 5)
    off = {b.name: np.full(b.length, 0.5) for b in kept.variables}
    assert first_violations(model, off)
    assert 0 < sum(sizes) <= 5 * len(sizes)
    looked_at = len(sizes)
    model_violations(model, off)
    assert len(sizes) > 2 * looked_at


def test_numbers_of_rows_and_entries_are_close() -> None:
    model, kept = both("iris_binoct")
    assert model.row_count == kept.row_count
    assert 0.5 * kept.nonzeros <= model.nonzeros <= 2 * kept.nonzeros


def test_a_model_of_few_rows_is_kept() -> None:
    assert rows_on_demand.on_demand(treemip.load(SPECS / "iris.tree").instance) is None


def test_rows_about_functions_of_each_point_are_lowered_with_all_others() -> None:
    assert rows_on_demand.on_demand(treemip.load(SPECS / "iris_mrct.tree").instance, 0) is None


def test_rows_on_demand_have_no_places() -> None:
    model, _ = both("iris")
    with pytest.raises(TypeError, match="gone through"):
        model.rows[0]


def test_checking_rows_ends_when_time_is_up() -> None:
    model, _ = both("iris_binoct")
    values = {block.name: np.zeros(block.length) for block in model.variables}
    with until(0.0), pytest.raises(TimeEnded, match=r"checked against the \d+ rows of '\w+'"):
        model_violations(model, values)
